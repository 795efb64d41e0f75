"""Where the work stands on one branch: focus, next step, blockers, todo items. Pure.

Each is a note of its own, so that two people never conflict over a list. Its id names the branch by
a hash of the exact name: no two branches share one, however alike they are, and none blocks another
(as the refs `a` and `a/b` would). Imports next to nothing: a session starts with it.
"""

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gitmem.core.note import Note

ONE = ("focus", "next")  # one of each on a branch
MANY = ("blocker", "todo")
KINDS = (*ONE, *MANY)
ITEM_DIGITS = 7
SCOPE_DIGITS = 16
HEX = "0123456789abcdef"
DONE, DROPPED, CLEARED = "done", "dropped", "cleared"  # the reasons of a tombstone

NO_COMMITS: "tuple[tuple[str, str], ...]" = ()


class Item:
    """One thing that is written down. `id` is its short id, '' for focus and next; `reason` says
    why it is closed (None: it is open)."""

    __slots__ = ("id", "kind", "layer", "order", "reason", "text")

    def __init__(
        self,
        kind: str,
        item_id: str,
        text: str,
        layer: str,
        *,
        order: str = "",
        reason: str | None = None,
    ) -> None:
        self.kind = kind
        self.id = item_id
        self.text = text
        self.layer = layer
        self.order = order
        self.reason = reason


class Picture:
    """The open picture of a branch.

    `written`: when anything of it was last written; `behind`: the commits since (None: not known).
    What git says of the last work: `commits` (id, subject), and the files `changed` now.
    """

    __slots__ = ("behind", "branch", "changed", "commits", "inherited_from", "items", "written")

    def __init__(
        self,
        branch: str,
        items: "tuple[Item, ...]" = (),
        *,
        inherited_from: str | None = None,
        written: str = "",
        behind: int | None = 0,
    ) -> None:
        self.branch = branch
        self.items = items
        self.inherited_from = inherited_from
        self.written = written
        self.behind = behind
        self.commits = NO_COMMITS
        self.changed: tuple[str, ...] = ()

    def many(self, kind: str) -> "tuple[Item, ...]":
        """Those of a kind, in the order in which they were added."""
        return tuple(item for item in self.items if item.kind == kind)

    def text(self, kind: str) -> str | None:
        """The focus, or the next step."""
        return next((item.text for item in self.items if item.kind == kind), None)


def scope_of(branch: str) -> str:
    """What ids call a branch: its name to the byte, hashed."""
    return sha256(branch.encode("utf-8", "surrogateescape")).hexdigest()[:SCOPE_DIGITS]


def item_of(text: str) -> str:
    """The short id of a blocker or a todo item: the same text is the same item everywhere."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:ITEM_DIGITS]


def id_of(kind: str, scope: str, item: str = "") -> str:
    """The id of the note."""
    return f"{kind}-{scope}-{item}" if item else f"{kind}-{scope}"


def parts_of(note_id: str) -> "tuple[str, str, str] | None":
    """(kind, scope, short id) of a note; None for one that is no state."""
    kind, _, rest = note_id.partition("-")
    scope, _, item = rest.partition("-")
    if kind not in KINDS or bool(item) is not (kind in MANY):
        return None
    if len(scope) != SCOPE_DIGITS or scope.strip(HEX) or item.strip(HEX + "-"):
        return None
    return kind, scope, item


def one_line(text: str) -> str:
    """What was typed, on one line."""
    return " ".join(text.split())


def field(note: "Note", name: str) -> str | None:
    """A text among the fields that only state has.

    `branch`; `commit`, where HEAD was; `base`, where that left the default branch; `order`, when
    the item was added, and `moment`, when this revision was written, both in seconds since 1970.
    """
    value: Any = dict(note.extra).get(name)
    return value if isinstance(value, str) else None


def with_fields(note: "Note", **values: str | None) -> "Note":
    """`note` with such fields set; None takes one away."""
    fields = {**dict(note.extra), **values}
    extra = tuple((name, value) for name, value in fields.items() if value is not None)
    return note.edited(extra=extra)


def in_order(items: "Iterable[Item]") -> "tuple[Item, ...]":
    """As they are shown: by kind, then as they were added."""
    return tuple(sorted(items, key=lambda item: (KINDS.index(item.kind), item.order, item.id)))


def over_layers(layers: "Sequence[Iterable[Item]]") -> "tuple[Item, ...]":
    """The items of several layers, the nearest first: a nearer focus or next step wins, and what is
    on two lists is on one."""
    found: dict[tuple[str, str], Item] = {}
    for items in layers:
        for item in items:
            found.setdefault((item.kind, item.id), item)
    return in_order(found.values())
