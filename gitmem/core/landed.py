"""Which commits landed as which others, as it is recorded. Pure; how that is found out is in
`landing.py`."""

from collections.abc import Mapping

Landed = Mapping[str, frozenset[str]]  # a commit → the commits that it landed as


def closure(commit: str, landed: Landed) -> frozenset[str]:
    """`commit` and all it landed as, transitively; cycles are tolerated."""
    seen = {commit}
    todo = [commit]
    while todo:
        for name in landed.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return frozenset(seen)
