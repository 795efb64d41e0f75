"""Which files git tracks, and which no commit holds as they are. Runs git."""

import os

from gitmem.store import process
from gitmem.store.discover import Repository
from gitmem.store.questions import TRACKED, UNSAVED


def tracked_files(repository: Repository) -> list[str]:
    """The tracked files of the work tree; of HEAD where there is none."""
    if repository.root is None:
        args = ("ls-tree", "-r", "-z", "--full-tree", "--name-only", "HEAD")
        _, out, _ = process.attempt(args, git_dir=repository.git_dir)
    else:
        out = process.run(TRACKED, cwd=repository.root)
    return os.fsdecode(out).split("\0")[:-1]


def unsaved_files(repository: Repository) -> frozenset[str]:
    """The files that no commit holds as they are: changed or removed in the work tree or the index,
    or untracked and not ignored. None where there is no work tree."""
    if repository.root is None:
        return frozenset()
    out = process.run(UNSAVED, cwd=repository.root)
    return frozenset(record[3:] for record in os.fsdecode(out).split("\0") if record)
