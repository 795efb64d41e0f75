"""`git mem restore`: undo a forget."""

import click

from gitmem.cli import output
from gitmem.cli.commands.edit import print_written
from gitmem.cli.params import LAYERS, json_option
from gitmem.cli.written import written_json
from gitmem.memory import Memory


@click.command("restore")
@click.argument("name", metavar="ID")
@click.option("--layer", type=click.Choice(LAYERS), help="In this layer only.")
@json_option
def command(*, name: str, layer: str | None, as_json: bool) -> int:
    """Bring a forgotten note back as it was."""
    memory = Memory.open(environ=True)
    written = memory.restore(name, layer=layer)
    if as_json:
        output.print_json(written_json(memory, written))
    else:
        print_written(memory, written)
    return 0
