"""The one line of an error by which the same error can be told again. Hot."""

from gitmem.core.text import strip_ansi

LONGEST = 160
SHORTEST = 8
# What a line that names the error says, the surest first.
SURE = ("error:", "exception:", "fatal:", "panic:", "panicked at")
LIKELY = ("error", "exception", "fatal", "failed", "cannot", "not found", "undefined", "denied")
NOISE = ("exit code", "traceback", "npm err! a complete log", "process exited")


def telling_line(error: str) -> str:
    """The line of `error` that says most about it, '' when there is none.

    The last line that names an error by the usual words, else the last line there is. A place in a
    file before it (`src/a.py:12:3: `) is no part of it: it moves with every edit.
    """
    lines = [" ".join(line.split()) for line in strip_ansi(error).splitlines()[-400:]]
    lines = [line for line in lines if len(line) >= SHORTEST and not _is_noise(line)]
    for words in (SURE, LIKELY):
        for line in reversed(lines):
            if any(word in line.casefold() for word in words):
                return _shortened(line)
    return _shortened(lines[-1]) if lines else ""


def _is_noise(line: str) -> bool:
    return line.casefold().startswith(NOISE) or not any(char.isalpha() for char in line)


def _shortened(line: str) -> str:
    head, mark, rest = line.partition(": ")
    place = head.rstrip("0123456789:")
    if mark and place != head and ("." in place or "/" in place) and len(rest) >= SHORTEST:
        line = rest
    line = line.removeprefix("E ").strip()
    return line if len(line) <= LONGEST else line[:LONGEST].rpartition(" ")[0] or line[:LONGEST]
