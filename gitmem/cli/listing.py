"""How a list of notes is printed: a line for each. Loads no click (see `plain.py`)."""

from gitmem import glance
from gitmem.cli import output
from gitmem.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Entry = tuple[str, str, str, str]  # id, layer, text, and what is odd about the note


def first(memory: Memory, limit: int, kind: str | None = None) -> list[Entry] | None:
    """The first `limit` notes by id, without reading them all; None when that cannot be."""
    rows = memory.listed(limit, kind)
    if rows is None:
        return None
    texts = glance.texts_of(rows, memory.repository)
    found = [
        (row.id, row.layer, text, "")
        for row, text in zip(rows, texts, strict=True)
        if text is not None
    ]
    if len(found) == len(rows):
        return found
    from gitmem.cli import choosing  # knows whole notes, which most need not be

    return choosing.entries(choosing.called(memory, [row.id for row in rows]))


def ids(entries: "Sequence[Entry]") -> list[str]:
    return [note_id for note_id, *_ in entries]


def lines(entries: "Sequence[Entry]") -> list[str]:
    """The id and the first line of each."""
    colour, reset = (output.YELLOW, output.RESET) if output.has_colour() else ("", "")
    width = min(max((len(note_id) for note_id, *_ in entries), default=0), 40)
    lines = []
    for note_id, layer, text, mark in entries:
        where = "" if layer == "shared" else f"[{layer}] "
        said = f"{where}{output.summary(text)}{mark}"
        lines.append(f"{colour}{note_id:<{width}}{reset}  {said}")
    return lines
