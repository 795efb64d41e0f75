"""`git mem recall`: what an event reaches, with the reason for every hit; or a note by name."""

import re
import sys
from dataclasses import dataclass

import click

from gitmem import reading
from gitmem.cli import output
from gitmem.cli.params import LAYERS, ids_option, json_option
from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH, TRIGGER_KINDS, Note
from gitmem.core.ranking import score
from gitmem.core.view import Shown, superseded
from gitmem.index.read import Hit
from gitmem.index.schema import Row
from gitmem.index.stale import said
from gitmem.memory import Memory
from gitmem.recalling import Recalled


@click.command("recall")
@click.argument("query", nargs=-1)
@click.option("--path", "paths", multiple=True, metavar="P", help="A file about to be touched.")
@click.option("--command", "commands", multiple=True, metavar="C", help="A command about to run.")
@click.option("--error", "errors", multiple=True, metavar="E", help="An error; '-' reads stdin.")
@click.option("--prompt", "prompts", multiple=True, metavar="T", help="What was asked.")
@click.option("--grep", metavar="RE", help="Search id, text and triggers for a pattern.")
@click.option("--kind", metavar="K", help="Only notes of this kind.")
@click.option("--tag", metavar="T", help="Only notes with this tag.")
@click.option(
    "--min-strength", type=click.IntRange(1, 5), metavar="N", help="Only from strength N."
)
@click.option("--layer", type=click.Choice(LAYERS), help="Only notes of this layer.")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Show at most N.")
@click.option("--all-branches", is_flag=True, help="Notes of other branches too, last.")
@ids_option
@json_option
def command(
    *,
    query: tuple[str, ...],
    paths: tuple[str, ...],
    commands: tuple[str, ...],
    errors: tuple[str, ...],
    prompts: tuple[str, ...],
    grep: str | None,
    kind: str | None,
    tag: str | None,
    min_strength: int | None,
    layer: str | None,
    limit: int | None,
    all_branches: bool,
    ids: bool,
    as_json: bool,
) -> int:
    """Show the notes that an event reaches, best first, and why.

    \b
    git mem recall --path src/api.py
    git mem recall --command "npm publish" --error "E403"
    make 2>&1 | git mem recall --error -
    git mem recall scripts-are-commonjs
    """
    if not (query or paths or commands or errors or prompts or grep):
        raise click.UsageError("say what happens: --path, --command, --error, --prompt, or a name")
    memory = Memory.open(environ=True)
    read = tuple(sys.stdin.read() if text == "-" else text for text in errors)
    found = memory.recall(memory.event(paths, commands, read, prompts), all_branches=all_branches)
    if query:
        found = _merged([_by_name(memory, " ".join(query))], found)
    if grep:
        found = _merged(found, _grep(memory, grep, all_branches=all_branches))
    wanted = Filter(kind, tag, min_strength, layer)
    found = [item for item in found if wanted.takes(item)]
    omitted = max(0, len(found) - limit) if limit else 0
    found = found[:limit]
    if as_json:
        hits = [{**output.hit_json(item.shown, item.hit), "stale": item.stale} for item in found]
        output.print_json({"hits": hits, "sufficient": None, "omitted": omitted})
    elif ids:
        for item in found:
            output.say(item.shown.note.id)
    else:
        output.page(_lines(found, omitted))
    return 0


@dataclass(frozen=True)
class Filter:
    kind: str | None
    tag: str | None
    min_strength: int | None
    layer: str | None

    def takes(self, item: Recalled) -> bool:
        note = item.shown.note
        return (
            (self.kind is None or (note.kind or DEFAULT_KIND) == self.kind)
            and (self.tag is None or self.tag in note.tags)
            and (self.min_strength or 0) <= (note.strength or DEFAULT_STRENGTH)
            and (self.layer is None or self.layer in item.shown.layers)
        )


def _merged(first: list[Recalled], second: list[Recalled]) -> list[Recalled]:
    by_id = {item.shown.note.id: item for item in [*second, *first]}
    order = dict.fromkeys(item.shown.note.id for item in [*first, *second])
    return [by_id[note_id] for note_id in order]


def _by_name(memory: Memory, name: str) -> Recalled:
    shown = memory.note(name)
    return _recalled_as(shown, ("name", name, shown.note.id))


def _grep(memory: Memory, pattern: str, *, all_branches: bool) -> list[Recalled]:
    try:
        regex = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise click.UsageError(f"--grep '{pattern}': {error}") from error
    loaded = memory.load()
    notes = reading.unite(loaded)
    over = superseded(shown.note for shown in notes.values())
    found = []
    others = sorted(reading.hidden(loaded).items()) if all_branches else []
    for key, shown in [*sorted(notes.items()), *others]:
        if key not in over and (match := _search(regex, shown.note)):
            found.append(_recalled_as(shown, ("grep", match, pattern)))
    return found


def _search(regex: re.Pattern[str], note: Note) -> str | None:
    texts = [note.id, note.body]
    for kind in TRIGGER_KINDS:
        texts += getattr(note.triggers, kind)
    return next((match.group() for text in texts if (match := regex.search(text))), None)


def _recalled_as(shown: Shown, reason: tuple[str, str, str]) -> Recalled:
    note = shown.note
    points = score(1, note.confidence or "", note.strength or DEFAULT_STRENGTH, 0)
    row = Row(note.id, shown.layer, shown.folded.revision or "", "", "", "", 0, 0, "", "", "")
    return Recalled(shown, Hit(row, [reason], points))


def _lines(found: list[Recalled], omitted: int) -> list[str]:
    lines: list[str] = []
    bold, reset = (output.YELLOW, output.RESET) if output.has_colour() else ("", "")
    for item in found:
        note = item.shown.note
        mark = output.marks(item.shown)
        lines.append(
            f"{bold}{note.id}{reset} ({note.kind or DEFAULT_KIND}, {item.shown.layer}){mark}"
        )
        lines += [f"  {reason_line(reason)}" for reason in item.hit.matched]
        lines += [f"  {said(item.stale)}"] if item.stale else []
        lines += ["", *(f"    {line}".rstrip() for line in note.body.splitlines()), ""]
    if omitted:
        lines.append(f"{omitted} more; see them with a larger --limit")
    return lines


def reason_line(reason: tuple[str, str, str]) -> str:
    kind, value, trigger = reason
    value = " ".join(value.split())
    value = value if len(value) <= 100 else value[:99] + "…"
    if kind in ("name", "grep"):
        return f"{kind}: {value}"
    return f"{kind}: {value} matches '{trigger}'"
