"""`git mem list`: the notes that are there, or those that need attention."""

import click

from gitmem.cli import listing, output
from gitmem.cli.params import LAYERS, ids_option, json_option
from gitmem.memory import Memory


@click.command("list")
@click.option("--kind", metavar="K", help="Only notes of this kind.")
@click.option("--tag", metavar="T", help="Only notes with this tag.")
@click.option("--entity", metavar="E", help="Only notes about this entity (or alias).")
@click.option("--layer", type=click.Choice(LAYERS), help="Only notes of this layer.")
@click.option("--orphans", is_flag=True, help="Only notes whose triggers reach nothing.")
@click.option("--conflicts", is_flag=True, help="Only notes in conflict.")
@click.option("--forgotten", is_flag=True, help="Only notes that were forgotten.")
@click.option("--pending", is_flag=True, help="Only notes about work not committed yet.")
@click.option("--stranded", is_flag=True, help="Only notes that no branch has any more.")
@click.option("--all-branches", is_flag=True, help="Notes of other branches too.")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Show at most N.")
@ids_option
@json_option
def command(
    *,
    kind: str | None,
    tag: str | None,
    entity: str | None,
    layer: str | None,
    orphans: bool,
    conflicts: bool,
    forgotten: bool,
    pending: bool,
    stranded: bool,
    all_branches: bool,
    limit: int | None,
    ids: bool,
    as_json: bool,
) -> int:
    """List the notes that are seen at HEAD, of every layer, by id."""
    memory = Memory.open(environ=True)
    is_special = orphans or conflicts or forgotten or pending or stranded or all_branches
    entries = None
    if limit and not (tag or entity or layer or is_special or as_json):
        entries = listing.first(memory, limit, kind)
    if entries is None:
        from gitmem.cli import choosing  # reads all notes, which the first few need not

        found = choosing.found(
            memory,
            choosing.Asked(kind, tag, entity, layer, conflicts=conflicts),
            orphans=orphans,
            forgotten=forgotten,
            pending=pending,
            stranded=stranded,
            all_branches=all_branches,
        )[:limit]
        if as_json:
            output.print_json({"notes": choosing.documents(found, forgotten=forgotten)})
            return 0
        entries = choosing.entries(found)
    if ids:
        output.say_all(listing.ids(entries))
    else:
        output.page(listing.lines(entries))
    return 0
