"""`git mem decisions`: what was decided here, the newest first."""

import time
from datetime import UTC, datetime

import click

from gitmem.cli import output
from gitmem.cli.note_output import shown_json
from gitmem.cli.params import an_age, json_option
from gitmem.core.decision import KIND
from gitmem.core.ids import id_key
from gitmem.core.view import Shown, superseded
from gitmem.memory import Memory


@click.command("decisions")
@click.option("--since", callback=an_age, metavar="D", help="Since a day, or an age like 30d.")
@click.option("--tag", metavar="T", help="Only with this tag.")
@click.option("--path", metavar="P", help="Only those that matter for this file.")
@click.option("--all", "shows_all", is_flag=True, help="Those that were superseded too.")
@json_option
def command(
    *, since: float | None, tag: str | None, path: str | None, shows_all: bool, as_json: bool
) -> int:
    """List the decisions that are seen at HEAD, the newest first.

    One that a later one supersedes is left out; '--all' lists it with what superseded it.
    """
    memory = Memory.open(environ=True)
    notes = memory.notes()
    over = _over(notes)
    near = None if path is None else _near(memory, path)
    found = [
        item
        for key, item in notes.items()
        if item.note.kind == KIND
        and (shows_all or key not in over)
        and (tag is None or tag in item.note.tags)
        and (since is None or _when(item) >= since)
        and (near is None or key in near)
    ]
    found.sort(key=lambda item: (item.note.created or "", item.note.id), reverse=True)
    if as_json:
        documents = [
            {**shown_json(item), "superseded_by": over.get(id_key(item.note.id))} for item in found
        ]
        output.print_json({"notes": documents})
        return 0
    output.page(line for item in found for line in _lines(item, over.get(id_key(item.note.id))))
    return 0


def _over(notes: dict[str, Shown]) -> dict[str, str]:
    """id key → the note that supersedes it."""
    gone = superseded(item.note for item in notes.values())
    return {
        id_key(target): item.note.id
        for item in notes.values()
        for target in item.note.supersedes
        if id_key(target) in gone
    }


def _near(memory: Memory, path: str) -> set[str]:
    """The id keys of the notes that fire for a file."""
    found = memory.recall(memory.event(paths=(path,)))
    return {id_key(item.shown.note.id) for item in found}


def _when(item: Shown) -> float:
    try:
        stamp = datetime.strptime(item.note.created or "", "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return time.time()
    return stamp.replace(tzinfo=UTC).timestamp()


def _lines(item: Shown, over: str | None) -> list[str]:
    note = item.note
    tags = f" [{', '.join(note.tags)}]" if note.tags else ""
    mark = f" (superseded by {over})" if over else ""
    head = f"{(note.created or '')[:10]}  {note.id}{tags}{mark}"
    return [head, f"            {output.summary(note.body, 86)}"]
