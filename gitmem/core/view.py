"""The fold: which revisions of a note stand at one HEAD, and what the note then says. Pure.

Of the revisions of an id, those whose anchor is contained in HEAD are visible. The *heads* are the
visible revisions that no visible revision replaces, directly or through others, visible or not.
One live head is the note; several are a conflict, merged as a set (`core/merge.py`); none, or only
tombstones, and the note is not there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from gitmem.core.landed import Landed, closure
from gitmem.core.merge import Graph, merge_heads
from gitmem.core.note import Anchor, Note, Revision, id_key


class Ancestry(Protocol):
    """What the fold asks of the code's history."""

    def contains(self, anchor: Anchor) -> bool | None:
        """Whether HEAD contains the anchor or a commit it landed as; None: cannot be known."""


class Everywhere:
    """An Ancestry for layers and places without anchors: everything written is visible."""

    def contains(self, anchor: Anchor) -> bool | None:
        return True


class AtCommit(NamedTuple):
    """The Ancestry of one commit, for a known set of anchors.

    `contained` and `unknown` are commits: those that it contains, and those of which nothing can be
    known. `worktree` is the work tree whose pending revisions are seen; None for none.
    """

    contained: frozenset[str]
    unknown: frozenset[str]
    landed: Landed
    worktree: str | None

    def contains(self, anchor: Anchor) -> bool | None:
        if anchor.pending and anchor.worktree != self.worktree:
            return False
        if anchor.commit is None:
            return True
        names = closure(anchor.commit, self.landed)
        if not names.isdisjoint(self.contained):
            return True
        return False if names.isdisjoint(self.unknown) else None


@dataclass(frozen=True)
class Folded:
    """What the revisions of one id come to at one HEAD, in one layer."""

    id: str
    heads: tuple[Revision, ...]
    graph: Graph
    is_unknown: bool = False

    @cached_property
    def live(self) -> tuple[Revision, ...]:
        return tuple(head for head in self.heads if not head.forgotten)

    @property
    def is_conflict(self) -> bool:
        return bool(self.live) and sum(head.note is not None for head in self.heads) > 1

    @property
    def is_pending(self) -> bool:
        """Whether something that is shown waits for a commit."""
        return any(is_pending(head) for head in self.live)

    @cached_property
    def note(self) -> Note | None:
        """The note, merged when it has several heads; None when it is not there."""
        return merge_heads(self.graph, [head.rev for head in self.live]) if self.live else None

    @property
    def revision(self) -> str | None:
        """The rev of the newest live head."""
        return self.live[-1].rev if self.live else None


def fold(note_id: str, revisions: Iterable[Revision], ancestry: Ancestry) -> Folded:
    """Fold the revisions of one id at one HEAD. Heads come in (`written`, rev) order."""
    graph = Graph(revisions)
    published = _named_when_published(graph.revisions.values())
    known = {
        rev.rev: rev.rev not in published and _is_visible(rev, ancestry)
        for rev in graph.revisions.values()
    }
    heads = graph.heads(rev for rev, visible in known.items() if visible)
    is_unknown = False
    if not heads:
        unsure = graph.heads(rev for rev, visible in known.items() if visible is None)
        is_unknown = any(not graph.revisions[rev].forgotten for rev in unsure)
        heads = unsure if is_unknown else heads
    ordered = tuple(graph.revisions[rev] for rev in graph.ordered(heads))
    newest = next((head.note for head in reversed(ordered) if head.note), None)
    return Folded(newest.id if newest else note_id, ordered, graph, is_unknown)


def elsewhere(folded: Folded) -> Folded | None:
    """What a note that has no visible revision comes to where its revisions are; None for a note
    that is seen here, was forgotten here, or is forgotten there."""
    if folded.heads:
        return None
    there = fold(folded.id, folded.graph.revisions.values(), Everywhere())
    return there if there.live else None


def is_pending(revision: Revision) -> bool:
    """Whether the revision is about work that is not committed yet."""
    return revision.anchor is not None and revision.anchor.pending is not None


def waiting(graph: Graph) -> tuple[Revision, ...]:
    """The pending revisions that are to be published when their work is committed.

    Not those that another one replaces, nor what forgets a note that was never published.
    """
    published = _named_when_published(graph.revisions.values())
    pending = {rev for rev, item in graph.revisions.items() if is_pending(item)}
    heads = graph.ordered(graph.heads(pending - published))
    return tuple(
        graph.revisions[rev]
        for rev in heads
        if not (graph.revisions[rev].forgotten and graph.past(rev) <= pending)
    )


def _named_when_published(revisions: Iterable[Revision]) -> set[str]:
    """What published revisions replace: of it, pending revisions are over wherever one stands."""
    every = list(revisions)
    named = {name for rev in every if not is_pending(rev) for name in rev.replaces}
    return {rev.rev for rev in every if is_pending(rev) and rev.rev in named}


def _is_visible(revision: Revision, ancestry: Ancestry) -> bool | None:
    return True if revision.anchor is None else ancestry.contains(revision.anchor)


class Shown(NamedTuple):
    """A note as it is recalled: content of the nearest layer, triggers of all layers.

    `layers` are the layers that have the note, nearest first. One that is not `is_visible` is
    another branch's.
    """

    note: Note
    folded: Folded
    layers: tuple[str, ...]
    is_visible: bool = True

    @property
    def layer(self) -> str:
        """Where the text that is shown is kept; a pending one is kept in the local layer."""
        return "local" if self.folded.is_pending else self.layers[0]


def over_layers(
    layers: Sequence[tuple[str, Mapping[str, Folded]]], *, is_visible: bool = True
) -> dict[str, Shown]:
    """Unite layers, given nearest first as (name, id key → folded), into id key → Shown."""
    shown: dict[str, Shown] = {}
    for name, notes in layers:
        for key, folded in notes.items():
            if folded.note is None:
                continue
            near = shown.get(key)
            if near is None:
                shown[key] = Shown(folded.note, folded, (name,), is_visible)
            else:
                united = near.note.edited(triggers=near.note.triggers.union(folded.note.triggers))
                shown[key] = Shown(united, near.folded, (*near.layers, name), is_visible)
    return shown


def superseded(notes: Iterable[Note]) -> set[str]:
    """The id keys of the notes that another of `notes` supersedes; of a cycle the newest stays."""
    by_key = {id_key(note.id): note for note in notes}
    over: dict[str, set[str]] = {}
    for key, note in by_key.items():
        for target in note.supersedes:
            if (target_key := id_key(target)) != key and target_key in by_key:
                over.setdefault(target_key, set()).add(key)
    return {key for key in over if not _stays(key, over, by_key)}


def _stays(key: str, over: Mapping[str, set[str]], by_key: Mapping[str, Note]) -> bool:
    """Whether all that supersede `key` are in a cycle with it, and it is the newest of them."""
    above = _reach(key, over)
    if not all(key in _reach(other, over) for other in above):
        return False
    return all(_age(by_key[key]) >= _age(by_key[other]) for other in above)


def _reach(start: str, over: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(over.get(start, ()))
    while todo:
        key = todo.pop()
        if key not in seen:
            seen.add(key)
            todo.extend(over.get(key, ()))
    return seen


def _age(note: Note) -> tuple[str, str]:
    return note.written or "", id_key(note.id)
