"""Publish what was pending, with the commit that holds the work it is about.

A pending revision is resolved by the first new commit that descends from the HEAD it was written
at and changes one of its subject files, never by a file merely being clean again: a stash is no
commit. An amended HEAD descends from itself. The published revision is written first and names the
pending one, which then counts as replaced wherever it lies.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gitmem.codec import encode, revision_name
from gitmem.core.landed import Landed, closure
from gitmem.core.merge import Graph
from gitmem.core.note import Anchor, Revision
from gitmem.core.view import is_pending, waiting
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint
from gitmem.store.backend import is_oid
from gitmem.store.default_branch import default_branch
from gitmem.store.discover import Repository, worktree_of
from gitmem.store.identity import Identities
from gitmem.store.layer import Layer
from gitmem.store.layout import path_of
from gitmem.store.place import place_of
from gitmem.store.recognisable import recognisable
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
    """The commit that resolves a pending anchor; None while there is none.

    One that the work tree of the note has comes first. Any other branch will do once nothing is
    changed there any more, or when that work tree is gone.
    """
    own = _worktree(repository, anchor.worktree)
    if own is not None:
        head = place_of(own).head
        if head and (found := _among(repository, anchor, landed, [head])):
            return found
        if _is_changed(own, anchor.paths):
            return None
    return _among(repository, anchor, landed, ["--branches"])


def _among(
    repository: Repository, anchor: Anchor, landed: Landed, tips: Sequence[str]
) -> str | None:
    """The first commit reachable from `tips` that descends from the anchor, was not there when the
    note was written and changes a subject file."""
    paths = [f":(literal){path}" for path in anchor.paths]
    tips = [*tips, *(f"^{oid}" for oid in (anchor.get("beyond") or "").split() if is_oid(oid))]
    if anchor.commit is None:
        return _first(repository, tips, paths)
    for start in (anchor.commit, *sorted(closure(anchor.commit, landed) - {anchor.commit})):
        if start != anchor.commit and paths and _differ(repository, anchor.commit, start, paths):
            return start
        if found := _first(repository, [*tips, "--ancestry-path", f"^{start}"], paths):
            return found
    return None


def _first(repository: Repository, span: Sequence[str], paths: Sequence[str]) -> str | None:
    """The oldest commit of a range that changes one of `paths` (none: any does)."""
    args = ("rev-list", "--ignore-missing", "--full-history", "--topo-order", "--reverse", *span)
    code, out, _ = process.attempt((*args, "--", *paths), git_dir=repository.git_dir)
    return out.decode("ascii").partition("\n")[0] or None if code == 0 else None


def _worktree(repository: Repository, name: str) -> Repository | None:
    """A work tree by name ('' for the main one); None when it is gone."""
    if name == worktree_of(repository):
        return repository
    common_dir = repository.common_dir
    if not name:
        root = os.path.dirname(common_dir) if os.path.basename(common_dir) == ".git" else None
        return Repository(root, common_dir, common_dir)
    git_dir = os.path.join(common_dir, "worktrees", name)
    try:
        with open(os.path.join(git_dir, "gitdir"), encoding="utf-8") as file:
            root = os.path.dirname(file.read().strip())
    except OSError:
        return None
    return Repository(root, git_dir, common_dir) if os.path.isdir(root) else None


def _is_changed(own: Repository, paths: Sequence[str]) -> bool:
    """Whether one of `paths` is changed in a work tree."""
    if own.root is None or not paths:
        return False
    args = ("status", "--porcelain", "--untracked-files=all", "--ignore-submodules=dirty", "--")
    names = [f":(top,literal){path}" for path in paths]
    code, out, _ = process.attempt((*args, *names), cwd=own.root)
    return code == 0 and bool(out)


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
