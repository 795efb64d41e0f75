"""What the revisions of a note of state say, told at a glance. Pure, imports nothing.

Most notes of a branch are closed, and to read them all as notes costs more than all else that a
session starts with. This reads what this program writes, and says None for whatever is not exactly
that, or has several heads: then the note is read and folded like any other.
"""

FENCE = b"\n---\n"
FORGOTTEN = b"\nforgotten: true\n"

CLOSED = ("", "")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def front_of(data: bytes) -> bytes:
    """The front matter of a revision, with a line end at both ends."""
    return data[3 : data.find(FENCE, 3) + 1] if data.startswith(b"---\n") else b""


def value(data: bytes, name: str) -> str | None:
    """A field of a revision; '' where it is not there, None where it is not plain."""
    front = front_of(data)
    mark = f"\n{name}: ".encode()
    start = front.find(mark)
    if start < 0:
        return ""
    start += len(mark)
    text = front[start : front.find(b"\n", start)]
    if text[:1] == b'"':
        text = text[1:-1] if text[-1:] == b'"' and b"\\" not in text else b""
    elif not text or text[:1] in b"'[{&*!|>%@`#":
        text = b""
    return text.decode("utf-8", "replace") or None


def standing(revisions: "Mapping[str, bytes]") -> "tuple[str, str] | None":
    """(text, order) of a note from its revisions by rev; CLOSED where nothing of it stands.

    None where several heads stand, or the text cannot be told.
    """
    fronts = {rev: front_of(data) for rev, data in revisions.items()}
    heads = [
        rev
        for rev in fronts
        if not any(rev.encode() in front for other, front in fronts.items() if other != rev)
    ]
    if not all(fronts.values()) or not heads:
        return None
    live = [rev for rev in heads if FORGOTTEN not in fronts[rev]]
    if not live:
        return CLOSED
    data = revisions[live[0]]
    order, text = value(data, "order"), data[data.find(FENCE, 3) + len(FENCE) :]
    if len(heads) > 1 or not order or not text.strip():
        return None
    return text.decode("utf-8", "replace").strip(), order
