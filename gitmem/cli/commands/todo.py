"""`git mem todo`: the open items of this branch."""

import click

from gitmem import keeping
from gitmem.cli import output, stating
from gitmem.cli.params import json_option
from gitmem.memory import Memory

VERBS = {"add": "added", "done": "done", "drop": "dropped"}


@click.command("todo")
@click.argument("action", metavar="add|done|drop|list", type=click.Choice([*VERBS, "list"]))
@click.argument("words", metavar="[TEXT|ID...]", nargs=-1)
@click.option("--all", "shows_all", is_flag=True, help="List what is done or dropped too.")
@click.option("--local", is_flag=True, help="Items that this clone keeps to itself.")
@json_option
def command(
    *, action: str, words: tuple[str, ...], shows_all: bool, local: bool, as_json: bool
) -> int:
    """Keep the list of what is to be done on this branch.

    \b
    git mem todo add "Round amounts up in src/pay.py"
    git mem todo done 3f2a91c
    git mem todo list

    Each item is on its own, so that two people who add and finish items never get in each other's
    way. What is done or dropped leaves the list at once and stays in history: 'list --all'. The
    beginning of an ID will do.
    """
    memory = Memory.open(environ=True)
    layer = keeping.LOCAL if local else None
    if action == "list":
        if words:
            raise click.UsageError("'list' takes no words")
        branch, every = keeping.listed(memory, "todo", layer)
        shown = [item for item in every if shows_all or item.reason is None]
        if as_json:
            found = [stating.item_json(item) for item in shown]
            output.print_json({"branch": branch, "todos": found})
        else:
            output.page(stating.listed_lines(shown))
        return 0
    if not words:
        raise click.UsageError(
            f"say what: git mem todo {action} {'TEXT' if action == 'add' else 'ID'}"
        )
    if action == "add" and len(words) > 1:
        raise click.UsageError("one item at a time: put its TEXT in quotes")
    if action == "add":
        kept = keeping.add(memory, "todo", words, layer or keeping.SHARED)
    else:
        reason = keeping.DONE if action == "done" else keeping.DROPPED
        kept = keeping.close(memory, "todo", words, reason, layer)
    if as_json:
        output.print_json(stating.kept_json(kept))
    else:
        output.say_all(stating.kept_lines(kept, VERBS[action]))
    return 0
