"""`git mem state`: where the work stands on this branch."""

import click

from gitmem import keeping
from gitmem.cli import output, stating
from gitmem.cli.params import json_option
from gitmem.core.state import KINDS, MANY, ONE
from gitmem.memory import Memory


@click.command("state")
@click.argument(
    "action", metavar="[set|clear]", required=False, type=click.Choice(["set", "clear"])
)
@click.argument(
    "what", metavar="[focus|next|blocker]", required=False, type=click.Choice(KINDS[:3])
)
@click.argument("text", metavar="[TEXT]", required=False)
@click.option("--branch", metavar="B", help="The state of branch B.")
@click.option("--all", "shows_all", is_flag=True, help="Of all branches that are not over.")
@click.option("--local", is_flag=True, help="Only what this clone keeps to itself.")
@json_option
def command(
    *,
    action: str | None,
    what: str | None,
    text: str | None,
    branch: str | None,
    shows_all: bool,
    local: bool,
    as_json: bool,
) -> int:
    """Show where the work stands on this branch, or say it: focus, next step, blockers, todo items.

    \b
    git mem state
    git mem state set next "Make the failing test in tests/pay_test.py pass"
    git mem state set blocker "No key for the test system"
    git mem state clear blocker ID

    There is one focus and one next step on a branch; setting it anew replaces it. A blocker is
    added. An empty TEXT clears, as 'clear' does: 'clear blocker' without an ID clears all of them.
    A branch on which nothing was written yet shows the state of the branch that it was cut from.
    """
    memory = Memory.open(environ=True)
    if action is None:
        layer = keeping.LOCAL if local else None
        output.page(
            stating.lines(memory.repository, branch, layer, every=shows_all, as_json=as_json)
        )
        return 0
    if branch is not None or shows_all:
        raise click.UsageError("--branch and --all only show: go on the branch to write")
    if what is None or (action == "set" and text is None):
        raise click.UsageError(f"say what: git mem state {action} focus|next|blocker TEXT")
    if action == "clear" and text and what in ONE:
        raise click.UsageError(f"'clear {what}' takes no TEXT")
    kept = _kept(memory, action, what, text or "", local)
    if as_json:
        output.print_json(stating.kept_json(kept))
    else:
        output.say_all(stating.kept_lines(kept, "set" if kept.is_open else "cleared"))
    return 0


def _kept(memory: Memory, action: str, what: str, text: str, local: bool) -> keeping.Kept:
    layer = keeping.LOCAL if local else keeping.SHARED
    if what in MANY and action == "clear" and text:
        return keeping.close(
            memory, what, [text], keeping.CLEARED, keeping.LOCAL if local else None
        )
    if what in MANY and text.strip():
        return keeping.add(memory, what, [text], layer)
    if action == "clear" or not text.strip():
        return keeping.clear(memory, what, layer)
    return keeping.set_one(memory, what, text, layer)
