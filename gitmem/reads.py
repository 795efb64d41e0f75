"""Read a memory: its index, its notes, and which of them an event reaches.

Each use case is imported by the method that is it: a command pays for what it does, and to read a
few notes costs a tenth of what to write one does.
"""

from __future__ import annotations

import os

from gitmem.core.event import Event
from gitmem.errors import GitMemError
from gitmem.ground import Ground
from gitmem.index.current import current, has_memory
from gitmem.store.outer import OUTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.core.view import Folded, Shown
    from gitmem.index.read import Index
    from gitmem.index.schema import Row
    from gitmem.recalling import Recalled, Why
    from gitmem.store.layer import Layer
    from gitmem.store.view import LayerNotes


class Reads(Ground):
    """What can be asked of a memory. Writes only derived files, and what `settle` does."""

    _is_settled = False
    _is_stale = False

    def index(self, *, rebuild: bool = False) -> Index:
        """The index, brought up to date. Writes only derived files, and what `settle` does."""
        self._is_settled = True
        if not rebuild and (index := current(self.repository)) is not None:
            return index
        from gitmem.index.refresh import refresh

        return refresh(self.repository, rebuild=rebuild)

    def settle(self) -> None:
        """Publish pending notes that were committed, and recognise what landed, once."""
        if not self._is_settled and not self.is_bulk:
            self._is_settled = True
            if has_memory(self.repository.common_dir):
                self._refresh_index()

    def load(self, keys: Iterable[str] | None = None) -> list[LayerNotes]:
        """The notes of every layer at HEAD, nearest first: those of some id keys, or all."""
        from gitmem import reading

        self.settle()
        return reading.load(self, self.viewpoint(self.place()), keys)

    def load_layer(self, layer: Layer) -> LayerNotes:
        """The notes of one layer at HEAD, whatever is wrong with the others."""
        from gitmem import reading

        return reading.load_layer(layer, self.viewpoint(self.place()))

    def load_at(self, commit: str | None) -> list[LayerNotes]:
        """The notes of every layer at a commit (None: before the first), nearest first, pending
        ones left out."""
        from gitmem import reading

        self.settle()
        return reading.load_at(self, commit)

    def notes(self) -> dict[str, Shown]:
        """Every note that is seen at HEAD, by id key."""
        from gitmem import reading

        return reading.unite(self.load())

    def notes_at(self, commit: str | None) -> dict[str, Shown]:
        """Every note that is seen at a commit (None: before the first), by id key, pending ones
        left out."""
        from gitmem import reading

        return reading.unite(self.load_at(commit))

    def note(self, name: str) -> Shown:
        """The note called `name`: an id, a unique prefix, an entity or an alias. One of another
        branch is not `is_visible`. UnknownNote."""
        from gitmem import naming

        return naming.note(self, name)

    def held(
        self, name: str, layer: str | None = None, *, forgotten: bool | None = False
    ) -> tuple[str, Folded]:
        """(layer, folded) of a note in the nearest layer that has it, or in `layer`.

        `forgotten` says whether it must be forgotten (True), must not be (False), or either
        (None). UnknownNote.
        """
        from gitmem import naming

        return naming.held(self, name, layer, forgotten=forgotten)

    def resolve(self, name: str) -> str:
        """The id key of what `name` calls; UnknownNote with suggestions, or AmbiguousName."""
        from gitmem import naming

        return naming.resolve(self, name)

    def orphans(self, notes: Mapping[str, Shown]) -> dict[str, Shown]:
        """Those of `notes` whose triggers reach nothing in this work tree. What is kept outside of
        the project may be about files of another one."""
        from gitmem.care.orphans import is_orphan

        return {
            key: item
            for key, item in notes.items()
            if not set(OUTER).issuperset(item.layers) and is_orphan(item.note, self.tracked)
        }

    def _refresh_index(self) -> None:
        self._is_stale = False
        try:
            self.index().close()
        except (GitMemError, OSError):
            pass  # derived: the next reader rebuilds it and says what is wrong

    def stored(self, note_id: str) -> bytes | None:
        """The bytes of the note with this id; None when more has to be read to know what it is."""
        from gitmem import glance

        index = current(self.repository)
        if index is None:
            return None
        try:
            return glance.stored(index, self.repository, note_id)
        finally:
            index.close()

    def listed(self, limit: int, kind: str | None = None) -> list[Row] | None:
        """The first notes that are seen at HEAD, by id, as the index has them; None when it cannot
        say, or something in the refs is broken."""
        from gitmem import glance

        index = current(self.repository)
        if index is None:
            self.settle()
            index = current(self.repository)
        if index is None:
            return None
        try:
            return glance.listed(index, limit, kind)
        finally:
            index.close()

    def event(
        self,
        paths: Iterable[str] = (),
        commands: Iterable[str] = (),
        errors: Iterable[str] = (),
        prompts: Iterable[str] = (),
    ) -> Event:
        """An event of what a person is about to do; paths as typed, from the current directory."""
        return Event(
            tuple(dict.fromkeys(name for path in paths for name in self.relative(path))),
            tuple(commands),
            tuple(errors),
            tuple(prompts),
        )

    def relative(self, path: str) -> tuple[str, ...]:
        """The names of `path` in the repository; none when it lies outside. Without a work tree,
        `path` is taken from the root, as in `git show HEAD:path`."""
        if self.repository.root is None:
            name = os.path.normpath(path).replace(os.sep, "/")
            return () if not path or name.startswith(("/", "../")) else (name,)
        from gitmem.store.worktree import relative_paths

        return relative_paths(path, self.cwd, self.repository)

    def recall(
        self, event: Event, *, all_branches: bool = False, whole: bool = True
    ) -> list[Recalled]:
        """The notes that `event` reaches, best first, each with its reasons; those of other
        branches too, after all others, if asked for. Without `whole`, notes are read only where
        the index does not hold all there is to print."""
        from gitmem import recalling

        return recalling.recall(self, event, all_branches=all_branches, whole=whole)

    def why(self, path: str) -> Why:
        """Which notes fire when `path` is touched, by which trigger, and why others do not."""
        from gitmem import recalling

        return recalling.why(self, path, self.relative(path))
