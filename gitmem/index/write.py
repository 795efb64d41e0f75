"""Write one new state of the index: a top over the old base, or a new base.

The base is written rarely; what changed since lies in `top`, which is replaced in one step, so a
reader always sees one whole state. Reads the notes that changed, moves no ref.
"""

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from gitmem.config import Config
from gitmem.core.ids import id_key
from gitmem.index.build import Filing
from gitmem.index.freshness import LOCAL, MAP, SHARED, UNBORN, head_text, unpack_tips
from gitmem.index.read import TOP, Index, is_top, top_name
from gitmem.index.scanned import NAME as SCANNED
from gitmem.index.schema import ANCHOR, CHANGED, ID, BadIndex
from gitmem.index.segment import Segment
from gitmem.index.stale import stale_name
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint, shallow_commits
from gitmem.store.backend import Backend, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository
from gitmem.store.layout import parse_path
from gitmem.store.outer import OUTER
from gitmem.store.united import United
from gitmem.store.view import read_view

BROKEN = "\x1d"
LATER = "reindex.started"
BASE_STATE = (*(f"base-tip.{name}" for name in (LOCAL, SHARED, *OUTER, MAP)), "base-head")
IN_USE_SECONDS = 3


class TooLate(Exception):
    """The deadline passed; the last good index stays."""


class LayerTips(NamedTuple):
    """One layer as it stands; `text` is what the index calls its tips (`freshness.pack_tips`), and
    `seen` how an outer one looked before it was read (`outer.seen`)."""

    name: str
    git_dir: str
    united: United
    text: str
    seen: str = ""


class State(NamedTuple):
    """What an index is to speak for: layers, the commit notes are seen from, the landed map and its
    tips, configuration and its stamp."""

    layers: Sequence[LayerTips]
    viewpoint: Viewpoint
    landed_text: str
    config: Config
    stamp: str

    @property
    def texts(self) -> dict[str, str]:
        """What the index calls the tips of each layer and of the landed map."""
        return {**{layer.name: layer.text for layer in self.layers}, MAP: self.landed_text}

    @property
    def outer(self) -> list[LayerTips]:
        """The layers outside of the project."""
        return [layer for layer in self.layers if layer.name in OUTER]

    @property
    def head(self) -> str:
        return head_text(self.viewpoint.head)


