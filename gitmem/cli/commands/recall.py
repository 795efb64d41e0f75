"""`git mem recall`: what an event reaches, with the reason for every hit; or a note by name."""

import sys

import click

from gitmem.cli import hits, output
from gitmem.cli.params import LAYERS, ids_option, json_option
from gitmem.memory import Memory
from gitmem.recalling import Recalled, remember


@click.command("recall")
@click.argument("query", nargs=-1)
@click.option("--path", "paths", multiple=True, metavar="P", help="A file about to be touched.")
@click.option("--command", "commands", multiple=True, metavar="C", help="A command about to run.")
@click.option("--error", "errors", multiple=True, metavar="E", help="An error; '-' reads stdin.")
@click.option("--prompt", "prompts", multiple=True, metavar="T", help="What was asked.")
@click.option("--grep", metavar="RE", help="Search id, text and triggers for a pattern.")
@click.option("--kind", metavar="K", help="Only notes of this kind.")
@click.option("--tag", metavar="T", help="Only notes with this tag.")
@click.option(
    "--min-strength", type=click.IntRange(1, 5), metavar="N", help="Only from strength N."
)
@click.option("--layer", type=click.Choice(LAYERS), help="Only notes of this layer.")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Show at most N.")
@click.option("--all-branches", is_flag=True, help="Notes of other branches too, last.")
@ids_option
@json_option
def command(
    *,
    query: tuple[str, ...],
    paths: tuple[str, ...],
    commands: tuple[str, ...],
    errors: tuple[str, ...],
    prompts: tuple[str, ...],
    grep: str | None,
    kind: str | None,
    tag: str | None,
    min_strength: int | None,
    layer: str | None,
    limit: int | None,
    all_branches: bool,
    ids: bool,
    as_json: bool,
) -> int:
    """Show the notes that an event reaches, best first, and why.

    \b
    git mem recall --path src/api.py
    git mem recall --command "npm publish" --error "E403"
    make 2>&1 | git mem recall --error -
    git mem recall scripts-are-commonjs
    """
    if not (query or paths or commands or errors or prompts or grep):
        raise click.UsageError("say what happens: --path, --command, --error, --prompt, or a name")
    memory = Memory.open(environ=True)
    read = tuple(sys.stdin.read() if text == "-" else text for text in errors)
    found = memory.recall(
        memory.event(paths, commands, read, prompts),
        all_branches=all_branches,
        whole=bool(as_json or tag or layer or query or grep),
    )
    if query or grep:
        from gitmem.cli import searching  # reads all notes, which an event need not

        found = searching.added(memory, found, " ".join(query), grep, all_branches=all_branches)
    found = [item for item in found if _takes(item, kind, tag, min_strength, layer)]
    remember(memory, found[:limit])
    if as_json:
        _print_json(found[:limit], hits.omitted(found, limit))
    elif ids:
        output.say_all(hits.ids(found, limit))
    else:
        output.page(hits.lines(found, limit))
    return 0


def _takes(
    item: Recalled, kind: str | None, tag: str | None, min_strength: int | None, layer: str | None
) -> bool:
    row = item.hit.row
    return (
        kind in (None, row.kind)
        and (min_strength or 0) <= row.strength
        and (tag is None or tag in item.shown.note.tags)
        and (layer is None or layer in item.shown.layers)
    )


def _print_json(found: list[Recalled], omitted: int) -> None:
    from gitmem.cli.note_output import hit_json  # knows whole notes, which text need not

    documents = [{**hit_json(item.shown, item.hit), "stale": item.stale} for item in found]
    output.print_json({"hits": documents, "sufficient": None, "omitted": omitted})
