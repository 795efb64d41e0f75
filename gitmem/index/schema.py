"""The index file: what a reader and the writer agree on. Hot: imports nothing.

Two files under `<common dir>/gitmem/index/` have this form: `base-…`, written rarely, and `top`,
small, which names its base, the base rows it overrides and the tips it speaks for. All of it is
text in checked blocks, so a torn or foreign file is noticed and never trusted:

    magic · u32 file length · block: header · u32 sizes and tables · blocks

A block is `u32 check · bytes`; its check covers its length and its place in its table too, so an
offset that points elsewhere is noticed as well. The header is `name\\tvalue` lines. Three tables
follow: rows (one per note), buckets (a hash table from key to postings), and a presence table, a
block itself, that tells at the cost of one byte that no needle has a given text fragment. A packed
row names its author by number; the names stand in the header.
"""

MAGIC = b"gitmem index 11\n"
FIELD = "\x1f"
ITEM = "\x1e"
AUTHOR = "\x1d"
CHECK = 4294967291
GRAM = 4

PATH, TEXT, WORD, ID, ALWAYS, OVER, PIN = "p", "t", "w", "i", "a", "s", "n"
LOOSE = "l"  # of a phrase: it may stand inside of a longer name

# Postings of ids, not of rows: the ids with a revision anchored at a commit; those with one at a
# commit (the second field) that HEAD does not contain, and what files that changed; those with a
# pending one; those that a top speaks for in place of its base.
ANCHOR, OUTSIDE, WORK, PENDING, CHANGED = "c", "o", "k", "q", "x"
CONFLICTED, NAMED = "f", "e"  # those that are shown as a conflict; those that have a name
OF_IDS = (ANCHOR, OUTSIDE, WORK, PENDING, CHANGED, CONFLICTED, NAMED)

PINNED, CONFLICT, UNKNOWN, HIDDEN, WAITING = 1, 2, 4, 8, 16
ALONE = 32  # the one revision of its id in its layer: seen exactly where its anchor is


class BadIndex(Exception):
    """The file is torn, foreign or of another version: rebuild it."""


class Row:
    """One note of one layer, as far as ranking and showing it need. Times are UTC text.

    `branch` is where a note that is ALONE, HIDDEN here or WAITING for a commit was written;
    `anchor` the commit that its newest revision is true since. `git_dir` is where the text is of a
    note from outside of the project, which the index says, not the row.
    """

    __slots__ = (
        "id",
        "layer",
        "rev",
        "oid",
        "kind",
        "confidence",
        "strength",
        "flags",
        "verified",
        "written",
        "author",
        "supersedes",
        "paths",
        "branch",
        "anchor",
        "body",
        "git_dir",
    )

    def __init__(
        self,
        note_id: str,
        layer: str,
        rev: str,
        oid: str,
        kind: str,
        confidence: str,
        strength: int,
        flags: int,
        verified: str,
        written: str,
        author: str,
        supersedes: "tuple[str, ...]" = (),
        paths: "tuple[str, ...]" = (),
        branch: str = "",
        anchor: str = "",
        body: "str | None" = None,
    ) -> None:
        self.id = note_id
        self.layer = layer
        self.rev = rev
        self.oid = oid
        self.kind = kind
        self.confidence = confidence
        self.strength = strength
        self.flags = flags
        self.verified = verified
        self.written = written
        self.author = author
        self.supersedes = supersedes
        self.paths = paths
        self.branch = branch
        self.anchor = anchor
        self.body = body
        self.git_dir = ""

    def pack(self) -> str:
        return FIELD.join(
            (
                self.id,
                self.layer,
                self.rev,
                self.oid,
                self.kind,
                self.confidence,
                str(self.strength),
                str(self.flags),
                self.verified,
                self.written,
                self.author,
                ITEM.join(self.supersedes),
                ITEM.join(self.paths),
                self.branch,
                self.anchor,
                "" if self.body is None else "=" + self.body,
            )
        )


def unpack_row(text: str) -> Row:
    """A Row from `Row.pack`; BadIndex when it is none."""
    fields = text.split(FIELD, 15)
    if len(fields) != 16 or not (fields[6].isdigit() and fields[7].isdigit()):
        raise BadIndex("a row does not parse")
    note_id, layer, rev, oid, kind, confidence, strength, flags, verified, written, author = fields[
        :11
    ]
    return Row(
        note_id,
        layer,
        rev,
        oid,
        kind,
        confidence,
        int(strength),
        int(flags),
        verified,
        written,
        author,
        tuple(fields[11].split(ITEM)) if fields[11] else (),
        tuple(fields[12].split(ITEM)) if fields[12] else (),
        fields[13],
        fields[14],
        fields[15][1:] if fields[15] else None,
    )


def check(data: bytes, place: int) -> int:
    """The check of a block's bytes, as item number `place` of its table."""
    return (int.from_bytes(data, "little") + (place << 20) + len(data)) % CHECK


def slot(key: str, size: int) -> int:
    """Where `key` is filed in a table of `size` (a prime) slots; the same in every process."""
    return int.from_bytes(key.encode("utf-8", "surrogatepass"), "little") % size


def grams(text: str) -> "set[str]":
    """The fragments of GRAM characters of a folded text."""
    return {text[i : i + GRAM] for i in range(len(text) - GRAM + 1)}


def text_key(kind: str, gram: str) -> str:
    """Needles of `kind` with the fragment `gram`; '' for those too short to have one."""
    return f"{TEXT}{kind[0]}{gram}"
