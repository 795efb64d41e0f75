"""Read the ledger: how often each note was delivered, when last, and what it all came to.

The one place that reads it whole. `put_aside` keeps it bounded: the counts of the older file go to
`uses`, the newer file takes its place.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from gitmem.index.ledger import FIELDS, LEDGER, OLD, USES
from gitmem.index.place import append_to

TOTALS = "totals"
USE = "use"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivered note; without an `agent` somebody asked for it. `stamp` is shared by all notes
    of one delivery; `time` in seconds."""

    stamp: str
    session: str
    agent: str
    event: str
    layer: str
    id: str
    rev: str
    size: int
    why: str

    @property
    def time(self) -> float:
        return _seconds(self.stamp)


@dataclass(slots=True)
class Usage:
    """What was delivered in this clone. `recalls` note id → (how often, when last in seconds), by
    `git mem recall` or by a hook; the other numbers are of hooks alone. `size` counts characters;
    `since` is the first time of all, 0 when there was none.
    """

    recalls: dict[str, tuple[int, float]] = field(default_factory=dict)
    deliveries: int = 0
    events: int = 0
    sessions: int = 0
    size: int = 0
    since: float = 0

    def add(self, entries: list[Delivery]) -> None:
        for entry in entries:
            number, last = self.recalls.get(entry.id, (0, 0.0))
            self.recalls[entry.id] = (number + 1, max(last, entry.time))
        delivered = [entry for entry in entries if entry.agent]
        self.deliveries += len(delivered)
        self.events += len({entry.stamp for entry in delivered})
        self.sessions += len(_sessions(delivered))
        self.size += sum(entry.size for entry in delivered)
        times = [entry.time for entry in entries] + [self.since] * bool(self.since)
        self.since = min(times, default=0)


def read_usage(directory: str) -> Usage:
    """All that is known. A line that is torn or not ours is passed over."""
    usage, folded = _read_uses(directory)
    old = read_deliveries(directory, OLD)
    if not old or old[0].stamp != folded:
        usage.add(old)
    new = read_deliveries(directory)
    usage.add(new)
    usage.sessions -= len(_sessions(old) & _sessions(new))
    return usage


def read_deliveries(directory: str, name: str = LEDGER) -> list[Delivery]:
    """The notes delivered, oldest first, as far back as the file `name` goes."""
    found = []
    for line in _lines(directory, name):
        if len(line) == len(FIELDS) and line[5][:1] == "#" and line[7].isdigit():
            stamp, session, agent, event, layer, note_id, rev, size, why = line
            about = (stamp, session, agent, event, layer)
            found.append(Delivery(*about, note_id[1:], rev, int(size), why))
    return found


def last_delivery(directory: str) -> list[Delivery]:
    """The notes of the last delivery, best first."""
    entries = read_deliveries(directory, OLD) + read_deliveries(directory)
    entries = [entry for entry in entries if entry.agent]
    return [entry for entry in entries if entry.stamp == entries[-1].stamp]


def put_aside(directory: str) -> None:
    """Start a new ledger; the counts of the one before this are kept. OSError.

    `uses` names the ledger whose counts it took last, so that a crash in between counts none twice.
    """
    usage, folded = _read_uses(directory)
    old = read_deliveries(directory, OLD)
    if old and old[0].stamp != folded:
        usage.add(old)
        _write_uses(directory, usage, old[0].stamp)
    os.replace(os.path.join(directory, LEDGER), os.path.join(directory, OLD))


def _read_uses(directory: str) -> tuple[Usage, str]:
    usage, folded = Usage(), ""
    for kind, *line in _lines(directory, USES):
        try:
            if kind == TOTALS:
                folded, since, *numbers = line
                usage.deliveries, usage.events, usage.sessions, usage.size = map(int, numbers)
                usage.since = float(since)
            elif kind == USE:
                usage.recalls[line[0][1:]] = (int(line[1]), float(line[2]))
        except (ValueError, IndexError):
            continue
    return usage, folded


def _write_uses(directory: str, usage: Usage, folded: str) -> None:
    numbers = (usage.deliveries, usage.events, usage.sessions, usage.size)
    lines = ["\t".join((TOTALS, folded, repr(usage.since), *map(str, numbers)))]
    lines += [f"{USE}\t#{name}\t{count}\t{last!r}" for name, (count, last) in usage.recalls.items()]
    path = os.path.join(directory, USES)
    temporary = f"{path}.{os.getpid():x}"
    append_to(temporary, "".join(f"{line}\n" for line in lines))
    os.replace(temporary, path)


def _sessions(entries: list[Delivery]) -> set[str]:
    return {entry.session for entry in entries if entry.session}


def _lines(directory: str, name: str) -> Iterator[list[str]]:
    try:
        with open(os.path.join(directory, name), "rb") as file:
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return
    for line in text.split("\n")[:-1]:
        yield line.split("\t")


def _seconds(stamp: str) -> float:
    digits = stamp.partition(".")[0]
    return int(digits) / 1e9 if digits.isdigit() else 0.0
