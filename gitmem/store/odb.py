"""Read one object from a git object database. Hot: only `os` and `zlib`.

Loose objects, packs (index version 2, offset and reference deltas) and alternates, for 20- and
32-byte ids. None means "not sure": missing, too big, too new, or damaged; the caller then asks
git. Every object is checked for kind, size and zlib's own checksum, not hashed again.

Layouts: git's `gitformat-pack` and `gitformat-loose` documentation.
"""

import os
import zlib

LIMIT = 4 * 1024 * 1024  # bytes of one object, and of each delta that leads to it
MAX_CHAIN = 4096  # git's own limit for a delta chain is 4095
MAX_ALTERNATES = 5  # depth, as in git
KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
OFS_DELTA, REF_DELTA = 6, 7

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


class _Unsure(Exception):
    """The bytes are not what this reader knows."""


def read_blob(git_dir: str, oid: str) -> bytes | None:
    """The content of blob `oid`, None when unsure. `git_dir` is the common directory."""
    found = read_object(git_dir, oid)
    return found[1] if found is not None and found[0] == "blob" else None


def read_object(git_dir: str, oid: str) -> tuple[str, bytes] | None:
    """Kind ("commit", "tree", "blob", "tag") and content of `oid`, None when unsure."""
    try:
        name = bytes.fromhex(oid)
        if name.hex() != oid or len(name) not in (20, 32):
            return None
        return _search(os.path.join(git_dir, "objects"), name, MAX_ALTERNATES)
    except (_Unsure, OSError, ValueError, LookupError, TypeError, MemoryError, zlib.error):
        return None


def _search(objects: str, name: bytes, depth: int) -> tuple[str, bytes] | None:
    found = _loose(objects, name) or _packed(objects, name)
    if found is None and depth:
        for alternate in _alternates(objects):
            found = _search(alternate, name, depth - 1)
            if found is not None:
                break
    return found


def _alternates(objects: str) -> list[str]:
    try:
        with open(os.path.join(objects, "info", "alternates"), "rb") as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return []
    # A quoted line holds a path with odd characters: git's business.
    paths = [os.fsdecode(line) for line in lines if line and line[:1] not in b'#"']
    return [os.path.join(objects, path) for path in paths]


def _loose(objects: str, name: bytes) -> tuple[str, bytes] | None:
    digits = name.hex()
    try:
        file = open(os.path.join(objects, digits[:2], digits[2:]), "rb")
    except FileNotFoundError:
        return None
    with file:
        machine = zlib.decompressobj()
        start = machine.decompress(file.read(4096), 64)
        header, nul, content = start.partition(b"\0")
        kind, _, digits = header.decode("ascii").partition(" ")
        size = int(digits)
        if not nul or kind not in KINDS.values():
            raise _Unsure
        return kind, _finish(file, machine, content, size)


def _finish(file: "BinaryIO", machine: "zlib._Decompress", content: bytes, size: int) -> bytes:
    """All `size` bytes of a zlib stream that has given `content` so far."""
    if size > LIMIT:
        raise _Unsure
    parts, have = [content], len(content)
    while not machine.eof:
        chunk = machine.unconsumed_tail or file.read(max(4096, size - have))
        if not chunk or have > size:
            raise _Unsure
        part = machine.decompress(chunk, size + 1 - have)
        parts.append(part)
        have += len(part)
    if have != size:
        raise _Unsure
    return b"".join(parts)


def _packed(objects: str, name: bytes) -> tuple[str, bytes] | None:
    folder = os.path.join(objects, "pack")
    try:
        files = os.listdir(folder)
    except FileNotFoundError:
        return None
    for file in files:
        if file.endswith(".idx"):
            index = os.path.join(folder, file)
            offset = _offset(index, name)
            if offset is not None:
                return _from_pack(index, offset, len(name))
    return None


def _offset(index: str, name: bytes) -> int | None:
    """Where `name` starts in the pack of `index`: fan-out, then the names of its first byte."""
    width, first = len(name), name[0]
    with open(index, "rb") as file:
        head = file.read(8 + 1024)
        if head[:8] != b"\377tOc\0\0\0\2":
            raise _Unsure
        low = _number(head, 4 + 4 * first) if first else 0
        high = _number(head, 8 + 4 * first)
        count = _number(head, 8 + 1020)
        file.seek(len(head) + low * width)
        names = file.read((high - low) * width)
        at = names.find(name)
        while at % width and at >= 0:
            at = names.find(name, at + 1)
        if at < 0:
            return None
        offsets = len(head) + count * (width + 4)
        file.seek(offsets + 4 * (low + at // width))
        offset = _number(file.read(4), 0)
        if offset < 0x80000000:
            return offset
        file.seek(offsets + 4 * count + 8 * (offset - 0x80000000))
        return int.from_bytes(_exactly(file.read(8), 8), "big")


def _from_pack(index: str, offset: int, width: int) -> tuple[str, bytes]:
    """Walk down the delta chain to a whole object, then apply the deltas upwards."""
    deltas: list[bytes] = []
    with open(index.removesuffix("idx") + "pack", "rb") as pack:
        for _ in range(MAX_CHAIN):
            pack.seek(offset)
            head = pack.read(32 + width)
            kind, size, at = _entry_header(head)
            start = offset
            if kind == OFS_DELTA:
                back, at = _back(head, at)
                offset -= back
            elif kind == REF_DELTA:
                base = _offset(index, head[at : at + width])
                if base is None:
                    raise _Unsure
                offset, at = base, at + width
            elif kind not in KINDS:
                raise _Unsure
            pack.seek(start + at)
            content = _finish(pack, zlib.decompressobj(), b"", size)
            if kind in KINDS:
                for delta in reversed(deltas):
                    content = _apply(content, delta)
                return KINDS[kind], content
            deltas.append(content)
    raise _Unsure


def _entry_header(head: bytes) -> tuple[int, int, int]:
    """(kind, size, length of the header) of a pack entry."""
    byte, at, shift = head[0], 1, 4
    kind, size = (byte >> 4) & 7, byte & 15
    while byte & 0x80:
        byte = head[at]
        size |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return kind, size, at


def _back(head: bytes, at: int) -> tuple[int, int]:
    """How far before this entry its base starts, and where the entry goes on."""
    byte = head[at]
    back = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = head[at]
        back = ((back + 1) << 7) | (byte & 0x7F)
    return back, at + 1


def _apply(base: bytes, delta: bytes) -> bytes:
    base_size, at = _varint(delta, 0)
    size, at = _varint(delta, at)
    if base_size != len(base) or size > LIMIT:
        raise _Unsure
    parts, have = [], 0
    while at < len(delta):
        op, at = delta[at], at + 1
        if op & 0x80:
            start, at = _sparse(delta, at, op, 4)
            length, at = _sparse(delta, at, op >> 4, 3)
            part = base[start : start + (length or 0x10000)]
            length = length or 0x10000
        else:
            length = op
            part, at = delta[at : at + length], at + length
        if not length or len(part) != length:
            raise _Unsure
        parts.append(part)
        have += length
    if have != size:
        raise _Unsure
    return b"".join(parts)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _sparse(data: bytes, at: int, bits: int, count: int) -> tuple[int, int]:
    """A little-endian number of which only the bytes named in `bits` are stored."""
    value = 0
    for place in range(count):
        if bits >> place & 1:
            value |= data[at] << (8 * place)
            at += 1
    return value, at


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(_exactly(data[at : at + 4], 4), "big")


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise _Unsure
    return data
