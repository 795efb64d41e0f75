"""How commands print: text in git's manner, or one JSON document. What they say of a note is in
`note_output.py`, which knows notes; this knows none, for every command loads it.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

VERSION = 1
BOLD, YELLOW, DIM, RESET = "\x1b[1m", "\x1b[33m", "\x1b[2m", "\x1b[m"


_found_encodings: dict[str, str] = {}


def use_utf8() -> None:
    """Text is UTF-8 whatever the locale says, as git's is."""
    for name, stream in (("stdin", sys.stdin), ("stdout", sys.stdout), ("stderr", sys.stderr)):
        if hasattr(stream, "reconfigure"):
            _found_encodings.setdefault(name, stream.encoding)
            stream.reconfigure(encoding="utf-8", errors="replace")


def encodings() -> dict[str, str]:
    """What the standard streams were set to before `use_utf8`."""
    return dict(_found_encodings)


def say(text: str = "") -> None:
    sys.stdout.write(text + "\n")


def say_all(lines: "Iterable[str]") -> None:
    for line in lines:
        say(line)


def write(data: bytes) -> None:
    """Bytes exactly as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def warn(text: str) -> None:
    sys.stderr.write(f"warning: {text}\n")


def error(text: str) -> None:
    sys.stderr.write(f"error: {text}\n")


def hint(text: str) -> None:
    sys.stderr.write(f"hint: {text}\n")


def counted(number: int, what: str) -> str:
    """`1 note`, `2 notes`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def summary(text: str, width: int = 60) -> str:
    """The first line of a text, cut to `width`."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def print_json(document: "Mapping[str, Any]") -> None:
    """One document, `version` first."""
    import json  # only for those who ask for it

    say(json.dumps({"version": VERSION, **document}, indent=2, ensure_ascii=False))


def is_terminal() -> bool:
    return sys.stdout.isatty()


def has_colour() -> bool:
    """As git decides for `color.ui`: only on a terminal, and never with NO_COLOR."""
    if not is_terminal() or os.environ.get("NO_COLOR"):
        return False
    import subprocess  # only on a terminal, as below

    code = subprocess.run(
        ["git", "config", "--get-colorbool", "color.ui", "true"], capture_output=True, text=True
    )
    return code.stdout.strip() == "true"


def page(lines: "Iterable[str]", *, live: bool = False) -> None:
    """Print lines, through git's pager when stdout is a terminal; `live`: each at once."""
    pager = _pager() if is_terminal() else ""
    if not pager:
        for line in lines:
            say(line)
            if live:
                sys.stdout.flush()
        return
    import subprocess

    env = {"LESS": "FRX", "LV": "-c", **os.environ}
    child = subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=env)
    assert child.stdin is not None
    try:
        for line in lines:
            child.stdin.write((line + "\n").encode("utf-8", "replace"))
            if live:
                child.stdin.flush()
    except BrokenPipeError:
        pass
    finally:
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
        child.wait()


def _pager() -> str:
    import subprocess

    found = subprocess.run(["git", "var", "GIT_PAGER"], capture_output=True, text=True)
    pager = found.stdout.strip()
    return "" if pager == "cat" else pager
