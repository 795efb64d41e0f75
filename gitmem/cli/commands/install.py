"""`git mem install`: put our hooks into an agent's settings."""

import os
import sys

import click

from gitmem.agents.installs import NEVER
from gitmem.agents.settings_file import Place
from gitmem.cli import output
from gitmem.cli.params import decorated_with
from gitmem.errors import GitMemError
from gitmem.githooks.settings import AGENTS, Plan, apply, plan_install
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


def planned(agent: str, scope: str, *, deny_once: bool = False) -> tuple[Plan, ...]:
    """What installing with this very program would change."""
    return plan_install(
        agent,
        scope,
        place(),
        interpreter=sys.executable,
        hook_script=hook_script(),
        deny_once=deny_once,
    )


def remarks(agent: str, *, deny_once: bool) -> list[str]:
    """What a user of this agent gets, unless that is all there is; one line each."""
    row = AGENTS[agent]
    found = [] if row.is_early or deny_once else [f"{agent}: {row.arrives}"]
    if row.can_deny_once and not deny_once:
        found.append(
            f"{agent}: to stop a step once with the note: git mem install {agent} --deny-once"
        )
    if row.arrives == NEVER:
        found.append(f"{agent}: to tell it how to ask: git mem install agents-md")
    return [*found, *(f"{agent}: {remark}" for remark in row.remarks)]


def what(agent: str) -> str:
    """What is put into its files."""
    return "block" if agent == "agents-md" else "hooks"


def say_diff(agent: str, plans: tuple[Plan, ...]) -> None:
    """Print what would change."""
    diffs = [plan.diff().rstrip("\n") for plan in plans if plan.is_change]
    nothing = [f"{agent}: nothing would change in {plan.path}" for plan in plans]
    for text in diffs or nothing:
        output.say(text)


@click.command("install")
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@scope_options
@click.option(
    "--deny-once",
    is_flag=True,
    help="Where an agent takes no text before a step, stop it once.",
)
def command(*, agents: tuple[str, ...], scope: str, dry_run: bool, deny_once: bool) -> int:
    """Install hooks, so that notes arrive when the agent needs them.

    AGENT is claude, codex, copilot, gemini, cursor, cline, opencode, kiro, goose, droid, windsurf,
    devin, or agents-md for a block in AGENTS.md. Other entries, comments and formatting survive; a
    second run changes nothing.
    """
    plans = {agent: planned(agent, scope, deny_once=deny_once) for agent in agents}
    for agent, files in plans.items():  # all were planned before one is written
        if dry_run:
            say_diff(agent, files)
            continue
        for plan in files:
            apply(plan)
            if plan.is_change:
                name = "" if agent == "agents-md" else f"{agent} "
                output.say(f"installed the {name}{what(agent)} in {plan.path}")
            else:
                output.say(f"{agent}: already installed in {plan.path}")
        if any(plan.is_change for plan in files):
            for line in remarks(agent, deny_once=deny_once):
                output.say(line)
            flag = " --user" if scope == "user" else ""
            output.say(f"to undo: git mem uninstall {agent}{flag}")
    return 0
