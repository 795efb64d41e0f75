"""Write one new state of the index: a top over the old base, or a new base.

The base is written rarely; what changed since lies in `top`, which is replaced in one step, so a
reader always sees one whole state. Reads the notes that changed, moves no ref.
"""

import os
import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from gitmem.config import Config
from gitmem.core.ids import id_key
from gitmem.core.note import Revision
from gitmem.core.view import Everywhere, Folded, fold
from gitmem.index.build import Filing
from gitmem.index.freshness import unpack_tips
from gitmem.index.read import TOP, Index, Segment
from gitmem.index.schema import ID
from gitmem.store.backend import TreeEntry
from gitmem.store.layout import bucket, parse_path
from gitmem.store.revisions import read_revisions
from gitmem.store.united import United

MAX_BUCKETS = 12
BROKEN = "\x1d"
LATER = "reindex.started"
IN_USE_SECONDS = 3


class TooLate(Exception):
    """The deadline passed; the last good index stays."""


@dataclass(frozen=True)
class LayerTips:
    """One layer as it stands; `text` is what the index calls its tips (`freshness.pack_tips`)."""

    name: str
    united: United
    text: str


class Writer:
    """Writes one new state of the index: a top over the old base, or a new base."""

    def __init__(
        self,
        directory: str,
        layers: list[LayerTips],
        config: Config,
        stamp: str,
        deadline: float | None,
    ) -> None:
        self._directory = directory
        self._layers = layers
        self._config = config
        self._stamp = stamp
        self._deadline = deadline
        self._broken = [
            f"{layer.name}\t{problem}\t{problem}"
            for layer in layers
            for problem in layer.united.left_out
        ]

    def rebuild(self) -> None:
        """Write a base of everything that the refs hold."""
        filing = self._filing()
        for layer in self._layers:
            self._check_time()
            self._file(filing, layer, layer.united.entries())
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
            if keys:
                self._file(filing, layer, _entries_of(layer, keys), only=keys)
        if len(filing.rows) + len(dead) > 200 + base.rows // 50:
            filing.absorb(base, dead)
            self._write_base(filing)
        else:
            tips = {key: oid for key, oid in base.header.items() if key.startswith("base-tip.")}
            self._write_top(old.header["base"], filing, tips, dead)
        return True

    def _write_base(self, filing: Filing) -> None:
        """Write a base that speaks for the present tips, and an empty top over it."""
        tips = {"base-tip." + layer.name: layer.text for layer in self._layers}
        broken = BROKEN.join(self._broken)
        header = {**tips, "broken": broken, "ignorecase": self._folds_case()}
        name = f"base-{os.getpid():x}-{time.time_ns():x}"
        self._write(name, filing.pack(header))
        self._write_top(name, self._filing(), tips, set())

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
            **{"tip." + layer.name: layer.text for layer in self._layers},
            **base_tips,
        }
        self._write(TOP, filing.pack(header))
        _drop_old(self._directory, {base, TOP, LATER})

    def _filing(self) -> Filing:
        return Filing(folds_case=self._config.ignorecase)

    def _folds_case(self) -> str:
        return "true" if self._config.ignorecase else "false"

    def _file(
        self,
        filing: Filing,
        layer: LayerTips,
        entries: Iterable[TreeEntry],
        only: set[str] | None = None,
    ) -> None:
        found = read_revisions(layer.united.backend, entries, only=only)
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


def _changed_ids(layer: LayerTips, before: str) -> set[str]:
    """The id keys whose revisions may differ between two states of a layer's tips.

    Each ref is compared with itself; one that came or went, with any that is there throughout.
    """
    old, new = unpack_tips(before), unpack_tips(layer.text)
    readable = set(layer.united.tips)
    backend = layer.united.backend
    found: set[str] = set()
    for ref in old.keys() | new.keys():
        was, now = old.get(ref), new.get(ref)
        if was == now:
            continue
        if now is not None and now in readable:
            added, removed = backend.changes(was or next(iter(old.values()), None), now)
            found.update(_ids([*added, *(removed if was else ())]))
        elif was is not None:
            added, removed = [], backend.entries(was)
            if layer.united.tips:
                _, removed = backend.changes(was, layer.united.tips[0])
            found.update(_ids(removed))
    return found


def _ids(entries: Iterable[TreeEntry]) -> Iterable[str]:
    for item in entries:
        entry = parse_path(item.path)
        if entry is not None:
            yield id_key(entry.id)


def _entries_of(layer: LayerTips, keys: set[str]) -> list[TreeEntry]:
    """All tree entries of some ids: their buckets only, unless there are many."""
    buckets = {bucket(key) for key in keys}
    if len(buckets) > MAX_BUCKETS:
        return layer.united.entries()
    return [item for name in sorted(buckets) for item in layer.united.entries(name)]


def fold_all(by_id: Mapping[str, list[Revision]]) -> dict[str, Folded]:
    """Every note of a layer, folded: id key → what it comes to."""
    return {key: fold(key, revisions, Everywhere()) for key, revisions in by_id.items()}


def _drop_old(directory: str, keep: Container[str]) -> None:
    """Remove files that no process can still be about to open or to name."""
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        try:
            if name not in keep and time.time() - os.stat(path).st_mtime > IN_USE_SECONDS:
                os.remove(path)
        except OSError:
            continue


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass
