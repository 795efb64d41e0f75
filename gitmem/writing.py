"""Write to a memory: which layer and note a change is about, who makes it, and the index after it.

The use cases behind `Memory.add` and its like. What a change does to a layer is in `changes.py`.
"""

import os
from collections.abc import Callable, Iterable, Sequence

from gitmem import changes, naming, placing, reading
from gitmem.changes import NothingToUndo, Written
from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.core.view import Folded
from gitmem.drafting import Draft, prepare
from gitmem.errors import GitMemError
from gitmem.explain import not_here
from gitmem.index.schema import HIDDEN, BadIndex
from gitmem.naming import UnknownNote
from gitmem.store.anchors import Anchoring, Scope
from gitmem.store.outer import OUTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory

ANCHORED = Scope()
PERSONAL = "all who fetch will see it (--local, --self: only you), and it says"


def add(memory: "Memory", drafts: Sequence[Draft], layer: str, scope: Scope) -> Written:
    """Store notes in one commit. One that is refused does not keep the others out."""
    return placing.add(writer(memory, layer, scope), drafts, lambda: memory.tracked)


def warnings(memory: "Memory", drafts: Sequence[Draft], layer: str | None) -> list[tuple[str, str]]:
    """(gate, message) for what may be wrong with notes and is no reason to refuse them. `layer` is
    the one that somebody chose; None for the shared one, which is where notes go else."""
    from gitmem.doubts import doubts  # only where a note is added by hand
    from gitmem.gates import breadth

    found = []
    for draft in drafts:
        try:
            note = prepare(draft, lambda: memory.tracked).note
        except GitMemError:
            continue  # it will be refused, which says enough
        if layer is None and (signs := personal_signs(memory, note)):
            found.append(("personal", f"{PERSONAL} {' and '.join(signs)}"))
        found += doubts(memory, note)
        if layer in OUTER:
            continue  # its triggers are about files of any project
        paths = note.triggers.paths
        found += [("breadth", text) for text in breadth.warnings(paths, memory.tracked.files)]
        if draft.note.id and (text := _other_meaning(memory, id_key(note.id))):
            found.append(("branches", text))
    return found


def personal_signs(memory: "Memory", note: Note) -> list[str]:
    """What makes a note look as if it were about one person or machine alone."""
    from gitmem.gates import personal  # only where a note is added by hand

    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    name = memory.identity.author.name
    return personal.signs(note.body, personal.Person(name, os.path.expanduser("~"), host))


def _other_meaning(memory: "Memory", key: str) -> str:
    """A warning, when an id is not known here and is that of a note on another branch."""
    if not _is_on_another_branch(memory, key):
        return ""
    other = reading.hidden(memory.load([key])).get(key)
    if other is None:
        return ""
    return f"there is a note '{other.note.id}' {not_here(other)}; they meet where both are seen"


def _is_on_another_branch(memory: "Memory", key: str) -> bool:
    """As the index knows without asking git; yes where it cannot say."""
    try:
        index = memory.index()
        try:
            return any(row.flags & HIDDEN for row in index.named(key))
        finally:
            index.close()
    except (GitMemError, OSError, BadIndex):
        return True


def edit(
    memory: "Memory", name: str, change: Callable[[Note], Note], layer: str | None, scope: Scope
) -> Written:
    """Store a new revision of the note called `name`, made by `change` from what it says."""
    at, folded = memory.held(name, layer)
    return save(memory, at, folded, change(_content(folded)), scope)


def save(memory: "Memory", layer: str, read: Folded, note: Note, scope: Scope) -> Written:
    """Store `note` as the revision that replaces what was `read`, even if others were faster."""
    return changes.save(writer(memory, layer, scope), read, note)


def forget(
    memory: "Memory", names: Iterable[str], reason: str | None, layer: str | None, scope: Scope
) -> Written:
    """Write a tombstone over each note."""
    found = [memory.held(name, layer) for name in names]
    return _each_layer(
        memory, found, scope, lambda writer, notes: changes.forget(writer, notes, reason)
    )


def restore(memory: "Memory", name: str, layer: str | None) -> Written:
    """Undo a forget: what the note said before becomes its newest revision."""
    at, folded = memory.held(name, layer, forgotten=True)
    return changes.restore(writer(memory, at, ANCHORED), folded)


def undo(memory: "Memory", name: str | None, layer: str | None) -> Written:
    """Take back the last change of a note, or the last change made here, as a new revision."""
    from gitmem import moving  # only undo has to know what was moved

    if name is not None:
        at, folded = memory.held(name, layer, forgotten=None)
        held = [*naming.in_layers(memory, id_key(folded.id), layer), (at, folded)]
        at, folded = max(
            held,
            key=lambda item: (changes.newest_written(item[1]), moving.lateness(memory, item[1])),
        )
        return _undone(memory, [(at, folded)])
    revs = changes.last_change(memory.layers)
    found = [
        (notes.layer, folded)
        for notes in memory.load(revs)
        for key, folded in notes.folded.items()
        if any(head.rev in revs[key] for head in folded.heads)
    ]
    if not found:
        names = ", ".join(sorted(revs)[:3])
        raise NothingToUndo(
            f"the last change made here ({names}) is not seen on this branch",
            "go where it was made, or name a note: git mem undo ID",
        )
    return _undone(memory, found)


def _undone(memory: "Memory", found: Sequence[tuple[str, Folded]]) -> Written:
    from gitmem import moving

    done = _each_layer(memory, found, ANCHORED, changes.undo)
    return done.joined(moving.take_back(memory, [folded for _, folded in found]))


def writer(memory: "Memory", layer: str, scope: Scope) -> changes.Writer:
    """Who writes to the layer called `layer`, from where, and now."""
    at, now = memory.layer(layer), memory.clock()
    place = memory.place()
    near = (at,) if at.is_outer else memory.layers[: memory.layers.index(at) + 1]
    return changes.Writer(
        at,
        near,
        memory.viewpoint(place),
        Anchoring(place, lambda: memory.tracked, lambda: memory.default_branch, scope),
        memory.identity.at(now) if memory.is_bulk else memory.identity,
        now,
        lambda: memory.config.allow_secret,
        memory.backend(at),
    )


def _each_layer(
    memory: "Memory",
    found: Sequence[tuple[str, Folded]],
    scope: Scope,
    write: Callable[[changes.Writer, list[Folded]], Written],
) -> Written:
    done = Written()
    for layer in dict.fromkeys(at for at, _ in found):
        notes = [folded for at, folded in found if at == layer]
        done = done.joined(write(writer(memory, layer, scope), notes))
    return done


def _content(folded: Folded) -> Note:
    note = reading.content_of(folded)
    if note is None:
        raise UnknownNote(f"the text of note '{folded.id}' is gone")
    return note
