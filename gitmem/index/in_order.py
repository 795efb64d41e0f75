"""The notes that are seen here in the order of their ids. Hot: for commands that list a few."""

from gitmem.core.ids import id_key
from gitmem.index.schema import HIDDEN, BadIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.read import Index
    from gitmem.index.schema import Row


def first(index: "Index", limit: int, kind: "str | None" = None) -> "list[Row]":
    """The first `limit` notes, those of one kind if given, as the nearest layer has them.

    BadIndex; ValueError for bytes that are no text.
    """
    keys = {
        id_key(note_id)
        for segment in index.segments()
        for number, note_id in enumerate(segment.ids())
        if segment is not index.base or number not in index.dead
    }
    found: list[Row] = []
    for key in sorted(keys):
        rows = index.named(key)
        if not rows:
            raise BadIndex(f"the id '{key}' is filed nowhere")
        if not rows[0].flags & HIDDEN and kind in (None, rows[0].kind):
            found.append(rows[0])
            if len(found) == limit:
                break
    return found
