"""`git config mem.*` as one value; every default stands in this table.

`mem.budget`       characters injected per event (4000, never over 9000)
`mem.hook`         false switches the hooks off (true)
`mem.hints`        false: hooks never suggest to record something (true)
`mem.start`        what a session starts with: `full`, `line` or `off` (full)
`mem.allowSecret`  exact strings that the secret gate lets pass (none; may be given many times)
`mem.workspace`    the repository of the workspace layer (none)
`mem.self`         the repository of the self layer (`self.git` where this person's data is)
"""

import os
from typing import NamedTuple

from gitmem.core.render import DEFAULT_BUDGET, HARD_CAP
from gitmem.store.outer import SELF_DIR, data_home
from gitmem.store.process import attempt
from gitmem.store.questions import SETTINGS

STARTS = ("full", "line", "off")


class Config(NamedTuple):
    """`workspace` and `own` are the directories of the outer layers, '' for none; one that git
    cannot make a path of stands as it was given."""

    budget: int = DEFAULT_BUDGET
    hook: bool = True
    hints: bool = True
    start: str = "full"
    allow_secret: tuple[str, ...] = ()
    ignorecase: bool = False
    workspace: str = ""
    own: str = ""


def read_config(git_dir: str, *, timeout: float | None = None) -> Config:
    """The configuration as git sees it for this repository. A value that is not one is ignored."""
    _, output, _ = attempt(SETTINGS, git_dir=git_dir, timeout=timeout)
    values: dict[str, list[str]] = {}
    for entry in output.decode("utf-8", "replace").split("\0"):
        name, _, value = entry.partition("\n")
        if name:
            values.setdefault(name, []).append(value if "\n" in entry else "true")
    return Config(
        budget=_budget(values.get("mem.budget", [""])[-1]),
        hook=_truth(values.get("mem.hook", ["true"])[-1]),
        hints=_truth(values.get("mem.hints", ["true"])[-1]),
        start=_one_of(STARTS, values.get("mem.start", [""])[-1]),
        allow_secret=tuple(values.get("mem.allowsecret", ())),
        ignorecase=_truth(values.get("core.ignorecase", ["false"])[-1]),
        workspace=_path(git_dir, "mem.workspace", values),
        own=_path(git_dir, "mem.self", values) or _own(),
    )


def _path(git_dir: str, name: str, values: dict[str, list[str]]) -> str:
    """A directory as git understands it: where it says more than its name, git is asked."""
    given = values.get(name, [""])[-1]
    if given.startswith(("~", "%")):
        args = ("config", "--type=path", "--get", name)
        code, output, _ = attempt(args, git_dir=git_dir)
        given = os.fsdecode(output).removesuffix("\n") if code == 0 else given
    return os.path.normpath(given) if given else ""


def _own() -> str:
    home = data_home()
    return os.path.join(home, SELF_DIR) if home else ""


def _budget(text: str) -> int:
    return min(int(text), HARD_CAP) if text.isdigit() and int(text) else DEFAULT_BUDGET


def _one_of(words: tuple[str, ...], text: str) -> str:
    """The word that `text` says; the first where it says none."""
    said = text.strip().casefold()
    return said if said in words else words[0]


def _truth(text: str) -> bool:
    return text.strip().casefold() not in ("false", "no", "off", "0")
