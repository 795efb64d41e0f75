"""Reflogs as they lie on disk: of a branch, and of HEAD in every work tree.

Where refs are not kept as files (reftable) there are none to read, and callers do without.
"""

import os

from gitmem.core.lineage import Entry, entries
from gitmem.store.discover import Repository

MOST = 1 << 20  # bytes at either end of a reflog that are looked at


def of_branch(repository: Repository, branch: str) -> list[Entry]:
    """The reflog of a branch, by its short name; [] when there is none."""
    return _read(os.path.join(repository.common_dir, "logs", "refs", "heads", *branch.split("/")))


def of_heads(repository: Repository) -> list[list[Entry]]:
    """The reflogs of HEAD: that of the main work tree first."""
    worktrees = os.path.join(repository.common_dir, "worktrees")
    names = sorted(os.listdir(worktrees)) if os.path.isdir(worktrees) else []
    places = [repository.common_dir, *(os.path.join(worktrees, name) for name in names)]
    return [_read(os.path.join(place, "logs", "HEAD")) for place in places]


def branches(repository: Repository) -> list[str]:
    """The short names of all branches that have a reflog."""
    top = os.path.join(repository.common_dir, "logs", "refs", "heads")
    return sorted(
        os.path.relpath(os.path.join(directory, name), top).replace(os.sep, "/")
        for directory, _, names in os.walk(top)
        for name in names
    )


def _read(path: str) -> list[Entry]:
    try:
        with open(path, "rb") as file:
            data = file.read(MOST)
            size = os.fstat(file.fileno()).st_size
            if size > 2 * MOST:
                file.seek(size - MOST)
            return entries(data + file.read())
    except OSError:
        return []
