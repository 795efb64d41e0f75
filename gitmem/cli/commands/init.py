"""`git mem init`: let plain fetch, pull and push carry memory."""

from collections.abc import Sequence

import click

from gitmem.cli import output
from gitmem.cli.commands.install import planned, remarks, what
from gitmem.cli.params import json_option
from gitmem.githooks.settings import AGENTS, apply
from gitmem.memory import Memory
from gitmem.wiring import ALREADY, DONE, Step, Wiring

UNDO = "to undo all of it: git mem uninstall"
UNDO_REST = "to undo the rest: git mem uninstall"  # which leaves the agents


@click.command("init")
@click.option("--remote", "remotes", multiple=True, metavar="R", help="The remote; repeatable.")
@click.option("--no-hooks", is_flag=True, help="Install no git hooks.")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(list(AGENTS)),
    metavar="NAME",
    help="Install into this agent, too; repeatable.",
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
    last = UNDO_REST if agents else UNDO
    show(steps, "" if dry_run else last, as_json=as_json, dry_run=dry_run)
    return 0


def _agent(name: str, *, dry_run: bool) -> Step:
    plans = planned(name, "project")
    if not dry_run:
        for plan in plans:
            apply(plan)
    changes = [plan for plan in plans if plan.is_change]
    where = ", ".join(plan.path for plan in changes or plans)
    return Step(
        f"{name} {what(name)}",
        DONE if changes else ALREADY,
        f"in {where}",
        f"git mem uninstall {name}",
        tuple(remarks(name, deny_once=False)) if changes else (),
    )


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
