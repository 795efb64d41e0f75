"""Move a note from one layer to another, with its history.

The target gets the revisions that were written, by whom and when they were, and one on top of them
that says who moved it; then the source gets a tombstone. So at every moment the note is in one of
the two. What the source's history held it goes on holding: nothing here takes back what was shared.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gitmem import naming, reading
from gitmem.changes import Seen, Stored, Writer, Written, as_stored, change_of
from gitmem.codec import encode, revision_name
from gitmem.core.ids import id_key
from gitmem.core.note import Anchor, Note
from gitmem.core.view import Folded, is_pending, waiting
from gitmem.drafting import Refused, is_same_content
from gitmem.errors import GitMemError
from gitmem.gates.secrets import SecretRefused, find
from gitmem.store.anchors import Scope
from gitmem.store.layer import Layer
from gitmem.store.layout import path_of
from gitmem.store.transaction import Change, Snapshot, transact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory

MOVED = "moved"  # a field of the tombstone: `layer@rev`, what the note became there
ANCHORED = Scope()


class Unsettled(GitMemError):
    kind = "conflict"


class Move(NamedTuple):
    """A note on its way; `op` is `promoted` or `demoted`."""

    op: str
    source: Layer
    target: Layer
    folded: Folded
    sources: Mapping[str, bytes]

    @property
    def note(self) -> Note:
        note = self.folded.note
        assert note is not None  # `_found` looked for it
        return note


def move(
    memory: "Memory", name: str, to: str, op: str, scope: Scope, source: str | None = None
) -> Written:
    """Move the note called `name` to the layer `to`, from the nearest other one or `source`.

    Refused for a note that is pending or that the layer has already, Unsettled for one in conflict,
    SecretRefused; UnknownNote, UnknownLayer.
    """
    from gitmem.writing import writer

    found = _found(memory, name, memory.layer(to), op, source)
    _check(found)
    done = _arrive(writer(memory, to, scope), found)
    arrived = done.notes[0].rev if done.notes else found.folded.revision
    away = writer(memory, found.source.name, ANCHORED)
    return done.joined(_leave(away, found.folded, f"{op} to {to}", f"{to}@{arrived}"))


def _found(memory: "Memory", name: str, target: Layer, op: str, source: str | None) -> Move:
    at, folded = memory.held(name, source)
    if source is None and at == target.name:
        others = naming.in_layers(memory, id_key(folded.id))
        at, folded = next(
            ((layer, item) for layer, item in others if layer != at and item.note is not None),
            (at, folded),
        )
    if at == target.name:
        raise Refused(f"note '{folded.id}' is in layer {at} already")
    notes = next(item for item in memory.load([id_key(folded.id)]) if item.layer == at)
    data = {rev: bytes_ for rev, (_, bytes_) in notes.sources.items()}
    return Move(op, memory.layer(at), target, folded, data)


def _check(found: Move) -> None:
    note_id = found.folded.id
    if found.folded.is_conflict:
        raise Unsettled(
            f"note '{note_id}' is in conflict", f"settle it first: git mem edit {note_id}"
        )
    if found.folded.is_pending or waiting(found.folded.graph):
        raise Refused(
            f"note '{note_id}' is about work that is not committed yet",
            "commit that first; the note is then published, and can be moved",
        )


def _arrive(writer: Writer, found: Move) -> Written:
    """Write the note with its history to the target."""
    note, key = found.note, id_key(found.folded.id)
    anchor = _anchor(writer, found)
    history, heads = _history(found, anchor)
    for rev, data in history.items():
        _screen(writer, f"revision {rev[:10]} of note '{note.id}'", data)
    done = Written()

    def build(snapshot: Snapshot) -> Change | None:
        nonlocal done
        there, hidden = Seen(writer, writer.layer, snapshot).note(key)
        current = there.note if there else None
        if current is not None and is_same_content(current, note.edited(id=current.id)):
            done = Written(unchanged=[current.id])
            return None
        if current is not None or hidden is not None:
            raise _taken(found)
        stored = as_stored(
            found.op,
            writer,
            note.edited(
                written=writer.stamp,
                author=writer.author,
                anchor=anchor,
                replaces=tuple(dict.fromkeys((*sorted(heads), *reading.heads_of(there)))),
            ),
        )
        done = Written([stored])
        files = {path_of(note.id, rev): data for rev, data in history.items()}
        written = change_of(found.op, [stored])
        assert written is not None
        return Change({**files, **written.files}, written.message)

    transact(writer.layer, build, identity=writer.identity, backend=writer.backend_of(writer.layer))
    return done


def _anchor(writer: Writer, found: Move) -> Anchor | None:
    """Its own, where it had one and may keep it; else that of a new note."""
    if writer.layer.is_outer:
        return None
    if not found.source.is_outer and writer.anchoring.scope == ANCHORED:
        return found.folded.live[-1].anchor
    anchor = writer.anchoring.additions([found.note], writer.layer.name)[0]
    if anchor is not None and anchor.pending:
        about = f" about {anchor.paths[0]}, which has" if anchor.paths else " about"
        raise Refused(
            f"note '{found.note.id}' is{about} changes that are not committed",
            "commit them first, or say where it is true: --here, --everywhere",
        )
    return anchor


def _history(found: Move, anchor: Anchor | None) -> tuple[dict[str, bytes], list[str]]:
    """The revisions that go along (rev → bytes), and what a new one on top replaces. Within the
    project all of them as they are, else those that led to what is seen here, with `anchor`."""
    graph, heads = found.folded.graph, [head.rev for head in found.folded.heads]
    if _is_rewritten(found):
        names = _rewritten(found, anchor)
        return dict(names.values()), [names[rev][0] for rev in heads if rev in names]
    kept = {
        rev: found.sources[rev]
        for rev, item in graph.revisions.items()
        if item.note is not None and not is_pending(item) and rev in found.sources
    }
    return kept, heads


def _is_rewritten(found: Move) -> bool:
    """Whether anchors mean nothing on one of both sides."""
    return found.source.is_outer or found.target.is_outer


def _rewritten(found: Move, anchor: Anchor | None) -> dict[str, tuple[str, bytes]]:
    """Rev → the name and bytes of the same revision with another anchor."""
    graph = found.folded.graph
    past = frozenset[str]().union(*(graph.past(head.rev) for head in found.folded.heads))
    done: dict[str, tuple[str, bytes]] = {}
    # What a revision replaces has the smaller past.
    for rev in sorted(past, key=lambda rev: (len(graph.past(rev)), rev)):
        note = graph.revisions[rev].note
        if note is None:
            continue
        replaces = tuple(done[name][0] for name in note.replaces if name in done)
        data = encode(note.edited(anchor=anchor, replaces=replaces))
        done[rev] = revision_name(data), data
    return done


def _screen(writer: Writer, name: str, data: bytes) -> None:
    text = data.decode()
    if find(text) and (secrets := find(text, allowed=writer.allowed_secrets())):
        raise SecretRefused(name, secrets)


def _taken(found: Move) -> Refused:
    note_id, there = found.note.id, found.target.name
    return Refused(
        f"there is a note '{note_id}' in layer {there} already, and it says something else",
        f"bring both together: git mem edit {note_id} --layer {there}",
        f"then drop the other: git mem forget {note_id} --layer {found.source.name}",
    )


def _leave(writer: Writer, folded: Folded, reason: str, moved: str = "") -> Written:
    """Write a tombstone over all revisions of a note, whichever branch sees them."""
    graph = folded.graph
    note = reading.content_of(folded)
    tombstone = Note(
        id=folded.id,
        created=note.created if note else None,
        written=writer.stamp,
        author=writer.author,
        forgotten=True,
        reason=reason,
        replaces=tuple(sorted(graph.heads(graph.revisions))),
        extra=((MOVED, moved),) if moved else (),
    )
    stored: Stored = as_stored("forgotten", writer, tombstone)
    change = change_of("forget", [stored])
    transact(
        writer.layer,
        lambda _: change,
        identity=writer.identity,
        backend=writer.backend_of(writer.layer),
    )
    return Written([stored])


def became(memory: "Memory", folded: Folded) -> tuple[str, Folded] | None:
    """(layer, folded) of what a note became that was moved away; None when it was not, or when
    that is no longer as it arrived."""
    layer, _, rev = _moved(folded).partition("@")
    for at, there in naming.in_layers(memory, id_key(folded.id), layer) if layer else ():
        if [head.rev for head in there.heads] == [rev]:
            return at, there
    return None


def lateness(memory: "Memory", folded: Folded) -> int:
    """Of what happened to a note in several layers within one second, the larger came later."""
    if not _moved(folded):
        return 1
    return 2 if became(memory, folded) else 0


def take_back(memory: "Memory", undone: Iterable[Folded]) -> Written:
    """Forget what those of some notes became that were moved away."""
    from gitmem.writing import writer

    done = Written()
    for layer, there in filter(None, [became(memory, folded) for folded in undone]):
        done = done.joined(_leave(writer(memory, layer, ANCHORED), there, "undo"))
    return done


def _moved(folded: Folded) -> str:
    note = folded.heads[-1].note if folded.heads else None
    said = dict(note.extra).get(MOVED) if note is not None and note.forgotten else None
    return said if isinstance(said, str) else ""
