"""`git mem diff`: the notes that come, change and go between two commits, and those that may be
stale by what was done in between."""

import textwrap
from collections.abc import Iterator
from typing import Any

import click

from gitmem import difference
from gitmem.cli import note_output, output
from gitmem.cli.params import json_option
from gitmem.core.markdown import comment
from gitmem.core.note import DEFAULT_KIND
from gitmem.core.notediff import (
    BRACKETS,
    Changed,
    FieldChange,
    Removed,
    changed_paragraphs,
    field_changes,
    marked,
    totals,
    word_diff,
)
from gitmem.core.render import visible
from gitmem.core.stale import Commit, Stale
from gitmem.core.view import Shown
from gitmem.difference import Difference
from gitmem.memory import Memory

MAX_COMMITS = 5
SUMMARY = 50


@click.command("diff")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--stat", is_flag=True, help="One line a note, and the totals.")
@click.option("--name-only", is_flag=True, help="Print the ids of the notes that differ.")
@click.option("--markdown", is_flag=True, help="A comment for a pull request.")
@click.option(
    "--incoming",
    metavar="[REMOTE]",
    is_flag=False,
    flag_value="",
    help="What the memory that was fetched changes here.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 when there is something to see.")
@json_option
def command(
    *,
    a: str | None,
    b: str | None,
    stat: bool,
    name_only: bool,
    markdown: bool,
    incoming: str | None,
    exit_code: bool,
    as_json: bool,
) -> int:
    """Show which notes come, change and go between two commits.

    A B or A..B compares what is seen at each. A...B leaves out what A did meanwhile, and what A
    shows already. A alone is compared with HEAD. With neither, it is what this branch brings to
    the default branch. Notes about files that the commits of the range change may be stale.
    """
    revisions = [name for name in (a, b) if name is not None]
    if len(revisions) == 2 and any(".." in name for name in revisions):
        raise click.UsageError("give one range, or two commits")
    if incoming is not None and revisions:
        raise click.UsageError("--incoming compares with what was fetched, not with a commit")
    if stat + name_only + markdown + as_json > 1:
        raise click.UsageError("--stat, --name-only, --markdown and --json exclude one another")
    memory = Memory.open(environ=True)
    found = _found(memory, revisions, incoming)
    for message in found.broken:
        output.warn(message)
    if as_json:
        output.print_json(_document(found))
    elif markdown:
        output.say(comment(found.notes, found.stale).rstrip("\n"))
    elif name_only:
        for note_id in _ids(found):
            output.say(note_id)
    else:
        output.page(_stat(found) if stat else _Page(colour=output.has_colour()).lines(found))
    return 1 if exit_code and found else 0


def _found(memory: Memory, revisions: list[str], incoming: str | None) -> Difference:
    if incoming is not None:
        return difference.incoming(memory, incoming or None)
    wanted = difference.parse_range(revisions) if revisions else difference.usual_range(memory)
    if wanted is not None:
        return difference.between(memory, wanted)
    output.hint("there is no other branch to compare with; name one: git mem diff A...B")
    head = memory.place().head
    return Difference(head, head)


def _ids(found: Difference) -> list[str]:
    notes = found.notes
    return [
        *(item.note.id for item in notes.added),
        *(item.new.note.id for item in notes.changed),
        *(item.shown.note.id for item in notes.removed),
    ]


def _stat(found: Difference) -> list[str]:
    rows = [("+", item, output.summary(item.note.body, SUMMARY)) for item in found.notes.added]
    rows += [("~", item.new, ", ".join(item.changes)) for item in found.notes.changed]
    rows += [("-", item.shown, _fate(item)) for item in found.notes.removed]
    rows += [
        ("!", item.shown, f"may be stale ({output.counted(len(item.commits), 'commit')})")
        for item in found.stale
    ]
    width = min(max((len(shown.note.id) for _, shown, _ in rows), default=0), 40)
    lines = [f"{sign} {shown.note.id:<{width}}  {visible(said)}" for sign, shown, said in rows]
    return [line.rstrip() for line in lines] + (
        [totals(found.notes, len(found.stale))] * bool(rows)
    )


def _fate(removed: Removed) -> str:
    said = [removed.reason] if removed.reason else []
    if removed.replaced_by:
        said.append(f"replaced by {', '.join(removed.replaced_by)}")
    return "; ".join(said)


# --- text ---------------------------------------------------------------------------------------

BOLD, RED, GREEN, YELLOW, RESET = output.BOLD, "\x1b[31m", "\x1b[32m", output.YELLOW, output.RESET


