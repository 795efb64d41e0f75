"""The commits of some branches that another branch does not have: one walk for all of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gitmem.store.patches import Git


@dataclass(frozen=True)
class Outside:
    """Commits that a target does not contain → their parents.

    `left` says for each of them which commits of the target its history starts from.
    """

    parents: Mapping[str, tuple[str, ...]]
    left: Mapping[str, frozenset[str]]

    def __contains__(self, commit: str) -> bool:
        return commit in self.parents

    def reached(self, tip: str) -> set[str]:
        """`tip` and its ancestors outside the target."""
        seen: set[str] = set()
        todo = [tip]
        while todo:
            commit = todo.pop()
            if commit in self.parents and commit not in seen:
                seen.add(commit)
                todo.extend(self.parents[commit])
        return seen


def read_outside(git: Git, starts: Collection[str], target: str) -> Outside:
    """What can be reached from the commits `starts` and not from `target`."""
    if not starts:
        return Outside({}, {})
    stdin = "".join(f"{name}\n" for name in (*sorted(starts), f"^{target}")).encode("ascii")
    args = ("rev-list", "--parents", "--topo-order", "--reverse", "--stdin")
    lines = (line.split() for line in git.run(*args, stdin=stdin).decode("ascii").splitlines())
    parents = {names[0]: tuple(names[1:]) for names in lines}
    left: dict[str, frozenset[str]] = {}
    for commit, before in parents.items():  # parents come before children
        left[commit] = frozenset().union(*(left.get(name, {name}) for name in before))
    return Outside(parents, left)
