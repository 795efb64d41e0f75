"""`git mem uninstall`: undo `git mem init`, or take our hooks out of an agent's settings."""

import click

from gitmem.cli import output
from gitmem.cli.commands.init import show
from gitmem.cli.commands.install import place, say_diff, scope_options, what
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
    plans = {agent: plan_uninstall(agent, scope, where) for agent in agents}
    for agent, files in plans.items():
        if dry_run:
            say_diff(agent, files)
            continue
        for plan in files:
            apply(plan)
            name = what(agent)
            done = f"removed the {name} from" if plan.is_change else f"no {name} of ours in"
            output.say(f"{agent}: {done} {plan.path}")
    return 0
