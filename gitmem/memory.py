"""The library's face: one short method per use case, values in, values out.

`Memory.open(path)` finds the repository and does nothing else; every other method says what it
reads or writes. Nothing here prints, asks, or reads the clock except through `clock`.
"""

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from gitmem import branches, changes, naming, overview, reading, recalling, sharing
from gitmem.config import Config, read_config
from gitmem.core.derive import Tracked
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.core.view import Folded, Shown
from gitmem.drafting import Draft, prepare
from gitmem.errors import GitMemError
from gitmem.explain import not_here
from gitmem.index.read import Index
from gitmem.index.refresh import has_memory, refresh, refresh_later
from gitmem.index.schema import ANCHOR
from gitmem.naming import UnknownNote
from gitmem.overview import Status
from gitmem.recalling import Recalled, Why
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint
from gitmem.store.anchors import Anchoring, Scope
from gitmem.store.backend import Backend
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository
from gitmem.store.identity import Identities, identities
from gitmem.store.landed import read_landed, record
from gitmem.store.layer import Layer, layers_of
from gitmem.store.place import Place, place_of
from gitmem.store.recognise import default_branch
from gitmem.store.sync import Exchange
from gitmem.store.united import united
from gitmem.store.view import LayerNotes, read_view
from gitmem.store.worktree import relative_paths

ANCHORED = Scope()
MANY_FETCHED = 500  # notes; more than these are indexed in a process of their own


class UnknownLayer(GitMemError):
    kind = "usage"


