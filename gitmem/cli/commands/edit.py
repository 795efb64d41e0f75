"""`git mem edit`: a new revision of a note, from the editor or from options."""

from typing import Any

import click

from gitmem.changes import Written
from gitmem.cli import output
from gitmem.cli.editor import edited
from gitmem.cli.note_params import field_options, scope_options, take_fields, take_scope
from gitmem.cli.params import LAYERS, decorated_with, json_option
from gitmem.cli.written import print_stored, written_json
from gitmem.core.note import Note
from gitmem.errors import GitMemError
from gitmem.memory import Memory
from gitmem.reading import content_of

REMOVABLE = {
    "path": "paths",
    "command": "commands",
    "error": "errors",
    "prompt": "prompts",
    "tag": "tags",
    "alias": "aliases",
    "supersedes": "supersedes",
}


class NoSuchValue(GitMemError):
    kind = "not-found"


remove_options = decorated_with(
    *(
        click.option(
            f"--remove-{name}",
            f"remove_{field}",
            multiple=True,
            metavar="VALUE",
            help=f"Remove {'an' if name[0] in 'ae' else 'a'} {name}."
            if name != "supersedes"
            else "No longer replace a note.",
        )
        for name, field in REMOVABLE.items()
    )
)


@click.command("edit")
@click.argument("name", metavar="ID")
@click.argument("text", required=False)
@field_options
@remove_options
@click.option("--no-always", is_flag=True, help="No longer show at session start.")
@click.option("--no-pin", is_flag=True, help="No longer keep it at the top.")
@scope_options
@click.option("--layer", type=click.Choice(LAYERS), help="Which layer's note to edit.")
@json_option
def command(
    *,
    name: str,
    text: str | None,
    no_always: bool,
    no_pin: bool,
    layer: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Change a note; the text before is kept in its history.

    With options, or with TEXT as the new body, no editor is opened. List options add; --remove-path
    and the like take away; other options replace.
    """
    removed = {field: set(options.pop(f"remove_{field}")) for field in REMOVABLE.values()}
    fields, scope = take_fields(options), take_scope(options)
    memory = Memory.open(environ=True)
    at, folded = memory.held(name, layer)
    before = content_of(folded)
    assert before is not None  # held() found it alive
    asked = text is not None or no_always or no_pin or any(removed.values())
    if asked or fields.over(Note(id="")) != Note(id=""):
        note = before if text is None else before.edited(body=text.rstrip("\n") + "\n")
        note = _without(fields.over(note), removed, no_always=no_always, no_pin=no_pin)
        written = memory.save(at, folded, note, scope=scope)
    else:
        with edited(before) as typed:
            note = typed or before
            written = memory.save(at, folded, note.edited(id=note.id or before.id), scope=scope)
    clashes = [
        ("conflict", f"note '{name}' was changed meanwhile: both texts are kept")
        for name in written.clashes
    ]
    for _, message in clashes:
        output.warn(message)
    for note_id in written.clashes:
        output.hint(f"settle it with: git mem edit {note_id}")
    if as_json:
        output.print_json(written_json(memory, written, clashes))
    else:
        print_written(memory, written)
    return 0


def _without(note: Note, removed: dict[str, set[str]], *, no_always: bool, no_pin: bool) -> Note:
    def kept(field: str, values: tuple[str, ...]) -> tuple[str, ...]:
        if missing := sorted(removed[field] - set(values)):
            there = ", ".join(f"'{value}'" for value in values)
            hint = f"its {field}: {there}" if there else f"it has no {field}"
            raise NoSuchValue(f"note '{note.id}' has no '{missing[0]}' among its {field}", hint)
        return tuple(value for value in values if value not in removed[field])

    triggers = note.triggers
    return note.edited(
        triggers=type(triggers)(
            triggers.always and not no_always,
            *(kept(kind, getattr(triggers, kind)) for kind in list(REMOVABLE.values())[:4]),
        ),
        pinned=note.pinned and not no_pin,
        **{field: kept(field, getattr(note, field)) for field in list(REMOVABLE.values())[4:]},
    )


def print_written(memory: Memory, written: Written) -> None:
    for stored in written.notes:
        print_stored(memory, stored)
    for note_id in written.unchanged:
        output.say(f"unchanged {note_id}")
