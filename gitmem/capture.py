"""What a session does besides: commands that failed and then worked, files changed and nothing
recorded. Hot, for the events that tell of it.

A hint is given where the agent takes context anyway, says what to type, comes once, and never
blocks; `git config mem.hints false` stops all of them. A repository without notes gets none.
"""

import os

from gitmem.index.place import LAST_ERROR, append_to, home, session_path
from gitmem.refs import FACTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.base import Call
    from gitmem.index.read import Index
    from gitmem.store.discover import Repository

WORK = ".work"
CHANGED, FAILED, HINTED = "changed", "failed", "hinted"
MOST = 3  # hints about failures in one session
LONGEST = 300
TIPS = ("tip.local", "tip.shared", "tip.workspace", "tip.self")


def hint(call: "Call", repository: "Repository", index: "Index | None", is_known: bool) -> str:
    """Keep what `call` tells; the hint that it is time for, else ''.

    `is_known`: there is a note about this event already.
    """
    directory = home(repository.common_dir)
    if not os.path.isdir(directory):
        return ""  # no memory here, so nothing of ours
    header = {} if index is None else index.header
    is_used = any(header.get(name) for name in TIPS[:2])  # not only from outside
    may_hint = is_used and header.get("hints") != "false"
    try:
        work = _Work(session_path(directory, call.session) + WORK) if call.session else None
        if call.failed:
            _failed(call, directory, work, is_known)
        elif work is not None and call.writes and not work.values(CHANGED):
            work.note(CHANGED, _tips(index))
        if work is None or call.failed or not may_hint:
            return ""
        return _ending(work, index) if call.ending else _worked(call, directory, work)
    except OSError:
        return ""  # it cannot be kept here


def _failed(call: "Call", directory: str, work: "_Work | None", is_known: bool) -> None:
    """A command failed: keep its error."""
    from gitmem.core.telling import telling_line  # only for errors

    line = next(filter(None, map(telling_line, call.errors)), "")
    if line:
        keep_last_error(directory, _command(call), line)
    if line and work is not None and not is_known:
        work.note(FAILED, _command(call), line)


def _worked(call: "Call", directory: str, work: "_Work") -> str:
    """A command worked: perhaps one that failed before."""
    line = work.failed().get(_command(call), "")
    if not line or call.failed is None or not call.delivers:
        return ""
    work.note(HINTED, _command(call))
    keep_last_error(directory, _command(call), line)
    return (
        f"`{_command(call)}` failed earlier ({line}) and works now. If the reason would cost the "
        "next session time too, record it: "
        'git mem add --from-last-error "what was wrong, what to do"'
    )


def _command(call: "Call") -> str:
    return " ".join(" ".join(call.commands).split())[:LONGEST]


def _ending(work: "_Work", index: "Index | None") -> str:
    """The agent stops, or is about to lose its context."""
    changed = work.values(CHANGED)
    if not changed or changed[0] != [_tips(index)] or [""] in work.values(HINTED):
        return ""
    work.note(HINTED, "")
    return (
        "This session changed files and recorded nothing. If it learned something that the next "
        "one will need and the code does not say, record it now, else ignore this: "
        "git mem add \"what is so, why, what to do instead\" -p '<files it is about>'"
    )


def _tips(index: "Index | None") -> str:
    """What the memory of this clone stands at: changes whenever something is recorded here."""
    header = {} if index is None else index.header
    pairs = ",".join(header.get(name, "") for name in TIPS).split(",")
    return ",".join(pair for pair in pairs if pair.startswith(FACTS + "="))


class _Work:
    """The record of one session: a line for each thing, in the order they happened."""

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            with open(path, "rb") as file:
                text = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            text = ""
        self._lines = [line.split("\t") for line in text.split("\n") if line]

    def values(self, what: str) -> "list[list[str]]":
        return [line[1:] for line in self._lines if line[0] == what]

    def failed(self) -> "dict[str, str]":
        """command → the line of its error, of those no hint was given about."""
        hinted = [given[0] for given in self.values(HINTED) if given[0]]
        if len(hinted) >= MOST:
            return {}
        return {line[0]: line[1] for line in self.values(FAILED) if line[0] not in hinted}

    def note(self, what: str, *values: str) -> None:
        """Add a line, unless it is there."""
        line = [what, *(" ".join(value.split()) for value in values)]
        if line not in self._lines:
            append_to(self._path, "\t".join(line) + "\n")
            self._lines.append(line)


def keep_last_error(directory: str, command: str, line: str) -> None:
    """Remember the error that was seen last in this repository."""
    path = os.path.join(directory, LAST_ERROR)
    temporary = f"{path}.{os.getpid():x}"
    append_to(temporary, f"{command}\n{line}\n")
    os.replace(temporary, path)


def last_error(directory: str) -> "tuple[str, str] | None":
    """(command, line) of the error that was seen last; None when there is none."""
    try:
        with open(os.path.join(directory, LAST_ERROR), encoding="utf-8", errors="replace") as file:
            command, _, line = file.read().partition("\n")
    except OSError:
        return None
    return (command, line.strip()) if line.strip() else None
