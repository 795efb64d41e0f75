"""`git mem list`: the notes that are there, or those that need attention."""

import click

from gitmem import reading
from gitmem.cli import output
from gitmem.cli.params import LAYERS, ids_option, json_option
from gitmem.core.note import DEFAULT_KIND
from gitmem.core.text import words
from gitmem.core.view import Shown
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
    loaded = memory.load()
    for notes in loaded:
        for broken in notes.broken:
            output.warn(f"{notes.layer}: {broken.message}")
    if stranded:
        found = memory.stranded(loaded)
    elif forgotten:
        found = reading.forgotten(loaded)
    else:
        found = {**(reading.hidden(loaded) if all_branches else {}), **reading.unite(loaded)}
    if pending:
        waiting = reading.pending(loaded)
        found = {**{key: item for key, item in found.items() if key in waiting}, **waiting}
    if orphans:
        found = memory.orphans(found)
    asked = words(entity) if entity else None
    chosen = [
        item
        for _, item in sorted(found.items())
        if (kind is None or (item.note.kind or DEFAULT_KIND) == kind)
        and (tag is None or tag in item.note.tags)
        and (asked is None or asked in [words(name) for name in item.note.names])
        and (layer is None or layer in item.layers)
        and (not conflicts or item.folded.is_conflict)
    ][:limit]
    if as_json:
        output.print_json({"notes": [_json(item, forgotten=forgotten) for item in chosen]})
    elif ids:
        for item in chosen:
            output.say(item.note.id)
    else:
        output.page(_lines(chosen))
    return 0


def _json(item: Shown, *, forgotten: bool) -> dict[str, object]:
    document = output.shown_json(item)
    return {**document, "visible": False, "forgotten": True} if forgotten else document


def _lines(chosen: list[Shown]) -> list[str]:
    colour, reset = (output.YELLOW, output.RESET) if output.has_colour() else ("", "")
    width = min(max((len(item.note.id) for item in chosen), default=0), 40)
    lines = []
    for item in chosen:
        mark = output.marks(item)
        layer = "" if item.layer == "shared" else f"[{item.layer}] "
        lines.append(
            f"{colour}{item.note.id:<{width}}{reset}  {layer}{output.summary(item.note)}{mark}"
        )
    return lines
