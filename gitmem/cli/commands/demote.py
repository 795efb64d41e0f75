"""`git mem demote`: move a note to another layer."""

from typing import Any

import click

from gitmem.cli.moving import move, move_options


@click.command("demote")
@move_options
def command(**options: Any) -> int:
    """Move a note to another layer: from shared to local, say, for this clone alone.

    As promote does, which is the same in the other direction. What was published stays in the
    history of those who fetched it.
    """
    return move("demoted", **options)
