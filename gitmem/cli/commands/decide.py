"""`git mem decide`: write down a decision, and why it was taken."""

from typing import Any

import click

from gitmem.cli import adding
from gitmem.cli.fields import Fields
from gitmem.cli.note_params import field_options, scope_options, take_fields, take_scope
from gitmem.cli.params import json_option, layer_options
from gitmem.cli.written import print_added, print_json
from gitmem.core import decision as decisions
from gitmem.core.derive import derive_paths
from gitmem.core.note import Note, Triggers, slug
from gitmem.drafting import Draft
from gitmem.memory import Memory


@click.command("decide")
@click.argument("title")
@click.option("--context", metavar="T", default="", help="What made a decision necessary.")
@click.option("--decision", metavar="T", default="", help="What was decided; default: TITLE.")
@click.option("--because", metavar="T", required=True, help="Why this and nothing else.")
@field_options
@click.option("--id", "note_id", metavar="ID", help="The id; default: the words of TITLE.")
@scope_options
@layer_options("shared")
@json_option
def command(
    *,
    title: str,
    context: str,
    decision: str,
    because: str,
    note_id: str | None,
    layer: str,
    as_json: bool,
    **options: Any,
) -> int:
    """Write down a decision: one dated note that is both its story and the fact that is recalled.

    \b
    git mem decide "Amounts are integer cents" --context "Floats lost a cent in March" \\
      --decision "Store and pass amounts as integer cents" --because "Sums must be exact" \\
      -p "src/pay/**"

    What is recalled is the title, the decision and the reason; 'git mem show' has the whole story.
    Without -p and the like the files that the text names become its triggers, else the words of the
    title. To reverse a decision, decide anew with --supersedes ID: nothing is deleted, and the new
    one is recalled where the old one was.
    """
    fields, scope = take_fields(options), take_scope(options)
    memory = Memory.open(environ=True)
    before = [memory.note(name).note for name in fields.supersedes]
    fields = fields._replace(supersedes=tuple(note.id for note in before))
    body = decisions.body_of(title, decision or title, because, context)
    start = Note(
        id=note_id or slug(title), body=body, kind=decisions.KIND, strength=decisions.STRENGTH
    )
    note = fields.over(start)
    if not _says_when(fields):
        note = note.edited(triggers=_derived(memory, title, body, before))
    draft = Draft(
        note, "the decision", is_id_derived=note_id is None, derives=False, source=note.body
    )
    written, warnings = adding.store(memory, [draft], layer, scope)
    if as_json:
        print_json(memory, written, warnings)
    else:
        print_added(memory, written)
    return 1 if written.refused else 0


def _says_when(fields: Fields) -> bool:
    given = (fields.paths, fields.commands, fields.errors, fields.prompts, fields.entity)
    return fields.always or any(given)


def _derived(memory: Memory, title: str, body: str, before: list[Note]) -> Triggers:
    """When it matters, where nobody said so: where what it reverses did, or by its own words."""
    found = Triggers(paths=derive_paths(body, memory.tracked))
    if not found:
        found = Triggers(prompts=decisions.phrases(title))
    for note in before:
        found = found.union(note.triggers)
    return found