class _Page:
    """A difference as lines of text. Without colour, words stand in brackets as in git."""

    def __init__(self, *, colour: bool) -> None:
        self._has_colour = colour
        self._marks = {"-": (RED, RESET), "+": (GREEN, RESET)} if colour else BRACKETS

    def lines(self, found: Difference) -> Iterator[str]:
        sections = (
            ("added", [self._added(item) for item in found.notes.added]),
            ("changed", [self._changed(item) for item in found.notes.changed]),
            ("removed", [self._removed(item) for item in found.notes.removed]),
            ("may be stale", [self._stale(item) for item in found.stale]),
        )
        for number, (title, notes) in enumerate(
            (title, notes) for title, notes in sections if notes
        ):
            yield from [""] * bool(number)
            yield self._in(BOLD, title)
            for lines in notes:
                yield ""
                yield from lines

    def _in(self, colour: str, text: str) -> str:
        return f"{colour}{text}{RESET}" if self._has_colour else text

    def _added(self, shown: Shown) -> Iterator[str]:
        yield self._in(GREEN, f"+ {_head(shown)}")
        yield from (visible(line) for line in note_output.trigger_lines(shown.note))
        if shown.note.supersedes:
            yield f"  supersedes: {visible(', '.join(shown.note.supersedes))}"
        yield from _indented(visible(shown.note.body))

    def _changed(self, changed: Changed) -> Iterator[str]:
        yield self._in(BOLD, f"~ {_head(changed.new)}")
        yield from (f"  {self._field(item)}" for item in field_changes(changed))
        if "body" not in changed.changes:
            return
        paragraphs = changed_paragraphs(word_diff(*map(visible, changed.changes["body"])))
        if paragraphs in ([], [None]):
            yield "  body: only white space differs"
            return
        parts = ("…" if part is None else marked(part, self._marks) for part in paragraphs)
        yield from _indented("\n\n".join(parts))

    def _field(self, item: FieldChange) -> str:
        if item.old is None:
            return self._in(GREEN, visible(f"+ {item.name} {item.new}".rstrip()))
        if item.new is None:
            return self._in(RED, visible(f"- {item.name} {item.old}".rstrip()))
        return visible(f"{item.name}: {item.old} → {item.new}")

    def _removed(self, removed: Removed) -> Iterator[str]:
        yield self._in(RED, f"- {_head(removed.shown)}")
        if removed.reason:
            yield f"  forgotten: {visible(removed.reason)}"
        if removed.replaced_by:
            yield f"  replaced by: {', '.join(removed.replaced_by)}"
        yield from _indented(visible(removed.shown.note.body))

    def _stale(self, stale: Stale) -> Iterator[str]:
        yield self._in(YELLOW, f"! {_head(stale.shown)}")
        for commit in stale.commits[:MAX_COMMITS]:
            yield f"  {self._in(YELLOW, commit.oid[:10])} {visible(commit.subject)}"
        if len(stale.commits) > MAX_COMMITS:
            yield f"  and {len(stale.commits) - MAX_COMMITS} more"


def _head(shown: Shown) -> str:
    note = shown.note
    facts = f"{note.kind or DEFAULT_KIND}, {shown.layer}"
    if note.author:
        facts += f"; by {note.author.partition(' <')[0]}"
    if note.anchor and note.anchor.branch:
        facts += f" on {note.anchor.branch}"
    marks = " (conflict)" if shown.folded.is_conflict else ""
    marks += " (not known whether it is seen here)" if shown.folded.is_unknown else ""
    return visible(f"{note.id} ({facts}){marks}")


def _indented(body: str) -> list[str]:
    return ["", *textwrap.indent(body.strip("\n"), "    ").split("\n")] if body.strip() else []


# --- JSON ---------------------------------------------------------------------------------------


def _document(found: Difference) -> dict[str, Any]:
    return {
        "base": found.base,
        "head": found.head,
        "added": [note_output.shown_json(item) for item in found.notes.added],
        "changed": [
            {
                **note_output.shown_json(item.new),
                "old_revision": item.old.folded.revision,
                "changes": {
                    name: {"old": old, "new": new} for name, (old, new) in item.changes.items()
                },
            }
            for item in found.notes.changed
        ],
        "removed": [
            {
                **note_output.shown_json(item.shown),
                "visible": False,
                "reason": item.reason,
                "replaced_by": list(item.replaced_by),
            }
            for item in found.notes.removed
        ],
        "maybe_stale": [
            {
                **note_output.shown_json(item.shown),
                "commits": [_commit(each) for each in item.commits],
            }
            for item in found.stale
        ],
    }


def _commit(commit: Commit) -> dict[str, Any]:
    return {
        "commit": commit.oid,
        "subject": commit.subject,
        "author": commit.author,
        "date": commit.date,
        "paths": sorted(commit.paths),
    }
