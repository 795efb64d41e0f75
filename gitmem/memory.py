"""The library's face: one short method per use case, values in, values out.

`Memory.open(path)` finds the repository and does nothing else; every other method says what it
reads or writes. Nothing here prints, asks, or reads the clock except through `clock`. What only
reads is in `reads.py`.

Each use case is imported by the method that is it: a command pays for what it does, and to read a
few notes costs a tenth of what to write one does.
"""

from __future__ import annotations

from gitmem.index.current import has_memory
from gitmem.index.schema import ANCHOR
from gitmem.reads import Reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.branches import Landing
    from gitmem.changes import Written
    from gitmem.core.note import Note
    from gitmem.core.view import Folded, Shown
    from gitmem.drafting import Draft
    from gitmem.overview import Status
    from gitmem.sharing import Preview
    from gitmem.store.anchors import Scope
    from gitmem.store.sync import Exchange
    from gitmem.store.view import LayerNotes

MANY_FETCHED = 500  # notes; more than these are indexed in a process of their own


class Memory(Reads):
    """The memory of one repository, all layers.

    As a context manager it brings the index up to date at the end, if it has not been.
    """

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_stale:
            self._refresh_index()

    # --- writing ---

    def add(
        self, drafts: Sequence[Draft], layer: str = "shared", *, scope: Scope | None = None
    ) -> Written:
        """Store notes in one commit. One that is refused does not keep the others out."""
        from gitmem import writing

        self.settle()
        return self._indexed(writing.add(self, drafts, layer, scope or writing.ANCHORED))

    def warnings(self, drafts: Sequence[Draft], layer: str | None = None) -> list[tuple[str, str]]:
        """(gate, message) for what may be wrong with notes and is no reason to refuse them;
        `layer` is the one that somebody chose."""
        from gitmem import writing

        return writing.warnings(self, drafts, layer)

    def edit(
        self,
        name: str,
        change: Callable[[Note], Note],
        *,
        layer: str | None = None,
        scope: Scope | None = None,
    ) -> Written:
        """Store a new revision of the note called `name`, made by `change` from what it says."""
        from gitmem import writing

        return self._indexed(writing.edit(self, name, change, layer, scope or writing.ANCHORED))

    def save(self, layer: str, read: Folded, note: Note, *, scope: Scope | None = None) -> Written:
        """Store `note` as the revision that replaces what was `read`, even if others were faster:
        then both stand as a conflict and none is lost."""
        from gitmem import writing

        return self._indexed(writing.save(self, layer, read, note, scope or writing.ANCHORED))

    def forget(
        self,
        names: Iterable[str],
        *,
        reason: str | None = None,
        layer: str | None = None,
        scope: Scope | None = None,
    ) -> Written:
        """Write a tombstone over each note."""
        from gitmem import writing

        scope = scope or writing.ANCHORED
        return self._indexed(writing.forget(self, names, reason, layer, scope))

    def restore(self, name: str, *, layer: str | None = None) -> Written:
        """Undo a forget: what the note said before becomes its newest revision."""
        from gitmem import writing

        return self._indexed(writing.restore(self, name, layer))

    def undo(self, name: str | None = None, *, layer: str | None = None) -> Written:
        """Take back the last change of a note, or the last change made here, as a new revision."""
        from gitmem import writing

        return self._indexed(writing.undo(self, name, layer))

    def move(
        self,
        name: str,
        to: str,
        *,
        op: str = "promoted",
        source: str | None = None,
        scope: Scope | None = None,
    ) -> Written:
        """Move a note to the layer `to`, history kept: from the layer `source`, or the nearest
        other one that has it. `op` is what is said of it, `promoted` or `demoted`."""
        from gitmem import moving

        return self._indexed(moving.move(self, name, to, op, scope or moving.ANCHORED, source))

    def _indexed(self, written: Written) -> Written:
        """Bring the index up to date at once, so that no hook has to; later where much follows."""
        self._is_stale = self._is_stale or bool(written.notes)
        if self._is_stale and not self.is_bulk:
            self._refresh_index()
        return written

    # --- sharing ---

    def sync(self, remote: str | None = None) -> Exchange:
        """Fetch, recognise what landed, join and publish through the chosen remote. Uses the
        network."""
        from gitmem import sharing

        done = sharing.both(self.repository, remote, lambda: self.config, self._settle_fetched)
        return self._shared(done)

    def _settle_fetched(self, done: Exchange) -> None:
        if done.fetched <= MANY_FETCHED and has_memory(self.repository.common_dir):
            self._refresh_index()

    def fetch(self, remote: str | None = None) -> Exchange:
        """Bring the tracking refs up to the remote. Uses the network."""
        from gitmem import sharing

        return self._shared(sharing.fetch(self.repository, remote))

    def push(self, remote: str | None = None, *, deadline: float = float("inf")) -> Exchange:
        """Publish what the remote does not have. Uses the network, until `deadline` at most (in
        seconds of `time.monotonic`)."""
        from gitmem import sharing

        self.settle()
        done = sharing.push(self.repository, remote, lambda: self.config, deadline=deadline)
        return self._shared(done)

    def merge(self) -> bool:
        """Take what was fetched into our own refs; whether one moved."""
        from gitmem import sharing

        moved = sharing.merge(self.repository)
        self.settle()
        return moved

    def is_behind(self) -> bool:
        """Whether something was fetched that our own refs do not have."""
        from gitmem import sharing

        return sharing.is_behind(self.repository)

    def follow(self, remote: str | None = None) -> Exchange:
        """Make our own refs exactly what the remote has. Uses the network."""
        from gitmem import sharing

        return self._shared(sharing.follow(self.repository, remote))

    def preview(self, remote: str | None = None) -> Preview:
        """What a sync would do. Uses the network, changes nothing."""
        from gitmem import sharing

        return sharing.preview(self.repository, remote)

    def _shared(self, done: Exchange) -> Exchange:
        """Let the index follow: at once for little, in a process of its own for much."""
        if done.is_completed:
            self.index(rebuild=True).close()
        elif done.fetched > MANY_FETCHED:
            from gitmem.index.refresh import refresh_later

            refresh_later(self.repository)
        elif done.fetched:
            self._refresh_index()
        return done

    # --- branches ---

    def rewritten(self, pairs: Iterable[tuple[str, str]]) -> int:
        """Record which commits git rewrote as which, old and new, where notes know the old one; how
        many were new."""
        from gitmem.store.landed import record

        index = self.index()
        known = {(old, new) for old, new in pairs if index.filed(ANCHOR + old)}
        index.close()
        count = record(self.repository.common_dir, known, identity=self.identity) if known else 0
        self._refresh_index()
        return count

    def stranded(self, loaded: Sequence[LayerNotes]) -> dict[str, Shown]:
        """Those of what was loaded that no branch has any more and that have not landed."""
        from gitmem import branches
        from gitmem.store.landed import read_landed

        landed = read_landed(self.repository.common_dir)
        return branches.stranded(self.repository, loaded, landed, self.identity.author.email)

    def land(self, name: str, target: str = "HEAD", *, undoing: bool = False) -> Landing:
        """Record that a commit, or the work of a branch, landed as `target`; with `undoing`, that
        it did not."""
        from gitmem import branches

        done = branches.land(self.repository, self.load(), name, target, undoing=undoing)
        self._refresh_index()
        return done

    def status(self) -> Status:
        """What there is and what needs attention."""
        from gitmem import overview

        return overview.status(self)
