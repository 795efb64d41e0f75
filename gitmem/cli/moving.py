"""What `git mem promote` and `git mem demote` have in common: all but the word."""

from typing import Any

import click

from gitmem.cli import output
from gitmem.cli.note_params import scope_options, take_scope
from gitmem.cli.params import LAYERS, decorated_with, json_option
from gitmem.cli.written import print_added, written_json
from gitmem.memory import Memory

move_options = decorated_with(
    click.argument("name", metavar="ID"),
    click.option(
        "--to", required=True, type=click.Choice(LAYERS), metavar="LAYER", help="Where it goes."
    ),
    click.option(
        "--from",
        "source",
        type=click.Choice(LAYERS),
        metavar="LAYER",
        help="Where it is; default: the nearest layer that has it.",
    ),
    scope_options,
    json_option,
)


def move(op: str, name: str, to: str, source: str | None, as_json: bool, **options: Any) -> int:
    """Move the note and say where it went; `op` is `promoted` or `demoted`."""
    scope = take_scope(options)
    memory = Memory.open(environ=True)
    written = memory.move(name, to, op=op, source=source, scope=scope)
    if as_json:
        output.print_json(written_json(memory, written))
    else:
        print_added(memory, written)
    return 0
