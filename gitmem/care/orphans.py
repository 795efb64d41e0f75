"""Notes that can never be recalled: their triggers reach nothing. Pure."""

from gitmem.core.derive import Tracked
from gitmem.core.note import Note
from gitmem.core.subject import matching_files


def is_orphan(note: Note, tracked: Tracked) -> bool:
    """Whether no event and no name can reach the note in a work tree with these files."""
    triggers = note.triggers
    if triggers.always or triggers.commands or triggers.errors or triggers.prompts or note.entity:
        return False
    return next(matching_files(triggers.paths, tracked), None) is None
