"""What the index alone can say of notes: enough to print most of them, and to change none. Hot.

A row speaks for its note where there is one revision, seen here, that waits for nothing. Any other
note, and all that a row does not hold, is read from the refs (`reading.py`).
"""

from gitmem.core.ids import id_key
from gitmem.index.bodies import body, body_of, data, git_dir_of
from gitmem.index.in_order import first
from gitmem.index.schema import CONFLICT, HIDDEN, UNKNOWN, WAITING, BadIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.read import Index
    from gitmem.index.schema import Row
    from gitmem.store.discover import Repository

FEW = 8  # texts that are read one by one


def speaks(row: "Row") -> bool:
    """Whether what the row says is all there is to say of its note."""
    return not row.flags & (CONFLICT | UNKNOWN | HIDDEN | WAITING)


def text_of(row: "Row", repository: "Repository") -> "str | None":
    """The text of the row's note; None when it has to be read from the refs."""
    return body(row, repository.common_dir) if speaks(row) else None


def texts_of(rows: "list[Row]", repository: "Repository") -> "list[str | None]":
    """`text_of` many rows. Git unpacks a text from the many it is packed with faster than we do."""
    if len(rows) > FEW:
        _read_at_once([row for row in rows if speaks(row)], repository.common_dir)
    return [text_of(row, repository) for row in rows]


def _read_at_once(rows: "list[Row]", common_dir: str) -> None:
    """Let the rows hold their texts."""
    from gitmem.store.batch import read_blobs  # runs git
    from gitmem.store.process import GitFailed

    wanting: dict[str, list[Row]] = {}
    for row in rows:
        if row.body is None:
            wanting.setdefault(git_dir_of(row, common_dir), []).append(row)
    for git_dir, wanted in wanting.items():
        try:
            found = read_blobs(git_dir, [row.oid for row in wanted])
        except (GitFailed, OSError):
            continue  # then one by one
        for row in wanted:
            if row.oid in found:
                row.body = body_of(found[row.oid])


def stored(index: "Index", repository: "Repository", note_id: str) -> "bytes | None":
    """The bytes of the note with this id; None when it has to be read from the refs."""
    try:
        rows = index.named(id_key(note_id))
    except BadIndex:
        return None
    return data(rows[0], repository.common_dir) if rows and speaks(rows[0]) else None


def listed(index: "Index", limit: int, kind: "str | None") -> "list[Row] | None":
    """The first notes that are seen here, by id; None when the refs have to be read."""
    if index.header.get("broken"):
        return None
    try:
        return first(index, limit, kind)
    except (BadIndex, ValueError):
        return None
