"""`git mem why`: which notes fire for a path, by which trigger, and why the others do not."""

import click

from gitmem.cli import output
from gitmem.cli.commands.recall import reason_line
from gitmem.cli.params import json_option
from gitmem.core.note import Note
from gitmem.memory import Memory
from gitmem.recalling import Why

SHOWN = 10


@click.command("why")
@click.argument("path", metavar="PATH")
@json_option
def command(*, path: str, as_json: bool) -> int:
    """Say which notes fire when PATH is touched, and which do not and why."""
    why = Memory.open(environ=True).why(path)
    if as_json:
        output.print_json(
            {
                "path": why.path,
                "fires": [output.hit_json(item.shown, item.hit) for item in why.fires],
                "silent": [{"id": note.id, "reason": reason} for note, reason in why.silent],
            }
        )
    else:
        output.page(_lines(why))
    return 0


def _lines(why: Why) -> list[str]:
    if why.is_outside:
        return [f"{why.path}: outside the repository, so no note fires"]
    lines = [f"{why.path}: {len(why.fires)} of {len(why.fires) + len(why.silent)} notes fire"]
    for item in why.fires:
        lines += ["", f"fires   {item.shown.note.id}: {output.summary(item.shown.note)}"]
        lines += [f"        {reason_line(reason)}" for reason in item.hit.matched]
    silent = sorted(why.silent, key=lambda pair: (-_closeness(pair[0], why.path), pair[0].id))
    if silent:
        lines.append("")
    lines += [f"silent  {note.id}: {reason}" for note, reason in silent[:SHOWN]]
    if len(silent) > SHOWN:
        lines.append(
            f"silent  {len(silent) - SHOWN} more; all of them: git mem why {why.path} --json"
        )
    return lines


def _closeness(note: Note, path: str) -> int:
    """How many parts of the path a note's triggers name: near misses come first."""
    parts = set(path.split("/"))
    return max((len(parts & set(item.split("/"))) for item in note.triggers.paths), default=0)
