"""Read the text of hits from the object database. Hot: git is asked only when unsure."""

from gitmem.index.freshness import layer_dirs
from gitmem.index.schema import Row
from gitmem.store.odb import read_blob

FENCE = b"---\n"


def body(row: Row, common_dir: str) -> "str | None":
    """The body of a row's revision; None when its object is gone or unreadable."""
    if row.body is not None:
        return row.body
    git_dir = layer_dirs(common_dir).get(row.layer, common_dir)
    data = read_blob(git_dir, row.oid)
    if data is None:
        data = _ask_git(git_dir, row.oid)
    return None if data is None else body_of(data)


def body_of(data: bytes) -> "str | None":
    """The body of canonical revision bytes; None when they do not have that form."""
    end = data.find(b"\n" + FENCE, len(FENCE) - 1)
    if not data.startswith(FENCE) or end < 0:
        return None
    try:
        return data[end + 1 + len(FENCE) :].decode()
    except UnicodeDecodeError:
        return None


def _ask_git(git_dir: str, oid: str) -> "bytes | None":
    from gitmem.store.git_backend import GitBackend  # slow, and only for odd object databases

    return next((data for _, data in GitBackend(git_dir).read([oid])), None)
