"""Which anchors a commit contains: one walk for all of them, never one for each.

`git rev-list --stdin ^HEAD` over all anchors prints what HEAD does not have; its cost is that of
one walk however many anchors there are. An anchor that is absent from a complete clone is provably
not in HEAD. In a shallow clone that can be said only of one whose own history meets HEAD's.
"""

import os
from collections.abc import Iterable, Mapping
from threading import Thread
from typing import NamedTuple

from gitmem.core.landed import Landed, closure
from gitmem.core.note import Anchor
from gitmem.core.view import AtCommit
from gitmem.store import odb, process
from gitmem.store.backend import is_oid
from gitmem.store.discover import Repository
from gitmem.store.place import place_of

NOTHING: Landed = {}
FEW = 4  # commits that are looked up in files, one by one


class Viewpoint(NamedTuple):
    """The commit that notes are seen from (None: an unborn branch), and what landed where.

    `worktree` is the work tree whose pending notes are seen: '' for the main one, None for none.
    """

    repository: Repository
    head: str | None
    landed: Landed = NOTHING
    worktree: str | None = None

    def ancestry(self, anchors: Iterable[Anchor | None]) -> AtCommit:
        """What the commit contains of `anchors`. Two git processes, none without anchors."""
        wanted = frozenset(
            name
            for anchor in anchors
            if anchor is not None and anchor.commit
            for name in closure(anchor.commit, self.landed)
            if is_oid(name)
        )
        contained, unknown = contained_in(self.repository, self.head, wanted)
        return AtCommit(contained, unknown, self.landed, self.worktree)


def contained_in(
    repository: Repository, head: str | None, wanted: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Of the commits `wanted`: (those that `head` contains, those of which that is unknown)."""
    if not wanted or head is None:
        return frozenset(), frozenset()
    if wanted == {head}:
        return wanted, frozenset()
    cut = shallow_commits(repository)
    if not cut:
        return _in_complete(repository, head, wanted), frozenset()
    there = _present(repository, wanted)
    parents = _outside(repository, there, head, "--parents", "--topo-order", "--reverse")
    contained = there - parents.keys()
    return contained, wanted - contained - _meeting(parents, cut)


def _in_complete(repository: Repository, head: str, wanted: frozenset[str]) -> frozenset[str]:
    """What `head` contains of `wanted`, in a clone with all its history. What is not here is found
    out beside the walk, which takes longer."""
    there: list[frozenset[str]] = []
    beside = Thread(target=lambda: there.append(_present(repository, wanted)))
    beside.start()
    try:
        outside = _outside(repository, wanted, head, "--ignore-missing")
    finally:
        beside.join()
    return (there[0] if there else _present(repository, wanted)) - outside.keys()


def reached(
    repository: Repository, wanted: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Of the commits `wanted`: (those that some branch, or HEAD, contains; those that are here)."""
    there = _present(repository, wanted) if wanted else wanted
    if not there:
        return there, there
    stdin = "".join(f"{name}\n" for name in sorted(there)).encode("ascii")
    args = ["rev-list", "--stdin", "--not", "--branches", "--remotes"]
    if head := place_of(repository).head:
        args.append(head)
    out = process.run(args, git_dir=repository.git_dir, stdin=stdin)
    return there - frozenset(out.decode("ascii").split()), there


def shallow_commits(repository: Repository) -> frozenset[str]:
    """The commits at which the history of a shallow clone is cut off."""
    try:
        with open(os.path.join(repository.common_dir, "shallow"), encoding="ascii") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()


def _present(repository: Repository, wanted: frozenset[str]) -> frozenset[str]:
    """Those of `wanted` that are commits of this clone."""
    if len(wanted) <= FEW:
        found = [odb.read_object(repository.common_dir, name) for name in wanted]
        if all(found):
            pairs = zip(wanted, found, strict=True)
            return frozenset(name for name, item in pairs if item and item[0] == "commit")
    stdin = "".join(f"{name}\n" for name in sorted(wanted)).encode("ascii")
    args = ("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer")
    out = process.run(args, git_dir=repository.git_dir, stdin=stdin).decode("ascii", "replace")
    lines = (line.split(" ") for line in out.splitlines())
    return frozenset(fields[0] for fields in lines if fields[1:] == ["commit"])


def _outside(
    repository: Repository, there: frozenset[str], head: str, *options: str
) -> dict[str, list[str]]:
    """What can be reached from `there` and not from `head`: commit → its parents, if asked for."""
    if not there:
        return {}
    stdin = "".join(f"{name}\n" for name in (*sorted(there), f"^{head}")).encode("ascii")
    args = ("rev-list", *options, "--stdin")
    out = process.run(args, git_dir=repository.git_dir, stdin=stdin).decode("ascii")
    return {fields[0]: fields[1:] for fields in map(str.split, out.splitlines())}


def _meeting(outside: Mapping[str, list[str]], cut: frozenset[str]) -> set[str]:
    """Those of `outside` (parents before children) whose history meets that of the commit: what
    branched off from it is not in it, whatever lies beyond the cut."""
    found: set[str] = set()
    for commit, parents in outside.items():
        if commit not in cut and any(
            parent not in outside or parent in found for parent in parents
        ):
            found.add(commit)
    return found
