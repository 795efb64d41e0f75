"""Compare the views of two commits, or the view before and after what was fetched is taken.

Asks git what the revisions are, for the notes that are seen from each, and once for the commits of
the range with their files; then everything is pure (`core/notediff.py`, `core/stale.py`).
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gitmem import reading, refs
from gitmem.core.ids import id_key
from gitmem.core.notediff import NoteDiff, View, compare
from gitmem.core.stale import Commit, Stale, maybe_stale
from gitmem.core.view import Shown
from gitmem.errors import GitMemError
from gitmem.memory import Memory
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint, shallow_commits
from gitmem.store.choose import backend_for
from gitmem.store.landed import read_landed
from gitmem.store.outer import OUTER
from gitmem.store.place import Place
from gitmem.store.united import United, tracked, united
from gitmem.store.view import LayerNotes, read_view


class UnknownRevision(GitMemError):
    kind = "not-found"


class NoMergeBase(GitMemError):
    kind = "not-found"


class NothingFetched(GitMemError):
    kind = "not-found"


@dataclass(frozen=True, slots=True)
class Range:
    """Two revisions as typed; `from_merge_base`: only what `new` brought since it left `old`."""

    old: str
    new: str
    from_merge_base: bool


@dataclass(frozen=True)
class Difference:
    """What differs between the views of `base` and `head` (commit ids; None: an unborn branch),
    and which notes the commits between may have made untrue. `broken`: what could not be read."""

    base: str | None
    head: str | None
    notes: NoteDiff = field(default_factory=NoteDiff)
    stale: tuple[Stale, ...] = ()
    broken: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.notes or self.stale)


def parse_range(revisions: Sequence[str]) -> Range:
    """One or two revisions as `git diff` takes them: A, A B, A..B, A...B; an empty side is HEAD."""
    first, *more = revisions
    if more:
        return Range(first, more[0], from_merge_base=False)
    if first.startswith(":/"):  # a text to look for, which may have dots
        return Range(first, "HEAD", from_merge_base=False)
    for dots in ("...", ".."):
        old, found, new = first.partition(dots)
        if found:
            return Range(old or "HEAD", new or "HEAD", from_merge_base=dots == "...")
    return Range(first, "HEAD", from_merge_base=False)


def usual_range(memory: Memory) -> Range | None:
    """What this branch brings to the default branch; on that one, what it brings to its upstream.
    None when there is nothing to compare with."""
    place = memory.place()
    default = memory.default_branch
    if place.head is None or default is None:
        return None
    if not _is_on(place, default):
        return Range(default, "HEAD", from_merge_base=True)
    upstream = "@{upstream}"
    if _commit(memory, upstream) is None:
        return None
    return Range(upstream, "HEAD", from_merge_base=True)


def _is_on(place: Place, default: str) -> bool:
    if default.startswith("refs/remotes/"):
        return place.short_branch == default.split("/", 3)[-1]
    return place.branch == default


def between(memory: Memory, wanted: Range) -> Difference:
    """Compare two views. Raises UnknownRevision, NoMergeBase."""
    old, head = (_resolved(memory, name) for name in (wanted.old, wanted.new))
    base = _merge_base(memory, old, head, wanted) if wanted.from_merge_base else old
    if base == head:
        return Difference(base, head)
    before, after = _load(memory, base), _load(memory, head)
    already = reading.unite(_load(memory, old)) if base != old else None
    view, new_view = reading.unite(before), reading.unite(after)
    notes = compare(view, new_view, already=already, reasons=_reasons(after))
    commits = list(_commits(memory, base, head))
    stale = maybe_stale(_untouched(view, new_view, notes), commits, _files(memory, head))
    return Difference(base, head, notes, stale, _broken(before, after))


def incoming(memory: Memory, remote: str | None = None) -> Difference:
    """What the memory that was fetched (from `remote`, or any) changes at HEAD. No network.

    Raises NothingFetched when `remote` is named and nothing is here.
    """
    shared = memory.layer("shared")
    fetched = tracked(shared)
    if remote is not None:
        fetched = {ref: tip for ref, tip in fetched.items() if ref == refs.tracking(remote)}
        if not fetched:
            raise NothingFetched(
                f"nothing was fetched from '{remote}'", f"to fetch it: git mem fetch {remote}"
            )
    own = backend_for(shared.git_dir).tip(shared.ref)
    every = united(shared)
    without = United(every.backend, tuple(tip for tip in every.tips if tip == own))
    taken = {own, *fetched.values()}
    whole = United(every.backend, tuple(tip for tip in every.tips if tip in taken))
    head = memory.place().head
    viewpoint = Viewpoint(memory.repository, head, read_landed(memory.repository.common_dir))
    before, after = (_read(memory, viewpoint, content) for content in (without, whole))
    view, new_view = reading.unite(before), reading.unite(after)
    notes = compare(view, new_view, reasons=_reasons(after))
    return Difference(head, head, notes, (), (*every.left_out, *_broken(before, after)))


def _load(memory: Memory, commit: str) -> list[LayerNotes]:
    """The notes at a commit; not those from outside of the project, which are the same at each and
    which no reviewer shall see."""
    return [notes for notes in memory.load_at(commit) if notes.layer not in OUTER]


def _read(memory: Memory, viewpoint: Viewpoint, shared: United) -> list[LayerNotes]:
    layers = [
        (layer.name, shared if layer.name == "shared" else united(layer))
        for layer in memory.layers
        if layer.exists and not layer.is_outer
    ]
    return read_view(layers, viewpoint)


# --- revisions ----------------------------------------------------------------------------------


def _resolved(memory: Memory, name: str) -> str:
    commit = _commit(memory, name)
    if commit is None:
        raise UnknownRevision(
            f"'{name}' is not a commit here", "see: git log --oneline --all, or fetch it first"
        )
    return commit


def _commit(memory: Memory, name: str) -> str | None:
    """The id of the commit that a revision names; None for none."""
    if name.startswith("^"):
        return None
    for form in ("{}", "{}^{{commit}}"):  # `:/text^{commit}` would look for that text
        args = ("rev-parse", "--verify", "--quiet", "--end-of-options", form.format(name))
        code, out, _ = process.attempt(args, git_dir=memory.repository.git_dir)
        if code:
            return None
        name = out.decode("ascii").split()[-1]
    return name


def _merge_base(memory: Memory, old: str, new: str, wanted: Range) -> str:
    args = ("merge-base", old, new)
    code, out, _ = process.attempt(args, git_dir=memory.repository.git_dir)
    if code:
        is_shallow = bool(shallow_commits(memory.repository))
        raise NoMergeBase(
            f"'{wanted.old}' and '{wanted.new}' have no commit in common",
            "this clone is shallow; for its whole history: git fetch --unshallow"
            if is_shallow
            else f"to compare the two as they are: git mem diff {wanted.old}..{wanted.new}",
        )
    return out.decode("ascii").split()[0]


# --- what may be stale --------------------------------------------------------------------------


def _untouched(before: View, after: View, notes: NoteDiff) -> list[Shown]:
    """The notes of both views that nobody wrote in between."""
    changed = {id_key(item.new.note.id) for item in notes.changed}
    return [
        after[key]
        for key in sorted(before.keys() & after.keys())
        if key not in changed
        and reading.heads_of(before[key].folded) == reading.heads_of(after[key].folded)
    ]


def _commits(memory: Memory, base: str, head: str) -> Iterator[Commit]:
    """The commits that `head` has and `base` has not, newest first. Of a merge, the files that are
    as in none of its parents."""
    shape = "--format=%H%x00%ct%x00%an%x00%s"
    args = ("log", "--raw", "-z", "-c", "--no-renames", shape, f"{base}..{head}")
    out = process.run(args, git_dir=memory.repository.git_dir)
    fields = iter(out.split(b"\0"))
    start: tuple[str, str, str, str] | None = None
    paths: list[str] = []
    for item in fields:
        item = item.lstrip(b"\n")
        if item.startswith(b":"):
            paths.append(os.fsdecode(next(fields)))
        elif item:
            if start:
                yield _as_commit(*start, paths)
            date, author, subject = (next(fields).decode("utf-8", "replace") for _ in range(3))
            start, paths = (item.decode("ascii"), date, author, subject), []
    if start:
        yield _as_commit(*start, paths)


def _as_commit(oid: str, seconds: str, author: str, subject: str, paths: list[str]) -> Commit:
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds)))
    return Commit(oid, subject, author, date, frozenset(paths))


def _files(memory: Memory, commit: str) -> list[str]:
    args = ("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
    out = process.run(args, git_dir=memory.repository.git_dir)
    return os.fsdecode(out).split("\0")[:-1]


# --- notes --------------------------------------------------------------------------------------


def _reasons(layers: Sequence[LayerNotes]) -> dict[str, str]:
    """Why the notes that are forgotten are: id key → reason."""
    return {
        key: head.note.reason
        for notes in reversed(layers)
        for key, folded in notes.folded.items()
        for head in folded.heads
        if head.note is not None and head.note.forgotten and head.note.reason
    }


def _broken(*views: Sequence[LayerNotes]) -> tuple[str, ...]:
    """What could not be read, once each."""
    every = [
        f"{notes.layer}: {broken.message}"
        for layers in views
        for notes in layers
        for broken in notes.broken
    ]
    return tuple(dict.fromkeys(every))
