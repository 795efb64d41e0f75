"""What differs between two views: the notes that came, changed and went. Pure.

A note is known by its id. It changed when it says or triggers something else; who wrote it, when
and on which commit is no change. Texts are compared by word, as `git diff --word-diff` does: white
space between words does not count.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any

from gitmem.core.ids import id_key
from gitmem.core.merge import SETS, members
from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH, TRIGGER_KINDS, Note
from gitmem.core.view import Shown

MAX_UNITS = 5_000  # lines or words; longer texts that differ are given whole
UNORDERED = (*SETS, "commands", "errors", "prompts")
BRACKETS = {"-": ("[-", "-]"), "+": ("{+", "+}")}

View = Mapping[str, Shown]  # id key → note
Piece = tuple[str, str]  # '=', '-' or '+', and a text


@dataclass(frozen=True)
class Changed:
    """A note that both views have. `changes`: name of a field → (old, new), at least one; the names
    and values are those of the JSON form of a note."""

    old: Shown
    new: Shown
    changes: Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True)
class Removed:
    """A note that is gone, why it was forgotten, and the ids of the new notes that supersede it."""

    shown: Shown
    reason: str | None = None
    replaced_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class NoteDiff:
    """The notes of each sort, by id."""

    added: tuple[Shown, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[Removed, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One line of what changed: a list lost `old` or got `new`, or a value went from one to the
    other (`strength`, '3', '5')."""

    name: str
    old: str | None
    new: str | None


def compare(
    before: View,
    after: View,
    *,
    already: View | None = None,
    reasons: Mapping[str, str] | None = None,
) -> NoteDiff:
    """What `after` shows otherwise than `before`.

    What the view `already` shows as `after` does is no news and is left out. `reasons` are those
    that tombstones give, by id key.
    """
    keys = [key for key in sorted(before.keys() | after.keys()) if not _is_same(key, before, after)]
    if already is not None:
        keys = [key for key in keys if not _is_same(key, already, after)]
    added = tuple(after[key] for key in keys if key not in before)
    return NoteDiff(
        added,
        tuple(
            Changed(before[key], after[key], changes(before[key], after[key]))
            for key in keys
            if key in before and key in after
        ),
        tuple(
            Removed(before[key], (reasons or {}).get(key), _superseding(key, added))
            for key in keys
            if key not in after
        ),
    )


def _is_same(key: str, before: View, after: View) -> bool:
    if key not in before or key not in after:
        return (key in before) == (key in after)
    return not changes(before[key], after[key])


def _superseding(key: str, notes: Iterable[Shown]) -> tuple[str, ...]:
    return tuple(
        item.note.id for item in notes if key in {id_key(name) for name in item.note.supersedes}
    )


