"""The fields of a note: what each may hold, and how front matter text becomes a `Note`.

The one table of field names and types. Reads and gives trees of text (`Value`); must know nothing
of YAML, files or lines: an error names the path of the value, and `codec.py` finds the line.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from gitmem.core.note import CONFIDENCE, TRIGGER_KINDS, Anchor, Note, Triggers, checked_id, slug
from gitmem.errors import GitMemError
from gitmem.frontmatter_subset import Bare, Value

Path: TypeAlias = tuple[str | int, ...]

_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_ANCHOR_TEXTS = ("commit", "tree", "patch_id", "branch", "merge_base")


class FieldError(Exception):
    """A value that its field cannot hold. `path` leads to it: field names and list positions."""

    def __init__(self, path: Path, problem: str, *hints: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem
        self.hints = hints


class NotText(FieldError):
    """A mapping or a list where text is wanted: often text that should have been quoted."""


def note_from(fields: dict[str, Value], body: str) -> Note:
    """The note that `fields` and `body` describe; its id is "" when there is none. FieldError."""
    known: dict[str, Any] = {"id": ""}
    extra: list[tuple[str, Any]] = []
    for name, value in fields.items():
        if name == "triggers":
            known[name], unknown = _triggers(value)
            if unknown:
                extra.insert(0, (name, unknown))
        elif name in _FIELDS:
            known[name] = _FIELDS[name](value, (name,))
        else:
            extra.append((name, _own_text(value)))
    return Note(body=body, extra=tuple(extra), **known)


def anchor_from(value: Value, path: Path) -> Anchor | None:
    """The anchor a mapping describes; None for a null. FieldError."""
    if isinstance(value, Bare):
        return None
    fields = _mapping(value, path, "anchor: {commit: 1f2e3d}")
    texts = {name: _text(fields[name], (*path, name)) for name in _ANCHOR_TEXTS if name in fields}
    paths = _list(fields["paths"], (*path, "paths")) if "paths" in fields else ()
    extra = tuple(
        (name, _own_text(item))
        for name, item in fields.items()
        if name != "paths" and name not in _ANCHOR_TEXTS
    )
    return Anchor(paths=paths, extra=extra, **texts)


def list_from(value: Value, path: Path) -> tuple[str, ...]:
    """A list of names: a YAML list, or one text split at its commas. FieldError."""
    return _list(value, path, commas=True)


def _triggers(value: Value) -> tuple[Triggers, dict[str, Value]]:
    fields: dict[str, Value] = {}
    if not isinstance(value, Bare):
        fields = _mapping(value, ("triggers",), 'triggers: {paths: ["src/**"]}')
    known: dict[str, Any] = {}
    unknown: dict[str, Value] = {}
    for name, item in fields.items():
        path = ("triggers", name)
        if name == "always":
            known[name] = _truth(item, path)
        elif name in TRIGGER_KINDS:
            known[name] = _list(item, path, commas=name == "paths")
        else:
            unknown[name] = _own_text(item)
    return Triggers(**known), unknown


def _mapping(value: Value, path: Path, example: str) -> dict[str, Value]:
    if isinstance(value, dict):
        return value
    raise FieldError(path, f"'{path[-1]}' must be a mapping", f"write {example}")


def _text(value: Value, path: Path) -> str | None:
    if type(value) is str and value.strip():
        return value
    if not isinstance(value, str):
        what = "a mapping" if isinstance(value, dict) else "a list"
        raise NotText(path, f"'{path[-1]}' must be text, not {what}")
    return None


def _id(value: Value, path: Path) -> str:
    text = _text(value, path)
    if text is None:
        return ""
    try:
        return checked_id(text)
    except GitMemError as error:
        hints = (f"write id: {slug(text)}",) if slug(text) else ()
        raise FieldError(path, error.message, *hints) from None


def _truth(value: Value, path: Path) -> bool:
    text = _text(value, path)
    if text is None:
        return False
    if text.lower() not in _TRUTH:
        raise FieldError(path, f"'{path[-1]}' must be true or false, not '{_short(text)}'")
    return _TRUTH[text.lower()]


def _strength(value: Value, path: Path) -> int | None:
    text = _text(value, path)
    if text is not None and text not in ("1", "2", "3", "4", "5"):
        raise FieldError(path, f"'strength' must be a number from 1 to 5, not '{_short(text)}'")
    return None if text is None else int(text)


def _confidence(value: Value, path: Path) -> str | None:
    text = _text(value, path)
    if text is not None and text not in CONFIDENCE:
        words = ", ".join(reversed(CONFIDENCE))
        raise FieldError(path, f"'confidence' must be one of {words}, not '{_short(text)}'")
    return text


def _date(value: Value, path: Path) -> str | None:
    text = _text(value, path)
    if text is not None and not _is_date(text):
        problem = f"'{path[-1]}' must be a date, not '{_short(text)}'"
        raise FieldError(path, problem, "write it as YYYY-MM-DD")
    return text


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and dt.date.fromisoformat(text))
    except ValueError:
        return False


def _list(value: Value, path: Path, *, commas: bool = False) -> tuple[str, ...]:
    if isinstance(value, dict):
        problem = f"'{path[-1]}' must be a list, not a mapping"
        raise NotText(path, problem, f'write {path[-1]}: ["…"], each item in quotes')
    if isinstance(value, str):
        items: Iterable[Value] = [value]
        if commas and not isinstance(value, Bare):
            items = _split_at_commas(value)
    else:
        items = value
    out = []
    for index, item in enumerate(items):
        if not isinstance(item, str):
            what = "a mapping" if isinstance(item, dict) else "a list"
            problem = f"an item of '{path[-1]}' must be text, not {what}"
            raise NotText((*path, index), problem)
        if type(item) is str and item.strip():  # a Bare item is a null
            out.append(item)
    return tuple(out)


def _split_at_commas(text: str) -> list[str]:
    """The parts of `text` between commas that stand outside braces, trimmed."""
    parts, start, depth = [], 0, 0
    for at, char in enumerate(text):
        if char == "{":
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
        elif char == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _own_text(value: Value) -> Value:
    """`value` for a field we do not know: its text as it was typed, nulls too."""
    if isinstance(value, dict):
        return {name: _own_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_own_text(item) for item in value]
    return str(value)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"


_FIELDS: dict[str, Callable[[Value, Path], Any]] = {
    "id": _id,
    "kind": _text,
    "confidence": _confidence,
    "verified": _date,
    "strength": _strength,
    "tags": list_from,
    "entity": _text,
    "aliases": list_from,
    "pinned": _truth,
    "links": list_from,
    "supersedes": list_from,
    "created": _text,
    "written": _text,
    "author": _text,
    "anchor": anchor_from,
    "replaces": list_from,
    "forgotten": _truth,
    "reason": _text,
}


def fields_of(note: Note) -> dict[str, Value]:
    """The fields that say `note`, in the order they are written; what is unset is left out.

    FieldError when an unknown field has the name of a known one.
    """
    unknown_triggers, extra = _unknown(note)
    fields: dict[str, Value | None] = {
        "id": _said(note.id),
        "kind": _said(note.kind),
        "triggers": _trigger_fields(note.triggers) | unknown_triggers or None,
        "confidence": _said(note.confidence),
        "verified": _moment(note.verified),
        "strength": None if note.strength is None else Bare(note.strength),
        "tags": _listed(note.tags),
        "entity": _said(note.entity),
        "aliases": _listed(note.aliases),
        "pinned": Bare("true") if note.pinned else None,
        "links": _listed(note.links),
        "supersedes": _listed(note.supersedes),
        **extra,
        "created": _moment(note.created),
        "written": _moment(note.written),
        "author": _said(note.author),
        "anchor": None if note.anchor is None else anchor_fields(note.anchor),
        "replaces": _listed(note.replaces),
        "forgotten": Bare("true") if note.forgotten else None,
        "reason": _said(note.reason),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _unknown(note: Note) -> tuple[dict[str, Value], dict[str, Value]]:
    extra: dict[str, Value] = {}
    triggers: dict[str, Value] = {}
    for name, value in note.extra:
        if name == "triggers":  # where note_from keeps the trigger kinds it does not know
            triggers = value
        elif name in _FIELDS or name in extra:
            raise FieldError((name,), f"unknown field '{name}' has the name of another field")
        else:
            extra[name] = value
    return triggers, extra


def anchor_fields(anchor: Anchor) -> dict[str, Value]:
    """The fields that say `anchor`, in the order they are written."""
    fields: dict[str, Value | None] = {
        **{name: _said(getattr(anchor, name)) for name in _ANCHOR_TEXTS},
        "paths": _listed(anchor.paths),
        **dict(anchor.extra),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _trigger_fields(triggers: Triggers) -> dict[str, Value]:
    fields: dict[str, Value] = {"always": Bare("true")} if triggers.always else {}
    for kind in TRIGGER_KINDS:
        items = _listed(getattr(triggers, kind))
        if items:
            fields[kind] = items
    return fields


def _said(text: str | None) -> str | None:
    return text if text and text.strip() else None


def _moment(text: str | None) -> str | None:
    plain = text is not None and (_DATE.fullmatch(text) or _TIME.fullmatch(text))
    return Bare(text) if plain else _said(text)


def _listed(items: Iterable[str]) -> list[Value] | None:
    return [item for item in items if item.strip()] or None
