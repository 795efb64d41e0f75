"""Read the index: event → candidate postings → hits, at a cost that follows the matches.

Hot. Nothing here writes, runs git or touches a ref. A file that is torn, foreign or of another
version raises BadIndex, and the caller rebuilds it.
"""

import os

from gitmem.core import gitignore
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.ranking import nearness, score
from gitmem.index.freshness import outer_dirs
from gitmem.index.schema import ALONE, ALWAYS, CHANGED, HIDDEN, ID, NAMED, OVER, PATH, PIN, Row
from gitmem.index.segment import Segment, number_of

TOP = "top"


def top_name(worktree: str) -> str:
    """The top that speaks for a work tree: each has a HEAD of its own."""
    return f"{TOP}.{worktree}" if worktree else TOP


def is_top(name: str) -> bool:
    """Whether a file of the index directory is a top."""
    return name == TOP or (name.startswith(TOP + ".") and not name.endswith(".tmp"))


class Hit:
    """A note that an event reaches: `matched` holds (kind, value, trigger) reasons."""

    __slots__ = ("row", "matched", "score")

    def __init__(self, row: Row, matched: "list[tuple[str, str, str]]", points: float) -> None:
        self.row = row
        self.matched = matched
        self.score = points


class Index:
    """The base and what lies on top of it."""

    def __init__(self, directory: str, top: str = TOP) -> None:
        """Open the index in `directory`; FileNotFoundError or BadIndex."""
        self.directory = directory
        # Commits that HEAD may no longer contain, where the index speaks for another HEAD: what is
        # anchored there is not shown. None: any anchor.
        self.doubtful: set[str] | None = set()
        # Commits that only the HEAD of the files contains, and those that only the HEAD of now
        # does, where `moved.py` made the index follow.
        self.lost: set[str] = set()
        self.gained: set[str] = set()
        self.top = Segment(os.path.join(directory, top))
        self.base: Segment | None = None
        self.header = self.top.header
        self._outer = outer_dirs(self.header)
        self.folds_case = self.header.get("ignorecase") == "true"
        self.dead = frozenset(
            number_of(text) for text in self.header.get("dead", "").split(",") if text
        )
        if base := self.header.get("base", ""):
            try:
                self.base = Segment(os.path.join(directory, base))
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        for segment in self.segments():
            segment.close()

    def segments(self) -> "list[Segment]":
        return [self.top] if self.base is None else [self.top, self.base]

    def postings(self, key: str) -> "list[tuple[Segment, int, list[str]]]":
        return [
            (segment, number, fields[1:])
            for segment in self.segments()
            for fields in segment.postings(key)
            if (number := number_of(fields[0])) >= 0
            and not (segment is self.base and number in self.dead)
        ]

    def row(self, segment: Segment, number: int) -> Row:
        """A row as it is at the HEAD that the index follows to."""
        row = segment.row(number)
        row.git_dir = self._outer.get(row.layer, "")
        if row.flags & ALONE and (self.lost or self.gained):
            if row.anchor in self.lost:
                row.flags |= HIDDEN
            elif row.anchor in self.gained:
                row.flags &= ~HIDDEN
        return row

    def rows(self) -> "list[Row]":
        """Every live row. For commands, not for hooks."""
        return [
            self.row(segment, number)
            for segment in self.segments()
            for number in range(segment.rows)
            if not (segment is self.base and number in self.dead)
        ]

    def named(self, id_key: str) -> "list[Row]":
        """The rows of one id, those that are seen here first, then the nearest layer."""
        rows = [self.row(segment, number) for segment, number, _ in self.postings(ID + id_key)]
        return sorted(rows, key=lambda row: (row.flags & HIDDEN, nearness(row.layer)))

    def filed(self, key: str) -> "list[list[str]]":
        """The postings under a key of `schema.OF_IDS`, each with the id key first."""
        found = self.top.postings(key)
        if self.base is not None and (below := self.base.postings(key)):
            changed = {fields[0] for fields in self.top.postings(CHANGED)}
            found += [fields for fields in below if fields[0] not in changed]
        return found

    def always(self) -> "list[Hit]":
        """The notes of a session's start, best first."""
        found = Found(self)
        for segment, number, _ in self.postings(ALWAYS):
            found.add(segment, number, "always", "session start", "always", 0)
        return self._ranked(found)

    def first(self) -> "list[Hit]":
        """`always`, and the pinned notes: the strongest first."""
        found = Found(self)
        for key, kind, value in ((ALWAYS, "always", "session start"), (PIN, "pinned", "pinned")):
            for segment, number, _ in self.postings(key):
                found.add(segment, number, kind, value, kind, 0)
        return sorted(self._ranked(found), key=lambda hit: -hit.row.strength)

    def query(self, event: Event, *, hidden: bool = False) -> "list[Hit]":
        """The notes that `event` reaches, best first, each with its reasons; with `hidden`, those
        of other branches too, after all others."""
        found = Found(self, hidden=hidden)
        for path in event.paths:
            self._match_path(path, found)
        if event.commands or event.errors or event.prompts:
            from gitmem.index import texts  # most events are of paths alone

            texts.match(self, event, found)
        if event.paths and self.filed(NAMED):
            from gitmem.index import texts  # few notes have a name

            texts.match_names(self, event.paths, found)
        return [
            hit
            for hit in self._ranked(found)
            if any(_kind_of(reason[0]) in event.delivers for reason in hit.matched)
        ]

    def _match_path(self, path: str, found: "Found") -> None:
        folded = path.casefold() if self.folds_case else path
        for key in gitignore.path_keys(folded):
            for segment, number, (pattern,) in self.postings(PATH + key):
                row = found.row(segment, number)
                given = patterns = row.paths or (pattern,)
                if self.folds_case:
                    patterns = tuple(item.casefold() for item in given)
                matched = gitignore.match_list(patterns, folded)
                if matched is not None:
                    shown = given[patterns.index(matched)]
                    found.add(segment, number, "paths", path, shown, gitignore.specificity(matched))

    def _ranked(self, found: "Found") -> "list[Hit]":
        hits = [
            hit
            for hit in found.hits()
            if not self._is_superseded(hit.row) and not self._is_doubtful(hit.row)
        ]
        hits.sort(key=lambda hit: hit.row.id)
        if len(hits) > 1:
            self._sort_by_use(hits)
        hits.sort(key=lambda hit: hit.row.written, reverse=True)
        hits.sort(key=lambda hit: (hit.row.flags & HIDDEN, -hit.score, nearness(hit.row.layer)))
        return hits

    def _sort_by_use(self, hits: "list[Hit]") -> None:
        """Of notes that are equal in all else, those that were delivered here more often first."""
        ranks = [(hit.score, hit.row.layer, hit.row.written) for hit in hits]
        if len(set(ranks)) < len(ranks):
            from gitmem.index.ledger import count  # few hits are equal in all else

            uses = count(os.path.dirname(self.directory), [hit.row.id for hit in hits])
            hits.sort(key=lambda hit: -uses[hit.row.id])

    def _is_doubtful(self, row: Row) -> bool:
        return bool(row.anchor) and (self.doubtful is None or row.anchor in self.doubtful)

    def _is_superseded(self, row: Row) -> bool:
        """As `core.view.superseded`, over the few rows around one note."""
        name = id_key(row.id)
        above = self._above(name)
        if not above:
            return False
        is_cycle = all(name in self._above(other) for other in above)
        age = (row.written, name)
        return not (is_cycle and all(age >= (over.written, key) for key, over in above.items()))

    def _above(self, name: str) -> "dict[str, Row]":
        """The notes that supersede the note `name`, directly or through others, by id key."""
        found: dict[str, Row] = {}
        todo = [name]
        while todo:
            target = todo.pop()
            for segment, number, _ in self.postings(OVER + target):
                key = id_key(segment.row(number).id)
                nearest = self.named(key)[0]
                if nearest.flags & HIDDEN:
                    continue  # what another branch says replaces nothing here
                if key != target and key not in found and target in nearest.supersedes:
                    found[key] = nearest
                    todo.append(key)
        return found


class Found:
    """What matched so far: rows by (segment, number), with their reasons."""

    def __init__(self, index: Index, *, hidden: bool = False) -> None:
        self._index = index
        self._hidden = hidden
        self._rows: dict[tuple[int, int], Row] = {}
        self._reasons: dict[tuple[int, int], list[tuple[str, str, str, int]]] = {}

    def row(self, segment: Segment, number: int) -> Row:
        key = (id(segment), number)
        if key not in self._rows:
            self._rows[key] = self._index.row(segment, number)
        return self._rows[key]

    def add(
        self, segment: Segment, number: int, kind: str, value: str, trigger: str, narrow: int
    ) -> None:
        self.row(segment, number)
        reasons = self._reasons.setdefault((id(segment), number), [])
        if (kind, value, trigger, narrow) not in reasons:
            reasons.append((kind, value, trigger, narrow))

    def hits(self) -> "list[Hit]":
        """One hit for each id: content of the nearest layer, reasons of all layers."""
        by_id: dict[str, list[tuple[str, str, str, int]]] = {}
        for key, reasons in self._reasons.items():
            row = self._rows[key]
            if self._hidden or not row.flags & HIDDEN:
                by_id.setdefault(id_key(row.id), []).extend(reasons)
        hits = []
        for name, reasons in by_id.items():
            row = self._index.named(name)[0]
            matched = list(dict.fromkeys(reason[:3] for reason in reasons))
            kinds = len({reason[0] for reason in reasons})
            narrow = max(reason[3] for reason in reasons)
            hits.append(Hit(row, matched, score(kinds, row.confidence, row.strength, narrow)))
        return hits


def _kind_of(reason: str) -> str:
    """An entity is named in a prompt."""
    return "prompts" if reason == "entity" else reason
