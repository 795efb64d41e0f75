"""Notes as bytes, and bytes as notes: the only reader and writer of the note format.

One parser serves every command, so that no second copy can drift from the first; `docs/spec/
format.md` is its contract. Front matter in plain shapes is read by `frontmatter_subset`, all other
YAML through python-frontmatter's handler interface and YAML events. Both keep every scalar as the
text that was typed, and neither expands an alias. Must not touch files, git or the clock.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gitmem import fields, frontmatter_subset, note_text
from gitmem.core.note import Anchor, Note
from gitmem.frontmatter_subset import MAX_DEPTH, MAX_KEY, NULLS, UNPRINTABLE, Bare, Value
from gitmem.note_text import MAX_NOTE_BYTES, BadNote

if TYPE_CHECKING:
    from frontmatter.default_handlers import BaseHandler

__all__ = [
    "MAX_NOTE_BYTES",
    "BadNote",
    "decode",
    "decode_gone",
    "encode",
    "encode_gone",
    "front_matter",
    "note_handler",
    "parse",
    "revision_name",
]

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_KEY_LINE = re.compile(r"[ \t]*(?:- +)?([\w-]+)[ \t]*:(?:[ \t]|$)")
_VALUE_LINE = re.compile(r" *(-|[\w-]+:) +(.+?) *")


def parse(data: bytes, name: str) -> Note:
    """The note in `data` as a person or a tool wrote it; its id is "" when it gives none.

    `name` is what errors call the note, usually its file name. BadNote.
    """
    text = note_text.text_of(data, name)
    front, body = note_text.split(text, name)
    tree = _tree(front, name)
    try:
        return fields.note_from(tree, note_text.ended(body))
    except fields.FieldError as error:
        raise _located(error, front, name) from None


def decode(data: bytes, name: str) -> Note:
    """The note in a stored revision: `parse`, and it must have an id. BadNote."""
    note = parse(data, name)
    if not note.id:
        raise BadNote(name, "the note has no id", "write a line 'id: …' between the '---' lines")
    return note


def encode(note: Note) -> bytes:
    """The canonical bytes of `note`: UTF-8, LF, fields in fixed order, defaults left out.

    `decode(encode(note))` is `note` with blank values dropped and line ends made LF. BadNote for
    what `decode` would refuse: over MAX_NOTE_BYTES, a NUL in the body, a lone surrogate.
    """
    name = note.id or "note"
    body = note_text.ended(note_text.with_lf(note.body))
    try:
        front = frontmatter_subset.write(fields.fields_of(note))
        data = f"{note_text.FENCE}{front}{note_text.FENCE}{body}".encode()
    except fields.FieldError as error:
        raise BadNote(name, error.problem) from None
    except UnicodeEncodeError as error:
        raise BadNote(name, f"lone surrogate {error.object[error.start]!a} is not text") from None
    except ValueError as error:
        raise BadNote(name, f"front matter {error}") from None
    note_text.check(data, name)
    return data


def revision_name(data: bytes) -> str:
    """What a revision of these bytes is called: the first 20 hex digits of their SHA-256."""
    import hashlib  # lazily: a reader of one note need not load a library of ciphers

    return hashlib.sha256(data).hexdigest()[:20]


def encode_gone(replaces: Sequence[str], anchor: Anchor | None) -> bytes:
    """What a purge leaves of a revision."""
    return encode(Note(id="", replaces=tuple(replaces), anchor=anchor))


def decode_gone(data: bytes, name: str) -> tuple[tuple[str, ...], Anchor | None]:
    """`replaces` and anchor of a purged revision; anything else in it is ignored. BadNote."""
    tree, _ = front_matter(data, name)
    try:
        return (
            fields.list_from(tree.get("replaces", []), ("replaces",)),
            fields.anchor_from(tree.get("anchor", Bare("")), ("anchor",)),
        )
    except fields.FieldError as error:
        raise BadNote(name, error.problem, *error.hints) from None


def front_matter(data: bytes, name: str) -> tuple[dict[str, Value], str]:
    """Front matter as a tree of text, and the body as it stands: for files that are no notes.

    BadNote, whose `line` says which value to repair.
    """
    front, body = note_text.split(note_text.text_of(data, name), name)
    return _tree(front, name), body


def _tree(front: str | None, name: str) -> dict[str, Value]:
    if not front:
        return {}
    tree = frontmatter_subset.read(front)
    return note_handler(name).load(front) if tree is None else tree


def _located(error: fields.FieldError, front: str | None, name: str) -> BadNote:
    front = front or ""
    line = _YamlReader(front, name).lines[error.path]
    keys = [part for part in error.path if isinstance(part, str)]
    hints = _hints(front, line) if isinstance(error, fields.NotText) else ()
    return BadNote(name, error.problem, *(hints or error.hints), line=line, key=keys[-1])


def _hints(front: str, line: int) -> tuple[str, ...]:
    """What to type instead of line `line`, where its text makes that plain."""
    if re.search(r"^<{7} ", front, re.MULTILINE):
        return ("these are merge conflict markers: keep one side and remove them",)
    text = front.split("\n")[line - 2]
    if "\t" in text[: len(text) - len(text.lstrip())]:
        return ("indent with spaces, not tabs",)
    match = _VALUE_LINE.fullmatch(text)
    if not match or len(match[2]) > 80 or not _needs_quotes(match[2]):
        return ()
    import json  # only for this hint

    return (f"quote it: {match[1]} {json.dumps(match[2], ensure_ascii=False)}",)


def _needs_quotes(value: str) -> bool:
    if value[0] in "\"'{[":
        return value[:2] == "{{" or (value[0] == "[" and "]" in value and value[-1] != "]")
    return value[0] in "*&!%@`?,]}" or ": " in value or " #" in value or value[-1] == ":"


class _YamlReader:
    """All of YAML, by its events: scalars stay text; what would lose or multiply text is refused.

    `tree` holds the fields, `lines` the line in the file of every value by its path.
    """

    def __init__(self, front: str, name: str) -> None:
        import yaml  # lazily: a one-shot command that meets plain front matter must not pay for it

        self.lines: dict[fields.Path, int] = {}
        self._front = front
        self._name = name
        self._check_characters()
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._events: Iterator[Any] = iter(yaml.parse(front, Loader=loader))
        try:
            self.tree = self._document()
        except yaml.YAMLError as error:
            raise self._invalid(error) from None
        except (ValueError, OverflowError):  # "\UFFFFFFFF" in the pure Python scanner
            raise self._bad("not valid YAML", 2, None) from None

    def _check_characters(self) -> None:
        bad = UNPRINTABLE.search(self._front)
        if bad:
            code = f"{ord(bad[0]):04x}"
            raise BadNote(
                self._name,
                f"character U+{code.upper()} in front matter",
                f'write it as \\u{code} inside "…", or remove it',
                line=self._front.count("\n", 0, bad.start()) + 2,
            )

    def _document(self) -> dict[str, Value]:
        next(self._events)  # the stream starts
        if type(next(self._events)).__name__ == "StreamEndEvent":
            return {}
        tree = self._node(next(self._events), ())
        next(self._events)  # the document ends
        event = next(self._events)
        if type(event).__name__ != "StreamEndEvent":
            problem = "front matter must be one YAML document"
            raise self._bad(problem, event.start_mark.line + 2, None)
        if isinstance(tree, Bare):
            return {}
        if not isinstance(tree, dict):
            raise BadNote(
                self._name,
                "front matter must be 'key: value' lines",
                "if line 1 is a horizontal rule, put an empty line before it",
                line=self.lines[()],
            )
        return tree

    def _node(self, event: Any, path: fields.Path) -> Value:
        kind = type(event).__name__
        line = event.start_mark.line + 2
        self.lines[path] = line
        if kind == "AliasEvent" or event.anchor is not None:
            raise self._bad("YAML anchors and aliases are not allowed", line, path)
        if event.tag is not None:
            raise self._bad("YAML tags are not allowed", line, path)
        if kind == "ScalarEvent":
            return self._scalar(event, path)
        if len(path) > MAX_DEPTH:
            raise self._bad("front matter is nested too deeply", line, path)
        if kind == "SequenceStartEvent":
            items: list[Value] = []
            while type(event := next(self._events)).__name__ != "SequenceEndEvent":
                items.append(self._node(event, (*path, len(items))))
            return items
        out: dict[str, Value] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            key = self._key(event, path, out)
            out[key] = self._node(next(self._events), (*path, key))
            self.lines[(*path, key)] = event.start_mark.line + 2
        return out

    def _key(self, event: Any, path: fields.Path, seen: Iterable[str]) -> str:
        line = event.start_mark.line + 2
        if type(event).__name__ in ("MappingStartEvent", "SequenceStartEvent"):
            raise self._bad("a key must be text", line, path)
        key = str(self._node(event, path))
        if len(key) > MAX_KEY:
            raise self._bad(f"a key may have {MAX_KEY} characters", line, path)
        if key in seen:
            raise BadNote(self._name, f"key '{key}' is given twice", line=line, key=key)
        return key

    def _scalar(self, event: Any, path: fields.Path) -> str:
        text = str(event.value)
        bad = _NO_TEXT.search(text)
        if bad:
            raise self._bad(f"U+{ord(bad[0]):04X} is not text", self.lines[path], path)
        return Bare(text) if event.implicit[0] and text in NULLS else text

    def _bad(self, problem: str, line: int, path: fields.Path | None, *hints: str) -> BadNote:
        key = next((part for part in reversed(path or ()) if isinstance(part, str)), None)
        key = key or self._key_near(line)
        problem = f"{problem} (key '{key}')" if key else problem
        hints = _hints(self._front, line) or hints
        return BadNote(self._name, problem, *hints, line=line, key=key)

    def _invalid(self, error: Any) -> BadNote:
        context = getattr(error, "context", None) or ""
        mark = getattr(error, "problem_mark", None)
        if "quoted" in context or "flow" in context:  # the problem is seen late: say where it began
            mark = error.context_mark or mark
        last = self._front.count("\n") + 1
        line = min(mark.line + 2, last) if mark else 2
        said = getattr(error, "problem", None) or "it cannot be read"
        return self._bad("not valid YAML", line, None, f"YAML says: {said}")

    def _key_near(self, line: int) -> str | None:
        for text in reversed(self._front.split("\n")[: line - 1]):
            match = _KEY_LINE.match(text)
            if match:
                return match[1]
        return None


@functools.cache
def _handler_class() -> "Callable[[str], BaseHandler]":
    from frontmatter.default_handlers import BaseHandler  # lazily, as yaml above

    class NoteHandler(BaseHandler):
        """Our fences, our YAML and our spelling, for python-frontmatter."""

        FM_BOUNDARY = re.compile(r"---(?:\n|\Z)")
        START_DELIMITER = END_DELIMITER = "---"

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def split(self, text: str) -> tuple[str, str]:
            front, body = note_text.split(text, self.name)
            if front is None:
                raise ValueError("no front matter")  # what python-frontmatter waits for
            return front, body

        def load(self, fm: str) -> dict[str, Any]:
            return _YamlReader(fm, self.name).tree

        def export(self, metadata: dict[str, Any], **_: object) -> str:
            return frontmatter_subset.write(metadata).removesuffix("\n")

    return NoteHandler


def note_handler(name: str = "note") -> "BaseHandler":
    """A python-frontmatter handler (`frontmatter.load(path, handler=note_handler())`).

    It keeps our fences and our text; `name` is what its BadNote errors call the file.
    """
    return _handler_class()(name)
