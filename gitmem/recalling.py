"""Which notes an event reaches, and why; and why the others stay silent."""

from dataclasses import dataclass, field

from gitmem import reading
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.core.view import Shown, superseded
from gitmem.explain import not_here, silence
from gitmem.index import stale
from gitmem.index.read import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory


@dataclass(frozen=True)
class Recalled:
    """A note that an event reaches, with the reasons; `stale`: by how many commits its files
    changed since it was true, as far as that is known."""

    shown: Shown
    hit: Hit
    stale: int = 0


@dataclass(frozen=True)
class Why:
    """Which notes fire for a path, and which do not and why: (note, reason)."""

    path: str
    fires: list[Recalled] = field(default_factory=list)
    silent: list[tuple[Note, str]] = field(default_factory=list)
    is_outside: bool = False


def recall(memory: "Memory", event: Event, *, all_branches: bool) -> list[Recalled]:
    """The notes that `event` reaches, best first, each with its reasons; those of other
    branches too, after all others, if asked for."""
    index = memory.index()
    try:
        hits = index.query(event, hidden=all_branches)
        path = stale.path_of(index.directory, memory.place().worktree)
    finally:
        index.close()
    try:
        changed = stale.counts(path, [hit.row.rev for hit in hits])
    except OSError:
        changed = {}
    loaded = memory.load({id_key(hit.row.id) for hit in hits}) if hits else []
    shown = {**(reading.hidden(loaded) if all_branches else {}), **reading.unite(loaded)}
    return [
        Recalled(shown[key], hit, changed.get(hit.row.rev, 0))
        for hit in hits
        if (key := id_key(hit.row.id)) in shown
    ]


def why(memory: "Memory", path: str, names: tuple[str, ...]) -> Why:
    """Which notes fire when `path`, here called `names`, is touched, and why others do not."""
    event = Event(names)
    fires = recall(memory, event, all_branches=False)
    firing = {id_key(item.shown.note.id) for item in fires}
    loaded = memory.load()
    every = reading.unite(loaded)
    over = superseded(item.note for item in every.values())
    elsewhere = [(item.note, not_here(item)) for item in reading.hidden(loaded).values()]
    silent = [
        (item.note, silence(item.note, names, is_superseded=key in over))
        for key, item in every.items()
        if key not in firing
    ]
    return Why(names[0] if names else path, fires, silent + elsewhere, is_outside=not names)