class Memory:
    """The memory of one repository, all layers.

    As a context manager it brings the index up to date at the end, if it has not been.
    """

    def __init__(
        self,
        repository: Repository,
        *,
        cwd: str,
        clock: Callable[[], float] = time.time,
        bulk: bool = False,
    ) -> None:
        self.repository = repository
        self.cwd = cwd
        self.clock = clock
        self.layers: tuple[Layer, ...] = layers_of(repository)
        self._bulk = bulk
        self._backends: dict[str, Backend] = {}
        self._is_stale = False
        self._is_settled = False

    @classmethod
    def open(
        cls,
        path: str = ".",
        *,
        environ: bool = False,
        clock: Callable[[], float] = time.time,
        bulk: bool = False,
    ) -> "Memory":
        """The memory of the repository that contains `path`. Asks git.

        `environ` honours GIT_DIR and the like, as a git command does. `bulk` is for a process that
        writes a lot: one back end stays open, and the index follows at the end of the `with` block
        or at the next question that needs it. Raises GitMemError of kind "not-a-repository", or
        git's own refusal.
        """
        cwd = os.path.abspath(path)
        return cls(process.locate(cwd, environ=environ), cwd=cwd, clock=clock, bulk=bulk)

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_stale:
            self._refresh_index()

    @cached_property
    def config(self) -> Config:
        return read_config(self.repository.common_dir)

    @cached_property
    def identity(self) -> Identities:
        return identities(self.repository.common_dir)

    @cached_property
    def tracked(self) -> Tracked:
        """The tracked files of the work tree; of HEAD where there is none."""
        if self.repository.root is None:
            args = ("ls-tree", "-r", "-z", "--full-tree", "--name-only", "HEAD")
            _, output, _ = process.attempt(args, git_dir=self.repository.git_dir)
        else:
            output = process.run(("ls-files", "-z", "--full-name"), cwd=self.repository.root)
        return Tracked(os.fsdecode(output).split("\0")[:-1])

    def layer(self, name: str) -> Layer:
        """The layer called `name`; UnknownLayer."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        names = ", ".join(layer.name for layer in self.layers)
        raise UnknownLayer(f"there is no layer '{name}' here", f"layers: {names}")

    # --- writing ---------------------------------------------------------------------------

    def add(
        self, drafts: Sequence[Draft], layer: str = "shared", *, scope: Scope = ANCHORED
    ) -> changes.Written:
        """Store notes in one commit. One that is refused does not keep the others out."""
        self.settle()
        return self._indexed(changes.add(self._writer(layer, scope), drafts, lambda: self.tracked))

    def warnings(self, drafts: Sequence[Draft]) -> list[tuple[str, str]]:
        """(gate, message) for what may be wrong with notes and is no reason to refuse them."""
        from gitmem.gates import breadth  # only where a note is added by hand

        found = []
        for draft in drafts:
            try:
                note = prepare(draft, lambda: self.tracked).note
            except GitMemError:
                continue  # it will be refused, which says enough
            paths = note.triggers.paths
            found += [("breadth", text) for text in breadth.warnings(paths, self.tracked.files)]
            if draft.note.id and (text := self._other_meaning(id_key(note.id))):
                found.append(("branches", text))
        return found

    def _other_meaning(self, key: str) -> str:
        """A warning, when an id is not known here and is that of a note on another branch."""
        other = reading.hidden(self.load([key])).get(key)
        if other is None:
            return ""
        return f"there is a note '{other.note.id}' {not_here(other)}; they meet where both are seen"

    def edit(
        self,
        name: str,
        change: Callable[[Note], Note],
        *,
        layer: str | None = None,
        scope: Scope = ANCHORED,
    ) -> changes.Written:
        """Store a new revision of the note called `name`, made by `change` from what it says."""
        at, folded = self.held(name, layer)
        return self.save(at, folded, change(_content(folded)), scope=scope)

    def save(
        self, layer: str, read: Folded, note: Note, *, scope: Scope = ANCHORED
    ) -> changes.Written:
        """Store `note` as the revision that replaces what was `read`, even if others were faster:
        then both stand as a conflict and none is lost."""
        return self._indexed(changes.save(self._writer(layer, scope), read, note))

    def forget(
        self,
        names: Iterable[str],
        *,
        reason: str | None = None,
        layer: str | None = None,
        scope: Scope = ANCHORED,
    ) -> changes.Written:
        """Write a tombstone over each note."""
        found = [self.held(name, layer) for name in names]
        return self._each_layer(
            found, scope, lambda writer, notes: changes.forget(writer, notes, reason)
        )

    def restore(self, name: str, *, layer: str | None = None) -> changes.Written:
        """Undo a forget: what the note said before becomes its newest revision."""
        at, folded = self.held(name, layer, forgotten=True)
        return self._indexed(changes.restore(self._writer(at, ANCHORED), folded))

    def undo(self, name: str | None = None, *, layer: str | None = None) -> changes.Written:
        """Take back the last change of a note, or the last change made here, as a new revision."""
        if name is not None:
            at, folded = self.held(name, layer, forgotten=None)
            held = [*naming.in_layers(self, id_key(folded.id), layer), (at, folded)]
            at, folded = max(held, key=lambda item: changes.newest_written(item[1]))
            return self._indexed(changes.undo(self._writer(at, ANCHORED), [folded]))
        revs = changes.last_change(self.layers)
        found = [
            (notes.layer, folded)
            for notes in self.load(revs)
            for key, folded in notes.folded.items()
            if any(head.rev in revs[key] for head in folded.heads)
        ]
        if not found:
            names = ", ".join(sorted(revs)[:3])
            raise changes.NothingToUndo(
                f"the last change made here ({names}) is not seen on this branch",
                "go where it was made, or name a note: git mem undo ID",
            )
        return self._each_layer(found, ANCHORED, changes.undo)

    def _writer(self, layer: str, scope: Scope) -> changes.Writer:
        at, now = self.layer(layer), self.clock()
        place = self.place()
        return changes.Writer(
            at,
            self.layers[: self.layers.index(at) + 1],
            self._viewpoint(place),
            Anchoring(place, lambda: self.tracked, lambda: self.default_branch, scope),
            self.identity.at(now) if self._bulk else self.identity,
            now,
            self.config.allow_secret,
            self._backend(at),
        )

    def _backend(self, layer: Layer) -> Backend | None:
        """The back end that stays open; None where each question chooses its own."""
        if not self._bulk or not layer.exists:
            return None
        if layer.git_dir not in self._backends:
            self._backends[layer.git_dir] = backend_for(layer.git_dir, bulk=True)
        return self._backends[layer.git_dir]

    def _each_layer(
        self,
        found: Sequence[tuple[str, Folded]],
        scope: Scope,
        write: Callable[[changes.Writer, list[Folded]], changes.Written],
    ) -> changes.Written:
        done = changes.Written()
        for layer in dict.fromkeys(at for at, _ in found):
            notes = [folded for at, folded in found if at == layer]
            done = done.joined(write(self._writer(layer, scope), notes))
        return self._indexed(done)

    def _indexed(self, written: changes.Written) -> changes.Written:
        """Bring the index up to date at once, so that no hook has to; later where much follows."""
        self._is_stale = self._is_stale or bool(written.notes)
        if self._is_stale and not self._bulk:
            self._refresh_index()
        return written

    def _refresh_index(self) -> None:
        self._is_stale = False
        try:
            self.index().close()
        except (GitMemError, OSError):
            pass  # derived: the next reader rebuilds it and says what is wrong

    # --- sharing ---------------------------------------------------------------------------

    def sync(self, remote: str | None = None) -> Exchange:
        """Fetch, recognise what landed, join and publish through the chosen remote. Uses the
        network."""
        done = sharing.both(self.repository, remote, lambda: self.config, self._settle_fetched)
        return self._shared(done)

    def _settle_fetched(self, done: Exchange) -> None:
        if done.fetched <= MANY_FETCHED and has_memory(self.repository.common_dir):
            self._refresh_index()

    def fetch(self, remote: str | None = None) -> Exchange:
        """Bring the tracking refs up to the remote. Uses the network."""
        return self._shared(sharing.fetch(self.repository, remote))

    def push(self, remote: str | None = None, *, deadline: float = math.inf) -> Exchange:
        """Publish what the remote does not have. Uses the network, until `deadline` at most (in
        seconds of `time.monotonic`)."""
        self.settle()
        done = sharing.push(self.repository, remote, lambda: self.config, deadline=deadline)
        return self._shared(done)

    def merge(self) -> bool:
        """Take what was fetched into our own refs; whether one moved."""
        moved = sharing.merge(self.repository)
        self.settle()
        return moved

    def is_behind(self) -> bool:
        """Whether something was fetched that our own refs do not have."""
        return sharing.is_behind(self.repository)

    def follow(self, remote: str | None = None) -> Exchange:
        """Make our own refs exactly what the remote has. Uses the network."""
        return self._shared(sharing.follow(self.repository, remote))

    def preview(self, remote: str | None = None) -> sharing.Preview:
        """What a sync would do. Uses the network, changes nothing."""
        return sharing.preview(self.repository, remote)

    def _shared(self, done: Exchange) -> Exchange:
        """Let the index follow: at once for little, in a process of its own for much."""
        if done.is_completed:
            self.index(rebuild=True).close()
        elif done.fetched > MANY_FETCHED:
            refresh_later(self.repository)
        elif done.fetched:
            self._refresh_index()
        return done

    # --- reading ---------------------------------------------------------------------------

    def index(self, *, rebuild: bool = False) -> Index:
        """The index, brought up to date. Writes only derived files, and what `settle` does."""
        self._is_settled = True
        return refresh(self.repository, rebuild=rebuild)

    def load(self, keys: Iterable[str] | None = None) -> list[LayerNotes]:
        """The notes of every layer at HEAD, nearest first: those of some id keys, or all."""
        self.settle()
        return self._read(self._viewpoint(self.place()), keys)

    def load_layer(self, layer: Layer) -> LayerNotes:
        """The notes of one layer at HEAD, whatever is wrong with the others."""
        content = [(layer.name, united(layer))]
        return read_view(content, self._viewpoint(self.place()))[0]

    def _read(self, viewpoint: Viewpoint, keys: Iterable[str] | None = None) -> list[LayerNotes]:
        layers = [
            (layer.name, united(layer, self._backend(layer)))
            for layer in self.layers
            if layer.exists
        ]
        return read_view(layers, viewpoint, None if keys is None else set(keys))

    def notes(self) -> dict[str, Shown]:
        """Every note that is seen at HEAD, by id key."""
        return reading.unite(self.load())

    def load_at(self, commit: str | None) -> list[LayerNotes]:
        """The notes of every layer at a commit (None: before the first), nearest first, pending
        ones left out."""
        self.settle()
        landed = read_landed(self.repository.common_dir)
        return self._read(Viewpoint(self.repository, commit, landed))

    def notes_at(self, commit: str | None) -> dict[str, Shown]:
        """Every note that is seen at a commit (None: before the first), by id key, pending ones
        left out."""
        return reading.unite(self.load_at(commit))

    def place(self) -> Place:
        """Where HEAD is now."""
        return place_of(self.repository)

    def _viewpoint(self, place: Place) -> Viewpoint:
        landed = read_landed(self.repository.common_dir)
        return Viewpoint(self.repository, place.head, landed, place.worktree)

    def rewritten(self, pairs: Iterable[tuple[str, str]]) -> int:
        """Record which commits git rewrote as which, old and new, where notes know the old one; how
        many were new."""
        index = self.index()
        known = {(old, new) for old, new in pairs if index.filed(ANCHOR + old)}
        index.close()
        count = record(self.repository.common_dir, known, identity=self.identity) if known else 0
        self._refresh_index()
        return count

    def settle(self) -> None:
        """Publish pending notes that were committed, and recognise what landed, once."""
        if not self._is_settled and not self._bulk:
            self._is_settled = True
            if has_memory(self.repository.common_dir):
                self._refresh_index()

    def orphans(self, notes: Mapping[str, Shown]) -> dict[str, Shown]:
        """Those of `notes` whose triggers reach nothing in this work tree."""
        from gitmem.care.orphans import is_orphan  # only where somebody asks

        return {key: item for key, item in notes.items() if is_orphan(item.note, self.tracked)}

    def status(self) -> Status:
        """What there is and what needs attention."""
        return overview.status(self)

    def stranded(self, loaded: Sequence[LayerNotes]) -> dict[str, Shown]:
        """Those of what was loaded that no branch has any more and that have not landed."""
        landed = read_landed(self.repository.common_dir)
        mine = self.identity.author.email
        return branches.stranded(self.repository, loaded, landed, mine)

    def land(self, name: str, target: str = "HEAD", *, undoing: bool = False) -> branches.Landing:
        """Record that a commit, or the work of a branch, landed as `target`; with `undoing`, that
        it did not."""
        done = branches.land(self.repository, self.load(), name, target, undoing=undoing)
        self._refresh_index()
        return done

    @cached_property
    def default_branch(self) -> str | None:
        """The branch that work lands on, as a ref."""
        return default_branch(self.repository.git_dir)

    def note(self, name: str) -> Shown:
        """The note called `name`: an id, a unique prefix, an entity or an alias. One of another
        branch is not `is_visible`. UnknownNote."""
        return naming.note(self, name)

    def held(
        self, name: str, layer: str | None = None, *, forgotten: bool | None = False
    ) -> tuple[str, Folded]:
        """(layer, folded) of a note in the nearest layer that has it, or in `layer`.

        `forgotten` says whether it must be forgotten (True), must not be (False), or either
        (None). UnknownNote.
        """
        return naming.held(self, name, layer, forgotten=forgotten)

    def resolve(self, name: str) -> str:
        """The id key of what `name` calls; UnknownNote with suggestions, or AmbiguousName."""
        return naming.resolve(self, name)

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
        return relative_paths(path, self.cwd, self.repository)

    def recall(self, event: Event, *, all_branches: bool = False) -> list[Recalled]:
        """The notes that `event` reaches, best first, each with its reasons; those of other
        branches too, after all others, if asked for."""
        return recalling.recall(self, event, all_branches=all_branches)

    def why(self, path: str) -> Why:
        """Which notes fire when `path` is touched, by which trigger, and why others do not."""
        return recalling.why(self, path, self.relative(path))


def _content(folded: Folded) -> Note:
    note = reading.content_of(folded)
    if note is None:
        raise UnknownNote(f"the text of note '{folded.id}' is gone")
    return note
