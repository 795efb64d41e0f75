"""What there is and what needs attention, as numbers."""

from dataclasses import dataclass

from gitmem import reading, sharing
from gitmem.index import errorlog
from gitmem.index.place import user_home, writable_home

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
            layer.name: sum(
                folded.note is not None
                for notes in loaded
                if notes.layer == layer.name
                for folded in notes.folded.values()
            )
            for layer in memory.layers
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
