"""The one place that picks a back end."""

from gitmem.store.backend import Backend
from gitmem.store.git_backend import GitBackend


def backend_for(git_dir: str, *, bulk: bool = False) -> Backend:
    """The back end for the repository at `git_dir` (its common directory).

    `bulk` is for a process that asks a lot: libgit2 where it can be used, else git all the same
    (reftable, SHA-256, partial clones, unknown extensions, a foreign owner, no pygit2).
    """
    if not bulk:
        return GitBackend(git_dir)
    try:
        # Lazy: the import costs ten interpreter starts.
        from gitmem.store.pygit2_backend import CannotOpen, Pygit2Backend
    except ImportError:
        return GitBackend(git_dir)
    try:
        return Pygit2Backend(git_dir)
    except CannotOpen:
        return GitBackend(git_dir)
