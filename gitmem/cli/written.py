"""How commands print what they stored. Loads no click (see `plain.py`)."""

from collections.abc import Sequence

from gitmem.changes import Stored, Written
from gitmem.cli import note_output, output
from gitmem.explain import who_sees
from gitmem.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def print_added(memory: Memory, written: Written) -> None:
    """What became of each note that was given."""
    if len(written.notes) > 20:
        output.say(f"added {len(written.notes)} notes ({written.notes[0].layer})")
    else:
        for stored in written.notes:
            print_stored(memory, stored)
    for note_id in written.unchanged[:20]:
        output.say(f"unchanged {note_id}")
    if len(written.unchanged) > 20:
        output.say(f"unchanged {len(written.unchanged) - 20} more")
    for error in written.refused:
        output.error(error.message)
        for hint in error.hints:
            output.hint(hint)


def print_stored(memory: Memory, stored: Stored) -> None:
    """A revision, when it is shown and where it is seen."""
    anchor = stored.note.anchor
    pending = ", pending" if anchor and anchor.pending else ""
    output.say(f"{stored.op} {stored.note.id} ({stored.layer}{pending})")
    if not stored.note.forgotten:
        for line in note_output.trigger_lines(stored.note, stored.derived):
            output.say(line)
    output.say(f"  seen {who_sees(anchor, memory.default_branch, stored.layer)}")


def print_json(memory: Memory, written: Written, warnings: list[tuple[str, str]]) -> None:
    """The same as one document; an error where nothing else can be said."""
    if written.refused and not written.notes and not written.unchanged:
        raise written.refused[0]
    output.print_json(written_json(memory, written, warnings))


def written_json(
    memory: Memory, written: Written, warnings: Sequence[tuple[str, str]] = ()
) -> "dict[str, Any]":
    """The document for a change."""
    default = memory.default_branch
    document: dict[str, Any] = {
        "notes": [
            {
                **note_output.note_json(
                    item.note,
                    layer=item.layer,
                    revision=item.rev,
                    visible=not item.note.forgotten,
                ),
                "op": item.op,
                "seen": who_sees(item.note.anchor, default, item.layer),
                "derived": list(item.derived),
            }
            for item in written.notes
        ],
        "warnings": [{"gate": gate, "message": message} for gate, message in warnings],
        "unchanged": written.unchanged,
    }
    if written.refused:
        document["refused"] = [
            {"kind": error.kind, "message": error.message, "hints": list(error.hints)}
            for error in written.refused
        ]
    return document
