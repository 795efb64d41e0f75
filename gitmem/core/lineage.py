"""Where a branch comes from, as reflogs tell it: its earlier names, and what it was cut from. Pure.

A name may be used again for other work. So a branch has *lives*: a name, and the seconds between
which what was written under that name is about this branch.
"""

HEADS = "refs/heads/"
REMOTES = "refs/remotes/"
CREATED = "branch: Created from "
CHANGED = {"Branch: renamed ": "renamed", "Branch: copied ": "copied"}
MOVED = "checkout: moving from "

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Entry:
    """A line of a reflog: old and new tip, seconds since 1970, and what was done."""

    __slots__ = ("new", "old", "said", "when")

    def __init__(self, old: str, new: str, when: int, said: str) -> None:
        self.old = old
        self.new = new
        self.when = when
        self.said = said


class Life:
    """A name of a branch, and when it was its name: from `born` to `until` (None: it still is), in
    seconds since 1970."""

    __slots__ = ("born", "name", "until")

    def __init__(self, name: str, born: int = 0, until: int | None = None) -> None:
        self.name = name
        self.born = born
        self.until = until

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Life) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Life{self._key()!r}"

    def _key(self) -> tuple[str, int, int | None]:
        return self.name, self.born, self.until


def entries(data: bytes) -> list[Entry]:
    """The lines of a reflog, oldest first; what is no line of one is left out."""
    found = []
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        head, _, said = line.partition("\t")
        words = head.rsplit(" ", 2)
        names = words[0].split(" ", 2)
        if len(words) == 3 and len(names) == 3 and words[1].isdecimal():
            found.append(Entry(names[0], names[1], int(words[1]), said))
    return found


def lives(branch: str, log: "Sequence[Entry]") -> tuple[Life, ...]:
    """The lives of a branch, the present one first, by its own reflog."""
    found: list[Life] = []
    name, until = branch, None
    for item in reversed(log):
        changed = _changed(item)
        if changed and changed[2] == name:
            found.append(Life(name, item.when, until))
            if changed[0] == "copied":
                return tuple(found)
            name, until = changed[1], item.when
        elif item.said.startswith(CREATED):
            born = 0 if _is_taken_over(name, item.said) else item.when
            return (*found, Life(name, born, until))
    return (*found, Life(name, 0, until))


def _is_taken_over(name: str, said: str) -> bool:
    """Whether a branch began as a copy of the remote's branch of that name: the same work."""
    start = said.removeprefix(CREATED).removeprefix(REMOTES)
    return start == "FETCH_HEAD" or start.partition("/")[2] == name


def _changed(item: Entry) -> "tuple[str, str, str] | None":
    """(`renamed` or `copied`, the branch from, the branch to) of an entry that says so."""
    for start, how in CHANGED.items():
        if item.said.startswith(start):
            old, _, new = item.said[len(start) :].partition(" to ")
            return how, old.removeprefix(HEADS), new.removeprefix(HEADS)
    return None


def origin(
    log: "Sequence[Entry]", name: str, heads: "Iterable[Sequence[Entry]]"
) -> "tuple[str | None, bool]":
    """What a branch was cut from: (a branch or None, whether a reflog tells that).

    `name` is what it was called when it was made; `heads` are the reflogs of HEAD of every work
    tree, the main one first. What was taken over from a remote was not cut here.
    """
    for item in reversed(log):
        changed = _changed(item)
        if changed and changed[0] == "copied" and changed[2] == name:
            return changed[1], True
        if item.said.startswith(CREATED):
            return _started(name, item, heads)
    return None, False


def _started(
    name: str, made: Entry, heads: "Iterable[Sequence[Entry]]"
) -> "tuple[str | None, bool]":
    if _is_taken_over(name, made.said):
        return None, False
    word = made.said.removeprefix(CREATED)
    for sign in "~^:@":  # `main~2`, `main@{1}`, `HEAD^`
        word = word.partition(sign)[0]
    if word in ("HEAD", ""):
        return _stood_on(name, made, list(heads))
    if word.startswith(REMOTES):
        return word.removeprefix(REMOTES).partition("/")[2], True
    return _named(word.removeprefix(HEADS))


def _stood_on(
    name: str, made: Entry, heads: "Sequence[Sequence[Entry]]"
) -> "tuple[str | None, bool]":
    """The branch that HEAD was on when it was the start of a new one."""
    for log in heads:
        for item, left, reached in _moves(log):
            if reached == name and item.new == made.new and item.when >= made.when:
                return _named(left)
    here = _moves(heads[0]) if heads else []
    before = [reached for item, _, reached in here if item.when <= made.when]
    after = [left for item, left, _ in here if item.when > made.when]
    stood = before[-1] if before else after[0] if after else None
    return (None, False) if stood is None else _named(stood)


def _moves(log: "Sequence[Entry]") -> "list[tuple[Entry, str, str]]":
    """Where HEAD went: (the entry, from where, to where)."""
    found = []
    for item in log:
        if item.said.startswith(MOVED):
            left, _, reached = item.said[len(MOVED) :].partition(" to ")
            found.append((item, left, reached))
    return found


def _named(place: str) -> "tuple[str | None, bool]":
    """A place that HEAD was at; no branch where it was a commit."""
    is_commit = len(place) in (40, 64) and not place.strip("0123456789abcdef")
    return (None, False) if is_commit else (place, True)


def was_called(name: str, log: "Sequence[Entry]") -> bool:
    """Whether the branch with this reflog once was called `name`."""
    found = (_changed(item) for item in log)
    return any(item is not None and item[:2] == ("renamed", name) for item in found)


def has_work(name: str, log: "Sequence[Entry]", tip: str) -> bool | None:
    """Whether commits were made on a branch, by its reflog; None where that does not say."""
    if not log or not log[0].said.startswith(CREATED) or _is_taken_over(name, log[0].said):
        return None
    return log[0].new != tip and any(item.said.startswith("commit") for item in log[1:])
