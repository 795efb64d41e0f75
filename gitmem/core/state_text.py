"""The open picture of a branch as a few lines. Pure.

It is read at the start of every session, so it has a size: long texts are cut, then items are left
out and counted, and what git says by itself comes only where there is room.
"""

from gitmem.core.render import visible
from gitmem.core.state import ONE, Item, Picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOM = 1000  # bytes
WIDTHS = (240, 160, 110, 80, 60)  # of a text, in bytes; tried in turn
NAME = 120  # of a branch, in bytes


def lines(picture: Picture, *, room: int = ROOM) -> list[str]:
    """The picture in at most `room` bytes of UTF-8, line ends counted."""
    head = _head(picture)
    if not picture.items:
        return [f"{head}: nothing is written down", *_fitting(_recent(picture), room - 200)]
    head += _marks(picture)
    for width in WIDTHS:
        found = [head, *_ones(picture, width), *_list(picture, "blocker", "blocked by", width)]
        todos = _list(picture, "todo", "todo", width)
        if _size([*found, *todos]) <= room:
            return [*found, *todos, *_fitting(_recent(picture), room - _size([*found, *todos]))]
    blockers = _list(picture, "blocker", "blocked by", WIDTHS[-1])
    found = [head, *_ones(picture, WIDTHS[-1])]
    found += _as_many_as_fit(blockers, (room - _size(found)) // 2, "git mem state --json")
    return [*found, *_as_many_as_fit(todos, room - _size(found), "git mem todo list")]


def _head(picture: Picture) -> str:
    return f"On branch {cut(visible(picture.branch), NAME)}"


def _marks(picture: Picture) -> str:
    """Whose state it is, and how old."""
    said = []
    if picture.inherited_from is not None:
        said.append(f"inherited from {cut(visible(picture.inherited_from), NAME)}")
    day = f" ({picture.written[:10]})" if picture.written else ""
    if picture.behind is None:
        said.append(f"written{day} at a commit that is not here")
    elif picture.behind:
        said.append(f"written {counted(picture.behind, 'commit')} ago{day}")
    return f", {', '.join(said)}" if said else ""


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _ones(picture: Picture, width: int) -> list[str]:
    return [line for kind in ONE for item in picture.many(kind) for line in _one(item, width)]


def _one(item: Item, width: int) -> list[str]:
    """A focus or a next step; each side of it where two people said one at once."""
    texts = item.text.strip("\n").split("\n")
    mark = " (said at the same time)" if len(texts) > 1 else ""
    return [f"{item.kind}: {cut(visible(text), width)}{_layer(item)}{mark}" for text in texts]


def _list(picture: Picture, kind: str, title: str, width: int) -> list[str]:
    items = picture.many(kind)
    said = (f"{cut(visible(item.text), width)}{_layer(item)}" for item in items)
    rows = [f"  {item.id}  {text}" for item, text in zip(items, said, strict=True)]
    return [f"{title}:", *rows] if rows else []


def _layer(item: Item) -> str:
    return "" if item.layer == "shared" else f" [{item.layer}]"


def _recent(picture: Picture) -> list[str]:
    found = []
    if picture.commits:
        said = (f"{oid[:10]} {cut(visible(text), 60)}" for oid, text in picture.commits)
        found.append(f"recent: {'; '.join(said)}")
    if files := picture.changed:
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        found.append(f"changed: {', '.join(cut(visible(name), 60) for name in files[:3])}{more}")
    return found


def _fitting(rows: "Iterable[str]", room: int) -> list[str]:
    """Those rows, from the first, that fit."""
    found: list[str] = []
    for row in rows:
        if _size([*found, row]) > room:
            break
        found.append(row)
    return found


def _as_many_as_fit(rows: "Sequence[str]", room: int, where: str) -> list[str]:
    """A list of which the end is left out, and counted."""
    if _size(rows) <= room:
        return list(rows)
    found = _fitting(rows, room - _size([f"  … and {len(rows)} more: {where}"]))
    left = len(rows) - max(len(found), 1)
    return [*found, f"  … and {left} more: {where}"]


def _size(rows: "Iterable[str]") -> int:
    return sum(len(row.encode("utf-8", "replace")) + 1 for row in rows)


def cut(text: str, width: int) -> str:
    """`text` in at most `width` bytes, on one line."""
    text = " ".join(text.split())
    data = text.encode("utf-8", "replace")
    if len(data) <= width:
        return text
    return data[: width - 3].decode("utf-8", "ignore").rstrip() + "…"
