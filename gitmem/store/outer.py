"""The layers outside of the project: where they lie by default, and how to tell that one changed.
Hot: only os.

They are repositories of their own that several projects read and write, so a project's index has
to notice what was written from another one. Git is never asked here.
"""

import os

from gitmem.refs import FACTS
from gitmem.store.discover import Uncertain, read_tip

WORKSPACE, SELF = "workspace", "self"
OUTER = (WORKSPACE, SELF)  # the nearer first
SELF_DIR = "self.git"


def data_home() -> str:
    """The directory for what this person keeps beside all projects; '' without a home.

    It is there only where such a layer was ever used: so most hooks need look no further.
    """
    env = os.environ
    data = env.get("XDG_DATA_HOME") or env.get("LOCALAPPDATA") or ""
    if not os.path.isabs(data):
        user = env.get("HOME") or env.get("USERPROFILE") or ""
        data = os.path.join(user, ".local", "share") if user else ""
    return os.path.join(data, "git-mem") if data else ""


def seen(git_dir: str) -> str:
    """A text that is another one after every write to the layer; '' where nothing was written."""
    try:
        return read_tip(git_dir, FACTS) or ""
    except Uncertain:
        pass
    try:
        stat = os.stat(os.path.join(git_dir, "reftable", "tables.list"))
    except OSError:
        return "?"
    return f"{stat.st_mtime_ns:x}.{stat.st_ino:x}"
