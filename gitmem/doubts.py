"""What may be wrong with a note that is about to be stored, and is no reason to refuse it."""

from collections.abc import Iterator
from datetime import date

from gitmem import glance
from gitmem.core.event import Event
from gitmem.core.gitignore import WILD
from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.core.said import Said
from gitmem.errors import GitMemError
from gitmem.gates import dates, duplicates
from gitmem.index.schema import BadIndex
from gitmem.store.rule_files import rule_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory

MANY = 20  # notes that are compared, those first that fire at the same occasions


def doubts(memory: "Memory", note: Note) -> list[tuple[str, str]]:
    """(gate, message) for each doubt about `note`. Reads the rule files of the work tree, and the
    notes that come when this one would."""
    today = date.fromtimestamp(memory.clock())
    return [
        *(("said", text) for text in _said(memory, note)),
        *(("duplicates", text) for text in _near(memory, note)),
        *(("dates", text) for text in dates.warnings(note.body, today)),
    ]


def _said(memory: "Memory", note: Note) -> Iterator[str]:
    files = rule_files(memory.repository.root, partial=True) if memory.repository.root else []
    place = Said(text for _, text in files).place(note.body)
    if place is not None:
        yield f"{files[place[0]][0]}:{place[1]} says this already, and agents read it"


def _near(memory: "Memory", note: Note) -> Iterator[str]:
    try:
        found = duplicates.near(note.body, _beside(memory, note))
    except (GitMemError, OSError, BadIndex):
        return  # what cannot be read is told by the command that reads it
    for note_id in found[:3]:
        yield f"this is near to note '{note_id}': git mem show {note_id}"


def _beside(memory: "Memory", note: Note) -> Iterator[tuple[str, str]]:
    """(id, text) of the notes that come when this one would; not of the one with its own id."""
    triggers = note.triggers
    index = memory.index()
    try:
        named = (*triggers.prompts, *note.names)
        event = Event(_samples(triggers.paths), triggers.commands, triggers.errors, named)
        hits = [*(index.always() if triggers.always else ()), *index.query(event)]
    finally:
        index.close()
    rows = [hit.row for hit in hits if id_key(hit.row.id) != id_key(note.id)][:MANY]
    texts = glance.texts_of(rows, memory.repository)
    for row, text in zip(rows, texts, strict=True):
        if text is not None:
            yield row.id, text


def _samples(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """A path for each pattern that it matches, or would if there were such a file."""
    found = []
    for pattern in patterns:
        if not pattern.startswith("!"):
            plain = pattern.removeprefix("/").replace("\\", "")
            found.append("".join("x" if char in WILD else char for char in plain))
    return tuple(found)
