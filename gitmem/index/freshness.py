"""Whether the index speaks for the tips and the configuration of this moment. Hot: only os.

Tips are read from the files git keeps them in, where that is certain to be right; `Uncertain`
means that only git can say.
"""

import os

from gitmem.refs import FACTS, LANDED, TRACKING
from gitmem.store.discover import Repository, read_refs, read_tip
from gitmem.store.outer import OUTER, seen

LOCAL = "local"
SHARED = "shared"
MAP = "landed"  # stands among the layers for the map of what landed as what
UNBORN = "-"


def layer_dirs(common_dir: str) -> "dict[str, str]":
    """The git directory of each layer of the project, nearest first; a layer need not exist."""
    return {LOCAL: os.path.join(common_dir, "gitmem", "local.git"), SHARED: common_dir}


def outer_dirs(header: "dict[str, str]") -> "dict[str, str]":
    """The git directory of each layer outside of the project, as configured when the index was
    written: name → directory."""
    return {name: header["dir." + name] for name in OUTER if header.get("dir." + name)}


def tips(common_dir: str) -> "dict[str, str]":
    """The tips of each layer of the project as one text, '' for one without notes; Uncertain when
    only git knows.

    The text holds `ref=oid` pairs: the layer's own ref first, then what was fetched. MAP has those
    of the landed map.
    """
    fetched = read_refs(common_dir, TRACKING + "/")
    found = {}
    for name, git_dir in layer_dirs(common_dir).items():
        tip = read_tip(git_dir, FACTS) if os.path.isdir(git_dir) else None
        found[name] = pack_tips(tip, fetched if name != LOCAL else {})
    found[MAP] = pack_tips(read_tip(common_dir, LANDED), fetched, LANDED)
    return found


def pack_tips(tip: "str | None", fetched: "dict[str, str]", ref: str = FACTS) -> str:
    """The text that stands for an own tip of `ref` and the tracking refs `fetched`."""
    name = "/" + ref.rpartition("/")[2]
    pairs = [f"{ref}={tip}"] if tip else []
    return ",".join(
        pairs + [f"{item}={fetched[item]}" for item in sorted(fetched) if item.endswith(name)]
    )


def unpack_tips(text: str) -> "dict[str, str]":
    """Ref → tip, from the text that `pack_tips` made."""
    pairs = [pair.rpartition("=") for pair in text.split(",") if pair]
    return {ref: oid for ref, _, oid in pairs}


def ask_tips(common_dir: str) -> "dict[str, str]":
    """`tips`, as git says. GitMemError for a ref that leads nowhere."""
    from gitmem.store import ask  # slow: only where the files do not settle it

    fetched = ask.read_refs(common_dir, TRACKING + "/")
    found = {}
    for name, git_dir in layer_dirs(common_dir).items():
        tip = ask.read_tip(git_dir, FACTS) if os.path.isdir(git_dir) else None
        found[name] = pack_tips(tip, fetched if name != LOCAL else {})
    found[MAP] = pack_tips(ask.read_tip(common_dir, LANDED), fetched, LANDED)
    return found


def head_text(head: "str | None") -> str:
    """What the index calls a commit that it speaks for."""
    return head or UNBORN


def config_stamp(repository: Repository) -> str:
    """Changes whenever a configuration file that git reads for this repository changes, or where
    the history of a shallow clone ends."""
    env = os.environ
    user = env.get("HOME", "")
    xdg = env.get("XDG_CONFIG_HOME") or (os.path.join(user, ".config") if user else "")
    files = [
        os.path.join(repository.common_dir, "config"),
        os.path.join(repository.common_dir, "shallow"),
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


def speaks_for(header: "dict[str, str]", now: "dict[str, str]", stamp: str) -> bool:
    """Whether an index header speaks for the tips `now`, the configuration `stamp`, and what the
    layers outside of the project hold."""
    return (
        header.get("config") == stamp
        and all(header.get("tip." + name, "") == tip for name, tip in now.items())
        and all(header.get("seen." + name) == seen(at) for name, at in outer_dirs(header).items())
    )


def is_fresh(
    header: "dict[str, str]", now: "dict[str, str]", stamp: str, head: "str | None"
) -> bool:
    """`speaks_for`, at the commit `head` (None: an unborn branch)."""
    return header.get("head") == head_text(head) and speaks_for(header, now, stamp)
