"""`git mem uninstall`: undo `git mem init`, or take our hooks out of an agent's settings."""

import click

from gitmem.cli import output
from gitmem.cli.commands.init import show
from gitmem.cli.commands.install import place, scope_options
from gitmem.cli.params import json_option
from gitmem.githooks.settings import apply, plan_uninstall
from gitmem.memory import Memory
from gitmem.wiring import Wiring


@click.command("uninstall")
@click.argument("agents", nargs=-1, metavar="[AGENT...]")
@scope_options
@json_option
def command(*, agents: tuple[str, ...], scope: str, dry_run: bool, as_json: bool) -> int:
    """Undo 'git mem init', or with AGENT remove what 'git mem install' put into its settings.

    Nothing else is touched, and every note stays.
    """
    if not agents:
        wiring = Wiring(Memory.open(environ=True).repository, dry_run)
        show(wiring.uninstall(), "", as_json=as_json, dry_run=dry_run)
        return 0
    where = place()
    for agent in agents:
        plan = plan_uninstall(agent, scope, where)
        if dry_run:
            output.say(plan.diff().rstrip("\n") or f"{agent}: nothing would change in {plan.path}")
            continue
        apply(plan)
        done = "removed the hooks from" if plan.is_change else "no hooks of ours in"
        output.say(f"{agent}: {done} {plan.path}")
    return 0
