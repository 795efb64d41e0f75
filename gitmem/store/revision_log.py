"""The history of a layer: its revisions as the memory refs got them, newest first, as a stream.

`git log` is read line by line and texts are read in growing batches, so that the first revision is
there at once and no more than a batch of texts is held; what is kept of all others is a name each.
A revision that several commits carry comes once, and a pending one that was published not at all:
what it was published as says the same. One that cannot be read is reported in its place, never
raised. Must not print or fold.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from graphlib import CycleError, TopologicalSorter
from itertools import islice

from gitmem.core.ids import id_key
from gitmem.core.note import Revision
from gitmem.core.view import is_pending
from gitmem.store import process
from gitmem.store.backend import GITLINK, Backend, TreeEntry
from gitmem.store.layer import Layer
from gitmem.store.layout import Entry, bucket, parse_path
from gitmem.store.revisions import Broken, Revisions, read_revisions
from gitmem.store.united import United

BATCH = 500  # texts that are read at once; the first batches are smaller
ADDED = ("--raw", "-r", "-c", "--root", "--no-renames", "--no-abbrev", "--no-relative")
COMMIT = "="  # opens the line of a commit, which no line of raw output does

_WRITTEN = re.compile(r"^written: (.*)$", re.MULTILINE)
_REPLACES = re.compile(r"^replaces: \[(.*)\]$", re.MULTILINE)
_REV = re.compile("[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Logged:
    """A revision, and what it replaces as far as that is here.

    `id` as its path spells it; `who` made the memory commit that brought it, `when` in UTC.
    """

    id: str
    revision: Revision
    replaced: tuple[Revision, ...]
    who: str
    when: str


@dataclass(frozen=True, slots=True)
class _Arrival:
    item: TreeEntry
    entry: Entry
    who: str
    when: str


class Shelf:
    """The revisions that the tips of layers hold: where each is stored, and which were purged.

    With `key` those of that note. Lists the trees.
    """

    def __init__(self, contents: Iterable[United], key: str | None = None) -> None:
        self.gone: set[str] = set()
        self._stored: dict[str, tuple[Backend, TreeEntry]] = {}
        for united in contents:
            for item in united.entries(*(() if key is None else (bucket(key),))):
                rev, _, suffix = item.path.rpartition("@")[2].partition(".")
                if suffix == "gone":
                    self.gone.add(rev)
                self._stored[rev] = united.backend, item

    def read(self, revs: Iterable[str]) -> dict[str, Revision]:
        """Those of `revs` that are here and can be read, by rev."""
        wanted: dict[Backend, list[TreeEntry]] = {}
        for rev in revs:
            if rev in self._stored:
                backend, item = self._stored[rev]
                wanted.setdefault(backend, []).append(item)
        found = [read_revisions(backend, items) for backend, items in wanted.items()]
        return {rev: revision for each in found for rev, revision in _by_rev(each).items()}

    def published(self, ids: Iterable[str]) -> set[str]:
        """What the published revisions of some notes replace."""
        keys = {id_key(note_id) for note_id in ids}
        if not keys:
            return set()
        revs = [rev for rev, (_, item) in self._stored.items() if _key(item.path) in keys]
        return {
            name
            for revision in self.read(revs).values()
            if not is_pending(revision)
            for name in revision.replaces
        }


def _key(path: str) -> str:
    return id_key(path.partition("/")[2].rpartition("@")[0])


def _by_rev(read: Revisions) -> dict[str, Revision]:
    return {revision.rev: revision for every in read.by_id.values() for revision in every}


def revisions(
    layer: Layer, united: United, shelf: Shelf, *, key: str | None = None, since: int | None = None
) -> Generator[list[Logged | Broken], None, None]:
    """The revisions in the history of a layer, newest first, in batches.

    With `key` those of that note; with `since` (seconds since 1970) none that came before. Close it
    to stop early. GitFailed when the history itself cannot be read.
    """
    for batch in _batches(_arrivals(layer, united, shelf.gone, key, since)):
        yield list(_read(batch, united.backend, shelf))


def _batches(arrivals: Iterator[_Arrival]) -> Iterator[list[_Arrival]]:
    size = 1
    while batch := list(islice(arrivals, size)):
        yield batch
        size = min(2 * size, BATCH)


def _read(batch: list[_Arrival], backend: Backend, shelf: Shelf) -> Iterator[Logged | Broken]:
    read = read_revisions(backend, [arrival.item for arrival in batch])
    here, broken = _by_rev(read), {item.path: item for item in read.broken}
    before = {rev for revision in here.values() for rev in revision.replaces}
    there = here | shelf.read(before - here.keys())
    pending = {rev for rev, revision in here.items() if is_pending(revision)}
    over = pending & shelf.published(item.entry.id for item in batch if item.entry.rev in pending)
    for arrival in batch:
        revision = here.get(arrival.entry.rev)
        if arrival.item.path in broken:
            yield broken[arrival.item.path]
        elif revision is not None and revision.rev not in over:
            replaced = tuple(there[rev] for rev in revision.replaces if rev in there)
            yield Logged(arrival.entry.id, revision, replaced, arrival.who, arrival.when)


def _arrivals(
    layer: Layer, united: United, gone: set[str], key: str | None, since: int | None
) -> Iterator[_Arrival]:
    seen: set[str] = set()
    for who, seconds, items in _commits(layer, united.tips, key, since):
        when = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fresh = []
        for item in items:
            entry = parse_path(item.path)
            if (
                entry is not None
                and key in (None, id_key(entry.id))
                and (entry.gone or entry.rev not in gone)
                and item.path not in seen
            ):
                seen.add(item.path)
                fresh.append(_Arrival(item, entry, who, when))
        yield from fresh if len(fresh) < 2 else _newest_first(fresh, united.backend)


def _commits(
    layer: Layer, tips: Sequence[str], key: str | None, since: int | None
) -> Iterator[tuple[str, int, list[TreeEntry]]]:
    """(author, time, files that it brings) of every commit, newest first."""
    if not tips:
        return
    args = ["log", *ADDED, f"--format={COMMIT}%ct %an <%ae>", *tips]
    args += [] if since is None else [f"--max-age={since}"]
    args += ["--", *([] if key is None else [f"{bucket(key)}/"])]
    who, seconds, items = "", 0, list[TreeEntry]()
    for line in process.lines(args, git_dir=layer.git_dir):
        if line.startswith(COMMIT):
            if items:
                yield who, seconds, items
            time, _, who = line.removeprefix(COMMIT).partition(" ")
            seconds, items = int(time), []
        elif line and (item := _brought(line)):
            items.append(item)
    if items:
        yield who, seconds, items


def _brought(line: str) -> TreeEntry | None:
    """The file that a raw line says is there. It has a colon for each parent, then the modes of all
    and of the commit, then the ids."""
    head, _, path = line.partition("\t")
    parents = len(head) - len(head.lstrip(":"))
    fields = head[parents:].split(" ")
    mode, oid = fields[parents], fields[2 * parents + 1]
    return None if mode in (GITLINK, "000000") else TreeEntry(path, oid)


def _newest_first(arrivals: list[_Arrival], backend: Backend) -> list[_Arrival]:
    """What one commit brought, by the time in the texts, and nothing before what replaces it.

    A purge and a repair bring what is older than their commit; of an import all is of one moment,
    which a sample of it tells. A wrong glance costs no more than the order.
    """
    sample = arrivals[:: 1 + len(arrivals) // BATCH]
    seen = _glances(sample, backend)
    if len(sample) < len(arrivals):
        if len({time for time, _ in seen.values()}) == 1:
            return arrivals
        seen = _glances(arrivals, backend)
    ranks = _ranks({rev: names for rev, (_, names) in seen.items() if names})
    return sorted(
        arrivals,
        key=lambda arrival: (seen[arrival.entry.rev][0], ranks.get(arrival.entry.rev, 0)),
        reverse=True,
    )


def _glances(arrivals: Sequence[_Arrival], backend: Backend) -> dict[str, tuple[str, list[str]]]:
    """Rev → when it was written and what it replaces, from the lines that say so."""
    found = {}
    texts = backend.read(arrival.item.oid for arrival in arrivals)
    for arrival, (_, data) in zip(arrivals, texts, strict=True):
        front = (data or b"").partition(b"\n---\n")[0].decode("ascii", "replace")
        time, names = _WRITTEN.search(front), _REPLACES.search(front)
        is_dated = time is not None and not arrival.entry.gone
        found[arrival.entry.rev] = (
            time[1] if time and is_dated else arrival.when,
            _REV.findall(names[1]) if names else [],
        )
    return found


def _ranks(replaces: dict[str, list[str]]) -> dict[str, int]:
    """Numbers of which that of a revision is higher than those of what it replaces."""
    try:
        return {rev: at for at, rev in enumerate(TopologicalSorter(replaces).static_order())}
    except CycleError:  # no real revision can be in one, only what is broken
        return {}
