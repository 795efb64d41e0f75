"""Cut Markdown text into its sentences. Pure. Hot: imports nothing.

For what judges text by the sentence. It is no Markdown parser: it knows what ends a sentence in the
notes and rule files that people write (a blank line, a heading, a list item, a table cell) and that
code in a fence is none.
"""

WIDE_ENDS = "。！？"  # these need no blank after them
ENDS = ".!?…" + WIDE_ENDS
CLOSERS = "\"'”’»)]*_`~"
SHORT = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "incl.", "no.", "resp.", "z.b.")
ITEM, HEADING = "item", "heading"


class Sentence:
    """`line` counts from 1; `block` numbers the paragraph, item, cell or heading it stands in;
    `kind` is `item`, `heading`, or '' for other text."""

    __slots__ = ("line", "block", "kind", "text")

    def __init__(self, line: int, block: int, kind: str, text: str) -> None:
        self.line = line
        self.block = block
        self.kind = kind
        self.text = text


def sentences(text: str) -> "list[Sentence]":
    """The sentences of `text` in order, white space folded, without bullets and quote marks."""
    out: list[Sentence] = []
    block: list[tuple[int, str]] = []
    kind = fence = ""
    number = 0

    def close() -> None:
        nonlocal number
        if block:
            out.extend(_cut(block, number, kind))
            number += 1
            block.clear()

    for line_number, line in enumerate(text.splitlines(), 1):
        line = line.strip().lstrip(">").strip()
        mark = line[:3] if line[:3] in ("```", "~~~") else ""
        if fence:
            fence = "" if mark == fence else fence
            continue
        if mark:
            close()
            fence = mark
            continue
        new_kind, rest = _opening(line)
        if not line or new_kind is not None:
            close()
            kind = new_kind or ""
        if not rest:
            continue
        if line.startswith("|"):
            for cell in rest.split("|"):
                block.append((line_number, cell.strip()))
                close()
            continue
        block.append((line_number, rest))
        if kind == HEADING:
            close()
            kind = ""
    close()
    return out


def _opening(line: str) -> "tuple[str | None, str]":
    """(what begins with this line, or None where it goes on; the line without its mark)."""
    if not line.strip("-=*_|: \t"):
        return "", ""  # a rule, or the second line of a table
    if line.startswith("#"):
        return HEADING, line.strip("# \t")
    if line.startswith("|"):
        return ITEM, line.strip("| \t")
    if line[0] in "-*+•" and line[1:2] in (" ", "\t"):
        return ITEM, _unticked(line[2:].lstrip())
    digits = len(line) - len(line.lstrip("0123456789"))
    if (
        0 < digits < 4
        and line[digits : digits + 1] in (".", ")")
        and line[digits + 1 : digits + 2] == " "
    ):
        return ITEM, _unticked(line[digits + 2 :].lstrip())
    return None, line


def _unticked(item: str) -> str:
    return item[3:].lstrip() if item[:3].lower() in ("[ ]", "[x]") else item


def _cut(block: "list[tuple[int, str]]", number: int, kind: str) -> "list[Sentence]":
    text = ""
    starts: list[tuple[int, int]] = []
    for line, part in block:
        text += " " if text else ""
        starts.append((len(text), line))
        text += part
    out: list[Sentence] = []
    begin = 0
    for end in (*_ends(text), len(text)):
        if said := " ".join(text[begin:end].split()):
            at = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
            line = max(line for start, line in starts if start <= at)
            out.append(Sentence(line, number, kind, said))
        begin = end
    return out


def _ends(text: str) -> "list[int]":
    """Where the sentences of a paragraph end, but for the last."""
    found = set()
    for char in ENDS:
        at = text.find(char)
        while at >= 0:
            end = at + 1
            while text[end : end + 1] and text[end] in CLOSERS + ENDS:
                end += 1
            if char in WIDE_ENDS or (text[end : end + 1].isspace() and not _is_short(text[:end])):
                found.add(end)
            at = text.find(char, end)
    return sorted(found)


def _is_short(text: str) -> bool:
    """Whether `text` ends with an abbreviation and not with a sentence."""
    return text[text.rfind(" ") + 1 :].lstrip("(").lower() in SHORT
