"""`git mem fetch`: bring the tracking refs up to a remote."""

import click

from gitmem.cli.commands.sync import show
from gitmem.cli.params import json_option
from gitmem.memory import Memory


@click.command("fetch")
@click.argument("remote", required=False)
@click.option("--follow", is_flag=True, help="Take exactly what the remote has, and drop ours.")
@json_option
def command(*, remote: str | None, follow: bool, as_json: bool) -> int:
    """Fetch a remote's memory. It is shown at once, united with ours; ours does not move.

    --follow makes ours what the remote has, after it rewrote its history; 'git reflog
    refs/memory/facts' still leads back.
    """
    memory = Memory.open(environ=True)
    show(memory.follow(remote) if follow else memory.fetch(remote), as_json=as_json)
    return 0
