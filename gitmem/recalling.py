"""Which notes an event reaches, and why; and why the others stay silent.

The index answers. Whole notes are read only where its rows do not say enough.
"""

import os
import time
from functools import cached_property

from gitmem import glance
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.index import ledger, stale
from gitmem.index.place import writable_home
from gitmem.index.read import Hit
from gitmem.index.wording import why_of
from gitmem.store.discover import worktree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.core.note import Note
    from gitmem.core.view import Shown
    from gitmem.reads import Reads


class Recalled:
    """A note that an event reaches: the `hit` with its reasons; `stale`, by how many commits its
    files changed since it was true, as far as that is known; `text`, what it says, where its row
    speaks for it and it need not be read."""

    def __init__(self, hit: Hit, source: "Source", *, changes: int = 0) -> None:
        self.hit = hit
        self.stale = changes
        self._source = source

    @property
    def text(self) -> str | None:
        return self._source.text(self.hit)

    @property
    def shown(self) -> "Shown":
        """The whole note."""
        return self._source.shown[id_key(self.hit.row.id)]


class Source:
    """Where the notes of hits are: one read for all of them, when the first is asked for."""

    def __init__(self, memory: "Reads", hits: list[Hit], *, all_branches: bool) -> None:
        self._memory = memory
        self._hits = hits
        self._all_branches = all_branches

    def text(self, hit: Hit) -> str | None:
        return glance.text_of(hit.row, self._memory.repository)

    @cached_property
    def shown(self) -> "Mapping[str, Shown]":
        from gitmem import reading

        loaded = self._memory.load({id_key(hit.row.id) for hit in self._hits})
        others = reading.hidden(loaded) if self._all_branches else {}
        return {**others, **reading.unite(loaded)}


class Read(Source):
    """A note that was read already."""

    def __init__(self, shown: "Shown") -> None:
        self.shown = {id_key(shown.note.id): shown}

    def text(self, hit: Hit) -> str | None:
        return None


def remember(memory: "Reads", found: "Sequence[Recalled]") -> None:
    """Write to the ledger that these notes were asked for and shown."""
    home = writable_home(memory.repository.common_dir)
    if not found or home is None:
        return
    notes = [
        (row.layer, row.id, row.rev, len(item.text or ""), why_of(item.hit))
        for item in found
        if (row := item.hit.row)
    ]
    try:
        ledger.record(home, f"{time.time_ns()}.{os.getpid():x}", ("", "", "recall"), notes)
    except OSError:
        pass  # nothing can be recorded here


class Why:
    """Which notes fire for a path, and which do not and why: (note, reason)."""

    def __init__(
        self,
        path: str,
        fires: list[Recalled],
        silent: "list[tuple[Note, str]]",
        *,
        is_outside: bool = False,
    ) -> None:
        self.path = path
        self.fires = fires
        self.silent = silent
        self.is_outside = is_outside


def recall(
    memory: "Reads", event: Event, *, all_branches: bool = False, whole: bool = True
) -> list[Recalled]:
    """The notes that `event` reaches, best first, each with its reasons; those of other
    branches too, after all others, if asked for. Without `whole`, notes are read only where their
    rows do not speak for them."""
    index = memory.index()
    try:
        hits = index.query(event, hidden=all_branches)
        path = stale.path_of(index.directory, worktree_of(memory.repository))
    finally:
        index.close()
    try:
        changed = stale.counts(path, [hit.row.rev for hit in hits])
    except OSError:
        changed = {}
    source = Source(memory, hits, all_branches=all_branches)
    if whole or not all(glance.speaks(hit.row) for hit in hits):
        hits = [hit for hit in hits if id_key(hit.row.id) in source.shown]
    return [Recalled(hit, source, changes=changed.get(hit.row.rev, 0)) for hit in hits]


def why(memory: "Reads", path: str, names: tuple[str, ...]) -> Why:
    """Which notes fire when `path`, here called `names`, is touched, and why others do not."""
    from gitmem import reading
    from gitmem.core.view import superseded
    from gitmem.explain import not_here, silence

    event = Event(names)
    fires = recall(memory, event)
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
