"""`git mem init`: let plain fetch, pull and push carry memory."""

import sys
from collections.abc import Sequence

import click

from gitmem.cli import output
from gitmem.cli.commands.install import place
from gitmem.cli.params import json_option
from gitmem.githooks.settings import AGENTS, apply, plan_install
from gitmem.githooks.shipped import hook_script
from gitmem.memory import Memory
from gitmem.wiring import ALREADY, DONE, Step, Wiring

UNDO = "to undo all of it: git mem uninstall"


@click.command("init")
@click.option("--remote", "remotes", multiple=True, metavar="R", help="The remote; repeatable.")
@click.option("--no-hooks", is_flag=True, help="Install no git hooks.")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(list(AGENTS)),
    help="Install this agent's hooks in the project's settings, too; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@json_option
def command(
    *,
    remotes: tuple[str, ...],
    no_hooks: bool,
    agents: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> int:
    """Set this clone up so that plain 'git fetch', 'git pull' and 'git push' carry memory.

    Once in each clone; a second run changes nothing. Notes can be kept without it, and 'git mem
    sync' exchanges them in any clone. Uses no network, and never changes what a push sends.
    """
    memory = Memory.open(environ=True)
    steps = Wiring(memory.repository, dry_run).init(remotes, with_hooks=not no_hooks)
    steps += [_agent(name, dry_run=dry_run) for name in agents]
    show(steps, "" if dry_run else UNDO, as_json=as_json, dry_run=dry_run)
    return 0


def _agent(name: str, *, dry_run: bool) -> Step:
    plan = plan_install(
        name, "project", place(), interpreter=sys.executable, hook_script=hook_script()
    )
    if not dry_run:
        apply(plan)
    state = DONE if plan.is_change else ALREADY
    return Step(f"{name} hooks", state, f"in {plan.path}", f"git mem uninstall {name}")


def show(steps: Sequence[Step], last: str, *, as_json: bool, dry_run: bool) -> None:
    """Print what each step came to, and how to undo it."""
    if as_json:
        rows = [
            {
                "step": step.name,
                "state": step.state,
                "message": step.message,
                "undo": step.undo or None,
                "hints": list(step.hints),
            }
            for step in steps
        ]
        output.print_json({"dry_run": dry_run, "steps": rows})
        return
    for step in steps:
        state = "would do" if dry_run and step.state == DONE else step.state
        output.say(f"{state}: {step.name}: {step.message}")
        for hint in step.hints:
            output.say(f"    {hint}")
        if step.undo and step.state == DONE:
            output.say(f"    undo: {step.undo}")
    if last:
        output.say(last)
