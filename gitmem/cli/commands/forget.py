"""`git mem forget`: a tombstone over notes. Their history stays, and `restore` brings them back."""

import sys

import click

from gitmem.changes import Written
from gitmem.cli import output
from gitmem.cli.commands.edit import print_written
from gitmem.cli.note_params import scope_options, take_scope
from gitmem.cli.params import LAYERS, a_date, an_age, json_option
from gitmem.cli.written import written_json
from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH
from gitmem.core.text import fold
from gitmem.core.view import superseded
from gitmem.memory import Memory
from gitmem.overview import unused


@click.command("forget")
@click.argument("names", nargs=-1, metavar="ID...")
@click.option("-q", "--query", metavar="TEXT", help="Notes whose id or text contains TEXT.")
@click.option("--kind", metavar="K", help="Notes of this kind.")
@click.option("--tag", metavar="T", help="Notes with this tag.")
@click.option("--max-strength", type=click.IntRange(1, 5), metavar="N", help="Up to strength N.")
@click.option(
    "--before", callback=a_date, metavar="DATE", help="Notes not written since DATE (YYYY-MM-DD)."
)
@click.option(
    "--not-recalled-since",
    "unused_since",
    callback=an_age,
    metavar="AGE",
    help="Notes that nothing delivered here since AGE (90d, 6m, 1y or YYYY-MM-DD).",
)
@click.option("--superseded", "only_superseded", is_flag=True, help="Notes that another replaces.")
@click.option("--reason", metavar="T", help="Why; kept in the history.")
@scope_options
@click.option("--layer", type=click.Choice(LAYERS), help="In this layer only.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(
    *,
    names: tuple[str, ...],
    query: str | None,
    kind: str | None,
    tag: str | None,
    max_strength: int | None,
    before: str | None,
    unused_since: float | None,
    only_superseded: bool,
    reason: str | None,
    layer: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **options: bool,
) -> int:
    """Forget notes: they leave recall and stay in the history.

    Selectors unite with AND and choose among all notes; IDs are taken as they are.
    """
    scope = take_scope(options)
    selectors = (query, kind, tag, max_strength, before, unused_since, only_superseded or None)
    is_selecting = any(selector is not None for selector in selectors)
    if not names and not is_selecting:
        raise click.UsageError("say which notes: give ids, or a selector such as --tag T")
    memory = Memory.open(environ=True)
    chosen = list(names)
    if is_selecting:
        some = _selected(memory, query, kind, tag, max_strength, before, layer, only_superseded)
        chosen += some if unused_since is None else unused(memory, some, unused_since)
    if dry_run:
        ids = [memory.held(name, layer)[1].id for name in chosen]
        if as_json:
            output.print_json({"would_forget": ids})
            return 0
        for note_id in ids:
            output.say(f"would forget {note_id}")
        if not ids:
            output.say("nothing to forget")
        return 0
    if chosen and not names and not yes and sys.stdin.isatty():
        for name in chosen:
            output.say(f"  {name}")
        click.confirm(f"forget {len(chosen)} notes?", abort=True)
    written = Written()
    if chosen:
        written = memory.forget(chosen, reason=reason, layer=layer, scope=scope)
    if as_json:
        output.print_json(written_json(memory, written))
    else:
        print_written(memory, written)
        if not chosen:
            output.say("nothing to forget")
    return 0


def _selected(
    memory: Memory,
    query: str | None,
    kind: str | None,
    tag: str | None,
    max_strength: int | None,
    before: str | None,
    layer: str | None,
    only_superseded: bool,
) -> list[str]:
    notes = memory.notes()
    over = superseded(item.note for item in notes.values())
    return [
        item.note.id
        for key, item in sorted(notes.items())
        if (query is None or fold(query) in fold(f"{item.note.id} {item.note.body}"))
        and (kind is None or (item.note.kind or DEFAULT_KIND) == kind)
        and (tag is None or tag in item.note.tags)
        and (max_strength is None or (item.note.strength or DEFAULT_STRENGTH) <= max_strength)
        and (before is None or (item.note.written or "") < before)
        and (layer is None or layer in item.layers)
        and (not only_superseded or key in over)
    ]
