"""Add notes: each finds its place under an id, beside what is there, in one transaction a layer."""

from collections.abc import Callable, Sequence

from gitmem import reading
from gitmem.changes import Seen, Writer, Written, as_stored, change_of
from gitmem.core.derive import Tracked
from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.drafting import Draft, Prepared, Refused, is_same_content, prepare
from gitmem.errors import GitMemError
from gitmem.store.layer import Layer
from gitmem.store.transaction import Change, Snapshot, transact

MANY = 8  # notes; for more than these all ids are listed at once


def add(writer: Writer, drafts: Sequence[Draft], tracked: Callable[[], Tracked]) -> Written:
    """Store new notes in one commit; a draft that is refused does not keep the others out.

    Those that are about work which is not committed go into the local layer, in a commit there.
    """
    prepared: list[Prepared] = []
    refused: list[GitMemError] = []
    for draft in drafts:
        try:
            prepared.append(prepare(draft, tracked))
        except GitMemError as error:
            refused.append(error)
    anchors = writer.anchoring.additions([item.note for item in prepared], writer.layer.name)
    of_layer: dict[Layer, list[Prepared]] = {}
    for item, anchor in zip(prepared, anchors, strict=True):
        anchored = item._replace(note=item.note.edited(anchor=anchor))
        of_layer.setdefault(writer.place_of(anchor), []).append(anchored)
    done = Written(refused=refused)
    for layer, items in of_layer.items():
        done = done.joined(_add_to(layer, writer, items))
    return done


def _add_to(layer: Layer, writer: Writer, items: Sequence[Prepared]) -> Written:
    done = Written()

    def build(snapshot: Snapshot) -> Change | None:
        nonlocal done
        done = Written()
        placed = _Placed(Seen(writer, layer, snapshot), preload=len(items) > MANY)
        for item in items:
            _place(writer, item, placed, done)
        return change_of("add", done.notes)

    transact(layer, build, identity=writer.identity, backend=writer.backend_of(layer))
    return done


class _Placed:
    """What an id stands for while notes are placed: in the layer, or earlier in this change."""

    def __init__(self, seen: Seen, *, preload: bool) -> None:
        self._seen = seen
        self._there = seen.ids() if preload else None
        self._new: dict[str, Note] = {}

    def current(self, note_id: str) -> tuple[Note | None, tuple[str, ...], Note | None]:
        """(the note that stands under an id, the heads that a new revision would replace, the note
        that stands under it on another branch)."""
        key = id_key(note_id)
        if (new := self._new.get(key)) is not None:
            return new, (), None
        if self._there is not None and key not in self._there:
            return None, (), None
        folded, hidden = self._seen.note(key)
        note = folded.note if folded else None
        return note, reading.heads_of(folded), hidden.note if hidden else None

    def put(self, note: Note) -> None:
        self._new[id_key(note.id)] = note


def _place(writer: Writer, item: Prepared, placed: _Placed, done: Written) -> None:
    note = item.note
    for suffix in range(1, 1000):
        note_id = note.id if suffix == 1 else f"{note.id}-{suffix}"
        current, heads, other = placed.current(note_id)
        if current is None and (
            other is None
            or not item.is_id_derived
            or is_same_content(other, note.edited(id=other.id))
        ):
            break
        if current is None:
            continue  # another branch means something else by this id
        if is_same_content(current, note.edited(id=current.id)):
            done.unchanged.append(current.id)
            return
        if not item.is_id_derived:
            done.refused.append(_taken(item, writer.layer.name))
            return
    written = note.edited(
        id=note_id,
        created=note.created or writer.stamp,
        written=writer.stamp,
        author=writer.author,
        replaces=heads,
    )
    try:
        stored = as_stored("added", writer, written, item)
    except GitMemError as error:
        done.refused.append(error)
        return
    placed.put(written)
    done.notes.append(stored)


def _taken(item: Prepared, layer: str) -> Refused:
    return Refused(
        f"{item.name}: there is already a different note '{item.note.id}' in layer {layer}",
        f"change it with: git mem edit {item.note.id}",
        f"or give another id and replace it: --id <new-id> --supersedes {item.note.id}",
    )
