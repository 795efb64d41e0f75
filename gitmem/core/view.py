"""The fold: which revisions of a note stand at one HEAD, and what the note then says. Pure.

Of the revisions of an id, those whose anchor is contained in HEAD are visible. The *heads* are the
visible revisions that no visible revision replaces, directly or through others, visible or not.
One live head is the note; several are a conflict, merged as a set (`core/merge.py`); none, or only
tombstones, and the note is not there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

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
    known = {rev.rev: _is_visible(rev, ancestry) for rev in graph.revisions.values()}
    heads = graph.heads(rev for rev, visible in known.items() if visible)
    is_unknown = False
    if not heads:
        unsure = graph.heads(rev for rev, visible in known.items() if visible is None)
        is_unknown = any(not graph.revisions[rev].forgotten for rev in unsure)
        heads = unsure if is_unknown else heads
    ordered = tuple(graph.revisions[rev] for rev in graph.ordered(heads))
    newest = next((head.note for head in reversed(ordered) if head.note), None)
    return Folded(newest.id if newest else note_id, ordered, graph, is_unknown)


def _is_visible(revision: Revision, ancestry: Ancestry) -> bool | None:
    return True if revision.anchor is None else ancestry.contains(revision.anchor)


@dataclass(frozen=True)
class Shown:
    """A note as it is recalled: content of the nearest layer, triggers of all layers.

    `layers` are the layers that have the note, nearest first.
    """

    note: Note
    folded: Folded
    layers: tuple[str, ...]

    @property
    def layer(self) -> str:
        return self.layers[0]


def over_layers(layers: Sequence[tuple[str, Mapping[str, Folded]]]) -> dict[str, Shown]:
    """Unite layers, given nearest first as (name, id key → folded), into id key → Shown."""
    shown: dict[str, Shown] = {}
    for name, notes in layers:
        for key, folded in notes.items():
            if folded.note is None:
                continue
            near = shown.get(key)
            if near is None:
                shown[key] = Shown(folded.note, folded, (name,))
            else:
                united = near.note.edited(triggers=near.note.triggers.union(folded.note.triggers))
                shown[key] = Shown(united, near.folded, (*near.layers, name))
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
