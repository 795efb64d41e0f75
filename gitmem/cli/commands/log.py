"""`git mem log`: the history of notes, as `git log` tells that of the code."""

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

import click

from gitmem.cli import output
from gitmem.cli.params import LAYERS, json_option
from gitmem.history import Asked, Entry, History, patch
from gitmem.memory import Memory
from gitmem.store.commits import moment
from gitmem.store.revisions import Broken

AFTER = "gitmem.after"  # where what stood after `--` is kept until the command runs
LABEL = 10  # columns of `Revision: `
SHORT = 7  # digits of a commit that is not here
BOLD, YELLOW, RED, GREEN, CYAN = output.BOLD, output.YELLOW, "\x1b[31m", "\x1b[32m", "\x1b[36m"
DIFF = (("---", BOLD), ("+++", BOLD), ("@@", CYAN), ("-", RED), ("+", GREEN))


class _Separated(click.Command):
    """Keeps apart what stands before and after `--`, as git does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[AFTER] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


@click.command("log", cls=_Separated)
@click.argument("first", required=False, metavar="[ID]")
@click.argument("second", required=False, metavar="[RANGE]")
@click.option("--oneline", is_flag=True, help="One line for each revision.")
@click.option("-p", "-u", "--patch", "patches", is_flag=True, help="Show what each changed.")
@click.option(
    *("-n", "--limit", "--max-count"),
    type=click.IntRange(0),
    metavar="N",
    help="Show at most N revisions.",
)
@click.option("--since", "--after", metavar="DATE", help="Only those since DATE.")
@click.option("--until", "--before", metavar="DATE", help="Only those until DATE.")
@click.option("--author", "authors", multiple=True, metavar="RE", help="Only by such authors.")
@click.option(
    "--grep", "texts", multiple=True, metavar="RE", help="Only with such an id, text or reason."
)
@click.option("-i", "--regexp-ignore-case", "ignore_case", is_flag=True, help="Match any case.")
@click.option("--layer", type=click.Choice(LAYERS), help="Only those of this layer.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    first: str | None,
    second: str | None,
    oneline: bool,
    patches: bool,
    limit: int | None,
    since: str | None,
    until: str | None,
    authors: tuple[str, ...],
    texts: tuple[str, ...],
    ignore_case: bool,
    layer: str | None,
    as_json: bool,
) -> int:
    """Show who learned what, when, on which branch and why, newest first.

    ID is a note, also one that is forgotten or that only other branches have. RANGE are commits
    of the code, as in git log: only what was learned with them. A single word that is no id may
    be a commit; `RANGE -- ID` leaves no doubt. Dates are written as for git log.
    """
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0)
    authors_sought = _patterns("--author", authors, flags)
    texts_sought = _patterns("--grep", texts, flags)
    memory = Memory.open(environ=True)
    history = History.open(memory)
    git_dir = memory.repository.git_dir
    words = [word for word in (first, second) if word is not None]
    asked = replace(
        history.chosen(words, ctx.meta.get(AFTER)),
        layer=layer,
        since=None if since is None else moment(git_dir, since),
        until=None if until is None else moment(git_dir, until),
        authors=authors_sought,
        texts=texts_sought,
        headlines=as_json or not oneline,
    )
    for problem in history.left_out:
        output.warn(problem)
    with closing(_readable(history, asked)) as found:
        entries = islice(found, limit)
        if as_json:
            documents = [_json(entry, patches=patches) for entry in entries]
            output.print_json({"entries": documents})
        else:
            output.page(_texts(entries, oneline=oneline, patches=patches), live=True)
    return 0


def _patterns(option: str, given: tuple[str, ...], flags: int) -> list[re.Pattern[str]]:
    found = []
    for text in given:
        try:
            found.append(re.compile(text, flags))
        except re.error as error:
            problem = f"{option}: '{text}' is not a regular expression: {error}"
            raise click.UsageError(problem) from None
    return found


def _readable(history: History, asked: Asked) -> Generator[Entry, None, None]:
    """The entries; a warning for each revision that cannot be read."""
    with closing(history.log(asked)) as found:
        for item in found:
            if isinstance(item, Broken):
                output.warn(item.message)
            else:
                yield item


def _texts(entries: Iterator[Entry], *, oneline: bool, patches: bool) -> Iterator[str]:
    has_colour = output.has_colour()
    gap = ""
    for entry in entries:
        lines = [_oneline(entry, has_colour)] if oneline else _full(entry, has_colour)
        if patches:
            lines += [] if oneline else [""]
            lines += [_coloured(line, has_colour) for line in patch(entry)]
        yield gap + "\n".join(lines)
        gap = "" if oneline else "\n"


def _oneline(entry: Entry, has_colour: bool) -> str:
    rev = _in(YELLOW, entry.revision.rev[:10], has_colour)
    text = _summary(entry)
    where = [entry.anchor.branch] if entry.anchor and entry.anchor.branch else []
    where += ["pending"] if entry.is_pending else []
    said = f"{entry.id}: {text}" if text else entry.id
    line = f"{rev} {entry.date[:10]} {entry.op:<9} {said}"
    return f"{line} ({', '.join(where)})" if where else line


def _full(entry: Entry, has_colour: bool) -> list[str]:
    head = _in(YELLOW, f"note {entry.id}", has_colour)
    anchor = entry.anchor
    branch = anchor.branch if anchor else None
    fields = {
        "Revision": entry.revision.rev,
        "Op": entry.op + (" (pending)" if entry.is_pending else ""),
        "Author": entry.author,
        "Date": _date(entry.date),
        "Branch": branch,
        "Anchor": _anchor(entry),
    }
    lines = [f"{name + ':':<{LABEL}}{value}" for name, value in fields.items() if value]
    text = _paragraph(entry)
    return [f"{head}  ({entry.layer})", *lines, *[""][: len(text)], *text]


def _anchor(entry: Entry) -> str | None:
    if entry.headline:
        return " ".join(entry.headline)
    return entry.anchor.commit[:SHORT] if entry.anchor and entry.anchor.commit else None


def _date(text: str) -> str:
    """A date in git's own manner; what a hand wrote instead of one as it stands."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{when:%a %b} {when.day} {when:%H:%M:%S %Y} +0000"


