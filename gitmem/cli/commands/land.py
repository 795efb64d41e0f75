"""`git mem land`: say by hand that work landed as another commit."""

import click

from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.memory import Memory


@click.command("land")
@click.argument("what", metavar="COMMIT|BRANCH")
@click.argument("target", metavar="[AS]", default="HEAD")
@click.option("--undo", "undoing", is_flag=True, help="It did not land as AS after all.")
@json_option
def command(*, what: str, target: str, undoing: bool, as_json: bool) -> int:
    """Record that a commit, or the work of a branch, landed as the commit AS (HEAD).

    Notes that are anchored there are then seen wherever AS is. This is found without help after a
    rebase, a squash merge or a cherry-pick; 'git mem list --stranded' shows where it was not.
    """
    done = Memory.open(environ=True).land(what, target, undoing=undoing)
    if as_json:
        output.print_json(
            {
                "landed": [{"old": old, "new": done.new} for old in done.old],
                "notes": list(done.ids),
                "recorded": done.recorded,
            }
        )
        return 0
    for old in done.old:
        verb = "did not land" if undoing else "landed"
        output.say(f"{old[:10]} {verb} as {done.new[:10]}")
    for note_id in done.ids:
        output.say(f"  {note_id}")
    if not done.recorded:
        output.say("nothing new")
    return 0
