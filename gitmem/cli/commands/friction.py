"""`git mem friction`: where a tool, a document or a workflow got in the way."""

from collections import Counter

import click

from gitmem.cli import adding, output
from gitmem.cli.note_output import shown_json
from gitmem.cli.params import json_option, layer_options
from gitmem.cli.written import print_added, print_json, print_stored
from gitmem.core.note import Note, Triggers
from gitmem.core.state import one_line
from gitmem.core.view import Shown
from gitmem.drafting import Draft
from gitmem.memory import Memory
from gitmem.naming import UnknownNote
from gitmem.store.anchors import Scope

KIND, STRENGTH = "friction", 2
HOW = ("confusing", "wrong-result", "blocked")


@click.command("friction")
@click.argument("words", metavar="TEXT|list|close ID...", nargs=-1, required=True)
@click.option("--tool", metavar="T", help="What got in the way: a command, or a file.")
@click.option("--kind", type=click.Choice(HOW), help="How.")
@layer_options("shared")
@json_option
def command(
    *, words: tuple[str, ...], tool: str | None, kind: str | None, layer: str, as_json: bool
) -> int:
    """Write down, in one line, where a tool, a document or a workflow got in the way.

    \b
    git mem friction "make test hides the exit code of pytest" --tool "make test" \\
      --kind wrong-result
    git mem friction list --tool "make test"
    git mem friction close ID

    It is recalled when the tool is used again, until it is closed.
    """
    memory = Memory.open(environ=True)
    if words == ("list",):
        return _list(memory, tool, kind, as_json=as_json)
    if words[0] == "close":
        return _close(memory, words[1:], as_json=as_json)
    if len(words) > 1:
        raise click.UsageError("one line at a time: put its TEXT in quotes")
    if not tool or not kind:
        raise click.UsageError(f"say what got in the way and how: --tool T --kind {'|'.join(HOW)}")
    written, warnings = adding.store(
        memory, [_draft(memory, words[0], tool, kind)], layer, Scope(everywhere=True)
    )
    if as_json:
        print_json(memory, written, warnings)
    else:
        print_added(memory, written)
    return 1 if written.refused else 0


def _draft(memory: Memory, text: str, tool: str, kind: str) -> Draft:
    tool = one_line(tool)
    is_file = tool in memory.tracked.files
    triggers = Triggers(paths=(tool,)) if is_file else Triggers(commands=(tool,))
    note = Note(
        id="",
        body=one_line(text) + "\n" if text.strip() else "",
        triggers=triggers,
        kind=KIND,
        strength=STRENGTH,
        tags=(kind,),
        extra=(("tool", tool),),
    )
    return Draft(note, "the friction", derives=False, source=text)


def _list(memory: Memory, tool: str | None, kind: str | None, *, as_json: bool) -> int:
    found = [
        item
        for item in memory.notes().values()
        if item.note.kind == KIND
        and tool in (None, _tool(item))
        and (kind is None or kind in item.note.tags)
    ]
    found.sort(key=lambda item: (item.note.created or "", item.note.id), reverse=True)
    if as_json:
        documents = [{**shown_json(item), "tool": _tool(item), "how": _how(item)} for item in found]
        output.print_json({"notes": documents})
        return 0
    counts = Counter(_tool(item) for item in found)
    for name, number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        mine = [item for item in found if _tool(item) == name]
        how = Counter(_how(item) for item in mine)
        said = ", ".join(f"{how[each]} {each}" for each in HOW if how[each])
        output.say(f"{name}: {number} ({said})" if said else f"{name}: {number}")
        for item in mine:
            output.say(f"  {item.note.id}  {output.summary(item.note.body, 80)}")
    return 0


def _close(memory: Memory, names: tuple[str, ...], *, as_json: bool) -> int:
    if not names:
        raise click.UsageError("say which: git mem friction close ID")
    for name in names:
        item = memory.note(name)
        if item.note.kind != KIND:
            raise UnknownNote(f"note '{item.note.id}' is no friction", "see: git mem friction list")
    written = memory.forget(names, reason="closed", scope=Scope(everywhere=True))
    if as_json:
        print_json(memory, written, [])
        return 0
    for stored in written.notes:
        print_stored(memory, stored)
    return 0


def _tool(item: Shown) -> str:
    tool = dict(item.note.extra).get("tool")
    given = (*item.note.triggers.commands, *item.note.triggers.paths)
    return tool if isinstance(tool, str) else (given[0] if given else "")


def _how(item: Shown) -> str:
    return next((tag for tag in item.note.tags if tag in HOW), "")
