"""`git mem uninstall`: take our hooks out of an agent's settings."""

import click

from gitmem.cli import output
from gitmem.cli.commands.install import place, scope_options
from gitmem.githooks.settings import apply, plan_uninstall


@click.command("uninstall")
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@scope_options
def command(*, agents: tuple[str, ...], scope: str, dry_run: bool) -> int:
    """Remove what 'git mem install' put into an agent's settings, and nothing else."""
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
