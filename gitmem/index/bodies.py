"""Read the text of hits from the object database. Hot: git is asked only when unsure."""

from gitmem.index.freshness import layer_dirs
from gitmem.index.schema import Row
from gitmem.store.odb import read_blob

FENCE = b"---\n"


def body(row: Row, common_dir: str) -> "str | None":
    """The body of a row's revision; None when its object is gone or unreadable."""
    if row.body is not None:
        return row.body
    stored = data(row, common_dir)
    return None if stored is None else body_of(stored)


def data(row: Row, common_dir: str) -> "bytes | None":
    """The bytes of a row's revision; None when they are not stored as one, or gone."""
    if not row.oid:
        return None
    git_dir = git_dir_of(row, common_dir)
    found = read_blob(git_dir, row.oid)
    return _ask_git(git_dir, row.oid) if found is None else found


def git_dir_of(row: Row, common_dir: str) -> str:
    """The repository that holds a row's revision."""
    return row.git_dir or layer_dirs(common_dir).get(row.layer, common_dir)


def body_of(stored: bytes) -> "str | None":
    """The body of canonical revision bytes; None when they do not have that form."""
    end = stored.find(b"\n" + FENCE, len(FENCE) - 1)
    if not stored.startswith(FENCE) or end < 0:
        return None
    try:
        return stored[end + 1 + len(FENCE) :].decode()
    except UnicodeDecodeError:
        return None


def _ask_git(git_dir: str, oid: str) -> "bytes | None":
    from gitmem.errors import GitMemError
    from gitmem.store.git_backend import GitBackend  # slow, and only for odd object databases

    try:
        return next((data for _, data in GitBackend(git_dir).read([oid])), None)
    except (GitMemError, OSError):  # of a layer outside the project the directory may be gone
        return None
