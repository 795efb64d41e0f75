"""Which notes of state are closed, remembered: most are, and none of them need be read again.

Derived, deletable, and never stale: whether a note is closed follows from the set of its revisions,
which is kept beside the answer. One small text file for each layer and branch, `closed/` in the
directory of derived files. Imports only os.
"""

import os
import time

DIRECTORY = "closed"
HEADER = "gitmem closed 1"
OLD = 90 * 86_400  # seconds after which a file that nobody wrote to is dropped

# id key → (its revisions, when the first and the last of them was written, and what the last one
# says of the moment, the commit and the merge base)
Known = dict[str, tuple[str, str, str, str, str, str]]


def path_of(directory: str, layer: str, scope: str) -> str:
    """The file for a branch in a layer, below the directory of derived files."""
    return os.path.join(directory, DIRECTORY, f"{layer}-{scope}")


def read(path: str) -> Known:
    """What is remembered; nothing where there is none or it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    if lines[0] != HEADER:
        return {}
    found: Known = {}
    for line in lines[1:]:
        key, *rest = line.split("\t")
        if len(rest) == 6:
            found[key] = (rest[0], rest[1], rest[2], rest[3], rest[4], rest[5])
    return found


def write(path: str, known: Known) -> None:
    """Remember this much. OSError."""
    directory = os.path.dirname(path)
    if not os.path.isdir(directory):
        os.makedirs(directory, exist_ok=True)
    aside = f"{path}.{os.getpid()}"
    lines = [HEADER, *("\t".join((key, *values)) for key, values in known.items()), ""]
    try:
        with open(aside, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
    _drop_old(directory, time.time())


def _drop_old(directory: str, now: float) -> None:
    with os.scandir(directory) as found:
        for item in found:
            if item.stat().st_mtime < now - OLD:
                os.unlink(item.path)
