"""Where a revision is kept in the tree of a memory ref. Pure: no I/O.

    FORMAT                  "gitmem 1"
    <hh>/<id>@<rev>.md      a revision
    <hh>/<id>@<rev>.gone    a purged revision

`hh`, the bucket, is the first two hex digits of the SHA-256 of the id as ids are compared; `rev`
the first 20 of the SHA-256 of the revision's bytes. Paths of any other shape are foreign: they
are never read and survive every rewrite.
"""

from hashlib import sha256
from typing import NamedTuple

from gitmem.core.ids import id_key
from gitmem.errors import GitMemError

FORMAT_PATH = "FORMAT"
FORMAT = b"gitmem 1\n"
VERSION = 1
SUFFIXES = {".md": False, ".gone": True}
HEX = "0123456789abcdef"
REV_DIGITS = 20


class Entry(NamedTuple):
    """What a path says: revision `rev` of note `id`, purged when `gone`."""

    id: str
    rev: str
    gone: bool = False


class NewerFormat(GitMemError):
    kind = "store"


def bucket(note_id: str) -> str:
    """The directory of `note_id`: two hex digits."""
    return sha256(id_key(note_id).encode()).hexdigest()[:2]


def path_of(note_id: str, rev: str, gone: bool = False) -> str:
    """The path of revision `rev` of `note_id`."""
    return f"{bucket(note_id)}/{note_id}@{rev}{'.gone' if gone else '.md'}"


def parse_path(path: str) -> Entry | None:
    """What `path` says, None when it is foreign (also when it is in the wrong bucket)."""
    directory, _, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    note_id, _, rev = stem.rpartition("@")
    if dot + suffix not in SUFFIXES or not note_id or len(rev) != REV_DIGITS or rev.strip(HEX):
        return None
    try:
        if bucket(note_id) != directory:
            return None
    except UnicodeEncodeError:
        return None
    return Entry(note_id, rev, SUFFIXES[dot + suffix])


def check_format(content: bytes | None, where: str) -> None:
    """Refuse a memory whose FORMAT this version does not know. None: none was written yet."""
    if content is None or content == FORMAT:
        return
    said = content.decode("utf-8", "replace").strip()
    word, _, number = said.partition(" ")
    if word == "gitmem" and number.isdecimal() and int(number) > VERSION:
        raise NewerFormat(
            f"{where} has format '{said}', newer than this git mem understands",
            "upgrade git mem",
        )
    raise NewerFormat(f"{where} has an unknown format '{said[:40]}' in {FORMAT_PATH}")
