"""What commands ask of notes that were read: those of all layers as one, what was forgotten, what a
new revision replaces. The refs are behind this (`store/view.py`), not the index: a command that
shows or changes a note must see it whole.
"""

from collections.abc import Iterable, Sequence

from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.core.view import Everywhere, Folded, Shown, fold, over_layers, waiting
from gitmem.store.ancestry import Viewpoint
from gitmem.store.choose import backend_for
from gitmem.store.landed import read_landed
from gitmem.store.layer import Layer
from gitmem.store.layout import bucket, parse_path
from gitmem.store.united import United, united
from gitmem.store.view import LayerNotes, read_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.reads import Reads


def load(
    memory: "Reads", viewpoint: Viewpoint, keys: Iterable[str] | None = None
) -> list[LayerNotes]:
    """The notes of every layer from `viewpoint`, nearest first: those of some id keys, or all."""
    layers = [
        (layer.name, united(layer, memory.backend(layer)))
        for layer in memory.layers
        if layer.exists
    ]
    return read_view(layers, viewpoint, None if keys is None else set(keys))


def load_layer(layer: Layer, viewpoint: Viewpoint) -> LayerNotes:
    """The notes of one layer, whatever is wrong with the others."""
    return read_view([(layer.name, united(layer))], viewpoint)[0]


def load_at(memory: "Reads", commit: str | None) -> list[LayerNotes]:
    """The notes of every layer at a commit (None: before the first), pending ones left out."""
    landed = read_landed(memory.repository.common_dir)
    return load(memory, Viewpoint(memory.repository, commit, landed))


def ids_in(layer: United, note_id: str | None = None) -> set[str]:
    """The id keys that have a revision in the layer (in the bucket of `note_id` when given)."""
    entries = layer.entries(*(() if note_id is None else (bucket(note_id),)))
    return {id_key(entry.id) for item in entries if (entry := parse_path(item.path))}


def unite(layers: Sequence[LayerNotes]) -> dict[str, Shown]:
    """The notes as they are recalled: id key → Shown. Layers come nearest first."""
    return over_layers([(notes.layer, notes.folded) for notes in layers])


def hidden(layers: Sequence[LayerNotes]) -> dict[str, Shown]:
    """The notes that are seen on other branches only: id key → Shown."""
    there = unite(layers)
    found = over_layers([(notes.layer, notes.hidden) for notes in layers], is_visible=False)
    return {key: shown for key, shown in found.items() if key not in there}


def pending(layers: Sequence[LayerNotes]) -> dict[str, Shown]:
    """The notes with a revision that waits for a commit, in whatever work tree: id key → Shown."""
    every = {**hidden(layers), **unite(layers)}
    return {
        key: every[key]
        for notes in layers
        for key, folded in notes.folded.items()
        if key in every and waiting(folded.graph)
    }


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
        return fold(folded.id, texts, Everywhere()).note
    return None


def changed_by(layer: Layer, commit: str) -> dict[str, set[str]]:
    """The revisions that a commit of the layer added: id key → revs."""
    backend = backend_for(layer.git_dir)
    parents = next(iter(backend.history(commit, 1))).parents
    added, _ = backend.changes(parents[0] if parents else None, commit)
    found: dict[str, set[str]] = {}
    for item in added:
        if entry := parse_path(item.path):
            found.setdefault(id_key(entry.id), set()).add(entry.rev)
    return found
