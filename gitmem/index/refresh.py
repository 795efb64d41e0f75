"""Bring the index up to the tips: incrementally where a base exists, else from scratch.

Cold: runs git. The base is written rarely; what changed since lies in `top`, which is written anew
and replaced in one step, so a reader always sees one whole state. Nothing here is precious: a
failure leaves the last good index, and a deleted directory is rebuilt at the next use.
"""

import os
import subprocess
import sys
import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from gitmem.config import Config, read_config
from gitmem.core.ids import id_key
from gitmem.core.note import Revision
from gitmem.core.view import Everywhere, Folded, fold
from gitmem.errors import GitMemError
from gitmem.index import errorlog, freshness
from gitmem.index.build import Filing
from gitmem.index.freshness import config_stamp, is_fresh, unpack_tips
from gitmem.index.place import INDEX, writable_home
from gitmem.index.read import TOP, Index, Segment
from gitmem.index.schema import ID, BadIndex
from gitmem.refs import FACTS
from gitmem.store.backend import TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository, Uncertain
from gitmem.store.layer import layers_of
from gitmem.store.layout import bucket, parse_path
from gitmem.store.process import GitFailed, clean_env
from gitmem.store.revisions import read_revisions
from gitmem.store.united import United, united

MAX_BUCKETS = 12
BROKEN = "\x1d"
UNREADABLE = "?"
LATER, LATER_SECONDS = "reindex.started", 10
IN_USE_SECONDS = 3


class TooLate(Exception):
    """The deadline passed; the last good index stays."""


@dataclass(frozen=True)
class LayerTips:
    """One layer as it stands; `text` is what the index calls its tips (`freshness.pack_tips`)."""

    name: str
    united: United
    text: str


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
    old = None if rebuild else open_index(directory)
    if old is None and (partial := _partial(repository)):
        writer = _Writer(directory, partial, read_config(repository.common_dir), stamp, deadline)
        return _rebuilt(writer, directory)
    try:
        tips = _tips(repository.common_dir)
        if old is not None and is_fresh(old.header, tips, stamp):
            fresh, old = old, None
            return fresh
        if old is not None and _kept(repository, old.header, tips):
            tips = _tips(repository.common_dir)
        config = read_config(repository.common_dir)
        layers = _layers(repository, tips)
        writer = _Writer(directory, layers, config, stamp, deadline)
        if old is None or not _updated(writer, old):
            writer.rebuild()
    finally:
        if old is not None:
            old.close()
    return open_index(directory) or _rebuilt(writer, directory)


def _partial(repository: Repository) -> list[LayerTips]:
    """The layers, when one of them cannot be read: that one empty, with the reason. Else none.

    For a start without an index. Its text is never that of real tips, so it never counts as fresh.
    """
    found = []
    is_partial = False
    for layer in layers_of(repository):
        try:
            found.append(LayerTips(layer.name, united(layer), UNREADABLE))
        except GitMemError as error:
            is_partial = True
            empty = United(backend_for(layer.git_dir), (), [error.message])
            found.append(LayerTips(layer.name, empty, UNREADABLE))
    return found if is_partial else []


def _rebuilt(writer: "_Writer", directory: str) -> Index:
    """The index anew."""
    writer.rebuild()
    return Index(directory)


def _updated(writer: "_Writer", old: Index) -> bool:
    try:
        return writer.update(old)
    except GitFailed:  # an old tip of a remote that rewrote its history may be gone
        return False


def keep_dropped(repository: Repository) -> dict[str, int]:
    """Keep what a plain fetch or prune dropped since the index was last brought up to date.

    Tracking ref → how many revisions. `refresh` does the same by itself.
    """
    home = writable_home(repository.common_dir)
    old = open_index(os.path.join(home, INDEX)) if home is not None else None
    if old is None:
        return {}
    old.close()
    return _kept(repository, old.header, _tips(repository.common_dir))


def _kept(
    repository: Repository, header: Mapping[str, str], tips: Mapping[str, str]
) -> dict[str, int]:
    """What the tracking refs had when the index was written is known, so it must not get lost."""
    seen, now = (unpack_tips(text) for text in (header.get("tip.shared", ""), tips["shared"]))
    before = {ref: oid for ref, oid in seen.items() if ref != FACTS and now.get(ref) != oid}
    if not before:
        return {}
    from gitmem.store.sync import keep_dropped  # only where a tracking ref moved

    kept = keep_dropped(repository.common_dir, FACTS, before, now)
    reasons = [f"{ref} dropped {count} notes; they are kept here" for ref, count in kept.items()]
    if kept:
        errorlog.append(repository.common_dir, reasons, time.time())
    return kept


def refresh_later(repository: Repository) -> None:
    """Bring the index up to date in a process of its own, and do not wait for it.

    One is enough for all the hooks that are late at once. `-I`: what lies in the work tree is never
    imported.
    """
    home = writable_home(repository.common_dir)
    if home is None or not _is_first(os.path.join(home, INDEX, LATER)):
        return
    subprocess.Popen(
        [sys.executable, "-I", "-m", "gitmem", "reindex", "--quiet"],
        cwd=repository.root or repository.git_dir,
        env=clean_env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _is_first(path: str) -> bool:
    """Whether nobody has started one in the last LATER_SECONDS; then this is noted in `path`."""
    try:
        if time.time() - os.stat(path).st_mtime < LATER_SECONDS:
            return False
    except OSError:
        pass
    try:
        with open(path, "wb"):
            return True
    except OSError:
        return False


def open_index(directory: str) -> Index | None:
    """The index in `directory`, None when there is none that can be trusted."""
    try:
        return Index(directory)
    except (OSError, BadIndex, ValueError):
        return None


def _tips(common_dir: str) -> dict[str, str]:
    """The tips of each layer as the index calls them."""
    try:
        return freshness.tips(common_dir)
    except Uncertain:
        return freshness.ask_tips(common_dir)


def _layers(repository: Repository, tips: Mapping[str, str]) -> list[LayerTips]:
    """The layers, nearest first, at these tips or newer ones, to which their text is then true.

    GitMemError when an own ref leads nowhere.
    """
    while True:
        layers = [
            LayerTips(layer.name, united(layer), tips[layer.name])
            for layer in layers_of(repository)
        ]
        known = {oid for text in tips.values() for oid in unpack_tips(text).values()}
        if all(known.issuperset(layer.united.tips) for layer in layers):
            return layers
        tips = _tips(repository.common_dir)  # a ref moved in between


class _Writer:
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
