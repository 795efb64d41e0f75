"""`git mem merge`: take what was fetched into our own refs."""

import click

from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.memory import Memory


@click.command("merge")
@click.option("--dry-run", is_flag=True, help="Only say whether there is something to take.")
@json_option
def command(*, dry_run: bool, as_json: bool) -> int:
    """Take what was fetched into our own memory. No network, and no conflict stops it.

    Fetched notes are shown without this, too: reading unites ours and what was fetched.
    """
    memory = Memory.open(environ=True)
    moved = memory.is_behind() if dry_run else memory.merge()
    if as_json:
        output.print_json({"merged": moved, "dry_run": dry_run})
    elif moved:
        output.say("would take what was fetched" if dry_run else "took what was fetched")
    else:
        output.say("nothing to take")
    return 0
