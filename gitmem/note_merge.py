"""Merge the bytes of a note kept as a file: what `git mem merge-driver` does, without its I/O.

What a person typed stays as typed where that is possible: front matter is written anew only when
both sides changed it, and its comments are kept even then. The result is a note again: markers
stand in the body only.
"""

import re
from dataclasses import dataclass

from gitmem import note_text
from gitmem.codec import BadNote, encode, parse
from gitmem.core.filemerge import merge_files, merge_text
from gitmem.core.note import Note
from gitmem.note_text import FENCE

BOM = b"\xef\xbb\xbf"
_COMMENT = re.compile(r"(?:^|\s)(#.*)$")


@dataclass(frozen=True)
class Merged:
    """The merged file; `clashes` as in `core.filemerge.FileMerge`."""

    data: bytes
    has_markers: bool = False
    clashes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _File:
    note: Note
    front: str


def merge_note_files(base: bytes, ours: bytes, theirs: bytes, name: str) -> Merged | None:
    """The merge of three files, or None when it takes more than notes to merge them.

    `base` is empty when both sides added the file. Line ends and byte order mark are those of
    `ours`. `name` is what errors would call the file.
    """
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    try:
        mine, other = _read(ours, name), _read(theirs, name)
        before = _read(base, name) if base.strip() else None
        if mine is None or other is None or (base.strip() and before is None):
            return None
        if before is None and mine.note.id != other.note.id:
            return None  # two notes at one path: neither may lose its name
        found = merge_files(before.note if before else None, mine.note, other.note)
        text = _text(before, mine, other, found.note)
    except BadNote:
        return None
    return Merged(_dressed(text, ours), found.has_markers, found.clashes)


def _read(data: bytes, name: str) -> _File | None:
    """A note with front matter and one kind of line end; None for any other file. BadNote."""
    if data.count(b"\r") not in (0, data.count(b"\n")) or data.count(b"\r") != data.count(b"\r\n"):
        return None
    front, _ = note_text.split(note_text.text_of(data, name), name)
    return None if front is None else _File(parse(data, name), front)


def _text(base: _File | None, ours: _File, theirs: _File, note: Note) -> str:
    """`note` as text, in the words of the sides where they say just that."""
    fronts = [merge_text(base.front if base else None, ours.front, theirs.front)[0]]
    if base is not None:
        fronts += [ours.front] * (base.front == theirs.front)
        fronts += [theirs.front] * (base.front == ours.front)
    for front in reversed(fronts):
        text = f"{FENCE}{front}{FENCE}{note.body}"
        if _says(text, note):
            return text
    plain = encode(note).decode()
    head = FENCE + _comments((ours.front, theirs.front), plain)
    text = head + plain.removeprefix(FENCE)
    return text if _says(text, note) else plain


def _says(text: str, note: Note) -> bool:
    try:
        return parse(text.encode(), "note") == note
    except BadNote:
        return False


def _comments(fronts: tuple[str, ...], text: str) -> str:
    """The comments in front matter that `text` lacks, as lines of their own."""
    lines = [line for front in fronts for line in front.split("\n")]
    found = dict.fromkeys(match[1].rstrip() for line in lines if (match := _COMMENT.search(line)))
    return "".join(f"{comment}\n" for comment in found if comment not in text)


def _dressed(text: str, ours: bytes) -> bytes:
    data = text.encode()
    if b"\r\n" in ours:
        data = data.replace(b"\n", b"\r\n")
    return BOM + data if ours.startswith(BOM) else data
