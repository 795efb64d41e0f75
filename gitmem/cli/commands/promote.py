"""`git mem promote`: move a note to another layer."""

from typing import Any

import click

from gitmem.cli.moving import move, move_options


@click.command("promote")
@move_options
def command(**options: Any) -> int:
    """Move a note to another layer: from local to shared, say, for all who fetch.

    Its history goes along, earlier texts too. A note that comes into the project gets an anchor as
    a new note does; one that leaves it has none, and is seen in every project.
    """
    return move("promoted", **options)
