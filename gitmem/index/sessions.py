"""What a session has been shown: each note once per revision. Hot: imports only os.

One append-only file per session. A hook claims a note by appending a line, then reads the file:
the first claim of a note since the last `clear` line wins, so parallel hooks need no lock and
neither lose a note nor show it twice.
"""

import os

from gitmem.index.place import SESSIONS, append_to, session_path

KEEP_SECONDS = 14 * 24 * 3600
CLEARED = "-"


class Session:
    """The record of one session (and of one subagent in it, whose context is its own)."""

    def __init__(self, directory: str, session: str) -> None:
        self._path = session_path(directory, session)
        self._token = f"{os.getpid():x}.{int.from_bytes(os.urandom(6), 'little'):x}"

    def seen(self) -> "set[str]":
        """The note keys shown since the context was last cleared."""
        return {line.split(" ", 1)[0] for line in self._lines()}

    def claim(self, keys: "list[str]") -> "list[str]":
        """Those of `keys` that are ours to show now. OSError when nothing can be recorded."""
        append_to(self._path, "".join(f"{key} {self._token}\n" for key in keys))
        first: dict[str, str] = {}
        for line in self._lines():
            key, _, token = line.partition(" ")
            first.setdefault(key, token)
        return [key for key in keys if first.get(key) == self._token]

    def clear(self) -> None:
        """The agent's context was compacted or cleared: everything may be shown again."""
        append_to(self._path, f"{CLEARED}\n")

    def _lines(self) -> "list[str]":
        try:
            with open(self._path, "rb") as file:
                lines = file.read().decode("ascii", "replace").split("\n")
        except FileNotFoundError:
            return []
        if CLEARED in lines:
            lines = lines[len(lines) - lines[::-1].index(CLEARED) :]
        return [line for line in lines if " " in line]


def drop_old(directory: str, now: float) -> None:
    """Remove the records of sessions that have not been written to for two weeks."""
    folder = os.path.join(directory, SESSIONS)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        try:
            if now - os.stat(path).st_mtime > KEEP_SECONDS:
                os.remove(path)
        except OSError:
            continue
