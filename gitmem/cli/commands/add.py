"""`git mem add`: store notes given as text, as files or in an editor."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from gitmem.changes import MANY, Stored, Written
from gitmem.cli import output
from gitmem.cli.editor import TEMPLATE, edit_text
from gitmem.cli.params import Fields, field_options, json_option, layer_options, take_fields
from gitmem.codec import parse
from gitmem.core.note import Note
from gitmem.drafting import Draft
from gitmem.errors import GitMemError
from gitmem.memory import Memory


@click.command("add")
@click.argument("text", required=False)
@field_options
@click.option("--id", "note_id", metavar="ID", help="The id; default: the first words.")
@click.option(
    "-F", "--file", "files", multiple=True, metavar="FILE", help="A whole note; '-' is stdin."
)
@click.option("--edit", "opens_editor", is_flag=True, help="Finish the note in the editor.")
@click.option("--yes", is_flag=True, help="Accept warnings.")
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
    fields = take_fields(options)
    memory = Memory.open(environ=True)
    drafts, unread = _drafts(text, files, fields, note_id, opens_editor=opens_editor)
    if not drafts and not unread:
        output.error("nothing was added: the text is empty")
        return 1
    warnings = _warnings(memory, drafts)
    for _, message in warnings:
        output.warn(message)
    if warnings and not yes and sys.stdin.isatty() and output.is_terminal():
        click.confirm("store it all the same?", default=True, abort=True)
    written = memory.add(drafts, layer).joined(Written(refused=unread))
    if as_json:
        _print_json(written, warnings)
    else:
        _print(written)
    return 1 if written.refused else 0


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
    *,
    opens_editor: bool,
) -> tuple[list[Draft], list[GitMemError]]:
    """The notes that were given, and why some of them cannot be read."""
    if note_id and len(files) + (text is not None) > 1:
        raise click.UsageError("--id names one note, and several were given")
    drafts: list[Draft] = []
    unread: list[GitMemError] = []
    for name in files:
        try:
            drafts.append(_draft(parse(_read(name), name), name, fields, note_id))
        except GitMemError as error:
            unread.append(error)
    if text is None and not files and not opens_editor:
        if not sys.stdin.isatty():
            raise click.UsageError("nothing to add: give TEXT, or a whole note with -F FILE")
        opens_editor = True
    if text is not None or opens_editor:
        typed = parse((text or "").encode("utf-8", "replace"), "the text")
        if opens_editor:
            edited = edit_text(_draft(typed, "", fields, note_id).note, TEMPLATE)
            return ([Draft(edited, "the text")] if edited else []), unread
        drafts.append(_draft(typed, "the note", fields, note_id))
    return drafts, unread


def _draft(note: Note, name: str, fields: Fields, note_id: str | None) -> Draft:
    derives = not note.triggers
    note = fields.over(note)
    return Draft(note.edited(id=note_id or note.id), name, derives=derives)


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise GitMemError(f"{name}: {error.strerror}", kind="system") from error


def _print(written: Written) -> None:
    if len(written.notes) > 20:
        output.say(f"added {len(written.notes)} notes ({written.notes[0].layer})")
    else:
        for stored in written.notes:
            print_stored(stored)
    for note_id in written.unchanged[:20]:
        output.say(f"unchanged {note_id}")
    if len(written.unchanged) > 20:
        output.say(f"unchanged {len(written.unchanged) - 20} more")
    for error in written.refused:
        output.error(error.message)
        for hint in error.hints:
            output.hint(hint)


def print_stored(stored: Stored) -> None:
    output.say(f"{stored.op} {stored.note.id} ({stored.layer})")
    if not stored.note.forgotten:
        for line in output.trigger_lines(stored.note, stored.derived):
            output.say(line)


def _print_json(written: Written, warnings: list[tuple[str, str]]) -> None:
    if written.refused and not written.notes and not written.unchanged:
        raise written.refused[0]
    output.print_json(written_json(written, warnings))


def written_json(written: Written, warnings: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
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
