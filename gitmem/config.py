"""`git config mem.*` as one value; every default stands in this table.

`mem.budget`       characters injected per event (4000, never over 9000)
`mem.hook`         false switches the hooks off (true)
`mem.hints`        false: hooks never suggest to record something (true)
`mem.allowSecret`  exact strings that the secret gate lets pass (none; may be given many times)
"""

from typing import NamedTuple

from gitmem.core.render import DEFAULT_BUDGET, HARD_CAP
from gitmem.store.process import attempt
from gitmem.store.questions import SETTINGS


class Config(NamedTuple):
    budget: int = DEFAULT_BUDGET
    hook: bool = True
    hints: bool = True
    allow_secret: tuple[str, ...] = ()
    ignorecase: bool = False


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
        allow_secret=tuple(values.get("mem.allowsecret", ())),
        ignorecase=_truth(values.get("core.ignorecase", ["false"])[-1]),
    )


def _budget(text: str) -> int:
    return min(int(text), HARD_CAP) if text.isdigit() and int(text) else DEFAULT_BUDGET


def _truth(text: str) -> bool:
    return text.strip().casefold() not in ("false", "no", "off", "0")
