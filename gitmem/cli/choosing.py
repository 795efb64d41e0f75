"""The notes that `git mem list` is asked for by more than their number: all read, some chosen."""

from collections.abc import Iterable
from dataclasses import dataclass

from gitmem import reading
from gitmem.cli import output
from gitmem.cli.note_output import marks, shown_json
from gitmem.core.ids import id_key
from gitmem.core.mention import is_same
from gitmem.core.note import DEFAULT_KIND
from gitmem.core.view import Shown
from gitmem.memory import Memory


@dataclass(frozen=True)
class Asked:
    """What a note has to be; None: anything."""

    kind: str | None
    tag: str | None
    entity: str | None
    layer: str | None
    conflicts: bool

    def takes(self, item: Shown) -> bool:
        note = item.note
        return (
            self.kind in (None, note.kind or DEFAULT_KIND)
            and (self.tag is None or self.tag in note.tags)
            and (not self.entity or any(is_same(name, self.entity) for name in note.names))
            and (self.layer is None or self.layer in item.layers)
            and (not self.conflicts or item.folded.is_conflict)
        )


def found(
    memory: Memory,
    asked: Asked,
    *,
    orphans: bool,
    forgotten: bool,
    pending: bool,
    stranded: bool,
    all_branches: bool,
) -> list[Shown]:
    """The notes, by id. What is broken is said on the way."""
    loaded = memory.load()
    for notes in loaded:
        for broken in notes.broken:
            output.warn(f"{notes.layer}: {broken.message}")
    if stranded:
        there = memory.stranded(loaded)
    elif forgotten:
        there = reading.forgotten(loaded)
    else:
        there = {**(reading.hidden(loaded) if all_branches else {}), **reading.unite(loaded)}
    if pending:
        waiting = reading.pending(loaded)
        there = {**{key: item for key, item in there.items() if key in waiting}, **waiting}
    if orphans:
        there = memory.orphans(there)
    return [item for _, item in sorted(there.items()) if asked.takes(item)]


def called(memory: Memory, ids: Iterable[str]) -> list[Shown]:
    """The notes with these ids that are seen here."""
    keys = [id_key(note_id) for note_id in ids]
    notes = reading.unite(memory.load(keys))
    return [notes[key] for key in keys if key in notes]


def entries(found: Iterable[Shown]) -> list[tuple[str, str, str, str]]:
    """What a list says of each: id, layer, text, and what is odd about it."""
    return [(item.note.id, item.layer, item.note.body, marks(item)) for item in found]


def documents(found: Iterable[Shown], *, forgotten: bool) -> list[dict[str, object]]:
    """The same as JSON."""
    more = {"visible": False, "forgotten": True} if forgotten else {}
    return [{**shown_json(item), **more} for item in found]
