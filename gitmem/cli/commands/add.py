"""`git mem add`: store notes given as text, as files or in an editor."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from gitmem.branches import who_sees
from gitmem.changes import MANY, Stored, Written
from gitmem.cli import output
from gitmem.cli.editor import TEMPLATE, edited
from gitmem.cli.params import (
    Fields,
    field_options,
    json_option,
    layer_options,
    scope_options,
    take_fields,
    take_scope,
)
from gitmem.codec import parse
from gitmem.core.note import Note
from gitmem.drafting import Draft, Refused
from gitmem.errors import GitMemError
from gitmem.memory import Memory
from gitmem.store.anchors import Scope


@click.command("add")
@click.argument("text", required=False)
@field_options
@click.option("--id", "note_id", metavar="ID", help="The id; default: the first words.")
@click.option(
    "-F", "--file", "files", multiple=True, metavar="FILE", help="A whole note; '-' is stdin."
)
@click.option("--edit", "opens_editor", is_flag=True, help="Finish the note in the editor.")
@click.option("--yes", is_flag=True, help="Accept warnings.")
@scope_options
@layer_options("shared")
@json_option
def command(
    *,
    text: str | None,
    note_id: str | None,
    files: tuple[str, ...],
    opens_editor: bool,
    yes: bool,
    layer: str,
    as_json: bool,
    **options: Any,
) -> int:
    """Store a note: a fact about this project, and when it matters.

    \b
    git mem add "src/api.py nests items inside event" --why "clients break"
    git mem add "Releases go through make publish" -c "npm publish"
    git mem add -F note.md
    """
    fields, scope = take_fields(options), take_scope(options)
    given = len(files) + (text is not None)
    if note_id and given > 1:
        raise click.UsageError("--id names one note, and several were given")
    if opens_editor and given > 1:
        raise click.UsageError("--edit finishes one note, and several were given")
    if not given and not opens_editor and not sys.stdin.isatty():
        raise click.UsageError("nothing to add: give TEXT, or a whole note with -F FILE")
    memory = Memory.open(environ=True)
    drafts, unread = _drafts(text, files, fields, note_id)
    if opens_editor or not given:
        start = drafts[0].note if drafts else fields.over(Note(id=note_id or ""))
        if unread:
            raise unread[0]
        with edited(start, TEMPLATE) as note:
            if note is None or not note.body.strip():
                raise Refused("nothing was added: the text is empty")
            drafts = [Draft(note, "the note", derives=not note.triggers, source=note.body)]
            written, warnings = _store(memory, drafts, layer, scope, asks=not yes)
            if written.refused:
                raise written.refused[0]
    else:
        written, warnings = _store(memory, drafts, layer, scope, asks=not yes)
        written = written.joined(Written(refused=unread))
    if as_json:
        _print_json(memory, written, warnings)
    else:
        _print(memory, written)
    return 1 if written.refused else 0


def _store(
    memory: Memory, drafts: list[Draft], layer: str, scope: Scope, *, asks: bool
) -> tuple[Written, list[tuple[str, str]]]:
    """Add the notes, and what the gates warned of; on a terminal, a warning is asked about."""
    warnings = _warnings(memory, drafts)
    for _, message in warnings:
        output.warn(message)
    if warnings and asks and sys.stdin.isatty() and output.is_terminal():
        click.confirm("store it all the same?", default=True, abort=True)
    return memory.add(drafts, layer, scope=scope), warnings


def _warnings(memory: Memory, drafts: list[Draft]) -> list[tuple[str, str]]:
    """What the gates warn of, for notes added by hand; those that will be refused have none."""
    if len(drafts) > MANY:
        return []
    try:
        return memory.warnings(drafts)
    except GitMemError:
        return []


def _drafts(
    text: str | None,
    files: tuple[str, ...],
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


def _print(memory: Memory, written: Written) -> None:
    if len(written.notes) > 20:
        output.say(f"added {len(written.notes)} notes ({written.notes[0].layer})")
    else:
        for stored in written.notes:
            print_stored(memory, stored)
    for note_id in written.unchanged[:20]:
        output.say(f"unchanged {note_id}")
    if len(written.unchanged) > 20:
        output.say(f"unchanged {len(written.unchanged) - 20} more")
    for error in written.refused:
        output.error(error.message)
        for hint in error.hints:
            output.hint(hint)


def print_stored(memory: Memory, stored: Stored) -> None:
    anchor = stored.note.anchor
    pending = ", pending" if anchor and anchor.pending else ""
    output.say(f"{stored.op} {stored.note.id} ({stored.layer}{pending})")
    if not stored.note.forgotten:
        for line in output.trigger_lines(stored.note, stored.derived):
            output.say(line)
    output.say(f"  seen {who_sees(anchor, memory.default_branch)}")


def _print_json(memory: Memory, written: Written, warnings: list[tuple[str, str]]) -> None:
    if written.refused and not written.notes and not written.unchanged:
        raise written.refused[0]
    output.print_json(written_json(memory, written, warnings))


def written_json(
    memory: Memory, written: Written, warnings: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    default = memory.default_branch
    document: dict[str, Any] = {
        "notes": [
            {
                **output.note_json(
                    item.note,
                    layer=item.layer,
                    revision=item.rev,
                    visible=not item.note.forgotten,
                ),
                "op": item.op,
                "seen": who_sees(item.note.anchor, default),
                "derived": list(item.derived),
            }
            for item in written.notes
        ],
        "warnings": [{"gate": gate, "message": message} for gate, message in warnings],
        "unchanged": written.unchanged,
    }
    if written.refused:
        document["refused"] = [
            {"kind": error.kind, "message": error.message, "hints": list(error.hints)}
            for error in written.refused
        ]
    return document
