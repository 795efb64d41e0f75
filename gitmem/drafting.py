"""From what somebody typed to the note that may be stored, or why it may not. Pure.

A note without a trigger is refused, because it would look like coverage and never fire; the state
of the work, because it would be recalled as a fact long after.
"""

from collections.abc import Callable
from typing import NamedTuple

from gitmem.core.derive import Tracked, derive_paths, guarded_words
from gitmem.core.note import Note, checked_id, slug
from gitmem.core.trigger import normalise
from gitmem.errors import GitMemError
from gitmem.gates import status

# What an edit or a second add of the same content leaves out when it compares two notes.
WRITTEN_BY_TOOL = {
    "created": None,
    "written": None,
    "author": None,
    "anchor": None,
    "replaces": (),
}


WHEN = (
    "say when it matters: -p 'src/**', -c 'npm publish', -e 'the error text', "
    "--prompt 'a phrase', or --always for the start of every session"
)


class Refused(GitMemError):
    kind = "refused"


class Draft(NamedTuple):
    """A note as given. `name` is what messages call it; `is_id_derived`: a taken id gets a suffix.

    `derives` says whether path triggers may be derived from the text. `source` is what was typed,
    where messages count lines.
    """

    note: Note
    name: str
    is_id_derived: bool = False
    derives: bool = True
    source: str = ""


class Prepared(NamedTuple):
    """A note ready to be stored, and the triggers that were derived for it."""

    note: Note
    name: str
    is_id_derived: bool
    derived: tuple[str, ...] = ()
    source: str = ""


def prepare(draft: Draft, tracked: Callable[[], Tracked]) -> Prepared:
    """The note with id, normalised and derived triggers; Refused, StatusRefused, BadTrigger or
    BadId."""
    note = draft.note
    if not note.body.strip() and not note.forgotten:
        raise Refused(f"{draft.name} has no text", "say what was learned, in a sentence")
    if not note.forgotten:
        status.check(note.body, note.kind, draft.name, draft.source)
    triggers = normalise(note.triggers)
    derived: tuple[str, ...] = ()
    if draft.derives and not (triggers.paths or triggers.always or note.entity):
        derived = derive_paths(note.body, tracked())
        triggers = triggers.union(type(triggers)(paths=derived))
    note = note.edited(triggers=triggers)
    if not note.is_recallable and not note.forgotten:
        raise _unreachable(draft.name, note, tracked)
    note_id = note.id or slug(note.entity or note.body.strip().partition("\n\n")[0])
    if not note_id:
        raise Refused(f"{draft.name} has no word to make an id of", "give one with --id")
    note = note.edited(id=checked_id(note_id))
    is_id_derived = draft.is_id_derived or not draft.note.id
    return Prepared(note, draft.name, is_id_derived, derived, draft.source)


def is_same_content(one: Note, other: Note) -> bool:
    """Whether two notes differ in nothing but what the tool writes."""
    return one.edited(**WRITTEN_BY_TOOL) == other.edited(**WRITTEN_BY_TOOL)


def _unreachable(name: str, note: Note, tracked: Callable[[], Tracked]) -> Refused:
    hints = [WHEN]
    if guarded := guarded_words(note.body, tracked()):
        word, reason = guarded[0]
        hints.insert(0, f"'{word}' {reason}; if you mean it: -p '{word}'")
    return Refused(
        f"{name} could never be recalled: it has no trigger and names no tracked file", *hints
    )
