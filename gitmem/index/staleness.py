"""Count by how many commits the files of each note changed since its anchor. Cold: asks git.

Never in a hook. A move forward adds the new commits to what was counted; a fetch or any other move
counts anew, over the newest commits only: a note older than all of these is changed by at least so
many.
"""

import os
from datetime import UTC, datetime

from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.landed import closure
from gitmem.index.read import Index
from gitmem.index.schema import HIDDEN, Row
from gitmem.index.stale import fetched_text, is_counted, path_of
from gitmem.store import process
from gitmem.store.commits import Changed, changed_files
from gitmem.store.discover import Repository
from gitmem.store.landed import read_landed
from gitmem.store.place import Place, place_of

NEWEST = 300  # commits that are looked at when all is counted anew
PATIENCE = 2.0  # seconds for listing them


def count(repository: Repository, index: Index, directory: str) -> None:
    """Bring the file of this work tree up to HEAD. Writes a derived file, or nothing."""
    place = place_of(repository)
    if place.head is None:
        return
    path = path_of(directory, place.worktree)
    fetched = fetched_text(index.header)
    if is_counted(path, place.head, fetched):
        return
    head, were, before = _read(path)
    newer = _commits(place, f"{head}..HEAD") if head and were == fetched else None
    if newer is None or not _is_forward(place, head):
        newer, before = _commits(place, "HEAD"), {}
    counter = _Counter(index, read_landed(repository.common_dir), before)
    for commit in newer:
        counter.take(commit)
    _write(path, [f"{place.head} {fetched}", *(f"{rev}\t{n}" for rev, n in counter.counts.items())])


class _Counter:
    """Counts over commits, newest first."""

    def __init__(
        self, index: Index, landed: "dict[str, frozenset[str]]", before: dict[str, int]
    ) -> None:
        self._index = index
        self._rows = {
            (id_key(row.id), row.layer): row for row in index.rows() if not row.flags & HIDDEN
        }
        revs = {row.rev for row in self._rows.values()}
        self.counts = {rev: number for rev, number in before.items() if rev in revs}
        self._since: dict[str, list[str]] = {}
        for row in self._rows.values():
            for oid in closure(row.anchor, landed) if row.anchor else ():
                self._since.setdefault(oid, []).append(row.rev)
        self._over: set[str] = set()
        self._matched: dict[str, list[Row]] = {}

    def take(self, commit: Changed) -> None:
        """Count one commit; what is anchored at it is true since."""
        day = datetime.fromtimestamp(commit.when, UTC).strftime("%Y-%m-%d")
        self._over.update(self._since.get(commit.oid, ()))
        revs = {
            row.rev
            for path in commit.paths
            for row in self._rows_about(path)
            if row.rev not in self._over and row.verified < day
        }
        for rev in revs:
            self.counts[rev] = self.counts.get(rev, 0) + 1

    def _rows_about(self, path: str) -> list[Row]:
        if path not in self._matched:
            hits = self._index.query(Event((path,)))
            self._matched[path] = [hit.row for hit in hits if hit.row.rev]
        return self._matched[path]


def _commits(place: Place, span: str) -> list[Changed]:
    """The commits of a range, newest first; merges left out."""
    options = ("--no-merges", f"--max-count={NEWEST}", span)
    return list(changed_files(place.repository.git_dir, *options, timeout=PATIENCE))


def _is_forward(place: Place, head: str) -> bool:
    args = ("merge-base", "--is-ancestor", head, "HEAD")
    return process.attempt(args, git_dir=place.repository.git_dir)[0] == 0


def _read(path: str) -> tuple[str, str, dict[str, int]]:
    """(the commit it was counted at, what was fetched then, rev → count)."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            first, *lines = file.read().splitlines() or [""]
    except OSError:
        return "", "", {}
    head, _, fetched = first.partition(" ")
    pairs = (line.partition("\t") for line in lines)
    return head, fetched, {rev: int(number) for rev, _, number in pairs if number.isdigit()}


def _write(path: str, lines: list[str]) -> None:
    aside = f"{path}.{os.getpid():x}.tmp"
    try:
        with open(aside, "w", encoding="ascii", errors="replace") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(aside, path)
    except OSError:
        return  # it is not known then