def changes(old: Shown, new: Shown) -> dict[str, tuple[Any, Any]]:
    """Name of a field → (old value, new value), for the fields that differ."""
    before, after = _values(old), _values(new)
    return {
        name: (before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if _is_change(name, before.get(name), after.get(name))
    }


def _values(shown: Shown) -> dict[str, Any]:
    note = shown.note
    return {
        **dict(note.extra),
        "kind": note.kind or DEFAULT_KIND,
        "triggers": {
            "always": note.triggers.always,
            **{kind: list(getattr(note.triggers, kind)) for kind in TRIGGER_KINDS},
        },
        "confidence": note.confidence,
        "verified": note.verified,
        "strength": note.strength or DEFAULT_STRENGTH,
        "entity": note.entity,
        "pinned": note.pinned,
        **{name: list(getattr(note, name)) for name in SETS},
        "body": note.body,
        "conflict": shown.folded.is_conflict,
    }


def _is_change(name: str, old: Any, new: Any) -> bool:
    """Whether two values of a field differ. The order counts only where the last match wins."""
    if name == "triggers":
        return any(_is_change(kind, old[kind], new[kind]) for kind in old)
    if name in UNORDERED:
        return set(old) != set(new)
    return bool(old != new)


def totals(diff: NoteDiff, stale: int = 0) -> str:
    """`2 notes added, 1 changed, 1 removed, 3 may be stale`; '' for nothing."""
    counts = (
        (len(diff.added), "added"),
        (len(diff.changed), "changed"),
        (len(diff.removed), "removed"),
        (stale, "may be stale"),
    )
    parts = [(count, what) for count, what in counts if count]
    if not parts:
        return ""
    count, what = parts[0]
    first = f"{count} {'note' if count == 1 else 'notes'} {what}"
    return ", ".join([first, *(f"{count} {what}" for count, what in parts[1:])])


# --- fields as lines ----------------------------------------------------------------------------


def field_changes(changed: Changed) -> list[FieldChange]:
    """All that changed except the body, one line each, values first."""
    lines = [
        FieldChange(name, _text(old), _text(new))
        for name, (old, new) in changed.changes.items()
        if name not in ("triggers", "body", *SETS)
    ]
    old_note, new_note = changed.old.note, changed.new.note
    had, has = members(old_note), members(new_note)
    lines += [FieldChange(_one(kind), None, text) for kind, text in has if (kind, text) not in had]
    lines += [FieldChange(_one(kind), text, None) for kind, text in had if (kind, text) not in has]
    return lines + _reordered(old_note, new_note)


def _reordered(old: Note, new: Note) -> list[FieldChange]:
    """The paths, when they are the same in another order: of patterns the last match wins."""
    before, after = old.triggers.paths, new.triggers.paths
    if before == after or set(before) != set(after):
        return []
    return [FieldChange("paths", ", ".join(before), ", ".join(after))]


def _one(kind: str) -> str:
    """What one member of a list is called: `path`, `tag`, `alias`, `supersedes`."""
    if kind in ("always", "supersedes"):
        return kind
    return "alias" if kind == "aliases" else kind.removesuffix("s")


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- texts by word ------------------------------------------------------------------------------


class _Words:
    """The words of a text, the white space before each, and where each line begins."""

    def __init__(self, text: str) -> None:
        found = re.findall(r"(\s*)(\S+)", text)
        self.spaces = [space for space, _ in found]
        self.words = [word for _, word in found]
        self.lines = [tuple(line.split()) for line in text.split("\n") if line.strip()]
        self.starts = [0, *accumulate(len(line) for line in self.lines)]

    def between(self, low: int, high: int) -> tuple[str, str]:
        """The white space before the words low…high-1, and these words."""
        inner = zip(self.spaces[low + 1 : high], self.words[low + 1 : high], strict=True)
        text = self.words[low] + "".join(space + word for space, word in inner)
        return self.spaces[low], text


def word_diff(old: str, new: str) -> list[Piece]:
    """How `old` becomes `new`: what is common (as in `new`), what went, what came.

    Of two texts that differ in nothing but white space all is common.
    """
    a, b = _Words(old), _Words(new)
    pieces: list[Piece] = []
    for op, i, j, k, m in _opcodes(a, b):
        if op != "insert" and op != "equal":
            space, text = a.between(i, j)
            pieces += [("=", space if op == "delete" else b.spaces[k]), ("-", text)]
        if op != "delete":
            space, text = b.between(k, m)
            if op == "equal":
                space = space or a.spaces[i]
            pieces += [] if op == "replace" else [("=", space)]
            pieces.append(("=" if op == "equal" else "+", text))
    return [piece for piece in pieces if piece[1]]


def _opcodes(a: _Words, b: _Words) -> Iterator[tuple[str, int, int, int, int]]:
    """The opcodes over words; lines that are the same are found first, which is faster."""
    for op, i, j, k, m in _matched(a.lines, b.lines):
        low, high, low_b, high_b = a.starts[i], a.starts[j], b.starts[k], b.starts[m]
        if op != "replace":
            yield op, low, high, low_b, high_b
            continue
        for inner, p, q, r, s in _matched(a.words[low:high], b.words[low_b:high_b]):
            yield inner, low + p, low + q, low_b + r, low_b + s


def _matched(a: Sequence[Any], b: Sequence[Any]) -> Sequence[tuple[str, int, int, int, int]]:
    if a == b:
        return [("equal", 0, len(a), 0, len(b))] if a else []
    if max(len(a), len(b)) > MAX_UNITS:
        return [("replace" if a and b else "delete" if a else "insert", 0, len(a), 0, len(b))]
    return list(SequenceMatcher(None, a, b).get_opcodes())


def changed_paragraphs(pieces: Iterable[Piece]) -> list[list[Piece] | None]:
    """The paragraphs in which something changed; None stands for unchanged ones between."""
    found: list[list[Piece] | None] = []
    for paragraph in _paragraphs(pieces):
        if any(op != "=" for op, _ in paragraph):
            found.append(paragraph)
        elif found[-1:] != [None]:
            found.append(None)
    return found


def _paragraphs(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    current: list[Piece] = []
    for op, text in pieces:
        first, *more = re.split(r"\n[^\S\n]*\n\s*", text) if op == "=" else [text]
        current.append((op, first))
        for part in more:
            yield current
            current = [("=", part)]
    yield current


def marked(pieces: Iterable[Piece], marks: Mapping[str, tuple[str, str]] = BRACKETS) -> str:
    """The pieces as one text, with (opening, closing) around what went and came on each line."""
    return "".join(
        "\n".join(_around(line, *marks[op]) for line in text.split("\n")) if op in marks else text
        for op, text in pieces
    )


def _around(line: str, opening: str, closing: str) -> str:
    return f"{opening}{line}{closing}" if line.strip() else line
