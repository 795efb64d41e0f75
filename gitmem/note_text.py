"""A note's bytes as text: encoding, line ends, the two fences, and the error for what is no note.

Knows nothing of YAML or fields. What it accepts and what it makes of it: `docs/spec/format.md`.
"""

from gitmem.errors import GitMemError

MAX_NOTE_BYTES = 1 << 20
FENCE = "---\n"


class BadNote(GitMemError):
    """Bytes that are no note. `line` is 1-based, of the whole file; `key` the field, if known."""

    kind = "bad-note"

    def __init__(
        self, name: str, problem: str, *hints: str, line: int | None = None, key: str | None = None
    ) -> None:
        where = name if line is None else f"{name}:{line}"
        super().__init__(f"{where}: {' '.join(problem.split())}", *hints)
        self.name = name
        self.line = line
        self.key = key


def text_of(data: bytes, name: str) -> str:
    """`data` as text with LF line ends and without its byte order mark. BadNote."""
    check(data, name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        line = data.count(b"\n", 0, error.start) + 1
        raise BadNote(name, problem, "save the file as UTF-8", line=line) from None
    return with_lf(text.removeprefix("\ufeff"))


def check(data: bytes, name: str) -> None:
    """Refuse what is too large or binary. BadNote."""
    if len(data) > MAX_NOTE_BYTES:
        raise BadNote(name, f"a note may have {MAX_NOTE_BYTES} bytes, this has {len(data)}")
    at = data.find(b"\0")
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise BadNote(name, f"not text: byte 0x00 at offset {at}", line=line)


def with_lf(text: str) -> str:
    """`text` with every line end an LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def ended(body: str) -> str:
    """`body` ending in exactly one LF, or empty."""
    body = body.rstrip("\n")
    return f"{body}\n" if body else ""


def split(text: str, name: str) -> tuple[str | None, str]:
    """Front matter and body; None and the whole text when line 1 is not the fence. BadNote."""
    if not text.startswith(FENCE):
        if text == "---":
            raise _unclosed(name)
        return None, text
    if text.startswith(FENCE, len(FENCE)):
        end = len(FENCE)
    else:
        end = text.find("\n---\n", len(FENCE)) + 1
        if not end:
            if not text.endswith("\n---"):
                raise _unclosed(name)
            end = len(text) - 3
    return text[len(FENCE) : end], text[end + len(FENCE) :]


def _unclosed(name: str) -> BadNote:
    return BadNote(
        name,
        "front matter is never closed",
        "end it with a line that is exactly '---'",
        "if line 1 is a horizontal rule, put an empty line before it",
        line=1,
    )
