"""Whether the index speaks for the tips and the configuration of this moment. Hot: only os.

Tips are read from the files git keeps them in, where that is certain to be right; `Uncertain`
means that only git can say.
"""

import os

from gitmem.refs import FACTS, TRACKING
from gitmem.store.discover import Repository, read_refs, read_tip

LOCAL = "local"
SHARED = "shared"
NAME = "/" + FACTS.rpartition("/")[2]


def layer_dirs(common_dir: str) -> "dict[str, str]":
    """The git directory of each layer, nearest first; a layer need not exist."""
    return {LOCAL: os.path.join(common_dir, "gitmem", "local.git"), SHARED: common_dir}


def tips(common_dir: str) -> "dict[str, str]":
    """The tips of each layer as one text, '' for one without notes; Uncertain when only git knows.

    The text holds `ref=oid` pairs: the layer's own ref first, then what was fetched.
    """
    found = {}
    for name, git_dir in layer_dirs(common_dir).items():
        if name == LOCAL:
            tip = read_tip(git_dir, FACTS) if os.path.isdir(git_dir) else None
            found[name] = pack_tips(tip, {})
        else:
            fetched = read_refs(git_dir, TRACKING + "/")
            found[name] = pack_tips(read_tip(git_dir, FACTS), fetched)
    return found


def pack_tips(tip: "str | None", fetched: "dict[str, str]") -> str:
    """The text that stands for a layer's own tip and the tracking refs `fetched`."""
    pairs = [f"{FACTS}={tip}"] if tip else []
    return ",".join(
        pairs + [f"{ref}={fetched[ref]}" for ref in sorted(fetched) if ref.endswith(NAME)]
    )


def unpack_tips(text: str) -> "dict[str, str]":
    """Ref → tip, from the text that `pack_tips` made."""
    pairs = [pair.rpartition("=") for pair in text.split(",") if pair]
    return {ref: oid for ref, _, oid in pairs}


def ask_tips(common_dir: str) -> "dict[str, str]":
    """`tips`, as git says. GitMemError for a ref that leads nowhere."""
    from gitmem.store import ask  # slow: only where the files do not settle it

    found = {}
    for name, git_dir in layer_dirs(common_dir).items():
        there = os.path.isdir(git_dir)
        fetched = ask.read_refs(git_dir, TRACKING + "/") if name != LOCAL else {}
        found[name] = pack_tips(ask.read_tip(git_dir, FACTS) if there else None, fetched)
    return found


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
