"""From words and files to notes that are stored. Loads no click (see `plain.py`)."""

import sys
from collections.abc import Callable, Sequence

from gitmem.changes import Written
from gitmem.cli import output
from gitmem.cli.fields import Fields
from gitmem.codec import parse
from gitmem.drafting import Draft
from gitmem.errors import GitMemError
from gitmem.memory import Memory
from gitmem.placing import MANY
from gitmem.store.anchors import Scope


def store(
    memory: Memory,
    drafts: list[Draft],
    layer: str | None = None,
    scope: Scope | None = None,
    ask: Callable[[], None] | None = None,
) -> tuple[Written, list[tuple[str, str]]]:
    """Add the notes, and what the gates warned of; `ask` may end it where they warn. `layer` is the
    one that somebody chose, else they are shared."""
    warnings = _warnings(memory, drafts, layer)
    for _, message in warnings:
        output.warn(message)
    if warnings and ask:
        ask()
    return memory.add(drafts, layer or "shared", scope=scope), warnings


def _warnings(memory: Memory, drafts: list[Draft], layer: str | None) -> list[tuple[str, str]]:
    """What the gates warn of, for notes added by hand; those that will be refused have none."""
    if len(drafts) > MANY:
        return []
    try:
        return memory.warnings(drafts, layer)
    except GitMemError:
        return []


def drafts_of(
    text: str | None,
    files: Sequence[str],
    fields: Fields,
    note_id: str | None,
) -> tuple[list[Draft], list[GitMemError]]:
    """The notes that were given, and why some of them cannot be read."""
    drafts: list[Draft] = []
    unread: list[GitMemError] = []
    for name in files:
        try:
            drafts.append(_draft(_read(name), _called(name), fields, note_id))
        except GitMemError as error:
            unread.append(error)
    if text is not None:
        drafts.append(_draft(text.encode("utf-8", "replace"), "the note", fields, note_id))
    return drafts, unread


def _draft(data: bytes, name: str, fields: Fields, note_id: str | None) -> Draft:
    note = parse(data, name)
    derives = not note.triggers
    note = fields.over(note)
    source = data.decode("utf-8", "replace")
    return Draft(note.edited(id=note_id or note.id), name, derives=derives, source=source)


def _called(name: str) -> str:
    return "standard input" if name == "-" else name


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise GitMemError(f"{name}: {error.strerror}", kind="system") from error
