"""`git mem hook` in the help. The event itself never comes through here: it would be too slow."""

import sys

import click

from gitmem.agents import AGENTS


@click.command("hook")
@click.argument("agent", type=click.Choice(list(AGENTS)))
def command(*, agent: str) -> int:
    """Answer one hook event: JSON on stdin, what the agent is to see on stdout.

    Always exits 0. What goes wrong is left in a log that 'git mem doctor' shows.
    """
    from gitmem.quick import main  # the hot path, which the entry script takes directly

    sys.stdout.flush()
    return main([agent])
