"""How hits are printed: each with its reasons and its text. Loads no click (see `plain.py`)."""

from gitmem.cli import output
from gitmem.index.stale import said
from gitmem.recalling import Recalled


def ids(found: list[Recalled], limit: int | None = None) -> list[str]:
    """The ids of the first `limit` of what was found."""
    return [item.hit.row.id for item in found[:limit]]


def lines(found: list[Recalled], limit: int | None = None) -> list[str]:
    """The first `limit` of what was found, with reasons and text."""
    lines: list[str] = []
    bold, reset = (output.YELLOW, output.RESET) if output.has_colour() else ("", "")
    for item in found[:limit]:
        row = item.hit.row
        text, layer, mark = _content(item)
        lines.append(f"{bold}{row.id}{reset} ({row.kind}, {layer}){mark}")
        lines += [f"  {reason_line(reason)}" for reason in item.hit.matched]
        lines += [f"  {said(item.stale)}"] if item.stale else []
        lines += ["", *(f"    {line}".rstrip() for line in text.splitlines()), ""]
    if more := omitted(found, limit):
        lines.append(f"{more} more; see them with a larger --limit")
    return lines


def _content(item: Recalled) -> tuple[str, str, str]:
    """The text, the layer and what is odd about the note."""
    if (text := item.text) is not None:
        return text, item.hit.row.layer, ""
    from gitmem.cli.note_output import marks  # knows whole notes, which most hits need not

    return item.shown.note.body, item.shown.layer, marks(item.shown)


def omitted(found: list[Recalled], limit: int | None) -> int:
    """How many the limit leaves out."""
    return max(0, len(found) - limit) if limit else 0


def reason_line(reason: tuple[str, str, str]) -> str:
    """Which value matched which trigger."""
    kind, value, trigger = reason
    value = " ".join(value.split())
    value = value if len(value) <= 100 else value[:99] + "…"
    if kind in ("name", "grep"):
        return f"{kind}: {value}"
    return f"{kind}: {value} matches '{trigger}'"
