"""`git mem why`: which notes fire for a path, by which trigger, and why the others do not."""

import time

import click

from gitmem.cli import note_output, output
from gitmem.cli.hits import reason_line
from gitmem.cli.params import json_option
from gitmem.core.note import Note
from gitmem.index.place import writable_home
from gitmem.index.usage import last_delivery
from gitmem.memory import Memory
from gitmem.recalling import Why

SHOWN = 10
ABOUT = ("time", "session", "agent", "event")


@click.command("why")
@click.argument("path", metavar="PATH", required=False)
@click.option("--last", is_flag=True, help="What was delivered last, and why.")
@json_option
def command(*, path: str | None, last: bool, as_json: bool) -> int:
    """Say which notes fire when PATH is touched, and which do not and why."""
    if last == (path is not None):
        raise click.UsageError("give a path, or --last")
    memory = Memory.open(environ=True)
    if path is None:
        return _last(memory, as_json)
    why = memory.why(path)
    if as_json:
        output.print_json(
            {
                "path": why.path,
                "fires": [note_output.hit_json(item.shown, item.hit) for item in why.fires],
                "silent": [{"id": note.id, "reason": reason} for note, reason in why.silent],
            }
        )
    else:
        output.page(_lines(why))
    return 0


def _last(memory: Memory, as_json: bool) -> int:
    """What the last delivery held."""
    home = writable_home(memory.repository.common_dir)
    entries = last_delivery(home) if home else []
    if as_json:
        fires = [
            {"id": entry.id, "layer": entry.layer, "revision": entry.rev, "why": entry.why}
            for entry in entries
        ]
        about = {name: getattr(entries[0], name) for name in ABOUT} if entries else None
        output.print_json({"path": None, "last": about, "fires": fires, "silent": []})
        return 0
    if not entries:
        output.say("nothing was delivered here yet")
        return 0
    first = entries[0]
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(first.time))
    session = f", session {first.session}" if first.session else ""
    output.say(f"{when}  {first.agent} {first.event}".rstrip() + session)
    for entry in entries:
        output.say(f"fires   {entry.id} ({entry.layer})")
        output.say(f"        {entry.why.removeprefix('Why: ')}")
    return 0


def _lines(why: Why) -> list[str]:
    if why.is_outside:
        return [f"{why.path}: outside the repository, so no note fires"]
    lines = [f"{why.path}: {len(why.fires)} of {len(why.fires) + len(why.silent)} notes fire"]
    for item in why.fires:
        lines += ["", f"fires   {item.shown.note.id}: {output.summary(item.shown.note.body)}"]
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