def _paragraph(entry: Entry) -> list[str]:
    """The first paragraph of the text, indented; of a forgotten note the reason."""
    text = entry.note.reason or "no reason given" if entry.op == "forgotten" else entry.note.body
    first = re.split(r"\n[^\S\n]*\n", text.strip())[0]
    return [f"    {line}".rstrip() for line in first.split("\n")] if first else []


def _summary(entry: Entry) -> str:
    """The first line of the text; of a forgotten note of the reason."""
    return (_paragraph(entry) or [""])[0].strip()


def _coloured(line: str, has_colour: bool) -> str:
    code = next((code for start, code in DIFF if line.startswith(start)), "")
    return _in(code, line, has_colour and bool(code))


def _in(code: str, text: str, has_colour: bool) -> str:
    return f"{code}{text}{output.RESET}" if has_colour else text


def _json(entry: Entry, *, patches: bool) -> dict[str, Any]:
    anchor = entry.anchor
    return {
        "id": entry.id,
        "revision": entry.revision.rev,
        "op": entry.op,
        "author": entry.author,
        "date": entry.date,
        "branch": anchor.branch if anchor else None,
        "anchor": anchor.commit if anchor else None,
        "subject": entry.headline[1] if entry.headline else None,
        "reason": entry.note.reason,
        "summary": _summary(entry),
        "layer": entry.layer,
        "pending": entry.is_pending,
        "replaces": list(entry.revision.replaces),
        **({"diff": "".join(f"{line}\n" for line in patch(entry))} if patches else {}),
    }
