"""`git mem push`: publish memory."""

import click

from gitmem.cli.commands.sync import show
from gitmem.cli.params import json_option
from gitmem.memory import Memory


@click.command("push")
@click.argument("remote", required=False)
@json_option
def command(*, remote: str | None, as_json: bool) -> int:
    """Publish what a remote does not have, joined with what it has.

    A note that holds a credential is never sent. Exits 1 when there was something to publish and
    it did not arrive.
    """
    show(Memory.open(environ=True).push(remote), as_json=as_json)
    return 0
