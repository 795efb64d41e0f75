"""A difference between two views as the comment of a pull request. Pure.

Notes are other people's text, and whatever is in a comment may notify people, link, run a command
of the host or close a fold. So every text of a note stands in a code span, in `<code>` with its
marks escaped, or in a fence that is longer than any run of backticks in it and in which each line
begins with a blank or a sign; it is never Markdown.
"""

import html
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from gitmem.core.note import DEFAULT_KIND, TRIGGER_KINDS, Note
from gitmem.core.notediff import (
    Changed,
    FieldChange,
    NoteDiff,
    Removed,
    changed_paragraphs,
    field_changes,
    marked,
    totals,
    word_diff,
)
from gitmem.core.render import size, visible
from gitmem.core.stale import Stale
from gitmem.core.view import Shown

MARKER = "<!-- git-mem-diff -->"  # the first line: by it a workflow finds the comment to update
MAX_COMMENT = 60_000  # UTF-16 units; hosts take 65,536 characters
MAX_BODY = 4_000
MAX_VALUE = 200
MAX_VALUES = 20
MAX_LEFT_OUT = 3_000
MAX_NAMED = 12
MAX_COMMITS = 5
WIDTH = 100  # lines in a fence do not wrap by themselves
_OURS = re.compile(r"<(?=/?\s*(?:details|summary)|!--)", re.IGNORECASE)


def comment(diff: NoteDiff, stale: Sequence[Stale]) -> str:
    """The whole comment. Notes that have no room are counted."""
    if not diff and not stale:
        return f"{MARKER}\n**Memory:** nothing changes.\n"
    head = f"{MARKER}\n**Memory:** {totals(diff, len(stale))}\n"
    sections = (
        ("Added", [(item.note.id, _added(item)) for item in diff.added]),
        ("Changed", [(item.new.note.id, _changed(item)) for item in diff.changed]),
        ("Removed", [(item.shown.note.id, _removed(item)) for item in diff.removed]),
        ("May be stale", [(item.shown.note.id, _stale(item)) for item in stale]),
    )
    room = MAX_COMMENT - size(head) - MAX_LEFT_OUT
    out, left_out = [head], []
    for title, blocks in sections:
        heading = f"\n### {title}\n"
        for note_id, block in blocks:
            text = heading + block
            if size(text) > room:
                left_out.append(note_id)
                continue
            out.append(text)
            room -= size(text)
            heading = ""
    return "".join(out) + _left_out(left_out)


def _left_out(ids: Sequence[str]) -> str:
    """A line that names what had no room, in at most MAX_LEFT_OUT units."""
    if not ids:
        return ""
    names = ", ".join(_code(note_id) for note_id in ids[:MAX_NAMED])
    more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
    return f"\nLeft out here, see `git mem diff`: {names}{more}\n"


# --- blocks: one note each ----------------------------------------------------------------------


def _added(shown: Shown) -> str:
    return _fold(_head(shown), [*_facts(shown.note), *_fence(shown.note.body.split("\n"), "+ ")])


def _changed(changed: Changed) -> str:
    lines = _limited([f"- {_field(item)}" for item in field_changes(changed)])
    if "body" in changed.changes:
        lines += _fence(_body_lines(*changed.changes["body"]), "  ")
    return _fold(_head(changed.new), lines)


def _removed(removed: Removed) -> str:
    lines = [f"- forgotten: {_code(removed.reason)}"] if removed.reason else []
    lines += [f"- replaced by {_code(note_id)}" for note_id in removed.replaced_by[:MAX_VALUES]]
    body = _fence(removed.shown.note.body.split("\n"), "- ")
    return _fold(_head(removed.shown), lines + body)


