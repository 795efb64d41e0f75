"""`git mem install`: put our hooks into an agent's settings."""

import os
import sys

import click

from gitmem.agents.settings_file import Place
from gitmem.cli import output
from gitmem.cli.params import decorated_with
from gitmem.errors import GitMemError
from gitmem.githooks.settings import apply, plan_install
from gitmem.githooks.shipped import hook_script
from gitmem.memory import Memory

scope_options = decorated_with(
    click.option(
        "--project",
        "scope",
        flag_value="project",
        default="project",
        help="In this project's settings (default).",
    ),
    click.option("--user", "scope", flag_value="user", help="In your own settings."),
    click.option("--dry-run", is_flag=True, help="Print what would change as a diff."),
)


def place() -> Place:
    """Where settings are; outside a repository only the user's."""
    try:
        root = Memory.open(environ=True).repository.root
    except GitMemError:
        root = None
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE") or ""
    return Place(root, home, os.environ)


@click.command("install")
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@scope_options
def command(*, agents: tuple[str, ...], scope: str, dry_run: bool) -> int:
    """Install hooks, so that notes arrive when the agent needs them.

    Other entries, comments and formatting survive; a second run changes nothing.
    """
    where = place()
    for agent in agents:
        plan = plan_install(
            agent, scope, where, interpreter=sys.executable, hook_script=hook_script()
        )
        if dry_run:
            output.say(plan.diff().rstrip("\n") or f"{agent}: nothing would change in {plan.path}")
            continue
        apply(plan)
        if plan.is_change:
            flag = " --user" if scope == "user" else ""
            output.say(f"installed the {agent} hooks in {plan.path}")
            output.say(f"to undo: git mem uninstall {agent}{flag}")
        else:
            output.say(f"{agent}: already installed in {plan.path}")
    return 0
