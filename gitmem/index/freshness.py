"""Whether the index speaks for the tips and the configuration of this moment. Hot: only os.

Tips are read from the files git keeps them in, where that is certain to be right; `Uncertain`
means that only git can say.
"""

import os

from gitmem.refs import FACTS
from gitmem.store.discover import Repository, read_tip

LOCAL = "local"
SHARED = "shared"


def layer_dirs(common_dir: str) -> "dict[str, str]":
    """The git directory of each layer, nearest first; a layer need not exist."""
    return {LOCAL: os.path.join(common_dir, "gitmem", "local.git"), SHARED: common_dir}


def tips(common_dir: str) -> "dict[str, str]":
    """The tip of each layer, '' for one without notes; Uncertain when only git can say."""
    found = {}
    for name, git_dir in layer_dirs(common_dir).items():
        there = name != LOCAL or os.path.isdir(git_dir)
        found[name] = (read_tip(git_dir, FACTS) or "") if there else ""
    return found


def ask_tips(common_dir: str) -> "dict[str, str]":
    """`tips`, as git says. GitMemError for a ref that leads nowhere."""
    from gitmem.store import ask  # slow: only where the files do not settle it

    return {
        name: (ask.read_tip(git_dir, FACTS) or "") if os.path.isdir(git_dir) else ""
        for name, git_dir in layer_dirs(common_dir).items()
    }


def config_stamp(repository: Repository) -> str:
    """Changes whenever a configuration file that git reads for this repository changes."""
    env = os.environ
    user = env.get("HOME", "")
    xdg = env.get("XDG_CONFIG_HOME") or (os.path.join(user, ".config") if user else "")
    files = [
        os.path.join(repository.common_dir, "config"),
        env.get("GIT_CONFIG_GLOBAL") or (os.path.join(user, ".gitconfig") if user else ""),
        os.path.join(xdg, "git", "config") if xdg else "",
    ]
    stamps = []
    for path in files:
        try:
            stat = os.stat(path) if path else None
        except OSError:
            stat = None
        stamps.append(f"{stat.st_mtime_ns:x}.{stat.st_size:x}" if stat else "-")
    return " ".join(stamps)


def is_fresh(header: "dict[str, str]", now: "dict[str, str]", stamp: str) -> bool:
    """Whether an index header speaks for the tips `now` and the configuration `stamp`."""
    return header.get("config") == stamp and all(
        header.get("tip." + name, "") == tip for name, tip in now.items()
    )
