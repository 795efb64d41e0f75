"""One file of the index, read block by block. Hot: nothing here writes.

A file that is torn, foreign or of another version raises BadIndex, and the caller rebuilds it.
"""

import os
import sys

from gitmem.index.schema import (
    AUTHOR,
    FIELD,
    ITEM,
    MAGIC,
    BadIndex,
    Row,
    check,
    slot,
    unpack_row,
)


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

    def ids(self) -> "list[str]":
        """The id of each row, read at once and so not checked: `row` says what can be trusted."""
        table = self._read(self._row_table, 4 * (self.rows + 1))
        starts = _numbers(table)
        first = starts[0]
        blocks = self._read(first, starts[-1] - first)
        end = FIELD.encode()
        found = [
            blocks[start - first + 4 : blocks.find(end, start - first + 4)] for start in starts[:-1]
        ]
        return b"\n".join(found).decode("utf-8", "surrogatepass").split("\n") if found else []

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


def _numbers(table: bytes) -> "list[int]":
    """The offsets in a table. Ten thousand of them, so at once where the machine counts so."""
    if sys.byteorder == "little":
        return memoryview(table).cast("I").tolist()
    return [int.from_bytes(table[at : at + 4], "little") for at in range(0, len(table), 4)]


def _checked(block: bytes, place: int) -> bytes:
    """The bytes of a block that is item number `place` of its table; BadIndex."""
    if len(block) < 4 or int.from_bytes(block[:4], "little") != check(block[4:], place):
        raise BadIndex("a block of the index is damaged")
    return block[4:]


def number_of(field: str) -> int:
    """The number that a field of a posting holds; BadIndex."""
    if not field.isdigit():
        raise BadIndex("a posting does not parse")
    return int(field)
