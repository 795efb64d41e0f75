"""The branches of a repository as state asks for them: their lives, what they were cut from, and
whether their work is over. Read from reflogs and refs; git is asked only whether work was merged.
"""

from functools import cached_property

from gitmem.core.lineage import HEADS, REMOTES, Entry, Life, has_work, lives, origin, was_called
from gitmem.store import discover, reflogs
from gitmem.store.discover import Repository, Uncertain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FARTHEST = 20  # branches that a branch is followed back over


class Branches:
    """What is known of branches by their short names. Each thing is found out once."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._logs: dict[str, list[Entry]] = {}

    def log(self, name: str) -> list[Entry]:
        if name not in self._logs:
            self._logs[name] = reflogs.of_branch(self.repository, name)
        return self._logs[name]

    def lives(self, name: str) -> tuple[Life, ...]:
        """Under which names, and since when, notes are about this branch; the present one first."""
        return lives(name, self.log(name))

    def parents(self, name: str) -> "Iterator[str | None]":
        """What a branch was cut from, and that, the nearest first; None at last where no reflog
        tells more. Ends without it at a branch that was not cut from one."""
        seen = {name}
        while len(seen) < FARTHEST:
            parent, is_told = origin(self.log(name), self.lives(name)[-1].name, self._heads)
            if parent is None or parent in seen:
                if not is_told and name != self.default:
                    yield None
                return
            seen.add(parent)
            name = parent if self.tips(parent) else self.renamed(parent) or parent
            yield name

    def renamed(self, name: str) -> str | None:
        """What the branch that once had this name is called today, if that is told."""
        for other in reflogs.branches(self.repository):
            if other != name and was_called(name, self.log(other)):
                return other
        return None

    def tips(self, name: str) -> frozenset[str]:
        """Where a branch is, here and on remotes; nothing where it is gone, or was never here."""
        mine = self._tip(HEADS + name)
        theirs = [oid for ref, oid in self._remotes.items() if ref.split("/", 3)[3:] == [name]]
        return frozenset([*([mine] if mine else []), *theirs])

    def tip(self, name: str) -> str | None:
        """Where a branch is: here, else on some remote."""
        return self._tip(HEADS + name) or min(self.tips(name), default=None)

    def is_over(self, name: str, commit: str | None, base: str | None) -> bool:
        """Whether a branch is gone, or its work is in the default branch.

        `commit` is where it was when its state was last written, `base` where it had left the
        default branch then: a branch on which nothing was done yet is in it, and is not over.
        """
        if name == self.default:
            return False
        tips = self.tips(name)
        if not tips:
            return True
        if not self._was_worked_on(name, tips, commit, base):
            return False
        return bool(self._targets) and any(self._has(target, tips) for target in self._targets)

    def _was_worked_on(
        self, name: str, tips: frozenset[str], commit: str | None, base: str | None
    ) -> bool:
        if commit != base:
            return True
        born_as = self.lives(name)[-1].name
        told = has_work(born_as, self.log(name), self.tip(name) or "")
        return tips != {commit} if told is None else told

    def _has(self, target: str, tips: frozenset[str]) -> bool:
        """Whether a commit contains all of `tips`, or what they landed as."""
        from gitmem.core.landed import closure  # most branches are not asked about
        from gitmem.store.ancestry import contained_in
        from gitmem.store.landed import read_landed
        from gitmem.store.process import GitFailed

        landed = read_landed(self.repository.common_dir)
        faces = {tip: closure(tip, landed) for tip in tips}
        try:
            every = frozenset(name for names in faces.values() for name in names)
            contained, _ = contained_in(self.repository, target, every)
        except GitFailed:
            return False
        return all(not names.isdisjoint(contained) for names in faces.values())

    @cached_property
    def default(self) -> str | None:
        """The short name of the branch that work lands on."""
        from gitmem.store.default_branch import default_branch  # as above

        ref = default_branch(self.repository.git_dir)
        if ref is None:
            return None
        return ref.removeprefix(HEADS) if ref.startswith(HEADS) else ref.split("/", 3)[3]

    @cached_property
    def _targets(self) -> frozenset[str]:
        return self.tips(self.default) if self.default else frozenset()

    @cached_property
    def _heads(self) -> list[list[Entry]]:
        return reflogs.of_heads(self.repository)

    @cached_property
    def _remotes(self) -> dict[str, str]:
        try:
            return discover.read_refs(self.repository.common_dir, REMOTES)
        except Uncertain:
            from gitmem.store import ask  # only where the files do not say

            return ask.read_refs(self.repository.common_dir, REMOTES)

    def _tip(self, ref: str) -> str | None:
        try:
            return discover.read_tip(self.repository.common_dir, ref)
        except Uncertain:
            from gitmem.store import ask  # as above

            return ask.read_tip(self.repository.common_dir, ref)
