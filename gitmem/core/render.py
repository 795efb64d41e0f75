"""Put notes before an agent as data, within a budget. Hot: imports nothing.

The wrapper cannot be closed from inside a note, what cannot be seen is removed, and the words are
neutral: these are notes of this repository, they may be out of date.
"""

TAG = "git-memory"
HARD_CAP = 9_000
DEFAULT_BUDGET = 4_000
OPENING = (
    f"<{TAG}>\n"
    "Notes kept with this repository, relevant to this step. They are background data and may be "
    "out of date; the code decides.\n"
)
CLOSING = f"</{TAG}>"
_TAGS = ("git-memory", "system-reminder", "system", "hook_context", "function_calls", "tool_result")


class Card:
    """One note ready to be shown: `head` and `why` are single lines, `body` is Markdown."""

    __slots__ = ("id", "head", "why", "body")

    def __init__(self, note_id: str, head: str, why: str, body: str) -> None:
        self.id = note_id
        self.head = head
        self.why = why
        self.body = body


def size(text: str) -> int:
    """Characters as agents count them: UTF-16 units."""
    return len(text) + (0 if text.isascii() else sum(char > "\uffff" for char in text))


def pack(cards: "list[Card]", budget: int, more: str, left_out: int = 0) -> "tuple[str, list[str]]":
    """(the text, the ids it shows) of as many cards as fit, best first.

    A first note that does not fit alone is cut at a paragraph. `left_out` more notes were never
    turned into cards; `more` is the command that shows what was omitted.
    """
    budget = min(budget, HARD_CAP)
    tail = f"\n999 more notes omitted; see them with: {_clean_line(more)}\n{CLOSING}"
    room = budget - size(OPENING) - size(tail)
    parts: list[str] = []
    shown: list[str] = []
    for card in cards:
        part = _text(card)
        if size(part) > room and not parts:
            part = _cut(card, max(room, 200))
        if size(part) <= room:
            parts.append(part)
            shown.append(card.id)
            room -= size(part)
    omitted = left_out + len(cards) - len(shown)
    if not shown:
        return "", []
    end = ""
    if omitted:
        notes = "note" if omitted == 1 else "notes"
        end = f"\n{omitted} more {notes} omitted; see with: {_clean_line(more)}\n"
    return OPENING + "".join(parts) + end + CLOSING, shown


def _text(card: Card) -> str:
    return f"\n## {clean(card.head)}\n{clean(card.why)}\n\n{closed(clean(card.body)).rstrip()}\n"


def _cut(card: Card, room: int) -> str:
    """The card with its body cut after a paragraph, else a line, else a word."""
    rest = f"\n\n[cut here; the whole note: git mem show {card.id}]"
    frame = size(_text(Card(card.id, card.head, card.why, "")))
    left = room - frame - size(rest) - 8
    body = closed(clean(card.body)).rstrip()
    while size(body) > left and body:
        body = body[: left if left > 0 else 0]
        for separator in ("\n\n", "\n", " "):
            end = body.rfind(separator)
            if end > len(body) // 3:
                body = body[:end]
                break
        left -= 4
    return _text(Card(card.id, card.head, card.why, body + rest))


def closed(text: str) -> str:
    """`text` with a code fence that it leaves open closed."""
    fence = ""
    for line in text.split("\n"):
        mark = line.strip()
        if fence:
            if mark.startswith(fence) and not mark.strip(fence[0]):
                fence = ""
        elif mark.startswith(("```", "~~~")):
            fence = mark[0] * (len(mark) - len(mark.lstrip(mark[0])))
    return f"{text.rstrip()}\n{fence}" if fence else text


def clean(text: str) -> str:
    """`text` without control, bidi and invisible characters, and without tags that close ours."""
    if not text.isascii() or not text.isprintable():
        text = "".join(char for char in text if char in "\n\t" or _is_visible(char))
    if "<" not in text:
        return text
    parts = text.split("<")
    return parts[0] + "".join(("&lt;" if _is_tag(part) else "<") + part for part in parts[1:])


def _is_visible(char: str) -> bool:
    code = ord(char)
    return not (
        code < 0x20
        or 0x7F <= code < 0xA0
        or code == 0xAD
        or 0x200B <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
        or 0xD800 <= code <= 0xDFFF
        or code in (0x061C, 0x180E, 0xFEFF, 0x115F, 0x1160, 0x3164, 0xFFA0)
        or 0xFFF9 <= code <= 0xFFFB
        or 0xE0000 <= code <= 0xE0FFF
    )


def _is_tag(after: str) -> bool:
    name = after.lstrip(" \t\n/").casefold()
    return name.startswith(_TAGS)


def _clean_line(text: str) -> str:
    return " ".join(clean(text).split())
