"""A block of ours between two marked lines in a text file of others, such as AGENTS.md.

Everything outside of the block stays to the byte, line ends and a missing last one included; an
older block is brought up to date where it stands. Pure: bytes in, bytes out.
"""

import re

from gitmem.agents.settings_file import Block
from gitmem.errors import GitMemError


class BadBlock(GitMemError):
    """The marked lines do not make a block. `line` is 1-based."""

    kind = "bad-settings"

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}:{line}: {problem}", f"repair {name} by hand, then run this again")
        self.name = name
        self.line = line


def with_block(before: bytes | None, text: bytes, block: Block, name: str) -> bytes:
    """The file with `text`, the block with its marks. Errors: BadBlock, calling the file `name`."""
    content = before or b""
    newline = b"\r\n" if b"\r\n" in content else b"\n"
    text = text.strip().replace(b"\n", newline)
    place = _place(content, block, name)
    if place is not None:
        return content[: place[0]] + text + content[place[1] :]
    if before is None:
        return text + newline
    if not content:
        return text
    if content.endswith(b"\n"):
        return content + newline + text + newline
    return content + newline + newline + text  # its end says that there was no last line end


def without_block(before: bytes | None, block: Block, name: str) -> bytes | None:
    """The file without the block; None when it held nothing else. Errors: BadBlock."""
    content = before or b""
    place = _place(content, block, name)
    if place is None:
        return before
    head, tail = content[: place[0]], content[place[1] :]
    if not head and tail in (b"\n", b"\r\n"):
        return None
    ours = rb"(?<=\n)\r?\n\Z" if tail else rb"(?:\r?\n){2}\Z"
    return re.sub(ours, b"", head) + re.sub(rb"\A[ \t]*\r?\n", b"", tail)


def has_block(content: bytes | None, block: Block, name: str) -> bool:
    """Whether there is a whole block. Errors: BadBlock."""
    return _place(content or b"", block, name) is not None


def _place(content: bytes, block: Block, name: str) -> tuple[int, int] | None:
    """Where the block starts and ends, without its line end."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise BadBlock(name, 1, "not UTF-8")
    begins, ends = (_lines_that_are(mark, content) for mark in (block.begin, block.end))
    if not begins and not ends:
        return None
    if len(begins) > 1 or len(ends) > 1:
        second = (begins if len(begins) > 1 else ends)[1]
        mark = block.begin if len(begins) > 1 else block.end
        raise BadBlock(name, _line(content, second[0]), f"'{mark}' stands here a second time")
    if not begins or not ends or begins[0][0] > ends[0][0]:
        there, mark = (begins[0], block.end) if begins else (ends[0], block.begin)
        side = "after" if begins else "before"
        raise BadBlock(name, _line(content, there[0]), f"no '{mark}' {side} this line")
    return begins[0][0], ends[0][1]


def _lines_that_are(mark: str, content: bytes) -> list[tuple[int, int]]:
    pattern = rb"^%s(?=[ \t]*\r?$)" % re.escape(mark.encode())
    return [match.span() for match in re.finditer(pattern, content, re.MULTILINE)]


def _line(content: bytes, at: int) -> int:
    return content.count(b"\n", 0, at) + 1
