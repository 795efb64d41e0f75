"""Bring the index up to the tips: incrementally where a base exists, else from scratch.

Cold: runs git. The base is written rarely; what changed since lies in `top`, which is written anew
and replaced in one step, so a reader always sees one whole state. Nothing here is precious: a
failure leaves the last good index, and a deleted directory is rebuilt at the next use.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gitmem.config import Config, read_config
from gitmem.core.ids import id_key
from gitmem.core.note import Revision
from gitmem.core.ranking import LAYERS
from gitmem.core.view import Everywhere, Folded, fold
from gitmem.index.build import Filing
from gitmem.index.freshness import config_stamp, is_fresh, layer_dirs
from gitmem.index.place import INDEX, writable_home
from gitmem.index.read import TOP, Index, Segment
from gitmem.index.schema import ID, BadIndex
from gitmem.refs import FACTS
from gitmem.store.ask import read_tip
from gitmem.store.backend import Backend, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository
from gitmem.store.layout import bucket, parse_path
from gitmem.store.process import clean_env
from gitmem.store.revisions import read_revisions

MAX_BUCKETS = 12
BROKEN = "\x1d"


class TooLate(Exception):
    """The deadline passed; the last good index stays."""


@dataclass(frozen=True)
class LayerTip:
    """One layer as it stands: where it is and its tip, '' when it has no notes."""

    name: str
    backend: Backend
    tip: str


def refresh(
    repository: Repository, *, deadline: float | None = None, rebuild: bool = False
) -> Index:
    """Bring the index up to date and open it.

    `deadline` is a `time.monotonic()` instant; TooLate when it passes first. GitMemError when a
    layer cannot be read, OSError when the index cannot be written anywhere.
    """
    home = writable_home(repository.common_dir)
    if home is None:
        raise PermissionError(f"no directory for the index of {repository.common_dir}")
    directory = os.path.join(home, INDEX)
    os.makedirs(directory, exist_ok=True)
    stamp = config_stamp(repository)
    layers = _layers(repository.common_dir)
    old = None if rebuild else open_index(directory)
    tips = {layer.name: layer.tip for layer in layers}
    if old is not None and is_fresh(old.header, tips, stamp):
        return old
    config = read_config(repository.common_dir)
    writer = _Writer(directory, layers, config, stamp, deadline)
    try:
        if old is None or not writer.update(old):
            writer.rebuild()
    finally:
        if old is not None:
            old.close()
    return Index(directory)


def refresh_later(repository: Repository) -> None:
    """Bring the index up to date in a process of its own, and do not wait for it."""
    subprocess.Popen(
        [sys.executable, "-m", "gitmem", "reindex", "--quiet"],
        cwd=repository.root or repository.git_dir,
        env=clean_env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def open_index(directory: str) -> Index | None:
    """The index in `directory`, None when there is none that can be trusted."""
    try:
        return Index(directory)
    except (OSError, BadIndex, ValueError):
        return None


def _layers(common_dir: str) -> list[LayerTip]:
    found = []
    for name, git_dir in layer_dirs(common_dir).items():
        oid = (read_tip(git_dir, FACTS) or "") if os.path.isdir(git_dir) else ""
        found.append(LayerTip(name, backend_for(git_dir, bulk=False), oid))
    return sorted(found, key=lambda layer: LAYERS.index(layer.name))


class _Writer:
    """Writes one new state of the index: a top over the old base, or a new base."""

    def __init__(
        self,
        directory: str,
        layers: list[LayerTip],
        config: Config,
        stamp: str,
        deadline: float | None,
    ) -> None:
        self._directory = directory
        self._layers = layers
        self._config = config
        self._stamp = stamp
        self._deadline = deadline
        self._broken: list[str] = []

    def rebuild(self) -> None:
        """Write a base of everything that the refs hold."""
        filing = self._filing()
        for layer in self._layers:
            self._check_time()
            if layer.tip:
                self._file(filing, layer, layer.backend.entries(layer.tip))
        self._write_base(filing)

    def update(self, old: Index) -> bool:
        """Write what changed since the old base; False when only a rebuild will do.

        Little goes into a top over the base; much is joined with the base's own rows into a new
        one, so that only changed notes are ever read.
        """
        base = old.base
        if base is None or base.header.get("ignorecase") != self._folds_case():
            return False
        filing = self._filing()
        dead: set[int] = set()
        for layer in self._layers:
            self._check_time()
            keys = _changed_ids(layer, base.header.get("base-tip." + layer.name, ""))
            dead |= _rows_of(base, layer.name, keys)
            self._broken += _still_broken(base, layer.name, keys)
            if keys and layer.tip:
                self._file(filing, layer, _entries_of(layer, keys), only=keys)
        if len(filing.rows) + len(dead) > 200 + base.rows // 50:
            filing.absorb(base, dead)
            self._write_base(filing)
        else:
            tips = {key: oid for key, oid in base.header.items() if key.startswith("base-tip.")}
            self._write_top(old.header["base"], filing, tips, dead)
        return True

    def _write_base(self, filing: Filing) -> None:
        """Write a base that speaks for the present tips, an empty top over it, drop the old."""
        tips = {"base-tip." + layer.name: layer.tip for layer in self._layers}
        broken = BROKEN.join(self._broken)
        header = {**tips, "broken": broken, "ignorecase": self._folds_case()}
        name = f"base-{os.getpid():x}-{time.time_ns():x}"
        self._write(name, filing.pack(header))
        self._write_top(name, self._filing(), tips, set())
        for other in os.listdir(self._directory):
            if other.startswith("base-") and other != name:
                _remove(os.path.join(self._directory, other))

    def _write_top(
        self, base: str, filing: Filing, base_tips: Mapping[str, str], dead: set[int]
    ) -> None:
        header = {
            "base": base,
            "dead": ",".join(map(str, sorted(dead))),
            "broken": BROKEN.join(self._broken),
            "config": self._stamp,
            "ignorecase": self._folds_case(),
            "budget": str(self._config.budget),
            "hook": "true" if self._config.hook else "false",
            **{"tip." + layer.name: layer.tip for layer in self._layers},
            **base_tips,
        }
        self._write(TOP, filing.pack(header))

    def _filing(self) -> Filing:
        return Filing(folds_case=self._config.ignorecase)

    def _folds_case(self) -> str:
        return "true" if self._config.ignorecase else "false"

    def _file(
        self,
        filing: Filing,
        layer: LayerTip,
        entries: Iterable[TreeEntry],
        only: set[str] | None = None,
    ) -> None:
        found = read_revisions(layer.backend, entries, only=only)
        self._check_time()
        self._broken += [f"{layer.name}\t{item.path}\t{item.message}" for item in found.broken]
        for folded in fold_all(found.by_id).values():
            filing.add(layer.name, folded, found.sources)

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


def _rows_of(base: Segment, layer: str, keys: Iterable[str]) -> set[int]:
    """The rows that a base holds for some ids of a layer."""
    rows = (int(fields[0]) for key in keys for fields in base.postings(ID + key))
    return {row for row in rows if base.row(row).layer == layer}


def _still_broken(base: Segment, layer: str, changed: set[str]) -> list[str]:
    """The broken revisions that a base knows in a layer, those of changed ids left out."""
    found = []
    for line in base.header.get("broken", "").split(BROKEN):
        where, _, rest = line.partition("\t")
        entry = parse_path(rest.partition("\t")[0])
        if where == layer and entry is not None and id_key(entry.id) not in changed:
            found.append(line)
    return found


def _changed_ids(layer: LayerTip, before: str) -> set[str]:
    """The id keys whose revisions differ between two tips of a layer."""
    if before == layer.tip:
        return set()
    if not layer.tip:
        return set(_ids(layer.backend.entries(before)))
    if not before:
        return set(_ids(layer.backend.entries(layer.tip)))
    added, removed = layer.backend.changes(before, layer.tip)
    return set(_ids([*added, *removed]))


def _ids(entries: Iterable[TreeEntry]) -> Iterable[str]:
    for item in entries:
        entry = parse_path(item.path)
        if entry is not None:
            yield id_key(entry.id)


def _entries_of(layer: LayerTip, keys: set[str]) -> list[TreeEntry]:
    """All tree entries of some ids: their buckets only, unless there are many."""
    buckets = {bucket(key) for key in keys}
    if len(buckets) > MAX_BUCKETS:
        return layer.backend.entries(layer.tip)
    return [item for name in sorted(buckets) for item in layer.backend.entries(layer.tip, name)]


def fold_all(by_id: Mapping[str, list[Revision]]) -> dict[str, Folded]:
    """Every note of a layer, folded: id key → what it comes to."""
    return {key: fold(key, revisions, Everywhere()) for key, revisions in by_id.items()}


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass
