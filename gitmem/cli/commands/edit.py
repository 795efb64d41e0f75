"""`git mem edit`: a new revision of a note, from the editor or from options."""

import sys
from typing import Any

import click

from gitmem.changes import Written
from gitmem.cli import output
from gitmem.cli.editor import edited
from gitmem.cli.note_params import field_options, scope_options, take_fields, take_scope
from gitmem.cli.params import LAYERS, decorated_with, json_option
from gitmem.cli.written import print_stored, written_json
from gitmem.core.note import Note
from gitmem.core.ranking import nearness
from gitmem.core.view import Folded
from gitmem.drafting import Draft, is_same_content
from gitmem.errors import GitMemError
from gitmem.explain import OUTSIDE
from gitmem.memory import Memory
from gitmem.naming import UnknownNote
from gitmem.reading import content_of
from gitmem.store.anchors import Scope
from gitmem.store.outer import OUTER

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
    and the like take away; other options replace. A note of a farther layer is overridden in this
    clone with --layer local.
    """
    removed = {field: set(options.pop(f"remove_{field}")) for field in REMOVABLE.values()}
    fields, scope = take_fields(options), take_scope(options)
    memory = Memory.open(environ=True)
    at, folded, layer = _found(memory, name, layer)
    before = content_of(folded)
    assert before is not None  # held() found it alive
    asked = text is not None or no_always or no_pin or any(removed.values())
    if asked or fields.over(Note(id="")) != Note(id=""):
        note = before if text is None else before.edited(body=text.rstrip("\n") + "\n")
        note = _without(fields.over(note), removed, no_always=no_always, no_pin=no_pin)
        written = _stored(memory, at, folded, note, layer, scope)
    else:
        with edited(before) as typed:
            note = typed or before
            note = note.edited(id=note.id or before.id)
            written = _stored(memory, at, folded, note, layer, scope)
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


def _found(memory: Memory, name: str, layer: str | None) -> tuple[str, Folded, str]:
    """(the layer that has the note, the note, the layer that gets what it says now): another one
    where a note from farther away is overridden."""
    try:
        at, folded = memory.held(name, layer)
    except UnknownNote:
        if layer is None:
            raise
        memory.layer(layer)
        at, folded = memory.held(name)
        if nearness(layer) > nearness(at):
            raise
        return at, folded, layer
    if layer is None and at in OUTER:
        layer = _where(folded.id, at)
    return at, folded, layer or at


def _where(note_id: str, at: str) -> str:
    """Whether a note from outside of the project is changed there, for other projects too."""
    seen = f"it is in layer {at}, seen {OUTSIDE[at]}"
    if not (sys.stdin.isatty() and output.is_terminal()):
        output.hint(f"{seen}; for this clone alone: git mem edit {note_id} --layer local")
        return at
    said: str = click.prompt(
        f"{seen}; change it there, or override it here?",
        type=click.Choice((at, "local")),
        default=at,
        err=True,
    )
    return said


def _stored(
    memory: Memory, at: str, folded: Folded, note: Note, layer: str, scope: Scope
) -> Written:
    """The note as its new revision, or, in a nearer layer, as a new note under its id."""
    if layer == at:
        return memory.save(at, folded, note, scope=scope)
    before = content_of(folded)
    if before is not None and is_same_content(before, note):
        return Written(unchanged=[note.id])
    fresh = note.edited(created=None, anchor=None, replaces=())
    written = memory.add([Draft(fresh, f"note '{note.id}'", derives=False)], layer, scope=scope)
    for error in written.refused:
        raise error
    return written


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
