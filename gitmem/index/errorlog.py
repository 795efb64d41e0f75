"""The small log in which a hook leaves why it said nothing. Read by `doctor` and `status`."""

import os

from gitmem.index.place import ERRORS, MAX_ERRORS, user_home, writable_home


def append(common_dir: "str | None", reasons: "list[str]", now: float) -> None:
    """Add one line for each reason; `common_dir` None: no repository was found. OSError."""
    directory = writable_home(common_dir) if common_dir else user_home()
    if directory is None:
        return
    path = os.path.join(directory, ERRORS)
    try:
        if os.stat(path).st_size > MAX_ERRORS:
            os.replace(path, path + ".old")
    except FileNotFoundError:
        pass
    lines = "".join(f"{int(now)} {reason}\n" for reason in reasons)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, lines.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def read(directory: str) -> "list[tuple[int, str]]":
    """The (seconds since 1970, reason) entries of the log in `directory`, oldest first."""
    try:
        with open(os.path.join(directory, ERRORS), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    entries = []
    for line in lines:
        stamp, _, reason = line.partition(" ")
        if stamp.isdigit():
            entries.append((int(stamp), reason))
    return entries


def acknowledge(directory: str) -> None:
    """Put the log aside: what it says has been shown."""
    path = os.path.join(directory, ERRORS)
    try:
        os.replace(path, path + ".old")
    except OSError:
        pass
