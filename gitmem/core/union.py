"""Join two tips of a memory ref. Pure: it decides, `store/sync.py` reads and writes.

A join is the union of paths minus the revisions that have a `.gone`; no merge base is needed or
used, because three-way deletes depend on which of several bases git picks. To take tip R into L,
U being that union:

 (a) one is an ancestor of the other: the descendant;
 (b) U is R's tree: R as it is (between peers, when U is L's tree too, the larger (date, id)),
     unless that would drop the tip of another remote;
 (c) U is L's tree and nothing is published: L;
 (d) else one commit with both as parents, the same in every clone.

A purge makes a new root that lists every `.gone`. A tip is *clean* if all its roots list every
`.gone` that either side knows; an unclean tip is never a parent: what it adds is committed on the
clean tip or, with neither clean, in a new root. So a purged text never comes back, not even as an
object, and an old clone loses nothing of its own.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

Tree = Mapping[str, str]  # path → object id

GONE = ".gone"
NAME, EMAIL = "git mem", "git-mem@localhost"
MESSAGE = "git mem: merge\n"


@dataclass(frozen=True)
class Side:
    """A tip: its commit, its date in seconds, and the files of its tree."""

    oid: str
    date: int
    tree: Tree

    @property
    def age(self) -> tuple[int, str]:
        return self.date, self.oid


class History(Protocol):
    """What joining asks of the commits."""

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `old` is `new` or an ancestor of it."""

    def root_trees(self, tip: str) -> Iterable[Tree]:
        """The trees of the commits without parents in the history of `tip`."""


@dataclass(frozen=True)
class Join:
    """The tip to take: `adopted`, a commit that exists, or else a commit to make.

    Such a commit has `parents` (sorted), the files `tree` and the date `date`; its identity and
    message are NAME, EMAIL and MESSAGE, so that equal joins get equal ids everywhere.
    """

    adopted: str | None
    parents: tuple[str, ...] = ()
    tree: Tree | None = None
    date: int = 0


def unite(trees: Iterable[Tree]) -> dict[str, str]:
    """The union of trees without what a `.gone` takes away, in path order.

    A foreign path that differs between trees keeps the larger object id.
    """
    every: dict[str, str] = {}
    for tree in trees:
        for path, oid in tree.items():
            every[path] = max(oid, every.get(path, ""))
    return {path: every[path] for path in sorted(every) if not _is_purged(path, every)}


def _is_purged(path: str, paths: Collection[str]) -> bool:
    return not path.endswith(GONE) and path.removesuffix(".md") + GONE in paths


def gone(tree: Tree) -> frozenset[str]:
    """The `.gone` paths of a tree."""
    return frozenset(path for path in tree if path.endswith(GONE))


def _is_lost(tip: str, left: Side, right: Side, history: History) -> bool:
    """Whether taking `right` as it is would drop `tip` from the history of `left`."""
    return history.is_ancestor(tip, left.oid) and not history.is_ancestor(tip, right.oid)


def is_clean(tip: str, known: frozenset[str], history: History) -> bool:
    """Whether every root in the history of `tip` lists all of the `.gone` paths `known`."""
    return all(known <= gone(tree) for tree in history.root_trees(tip))


def join(
    left: Side,
    right: Side,
    history: History,
    *,
    publishing: bool,
    others: Collection[str] = (),
) -> Join:
    """The tip that the clone at `left` gets by taking `right`.

    `publishing` is for a clone that will push the result to where `right` came from; `others` are
    the tips of its other remotes. One that `left` has and `right` has not keeps rule (b) from
    applying: else two remotes with equal trees would be swapped for one another for ever.
    """
    if left.oid == right.oid:
        return Join(left.oid)
    union = unite((left.tree, right.tree))
    clean = [left, right]
    if gone(left.tree) != gone(right.tree):
        known = gone(union)
        clean = [side for side in clean if is_clean(side.oid, known, history)]
    if len(clean) == 2:
        if history.is_ancestor(right.oid, left.oid):
            return Join(left.oid)
        if history.is_ancestor(left.oid, right.oid):
            return Join(right.oid)
        if union == right.tree:
            if union == left.tree and not publishing:
                return Join(max(left, right, key=lambda side: side.age).oid)
            if not any(_is_lost(tip, left, right, history) for tip in others):
                return Join(right.oid)
        if union == left.tree and not publishing:
            return Join(left.oid)
    elif clean and clean[0].tree == union:
        return Join(clean[0].oid)
    parents = tuple(sorted(side.oid for side in clean))
    return Join(None, parents, union, max(left.date, right.date))
