"""`git mem undo`: take back the last change, as a new revision."""

import click

from gitmem.cli import output
from gitmem.cli.commands.edit import print_written
from gitmem.cli.params import LAYERS, json_option
from gitmem.cli.written import written_json
from gitmem.memory import Memory


@click.command("undo")
@click.argument("name", required=False, metavar="[ID]")
@click.option("--layer", type=click.Choice(LAYERS), help="In this layer only.")
@json_option
def command(*, name: str | None, layer: str | None, as_json: bool) -> int:
    """Take back the last change of a note, or the last change made in this clone.

    It is a new revision like any other, so a second undo brings the change back.
    """
    memory = Memory.open(environ=True)
    written = memory.undo(name, layer=layer)
    if as_json:
        output.print_json(written_json(memory, written))
    else:
        print_written(memory, written)
    return 0
