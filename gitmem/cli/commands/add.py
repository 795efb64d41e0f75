"""`git mem add`: store notes given as text, as files or in an editor."""

import sys
from typing import Any

import click

from gitmem.capture import last_error
from gitmem.changes import Written
from gitmem.cli import adding, output
from gitmem.cli.note_params import field_options, scope_options, take_fields, take_scope
from gitmem.cli.params import json_option, layer_options
from gitmem.cli.written import print_added, print_json
from gitmem.core.note import Note
from gitmem.drafting import Draft, Refused
from gitmem.index.place import home
from gitmem.memory import Memory
from gitmem.store.questions import begin


@click.command("add")
@click.argument("text", required=False)
@field_options
@click.option("--id", "note_id", metavar="ID", help="The id; default: the first words.")
@click.option(
    "-F", "--file", "files", multiple=True, metavar="FILE", help="A whole note; '-' is stdin."
)
@click.option("--edit", "opens_editor", is_flag=True, help="Finish the note in the editor.")
@click.option(
    "--from-last-error",
    "takes_error",
    is_flag=True,
    help="The error that a hook saw last becomes a trigger.",
)
@click.option("--yes", is_flag=True, help="Accept warnings.")
@scope_options
@layer_options(None)
@json_option
def command(
    *,
    text: str | None,
    note_id: str | None,
    files: tuple[str, ...],
    opens_editor: bool,
    takes_error: bool,
    yes: bool,
    layer: str | None,
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
    if takes_error:
        fields = fields._replace(errors=(*fields.errors, _last_error(memory)))
    if given and not opens_editor:
        begin(memory.repository)  # not where somebody first writes in an editor
    drafts, unread = adding.drafts_of(text, files, fields, note_id)
    if opens_editor or not given:
        start = drafts[0].note if drafts else fields.over(Note(id=note_id or ""))
        if unread:
            raise unread[0]
        from gitmem.cli.editor import TEMPLATE, edited  # few notes are finished there

        with edited(start, TEMPLATE) as note:
            if note is None or not note.body.strip():
                raise Refused("nothing was added: the text is empty")
            drafts = [Draft(note, "the note", derives=not note.triggers, source=note.body)]
            layer = layer or _chosen_layer(memory, drafts, yes=yes)
            written, warnings = adding.store(memory, drafts, layer, scope, None if yes else _ask)
            if written.refused:
                raise written.refused[0]
    else:
        layer = layer or _chosen_layer(memory, drafts, yes=yes)
        written, warnings = adding.store(memory, drafts, layer, scope, None if yes else _ask)
        written = written.joined(Written(refused=unread))
    if as_json:
        print_json(memory, written, warnings)
    else:
        print_added(memory, written)
    return 1 if written.refused else 0


def _last_error(memory: Memory) -> str:
    """The line that tells the error which a hook saw last in this repository."""
    found = last_error(home(memory.repository.common_dir))
    if found is None:
        raise Refused(
            "no hook has seen an error in this repository",
            'say it yourself: git mem add "…" -e "part of the error"',
        )
    return found[1]


def _chosen_layer(memory: Memory, drafts: list[Draft], *, yes: bool) -> str | None:
    """Where notes go that nobody chose a layer for: said where somebody can read it, and asked
    where the text looks personal; None where nobody can answer."""
    if yes or not _is_somebody_there():
        return None
    from gitmem.writing import personal_signs  # few notes are added at a terminal

    signs = [sign for draft in drafts for sign in personal_signs(memory, draft.note)]
    if not signs:
        output.hint("it goes to layer shared, for all who fetch; others: --local, --self")
        return None
    output.warn(f"this looks personal, it says {' and '.join(dict.fromkeys(signs))}")
    choices = click.Choice(("shared", "local", "self"))
    said: str = click.prompt("which layer is it for?", type=choices, default="local", err=True)
    return said


def _is_somebody_there() -> bool:
    return sys.stdin.isatty() and output.is_terminal()


def _ask() -> None:
    """Whether a note that is warned of shall be stored, where somebody can answer."""
    if _is_somebody_there():
        click.confirm("store it all the same?", default=True, abort=True)
