"""Notes and branches: who sees a note, which notes no branch has any more, and what landed where.

Use cases over the view (`store/view.py`) and the map of what landed as what; nothing here prints.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gitmem import reading
from gitmem.core.landed import Landed, closure
from gitmem.core.note import Revision
from gitmem.core.view import Shown
from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.ancestry import contained_in, reached
from gitmem.store.backend import is_oid
from gitmem.store.discover import Repository
from gitmem.store.identity import identities
from gitmem.store.landed import record
from gitmem.store.view import LayerNotes


class CannotLand(GitMemError):
    kind = "not-found"


@dataclass(frozen=True)
class Landing:
    """Commits that landed as `new`, the ids of notes anchored at them, and how many of the pairs
    were not known before."""

    old: tuple[str, ...]
    new: str
    ids: tuple[str, ...]
    recorded: int


def stranded(
    repository: Repository, loaded: Sequence[LayerNotes], landed: Landed, mine: str
) -> dict[str, Shown]:
    """The notes of other branches whose anchor no branch has any more and that have not landed: id
    key → Shown.

    Of an anchor that is not here nothing is known: it may be on a colleague's branch. It counts
    where the note is by `mine`, an address, and nothing is called like its branch.
    """
    hidden = reading.hidden(loaded)
    found = {
        key: [item for item in shown.folded.live if item.anchor and item.anchor.commit]
        for key, shown in hidden.items()
        if not shown.folded.is_pending
    }
    names = {
        revision.rev: closure(revision.anchor.commit or "", landed)
        for revisions in found.values()
        for revision in revisions
        if revision.anchor
    }
    wanted = frozenset(oid for some in names.values() for oid in some if is_oid(oid))
    held, there = reached(repository, wanted)
    branches = _branch_names(repository) if wanted - there else frozenset()

    def is_gone(revision: Revision) -> bool:
        if names[revision.rev] & held:
            return False
        if names[revision.rev] & there:
            return True
        note, anchor = revision.note, revision.anchor
        is_mine = note is not None and f"<{mine}>" in (note.author or "")
        return is_mine and anchor is not None and anchor.branch not in branches

    return {
        key: hidden[key]
        for key, revisions in found.items()
        if revisions and all(map(is_gone, revisions))
    }


def _branch_names(repository: Repository) -> frozenset[str]:
    args = ("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    out = process.run(args, git_dir=repository.git_dir).decode("utf-8", "surrogateescape")
    heads = [ref.removeprefix("refs/heads/") for ref in out.splitlines()]
    return frozenset(
        ref.split("/", 3)[3] if ref.startswith("refs/remotes/") else ref
        for ref in heads
        if ref.count("/") >= 3 or not ref.startswith("refs/")
    )


def land(
    repository: Repository,
    loaded: Sequence[LayerNotes],
    name: str,
    target: str,
    *,
    undoing: bool = False,
) -> Landing:
    """Record by hand that a commit, or what notes know of a branch, landed as `target`.

    With `undoing`, that it did not. CannotLand when no note has an anchor there.
    """
    new = _commit(repository, target)
    if new is None:
        raise CannotLand(
            f"'{target}' is not a commit", "name what it landed as: a commit or branch"
        )
    ids_of: dict[str, set[str]] = {}
    branch_of: dict[str, set[str | None]] = {}
    for key, revision in _anchored(loaded):
        if revision.anchor and revision.anchor.commit:
            ids_of.setdefault(revision.anchor.commit, set()).add(key)
            branch_of.setdefault(revision.anchor.commit, set()).add(revision.anchor.branch)
    old = _meant(repository, name, ids_of, branch_of)
    if not undoing:
        contained, _ = contained_in(repository, new, frozenset(old))
        old = [commit for commit in old if commit not in contained]
    if not old:
        raise CannotLand(
            f"no note is anchored at '{name}', or {new[:10]} contains it already",
            "see: git mem list --stranded, or git mem log",
        )
    pairs = {(commit, new) for commit in old}
    git_dir = repository.common_dir
    recorded = record(git_dir, pairs, identity=identities(git_dir), gone=undoing)
    ids = sorted({note_id for commit in old for note_id in ids_of.get(commit, ())})
    return Landing(tuple(old), new, tuple(ids), recorded)


def _anchored(loaded: Iterable[LayerNotes]) -> Iterable[tuple[str, Revision]]:
    for notes in loaded:
        for key, folded in notes.folded.items():
            for revision in folded.graph.revisions.values():
                yield key, revision


def _meant(
    repository: Repository,
    name: str,
    ids_of: Mapping[str, set[str]],
    branch_of: Mapping[str, set[str | None]],
) -> list[str]:
    """The anchors that `name` means: a commit (also one that is not here), or a branch."""
    found = {commit for commit, names in branch_of.items() if name in names}
    tip = _commit(repository, name)
    is_branch = _commit(repository, f"refs/heads/{name}") or _commit(
        repository, f"refs/remotes/{name}"
    )
    if tip is not None and is_branch:
        found |= contained_in(repository, tip, frozenset(filter(is_oid, ids_of)))[0]
    elif tip is not None:
        found.add(tip)
    elif len(name) >= 4 and not name.strip("0123456789abcdef"):
        found |= {commit for commit in ids_of if commit.startswith(name)}
    return sorted(found)


def _commit(repository: Repository, name: str) -> str | None:
    args = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    code, out, _ = process.attempt(args, git_dir=repository.git_dir)
    return out.decode("ascii").strip() or None if code == 0 else None
