"""`git mem status`: what there is, and what needs attention."""

import os

import click

from gitmem.agents.settings_file import Place
from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.errors import GitMemError
from gitmem.githooks.git_hooks import are_installed
from gitmem.githooks.settings import AGENTS, SCOPES, installed_commands
from gitmem.memory import Memory
from gitmem.store.outer import OUTER


@click.command("status")
@json_option
def command(*, as_json: bool) -> int:
    """Count the notes of each layer and say what needs attention."""
    memory = Memory.open(environ=True)
    status = memory.status()
    hooks = {"git": are_installed(memory.repository)}
    hooks |= {agent: _is_installed(memory, agent) for agent in AGENTS}
    if as_json:
        output.print_json(
            {
                "layers": status.layers,
                "pending": status.pending,
                "conflicts": status.conflicts,
                "stranded": status.stranded,
                "unpublished": status.unpublished,
                "other_branches": status.other_branches,
                "broken": status.broken,
                "orphans": status.orphans,
                "hooks": hooks,
                "last_error": status.last_error[1] if status.last_error else None,
            }
        )
        return 0
    counts = ", ".join(
        f"{count} {name}" for name, count in status.layers.items() if count or name not in OUTER
    )
    output.say(f"notes: {counts}")
    for count, what in (
        (status.other_branches, "on other branches; see: git mem list --all-branches"),
        (status.pending, "about work not committed yet; see: git mem list --pending"),
        (status.stranded, "that no branch has any more; see: git mem list --stranded"),
        (status.unpublished, "not published yet; to share them: git mem sync"),
        (status.conflicts, "in conflict; see: git mem list --conflicts"),
        (status.orphans, "that no trigger reaches; see: git mem list --orphans"),
        (status.broken, "broken; see: git mem doctor"),
    ):
        if count:
            output.say(f"{count} {what}")
    installed = [agent for agent, there in hooks.items() if there]
    output.say(f"hooks: {', '.join(installed) or 'none installed; see: git mem install claude'}")
    if status.last_error:
        output.say(f"last hook error: {status.last_error[1]}; see: git mem doctor")
    return 0


def _is_installed(memory: Memory, agent: str) -> bool:
    place = Place(memory.repository.root, os.environ.get("HOME", ""), os.environ)
    for scope in SCOPES:
        try:
            if installed_commands(agent, scope, place):
                return True
        except GitMemError:
            continue
    return False
