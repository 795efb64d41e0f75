"""Where somebody stands in a repository: at which commit, on which branch, in which work tree."""

from typing import NamedTuple

from gitmem.store import ask, discover
from gitmem.store.discover import Repository, Uncertain, worktree_of


class Place(NamedTuple):
    """HEAD (None: an unborn branch) and the full name of the branch (None: detached)."""

    repository: Repository
    head: str | None
    branch: str | None

    @property
    def short_branch(self) -> str | None:
        return self.branch.removeprefix("refs/heads/") if self.branch else None

    @property
    def worktree(self) -> str:
        """The name of the linked work tree; '' in the main one."""
        return worktree_of(self.repository)


def place_of(repository: Repository) -> Place:
    """Where HEAD of this work tree is now; read from files where these settle it."""
    try:
        branch, head = discover.read_head(repository)
    except Uncertain:
        branch, head = ask.read_head(repository)
    return Place(repository, head, branch)
