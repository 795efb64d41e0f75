"""Read notes from the layers of a repository: by id, or all of them.

The refs are read here, not the index: commands that show or change a note must see it whole.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gitmem.core.ids import id_key
from gitmem.core.note import Note, Revision
from gitmem.core.view import Everywhere, Folded, Shown, fold, over_layers
from gitmem.store.backend import TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.layer import Layer
from gitmem.store.layout import bucket, parse_path
from gitmem.store.revisions import Broken, read_revisions
from gitmem.store.united import United

MAX_BUCKETS = 12


@dataclass(frozen=True)
class LayerNotes:
    """Notes of one layer: id key → folded, also those that are forgotten; rev → the stored
    (blob id, bytes); and what is broken."""

    layer: str
    folded: dict[str, Folded] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    broken: tuple[Broken, ...] = ()


def read_layer(layer: str, united: United, keys: Collection[str] | None = None) -> LayerNotes:
    """The notes of a layer: those of the id keys `keys`, or all."""
    wanted = None if keys is None else set(keys)
    found = read_revisions(united.backend, _entries(united, wanted), only=wanted)
    folded = {key: folded_of(key, revisions) for key, revisions in found.by_id.items()}
    return LayerNotes(layer, folded, found.sources, found.broken)


def folded_of(key: str, revisions: Iterable[Revision]) -> Folded:
    """What the revisions of one id come to at HEAD."""
    return fold(key, revisions, Everywhere())


def ids_in(united: United, note_id: str | None = None) -> set[str]:
    """The id keys that have a revision in the layer (in the bucket of `note_id` when given)."""
    entries = united.entries(None if note_id is None else bucket(note_id))
    return {id_key(entry.id) for item in entries if (entry := parse_path(item.path))}


def unite(layers: Sequence[LayerNotes]) -> dict[str, Shown]:
    """The notes as they are recalled: id key → Shown. Layers come nearest first."""
    return over_layers([(notes.layer, notes.folded) for notes in layers])


def forgotten(layers: Sequence[LayerNotes]) -> dict[str, Shown]:
    """The notes that are forgotten and in no layer any more, with what they said before."""
    there = unite(layers)
    found: dict[str, Shown] = {}
    for notes in layers:
        for key, folded in notes.folded.items():
            if key not in there and key not in found and folded.heads:
                note = content_of(folded) or Note(id=folded.id)
                found[key] = Shown(note, folded, (notes.layer,))
    return found


def _entries(united: United, keys: set[str] | None) -> list[TreeEntry]:
    if keys is None:
        return united.entries()
    buckets = {bucket(key) for key in keys}
    if len(buckets) > MAX_BUCKETS:
        return united.entries()
    return [item for name in sorted(buckets) for item in united.entries(name)]


def heads_of(folded: Folded | None) -> tuple[str, ...]:
    """What a new revision of the note replaces: every visible head, tombstones included."""
    return tuple(head.rev for head in folded.heads) if folded else ()


def content_of(folded: Folded) -> Note | None:
    """The note, or, when it is forgotten, what it said before."""
    if folded.note is not None:
        return folded.note
    before = [
        folded.graph.revisions[rev]
        for head in folded.heads
        for rev in head.replaces
        if rev in folded.graph.revisions
    ]
    texts = [revision for revision in before if revision.note and not revision.note.forgotten]
    if texts:
        return folded_of(folded.id, texts).note
    return None


def ids_changed_by(layer: Layer, commit: str) -> set[str]:
    """The id keys that a commit of the layer gave a new revision."""
    backend = backend_for(layer.git_dir)
    parents = next(iter(backend.history(commit, 1))).parents
    added, _ = backend.changes(parents[0] if parents else None, commit)
    return {id_key(entry.id) for item in added if (entry := parse_path(item.path))}
