"""Turn folded notes into the bytes of an index file. Pure.

The form is `index/schema.py`'s; the laws that make a lookup complete are `core/gitignore.py`'s
keys and, for texts, that every needle is filed under one of its own fragments.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from gitmem.core import gitignore, mention, text
from gitmem.core.ids import id_key
from gitmem.core.landed import closure
from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH, Anchor, Note
from gitmem.core.view import AtCommit, Folded, waiting
from gitmem.index import schema
from gitmem.index.bodies import body_of
from gitmem.index.schema import AUTHOR, FIELD, GRAM, HIDDEN, ITEM, Row
from gitmem.index.segment import Segment
from gitmem.store.view import NOWHERE, LayerNotes

Posting = tuple[str, ...]


class Filing:
    """Rows and their postings, collected note by note and packed once."""

    def __init__(self, *, folds_case: bool) -> None:
        self.folds_case = folds_case
        self.rows: list[str] = []
        self._authors: dict[str, int] = {}
        self._postings: dict[str, list[Posting]] = {}
        self._needles: list[tuple[str, str, Posting]] = []
        self._fragments: set[str] = set()
        self._ids: set[tuple[str, Posting]] = set()

    def add_layer(self, notes: LayerNotes) -> None:
        """File the notes of a layer, those of other branches too, and where they are anchored."""
        for key, folded in notes.folded.items():
            self.add(notes.layer, folded, notes.sources, ancestry=notes.ancestry)
            if (hidden := notes.hidden.get(key)) is not None:
                self.add(notes.layer, hidden, notes.sources, ancestry=notes.ancestry, flags=HIDDEN)
            for revision in folded.graph.revisions.values():
                if revision.anchor is not None:
                    self._file_anchor(key, revision.anchor, notes.ancestry)
            if folded.is_conflict and folded.note is not None:
                self.file_id(schema.CONFLICTED, key)
            if waiting(folded.graph):
                self.file_id(schema.PENDING, key)

    def add(
        self,
        layer: str,
        folded: Folded,
        sources: Mapping[str, tuple[str, bytes]],
        *,
        ancestry: AtCommit = NOWHERE,
        flags: int = 0,
    ) -> None:
        """File one note; `sources` maps a rev to its blob id and bytes."""
        note = folded.note
        if note is None or note_is_marked(note):
            return
        number = str(len(self.rows))
        author = self._authors.setdefault(_plain(note.author or ""), len(self._authors))
        self.rows.append(_row(layer, folded, note, sources, str(author), flags, ancestry).pack())
        self._file(schema.ID + id_key(note.id), (number,))
        for target in note.supersedes:
            self._file(schema.OVER + id_key(target), (number,))
        self._file_triggers(note, number)

    def _file_triggers(self, note: Note, number: str) -> None:
        """File when a note matters."""
        if note.triggers.always:
            self._file(schema.ALWAYS, (number,))
        if note.pinned:
            self._file(schema.PIN, (number,))
        for pattern in note.triggers.paths:
            if not pattern.startswith("!"):
                self._file_path(pattern, number)
        for kind in ("commands", "errors"):
            for needle in getattr(note.triggers, kind):
                if folded_text := text.fold(needle):
                    self._needles.append((kind, folded_text, (number, folded_text, needle)))
        for phrase in note.triggers.prompts:
            self._file_phrase("prompts", phrase, number)
        if note.names:
            self.file_id(schema.NAMED, id_key(note.id))
        for name in note.names:
            self._file_phrase("entity", name, number)

    def _file_anchor(self, key: str, anchor: Anchor, ancestry: AtCommit) -> None:
        """File what tells, when HEAD moves, that an id may come to something else."""
        for commit in closure(anchor.commit, ancestry.landed) if anchor.commit else ():
            self.file_id(schema.ANCHOR + commit, key)
        if not anchor.pending and ancestry.contains(anchor) is False:
            self.file_id(schema.OUTSIDE, key, anchor.commit or "")
            for path in anchor.paths:
                self.file_id(schema.WORK + path, key)

    def file_id(self, key: str, note_id: str, *more: str) -> None:
        """File an id, and what there is to say of it, under a key of `schema.OF_IDS`."""
        posting = (note_id, *more)
        if (key, posting) not in self._ids:
            self._ids.add((key, posting))
            self._file(key, posting)

    def absorb(
        self, segment: Segment, dead: Collection[int], changed: Collection[str] = ()
    ) -> None:
        """Take over the rows and postings of another index file, but for its rows `dead` and what
        it knows of the ids `changed`."""
        numbers: dict[str, str] = {}
        for number in range(segment.rows):
            if number not in dead:
                row = segment.row(number)
                row.author = str(self._authors.setdefault(row.author, len(self._authors)))
                numbers[str(number)] = str(len(self.rows))
                self.rows.append(row.pack())
        for key, postings in segment.all_postings():
            if key.startswith(schema.OF_IDS):
                for note_id, *more in postings:
                    if note_id not in changed:
                        self.file_id(key, note_id, *more)
                continue
            for row_text, *fields in postings:
                if row_text in numbers:
                    self._postings.setdefault(key, []).append((numbers[row_text], *fields))
            if key.startswith(schema.TEXT) and len(key) > len(schema.text_key("e", "")):
                self._fragments.add(key[len(schema.TEXT) :])

    def _file(self, key: str, posting: Posting) -> None:
        plain = tuple(_plain(field) for field in posting)
        self._postings.setdefault(_plain(key), []).append(plain)

    def _file_path(self, pattern: str, number: str) -> None:
        for key in gitignore.pattern_keys(pattern.casefold() if self.folds_case else pattern):
            self._file(schema.PATH + key, (number, pattern))

    def _file_phrase(self, kind: str, phrase: str, number: str) -> None:
        spelled, is_loose = mention.spellings(phrase)
        loose = schema.LOOSE if is_loose else ""
        for spelling in spelled:
            key = schema.WORD + spelling[: mention.KEY]
            self._file(key, (number, kind, spelling, loose, phrase))

    def pack(self, header: Mapping[str, str]) -> bytes:
        """The bytes of the file."""
        self._file_needles()
        fragments = self._fragments
        size = schema_prime(len(self._postings)) if self._postings else 0
        buckets: list[list[str]] = [[] for _ in range(size)]
        for key, postings in self._postings.items():
            line = key + FIELD + ITEM.join(FIELD.join(posting) for posting in postings)
            buckets[schema.slot(key, size)].append(line)
        presence = bytearray(schema_prime(8 * len(fragments)) if fragments else 0)
        for fragment in fragments:
            presence[schema.slot(fragment, len(presence))] = 1
        return _assemble(
            {
                **header,
                "authors": AUTHOR.join(self._authors),
                "rows": str(len(self.rows)),
                "buckets": str(size),
                "presence": str(len(presence)),
            },
            self.rows,
            ["\n".join(lines) for lines in buckets],
            bytes(presence),
        )

    def _file_needles(self) -> None:
        """File each needle under its rarest fragment."""
        counts = Counter(
            kind[0] + gram for kind, needle, _ in self._needles for gram in schema.grams(needle)
        )
        for kind, needle, posting in self._needles:
            marks = sorted(kind[0] + gram for gram in schema.grams(needle))
            mark = min(marks, key=counts.__getitem__) if marks else kind[0]
            if marks:
                self._fragments.add(mark)
            self._file(schema.text_key(kind, mark[1 : 1 + GRAM]), posting)


def note_is_marked(note: Note) -> bool:
    """Whether the note is kept but out of recall (`forget --mode mark`)."""
    return dict(note.extra).get("marked") == "true"


def _row(
    layer: str,
    folded: Folded,
    note: Note,
    sources: Mapping[str, tuple[str, bytes]],
    author: str,
    flags: int,
    ancestry: AtCommit,
) -> Row:
    flags |= (
        schema.PINNED * note.pinned
        + schema.CONFLICT * folded.is_conflict
        + schema.UNKNOWN * folded.is_unknown
        + schema.WAITING * folded.is_pending
        + schema.ALONE * _is_alone(folded, ancestry)
    )
    oid, data = sources.get(folded.revision or "", ("", b""))
    is_stored = len(folded.live) == 1 and body_of(data) == note.body
    negated = any(pattern.startswith("!") for pattern in note.triggers.paths)
    anchor = folded.live[-1].anchor or Anchor()
    says_branch = flags & (schema.HIDDEN | schema.WAITING | schema.ALONE)
    return Row(
        note.id,
        "local" if folded.is_pending else layer,  # where its text is kept
        folded.revision or "",
        oid if is_stored else "",
        _plain(note.kind or DEFAULT_KIND),
        note.confidence or "",
        note.strength or DEFAULT_STRENGTH,
        flags,
        _plain(note.verified or ""),
        _plain(note.written or ""),
        author,
        tuple(_plain(id_key(target)) for target in note.supersedes),
        tuple(_plain(pattern) for pattern in note.triggers.paths) if negated else (),
        _plain(anchor.branch or "") if says_branch else "",
        _plain(anchor.commit or ""),
        None if is_stored else _plain(note.body, keep="\n"),
    )


def _is_alone(folded: Folded, ancestry: AtCommit) -> bool:
    """Whether the note is seen exactly where the commit of its one revision is."""
    if len(folded.graph.revisions) != 1 or folded.is_unknown:
        return False
    anchor = next(iter(folded.graph.revisions.values())).anchor
    if anchor is None or not anchor.commit or anchor.pending:
        return False
    return len(closure(anchor.commit, ancestry.landed)) == 1


def _plain(field: str, keep: str = "") -> str:
    """A field without the characters that separate fields."""
    if field.isprintable():
        return field
    cut = {ord(char): " " for char in (FIELD, ITEM, "\n") if char not in keep}
    return field.translate(cut)


def schema_prime(atleast: int) -> int:
    """A prime table size near `atleast`."""
    number = max(atleast, 3) | 1
    while any(number % factor == 0 for factor in range(3, int(number**0.5) + 1, 2)):
        number += 2
    return number


def _assemble(
    header: Mapping[str, str], rows: Sequence[str], buckets: Sequence[str], presence: bytes
) -> bytes:
    head = _block(
        "".join(f"{name}\t{_plain(value)}\n" for name, value in header.items()).encode(
            "utf-8", "surrogatepass"
        )
    )
    present = _block(presence)
    start = len(schema.MAGIC) + 8 + len(head)
    start += 4 * (len(rows) + 1) + 4 * (len(buckets) + 1) + len(present)
    row_table, row_blocks = _table(rows, start)
    bucket_table, bucket_blocks = _table(buckets, start + len(row_blocks))
    total = start + len(row_blocks) + len(bucket_blocks)
    return b"".join(
        (
            schema.MAGIC,
            total.to_bytes(4, "little"),
            (len(head) - 4).to_bytes(4, "little"),
            head,
            row_table,
            bucket_table,
            present,
            row_blocks,
            bucket_blocks,
        )
    )


def _table(items: Iterable[str], start: int) -> tuple[bytes, bytes]:
    """(offsets, one more than there are items; the blocks they point to)."""
    offsets = [start]
    blocks = []
    for number, item in enumerate(items):
        block = _block(item.encode("utf-8", "surrogatepass"), number)
        blocks.append(block)
        offsets.append(offsets[-1] + len(block))
    return b"".join(offset.to_bytes(4, "little") for offset in offsets), b"".join(blocks)


def _block(data: bytes, place: int = 0) -> bytes:
    return schema.check(data, place).to_bytes(4, "little") + data
