"""`git mem reindex`: build the index anew, and report the notes that nothing reaches."""

import click

from gitmem import reading
from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.core.ids import id_key
from gitmem.index.refresh import refreshed
from gitmem.index.write import BROKEN
from gitmem.memory import Memory


@click.command("reindex")
@click.option("--quiet", is_flag=True, help="Only bring the index up to date.")
@json_option
def command(*, quiet: bool, as_json: bool) -> int:
    """Rebuild the index from the refs and end with the orphan report."""
    memory = Memory.open(environ=True)
    index = memory.index(rebuild=not quiet)
    count = len({id_key(row.id) for row in index.rows()}) if not quiet else 0
    broken = [line.split("\t") for line in index.header.get("broken", "").split(BROKEN) if line]
    index.close()
    if quiet:
        refreshed(index)
        return 0
    orphans = sorted(memory.orphans(reading.unite(memory.load())).values(), key=lambda x: x.note.id)
    if as_json:
        output.print_json(
            {
                "indexed": count,
                "orphans": [item.note.id for item in orphans],
                "broken": [path for _, path, _ in broken],
            }
        )
        return 0
    output.say(f"indexed {output.counted(count, 'note')}")
    for layer, _, message in broken:
        output.warn(f"{layer}: {message}")
    for item in orphans:
        patterns = ", ".join(item.note.triggers.paths)
        output.say(f"orphan {item.note.id}: no tracked file matches {patterns}")
    if orphans:
        output.hint("change the triggers: git mem edit ID -p 'src/**' --remove-path 'old/**'")
    return 0
