"""What there is and what needs attention, as numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from gitmem import reading, sharing
from gitmem.core.ids import id_key
from gitmem.core.ranking import LAYERS
from gitmem.index import errorlog
from gitmem.index.place import user_home, writable_home
from gitmem.index.usage import Usage, read_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory


@dataclass(frozen=True)
class Status:
    """Counts of notes by layer, and of what needs attention; the last (time, reason) a hook
    failed for. `other_branches` are notes that are not seen here, `stranded` those of them that no
    branch has any more; `pending` counts every work tree."""

    layers: dict[str, int]
    pending: int
    other_branches: int
    stranded: int
    conflicts: int
    broken: int
    orphans: int
    unpublished: int
    last_error: tuple[int, str] | None


def status(memory: "Memory") -> Status:
    """What there is and what needs attention."""
    loaded = memory.load()
    shown = reading.unite(loaded)
    homes = (writable_home(memory.repository.common_dir), user_home())
    entries = sorted(entry for home in homes if home for entry in errorlog.read(home))
    return Status(
        layers={
            name: sum(
                folded.note is not None
                for notes in loaded
                if notes.layer == name
                for folded in notes.folded.values()
            )
            for name in LAYERS
        },
        pending=len(reading.pending(loaded)),
        other_branches=len(reading.hidden(loaded)),
        stranded=len(memory.stranded(loaded)),
        conflicts=sum(item.folded.is_conflict for item in shown.values()),
        broken=sum(len(notes.broken) for notes in loaded),
        orphans=len(memory.orphans(shown)),
        unpublished=sharing.unpublished(memory.repository),
        last_error=entries[-1] if entries else None,
    )


@dataclass(frozen=True)
class Statistics:
    """What was delivered in this clone. `notes` are the ids that are seen here; `dump` counts the
    characters that all of them at the start of every session would have come to."""

    usage: Usage
    notes: tuple[str, ...]
    never_fired: tuple[str, ...]
    dump: int


def statistics(memory: "Memory") -> Statistics:
    """What the ledger of this clone says about the notes that are seen here."""
    usage = _usage(memory)
    notes = [shown.note for _, shown in sorted(memory.notes().items())]
    return Statistics(
        usage=usage,
        notes=tuple(note.id for note in notes),
        never_fired=tuple(note.id for note in notes if note.id not in usage.recalls),
        dump=sum(len(note.body) for note in notes) * max(usage.sessions, 1),
    )


def unused(memory: "Memory", note_ids: Iterable[str], since: float) -> list[str]:
    """Those of some notes that nothing delivered in this clone since an instant (seconds since
    1970), and that were written before it."""
    recalls, notes = _usage(memory).recalls, memory.notes()
    return [
        note_id
        for note_id in note_ids
        if recalls.get(note_id, (0, 0.0))[1] < since
        and _written(notes[id_key(note_id)].note.written) < since
    ]


def _usage(memory: "Memory") -> Usage:
    home = writable_home(memory.repository.common_dir)
    return read_usage(home) if home else Usage()


def _written(utc: str | None) -> float:
    try:
        return datetime.fromisoformat(utc or "").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
