"""Publish what was pending, with the commit that holds the work it is about.

A pending revision is resolved by the first commit on any branch of this clone that descends from
the HEAD it was written at and changes one of its subject files, never by a file merely being clean
again: a stash is no commit. An amended HEAD descends from itself. The published revision is written
first and names the pending one, which then counts as replaced wherever it lies.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gitmem.codec import encode, revision_name
from gitmem.core.landing import Landed, closure
from gitmem.core.merge import Graph
from gitmem.core.note import Anchor, Revision
from gitmem.core.view import is_pending, waiting
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint
from gitmem.store.discover import Repository
from gitmem.store.identity import Identities
from gitmem.store.layer import Layer
from gitmem.store.layout import path_of
from gitmem.store.place import place_of
from gitmem.store.recognise import default_branch, recognisable
from gitmem.store.transaction import Change, transact
from gitmem.store.united import united
from gitmem.store.view import read_view


@dataclass(frozen=True)
class Waiting:
    """A pending revision with all revisions of its note, in the layer that it is meant for."""

    layer: str
    revision: Revision
    graph: Graph

    @property
    def anchor(self) -> Anchor:
        assert self.revision.anchor is not None
        return self.revision.anchor


def read_waiting(
    repository: Repository, layers: Sequence[Layer], keys: Collection[str] | None = None
) -> list[Waiting]:
    """The pending revisions of every work tree: those of some id keys, or all."""
    content = [(layer.name, united(layer)) for layer in layers if layer.exists]
    return [
        Waiting(notes.layer, revision, folded.graph)
        for notes in read_view(content, Viewpoint(repository, None), keys)
        for folded in notes.folded.values()
        for revision in waiting(folded.graph)
    ]


def publish(
    repository: Repository,
    layers: Sequence[Layer],
    found: Sequence[Waiting],
    landed: Landed,
    identity: Identities,
) -> int:
    """Publish those whose work is committed by now; how many."""
    default = default_branch(repository.git_dir) if found else None
    done: dict[str, dict[str, bytes]] = {}
    for item in found:
        commit = _commit_of(repository, item.anchor, landed)
        if commit is None or item.revision.note is None:
            continue
        anchor = recognisable(
            repository.git_dir, commit, branch=_branch_of(repository, item, commit), default=default
        )
        note = item.revision.note.edited(anchor=anchor, replaces=_replaced(item))
        data = encode(note)
        done.setdefault(item.layer, {})[path_of(note.id, revision_name(data))] = data
    for layer in layers:
        if files := done.get(layer.name):
            _write(layer, files, identity)
    return sum(map(len, done.values()))


def _write(layer: Layer, files: Mapping[str, bytes], identity: Identities) -> None:
    what = "1 note" if len(files) == 1 else f"{len(files)} notes"
    change = Change(files, f"git mem: publish {what}")
    transact(layer, lambda _: change, identity=identity)


def _replaced(item: Waiting) -> tuple[str, ...]:
    """The pending revisions that the published one stands for, and what they replaced."""
    found: set[str] = set()
    todo = [item.revision.rev]
    while todo:
        rev = todo.pop()
        if rev in found:
            continue
        found.add(rev)
        revision = item.graph.revisions.get(rev)
        if revision is not None and is_pending(revision):
            todo += revision.replaces
    return tuple(sorted(found))


def _commit_of(repository: Repository, anchor: Anchor, landed: Landed) -> str | None:
    """The commit that resolves a pending anchor; None while there is none."""
    paths = [f":(literal){path}" for path in anchor.paths]
    if anchor.commit is None:
        return _first(repository, (), paths)
    for start in (anchor.commit, *sorted(closure(anchor.commit, landed) - {anchor.commit})):
        if start != anchor.commit and paths and _differ(repository, anchor.commit, start, paths):
            return start
        if found := _first(repository, ("--ancestry-path", f"^{start}"), paths):
            return found
    return None


def _first(repository: Repository, range_: Sequence[str], paths: Sequence[str]) -> str | None:
    """The oldest commit of a range on any branch that changes one of `paths` (none: any does)."""
    head = [place.head] if (place := place_of(repository)).head else []
    args = ("rev-list", "--full-history", "--topo-order", "--reverse", *range_, "--branches")
    code, out, _ = process.attempt((*args, *head, "--", *paths), git_dir=repository.git_dir)
    return out.decode("ascii").partition("\n")[0] or None if code == 0 else None


def _differ(repository: Repository, old: str, new: str, paths: Sequence[str]) -> bool:
    args = ("diff-tree", "-r", "--quiet", old, new, "--", *paths)
    return process.attempt(args, git_dir=repository.git_dir)[0] == 1


def _branch_of(repository: Repository, item: Waiting, commit: str) -> str | None:
    """The branch that has the commit: the one the note was written on, if it does."""
    args = ("for-each-ref", "--format=%(refname:lstrip=2)", f"--contains={commit}", "refs/heads")
    code, out, _ = process.attempt(args, git_dir=repository.git_dir)
    names = out.decode("utf-8", "surrogateescape").splitlines() if code == 0 else []
    if item.anchor.branch in names or not names:
        return item.anchor.branch
    return names[0]