def _stale(stale: Stale) -> str:
    lines = [
        f"- {commit.oid[:10]} {_code(commit.subject)} changes {_code(min(commit.paths))}"
        + (f" and {len(commit.paths) - 1} more" if len(commit.paths) > 1 else "")
        for commit in stale.commits[:MAX_COMMITS]
    ]
    if len(stale.commits) > MAX_COMMITS:
        lines.append(f"- and {len(stale.commits) - MAX_COMMITS} more")
    return _fold(_head(stale.shown), [*lines, *_fence(stale.shown.note.body.split("\n"), "  ")])


def _fold(summary: str, lines: Iterable[str]) -> str:
    """A block that opens on a click. The blank line lets Markdown begin again."""
    body = "\n".join(lines)
    return f"\n<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>\n"


def _head(shown: Shown) -> str:
    """What is known of a note on one line, as HTML."""
    note = shown.note
    facts = f"{_html(note.kind or DEFAULT_KIND)}, {_html(shown.layer)}"
    if note.author:
        facts += f"; by {_html(note.author.partition(' <')[0])}"
    if note.anchor and note.anchor.branch:
        facts += f" on {_html(note.anchor.branch)}"
    mark = " <b>conflict</b>" if shown.folded.is_conflict else ""
    mark += " (cannot be placed in a shallow clone)" if shown.folded.is_unknown else ""
    return f"{_html(note.id)} ({facts}){mark}"


def _facts(note: Note) -> list[str]:
    lines = ["- always: at the start of every session"] if note.triggers.always else []
    named = [(kind, getattr(note.triggers, kind)) for kind in TRIGGER_KINDS]
    named += [("entity", note.names), ("supersedes", note.supersedes)]
    for kind, values in named:
        if values:
            shown = [_code(value) for value in values[:MAX_VALUES]]
            shown += [f"and {len(values) - MAX_VALUES} more"] if len(values) > MAX_VALUES else []
            lines.append(f"- {kind}: {', '.join(shown)}")
    return lines


def _field(item: FieldChange) -> str:
    if item.old is None:
        return f"added {item.name} {_code(item.new or '')}"
    if item.new is None:
        return f"removed {item.name} {_code(item.old)}"
    return f"{_code(item.name)}: {_code(item.old)} → {_code(item.new)}"


def _limited(lines: list[str]) -> list[str]:
    if len(lines) <= MAX_VALUES:
        return lines
    return [*lines[:MAX_VALUES], f"- and {len(lines) - MAX_VALUES} more"]


def _body_lines(old: str, new: str) -> Iterator[str]:
    paragraphs = changed_paragraphs(word_diff(old, new))
    if paragraphs in ([], [None]):
        yield "(only white space differs)"
        return
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        yield from ["…"] if paragraph is None else marked(paragraph).split("\n")


# --- text that is not ours ----------------------------------------------------------------------


def _fence(lines: Iterable[str], sign: str) -> list[str]:
    """Lines in a fence, each after `sign`: none of them begins as a command of the host does."""
    text = _cut(_plain("\n".join(lines).strip("\n")), MAX_BODY)
    if not text:
        return []
    wrapped = [part for line in text.split("\n") for part in _wrapped(line)]
    ticks = "`" * max(3, 1 + _longest_run(text))
    return ["", f"{ticks}diff", *(f"{sign}{line}".rstrip() for line in wrapped), ticks]


def _wrapped(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    return textwrap.wrap(
        line, WIDTH, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    ) or [""]


def _code(text: str) -> str:
    """`text` on one line as a code span, which nothing in it can end."""
    line = _cut(_plain(" ".join(text.split())), MAX_VALUE) or "(empty)"
    ticks = "`" * (1 + _longest_run(line))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _html(text: str) -> str:
    """`text` on one line in `<code>`, where no name notifies and no number links."""
    return f"<code>{html.escape(_cut(_plain(' '.join(text.split())), MAX_VALUE))}</code>"


def _plain(text: str) -> str:
    """`text` without what cannot be seen, and without marks that look like ours."""
    return _OURS.sub("< ", visible(text))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
