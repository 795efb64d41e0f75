"""Notes by name or by a pattern in their text, as `git mem recall` finds them beside an event's."""

import re

import click

from gitmem import reading
from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH, TRIGGER_KINDS, Note
from gitmem.core.ranking import score
from gitmem.core.view import Shown, superseded
from gitmem.index.read import Hit
from gitmem.index.schema import Row
from gitmem.memory import Memory
from gitmem.recalling import Read, Recalled


def added(
    memory: Memory, found: list[Recalled], name: str, pattern: str | None, *, all_branches: bool
) -> list[Recalled]:
    """`found`, what is called `name` before it and what matches `pattern` after it."""
    if name:
        found = _merged([_by_name(memory, name)], found)
    if pattern:
        found = _merged(found, _grep(memory, pattern, all_branches=all_branches))
    return found


def _merged(first: list[Recalled], second: list[Recalled]) -> list[Recalled]:
    by_id = {item.shown.note.id: item for item in [*second, *first]}
    order = dict.fromkeys(item.shown.note.id for item in [*first, *second])
    return [by_id[note_id] for note_id in order]


def _by_name(memory: Memory, name: str) -> Recalled:
    shown = memory.note(name)
    return _recalled_as(shown, ("name", name, shown.note.id))


def _grep(memory: Memory, pattern: str, *, all_branches: bool) -> list[Recalled]:
    try:
        regex = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise click.UsageError(f"--grep '{pattern}': {error}") from error
    loaded = memory.load()
    notes = reading.unite(loaded)
    over = superseded(shown.note for shown in notes.values())
    found = []
    others = sorted(reading.hidden(loaded).items()) if all_branches else []
    for key, shown in [*sorted(notes.items()), *others]:
        if key not in over and (match := _search(regex, shown.note)):
            found.append(_recalled_as(shown, ("grep", match, pattern)))
    return found


def _search(regex: re.Pattern[str], note: Note) -> str | None:
    texts = [note.id, note.body]
    for kind in TRIGGER_KINDS:
        texts += getattr(note.triggers, kind)
    return next((match.group() for text in texts if (match := regex.search(text))), None)


def _recalled_as(shown: Shown, reason: tuple[str, str, str]) -> Recalled:
    note = shown.note
    kind, strength = note.kind or DEFAULT_KIND, note.strength or DEFAULT_STRENGTH
    points = score(1, note.confidence or "", strength, 0)
    rev = shown.folded.revision or ""
    row = Row(note.id, shown.layer, rev, "", kind, "", strength, 0, "", "", "")
    return Recalled(Hit(row, [reason], points), Read(shown))