class Writer:
    """Writes one new state of the index: a top over the old base, or a new base."""

    def __init__(self, directory: str, state: State, deadline: float | None) -> None:
        self._directory = directory
        self._state = state
        self._deadline = deadline
        self._broken = [
            f"{layer.name}\t{problem}\t{problem}"
            for layer in state.layers
            for problem in layer.united.left_out
        ]

    def rebuild(self) -> None:
        """Write a base of everything that the refs hold."""
        filing = self._filing()
        self._file(filing, None)
        self._write_base(filing)

    def write_some(self, keys: set[str]) -> None:
        """Write a base of some ids alone."""
        filing = self._filing()
        self._file(filing, keys)
        self._write_base(filing)

    def update(self, old: Index) -> bool:
        """Write what changed since the old base; False when only a rebuild will do.

        Little goes into a top over the base; much is joined with the base's own rows into a new
        one, so that only changed notes are ever read.
        """
        base = old.base
        if base is None or base.header.get("ignorecase") != self._folds_case():
            return False
        if base.header.get("shallow") != self._shallow():
            return False
        self._check_time()
        keys = changed_ids(base, self._state)
        self._check_time()
        filing = self._filing()
        dead: set[int] = set()
        for layer in self._state.layers:
            dead |= _rows_of(base, keys)
            self._broken += _still_broken(base, layer.name, keys)
        if keys:
            self._file(filing, keys)
        if len(filing.rows) + len(dead) > 200 + base.rows // 50:
            filing.absorb(base, dead, keys)
            self._write_base(filing)
        else:
            for key in keys:
                filing.file_id(CHANGED, key)
            before = {name: value for name, value in base.header.items() if name in BASE_STATE}
            self._write_top(old.header["base"], filing, before, dead)
        return True

    def _write_base(self, filing: Filing) -> None:
        """Write a base that speaks for the present state, and an empty top over it."""
        state = {
            **{"base-tip." + name: text for name, text in self._state.texts.items()},
            "base-head": self._state.head,
            "shallow": self._shallow(),
        }
        broken = BROKEN.join(self._broken)
        header = {**state, "broken": broken, "ignorecase": self._folds_case()}
        name = f"base-{os.getpid():x}-{time.time_ns():x}"
        self._write(name, filing.pack(header))
        self._write_top(name, self._filing(), state, set())

    def _write_top(
        self, base: str, filing: Filing, base_state: Mapping[str, str], dead: set[int]
    ) -> None:
        config = self._state.config
        header = {
            "head": self._state.head,
            "base": base,
            "dead": ",".join(map(str, sorted(dead))),
            "broken": BROKEN.join(self._broken),
            "config": self._state.stamp,
            "ignorecase": self._folds_case(),
            "budget": str(config.budget),
            "hook": "true" if config.hook else "false",
            "hints": "true" if config.hints else "false",
            "start": config.start,
            **{"tip." + name: text for name, text in self._state.texts.items()},
            **{"dir." + layer.name: layer.git_dir for layer in self._state.outer},
            **{"seen." + layer.name: layer.seen for layer in self._state.outer},
            **base_state,
        }
        self._write(top_name(self._state.viewpoint.worktree or ""), filing.pack(header))
        _drop_old(self._directory, self._state.viewpoint.repository)

    def _filing(self) -> Filing:
        return Filing(folds_case=self._state.config.ignorecase)

    def _folds_case(self) -> str:
        return "true" if self._state.config.ignorecase else "false"

    def _shallow(self) -> str:
        return ",".join(sorted(shallow_commits(self._state.viewpoint.repository)))

    def _file(self, filing: Filing, keys: set[str] | None) -> None:
        """File the notes of the id keys `keys`, or all."""
        layers = [(layer.name, layer.united) for layer in self._state.layers]
        for notes in read_view(layers, self._state.viewpoint, keys, check=self._check_time):
            self._check_time()
            self._broken += [f"{notes.layer}\t{item.path}\t{item.message}" for item in notes.broken]
            filing.add_layer(notes)

    def _check_time(self) -> None:
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise TooLate

    def _write(self, name: str, data: bytes) -> None:
        path = os.path.join(self._directory, name)
        temporary = f"{path}.{os.getpid():x}-{time.time_ns():x}.tmp"
        try:
            with open(temporary, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        finally:
            _remove(temporary)


def _rows_of(base: Segment, keys: Iterable[str]) -> set[int]:
    """The rows that a base holds for some ids."""
    return {int(fields[0]) for key in keys for fields in base.postings(ID + key)}


def _still_broken(base: Segment, layer: str, changed: set[str]) -> list[str]:
    """The broken revisions that a base knows in a layer, those of changed ids left out."""
    found = []
    for line in base.header.get("broken", "").split(BROKEN):
        where, _, rest = line.partition("\t")
        entry = parse_path(rest.partition("\t")[0])
        if where == layer and entry is not None and id_key(entry.id) not in changed:
            found.append(line)
    return found


def changed_ids(base: Segment, state: State) -> set[str]:
    """The id keys that may come to something else in `state` than in a base. GitFailed."""
    found: set[str] = set()
    for layer in state.layers:
        before = base.header.get("base-tip." + layer.name, "")
        readable = set(layer.united.tips)
        for item in _changes(layer.united.backend, before, layer.text, readable):
            if entry := parse_path(item.path):
                found.add(id_key(entry.id))
    commits = _moved(state, base.header.get("base-head", UNBORN))
    repository = state.viewpoint.repository
    before = base.header.get("base-tip." + MAP, "")
    if before != state.landed_text:
        backend = backend_for(repository.common_dir)
        commits += [
            item.path.split("/")[1]
            for item in _changes(backend, before, state.landed_text, None)
            if item.path.count("/") == 2
        ]
    for commit in commits:
        found.update(fields[0] for fields in base.postings(ANCHOR + commit))
    return found


def _moved(state: State, before: str) -> list[str]:
    """The commits that only one of two HEADs contains: the one of a base, and the present one."""
    now = state.head
    if before == now:
        return []
    args = ["rev-list", f"{before}...{now}"]
    if UNBORN in (before, now):
        args = ["rev-list", now if before == UNBORN else before]
    git_dir = state.viewpoint.repository.git_dir
    return process.run((*args, "--"), git_dir=git_dir).decode("ascii").split()


def _changes(
    backend: Backend, before: str, now: str, readable: Collection[str] | None
) -> Iterable[TreeEntry]:
    """The tree entries that may differ between two states of the tips of a ref, as texts.

    Each ref is compared with itself; one that came or went, with any that is there throughout.
    """
    old, new = unpack_tips(before), unpack_tips(now)
    there = [tip for tip in new.values() if readable is None or tip in readable]
    for ref in old.keys() | new.keys():
        was, is_now = old.get(ref), new.get(ref)
        if was == is_now:
            continue
        if is_now in there and is_now is not None:
            added, removed = backend.changes(was or next(iter(old.values()), None), is_now)
            yield from added
            yield from removed if was else ()
        elif was is not None:
            yield from backend.changes(was, there[0])[1] if there else backend.entries(was)


def _drop_old(directory: str, repository: Repository) -> None:
    """Remove files that no process can still be about to open or to name."""
    keep = {LATER, SCANNED}
    for name in os.listdir(directory):
        if is_top(name) and _has_worktree(repository, name):
            stale = stale_name(name.removeprefix(TOP).removeprefix("."))
            keep |= {name, stale, *_base_of(os.path.join(directory, name))}
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        try:
            if name not in keep and time.time() - os.stat(path).st_mtime > IN_USE_SECONDS:
                os.remove(path)
        except OSError:
            continue


def _has_worktree(repository: Repository, top: str) -> bool:
    name = top.removeprefix(TOP).removeprefix(".")
    return not name or os.path.isdir(os.path.join(repository.common_dir, "worktrees", name))


def _base_of(path: str) -> list[str]:
    """The base that a top names; none for one that is damaged."""
    try:
        top = Segment(path)
    except (OSError, BadIndex, ValueError):
        return []
    top.close()
    return [top.header.get("base", "")]


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass
