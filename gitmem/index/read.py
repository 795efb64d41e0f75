"""Read the index: event → candidate postings → hits, at a cost that follows the matches.

Hot. Nothing here writes, runs git or touches a ref. A file that is torn, foreign or of another
version raises BadIndex, and the caller rebuilds it.
"""

import os

from gitmem.core import gitignore, text
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.ranking import TEXT_SPECIFICITY, nearness, score
from gitmem.index.schema import (
    ALWAYS,
    AUTHOR,
    CHANGED,
    FIELD,
    GRAM,
    HIDDEN,
    ID,
    ITEM,
    MAGIC,
    OVER,
    PATH,
    WORD,
    BadIndex,
    Row,
    check,
    grams,
    slot,
    text_key,
    unpack_row,
)

TOP = "top"


def top_name(worktree: str) -> str:
    """The top that speaks for a work tree: each has a HEAD of its own."""
    return f"{TOP}.{worktree}" if worktree else TOP


def is_top(name: str) -> bool:
    """Whether a file of the index directory is a top."""
    return name == TOP or (name.startswith(TOP + ".") and not name.endswith(".tmp"))


class Segment:
    """One index file, read block by block."""

    def __init__(self, path: str) -> None:
        """Open and check the header; FileNotFoundError or BadIndex. The file stays open."""
        self._file = open(path, "rb", buffering=0)
        try:
            self._length = os.fstat(self._file.fileno()).st_size
            self._open(path)
        except BaseException:
            self.close()
            raise

    def _open(self, path: str) -> None:
        at = len(MAGIC)
        start = self._read(0, min(4096, self._length))
        if not start.startswith(MAGIC):
            raise BadIndex(f"{path} is not an index of this version")
        if int.from_bytes(start[at : at + 4], "little") != self._length:
            raise BadIndex(f"{path} is torn")
        size = int.from_bytes(start[at + 4 : at + 8], "little")
        header = _checked(self._read(at + 8, 4 + size), 0).decode("utf-8", "surrogatepass")
        self.header = dict(line.split("\t", 1) for line in header.split("\n") if "\t" in line)
        try:
            self.rows, self.buckets, self.presence = (
                int(self.header[name]) for name in ("rows", "buckets", "presence")
            )
        except (KeyError, ValueError) as error:
            raise BadIndex(f"{path} has no sizes") from error
        self._authors = self.header.get("authors", "").split(AUTHOR)
        self._row_table = at + 12 + size
        self._bucket_table = self._row_table + 4 * (self.rows + 1)
        self._presence_table = self._bucket_table + 4 * (self.buckets + 1)

    def close(self) -> None:
        self._file.close()

    def row(self, number: int) -> Row:
        if not 0 <= number < self.rows:
            raise BadIndex(f"there is no row {number}")
        row = unpack_row(self._block(self._row_table, number))
        if row.author.isdigit() and int(row.author) < len(self._authors):
            row.author = self._authors[int(row.author)]
        return row

    def postings(self, key: str) -> "list[list[str]]":
        """The postings filed under `key`, each a list of fields, the row number first."""
        if not self.buckets or FIELD in key or "\n" in key:
            return []
        found = self._block(self._bucket_table, slot(key, self.buckets))
        for line in found.split("\n"):
            if line.startswith(key + FIELD):
                return [item.split(FIELD) for item in line[len(key) + 1 :].split(ITEM)]
        return []

    def all_postings(self) -> "list[tuple[str, list[list[str]]]]":
        """Every key with its postings. For joining indexes, not for hooks."""
        found = []
        for number in range(self.buckets):
            for line in self._block(self._bucket_table, number).split("\n"):
                key, mark, rest = line.partition(FIELD)
                if mark:
                    found.append((key, [item.split(FIELD) for item in rest.split(ITEM)]))
        return found

    def present(self, kind: str, fragments: "set[str]") -> "list[str]":
        """Those of `fragments` that some needle of `kind` may have."""
        if not self.presence:
            return []
        table = _checked(self._read(self._presence_table, 4 + self.presence), 0)
        return [gram for gram in fragments if table[slot(kind[0] + gram, self.presence)]]

    def _block(self, table: int, number: int) -> str:
        span = self._read(table + 4 * number, 8)
        start = int.from_bytes(span[:4], "little")
        end = int.from_bytes(span[4:], "little")
        return _checked(self._read(start, end - start), number).decode("utf-8", "surrogatepass")

    def _read(self, start: int, size: int) -> bytes:
        if not 0 <= size <= self._length - start:
            raise BadIndex("an offset of the index is damaged")
        self._file.seek(start)
        return self._file.read(size)


def _checked(block: bytes, place: int) -> bytes:
    """The bytes of a block that is item number `place` of its table; BadIndex."""
    if len(block) < 4 or int.from_bytes(block[:4], "little") != check(block[4:], place):
        raise BadIndex("a block of the index is damaged")
    return block[4:]


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
        self.top = Segment(os.path.join(directory, top))
        self.base: Segment | None = None
        self.header = self.top.header
        self.folds_case = self.header.get("ignorecase") == "true"
        self._dead = frozenset(
            _number(text) for text in self.header.get("dead", "").split(",") if text
        )
        if base := self.header.get("base", ""):
            try:
                self.base = Segment(os.path.join(directory, base))
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        for segment in self._segments():
            segment.close()

    def _segments(self) -> "list[Segment]":
        return [self.top] if self.base is None else [self.top, self.base]

    def _postings(self, key: str) -> "list[tuple[Segment, int, list[str]]]":
        return [
            (segment, number, fields[1:])
            for segment in self._segments()
            for fields in segment.postings(key)
            if (number := _number(fields[0])) >= 0
            and not (segment is self.base and number in self._dead)
        ]

    def rows(self) -> "list[Row]":
        """Every live row. For commands, not for hooks."""
        return [
            segment.row(number)
            for segment in self._segments()
            for number in range(segment.rows)
            if not (segment is self.base and number in self._dead)
        ]

    def named(self, id_key: str) -> "list[Row]":
        """The rows of one id, those that are seen here first, then the nearest layer."""
        rows = [segment.row(number) for segment, number, _ in self._postings(ID + id_key)]
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
        found = _Found()
        for segment, number, _ in self._postings(ALWAYS):
            found.add(segment, number, "always", "session start", "always", 0)
        return self._ranked(found)

    def query(self, event: Event, *, hidden: bool = False) -> "list[Hit]":
        """The notes that `event` reaches, best first, each with its reasons; with `hidden`, those
        of other branches too, after all others."""
        found = _Found(hidden=hidden)
        for path in event.paths:
            self._match_path(path, found)
        for kind, values in (("commands", event.commands), ("errors", event.errors)):
            for value in values:
                self._match_text(kind, value, found)
        for prompt in event.prompts:
            self._match_prompt(prompt, found)
        return [
            hit
            for hit in self._ranked(found)
            if any(_kind_of(reason[0]) in event.delivers for reason in hit.matched)
        ]

    def _match_path(self, path: str, found: "_Found") -> None:
        folded = path.casefold() if self.folds_case else path
        for key in gitignore.path_keys(folded):
            for segment, number, (pattern,) in self._postings(PATH + key):
                row = found.row(segment, number)
                given = patterns = row.paths or (pattern,)
                if self.folds_case:
                    patterns = tuple(item.casefold() for item in given)
                matched = gitignore.match_list(patterns, folded)
                if matched is not None:
                    shown = given[patterns.index(matched)]
                    found.add(segment, number, "paths", path, shown, gitignore.specificity(matched))

    def _match_text(self, kind: str, value: str, found: "_Found") -> None:
        folded = text.fold(value)
        fragments = grams(folded) if len(folded) >= GRAM else set()
        for segment in self._segments():
            keys = [text_key(kind, "")]
            keys += [text_key(kind, gram) for gram in segment.present(kind, fragments)]
            for key in keys:
                for fields in segment.postings(key):
                    number = _number(fields[0])
                    if segment is self.base and number in self._dead:
                        continue
                    if fields[1] and fields[1] in folded:
                        shown = _line_with(fields[1], value)
                        found.add(segment, number, kind, shown, fields[2], TEXT_SPECIFICITY)

    def _match_prompt(self, prompt: str, found: "_Found") -> None:
        said = text.words(prompt)
        for first in dict.fromkeys(said):
            for segment, number, (kind, phrase, trigger) in self._postings(WORD + first):
                if text.contains_phrase(said, phrase.split(" ")):
                    found.add(segment, number, kind, trigger, trigger, TEXT_SPECIFICITY)

    def _ranked(self, found: "_Found") -> "list[Hit]":
        hits = [
            hit
            for hit in found.hits(self)
            if not self._is_superseded(hit.row) and not self._is_doubtful(hit.row)
        ]
        hits.sort(key=lambda hit: hit.row.id)
        hits.sort(key=lambda hit: hit.row.written, reverse=True)
        hits.sort(key=lambda hit: (hit.row.flags & HIDDEN, -hit.score, nearness(hit.row.layer)))
        return hits

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
            for segment, number, _ in self._postings(OVER + target):
                key = id_key(segment.row(number).id)
                nearest = self.named(key)[0]
                if nearest.flags & HIDDEN:
                    continue  # what another branch says replaces nothing here
                if key != target and key not in found and target in nearest.supersedes:
                    found[key] = nearest
                    todo.append(key)
        return found


class _Found:
    """What matched so far: rows by (segment, number), with their reasons."""

    def __init__(self, *, hidden: bool = False) -> None:
        self._hidden = hidden
        self._rows: dict[tuple[int, int], Row] = {}
        self._reasons: dict[tuple[int, int], list[tuple[str, str, str, int]]] = {}

    def row(self, segment: Segment, number: int) -> Row:
        key = (id(segment), number)
        if key not in self._rows:
            self._rows[key] = segment.row(number)
        return self._rows[key]

    def add(
        self, segment: Segment, number: int, kind: str, value: str, trigger: str, narrow: int
    ) -> None:
        self.row(segment, number)
        reasons = self._reasons.setdefault((id(segment), number), [])
        if (kind, value, trigger, narrow) not in reasons:
            reasons.append((kind, value, trigger, narrow))

    def hits(self, index: Index) -> "list[Hit]":
        """One hit for each id: content of the nearest layer, reasons of all layers."""
        by_id: dict[str, list[tuple[str, str, str, int]]] = {}
        for key, reasons in self._reasons.items():
            row = self._rows[key]
            if self._hidden or not row.flags & HIDDEN:
                by_id.setdefault(id_key(row.id), []).extend(reasons)
        hits = []
        for name, reasons in by_id.items():
            row = index.named(name)[0]
            matched = list(dict.fromkeys(reason[:3] for reason in reasons))
            kinds = len({reason[0] for reason in reasons})
            narrow = max(reason[3] for reason in reasons)
            hits.append(Hit(row, matched, score(kinds, row.confidence, row.strength, narrow)))
        return hits


def _kind_of(reason: str) -> str:
    """An entity is named in a prompt."""
    return "prompts" if reason == "entity" else reason


def _line_with(needle: str, value: str) -> str:
    """The line of `value` that shows `needle`, to say why a note arrived."""
    for line in text.strip_ansi(value).splitlines():
        if needle in text.fold(line):
            return " ".join(line.split())
    return " ".join(text.strip_ansi(value).split())


def _number(field: str) -> int:
    if not field.isdigit():
        raise BadIndex("a posting does not parse")
    return int(field)
