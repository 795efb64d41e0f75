"""Merge a note that is a file in a work tree: base, ours, theirs. Pure.

Fields, tags and triggers follow the rules of `core/merge.py`, with ours and theirs as two heads
that replace the base. Unlike a stored note, a file has one body and a person at hand who can
settle it: so the body is merged line by line, with git's markers only where both sides changed
the same lines. Must not drop a line that either side added.
"""

from dataclasses import dataclass
from typing import Any

from gitmem.core.merge import Graph, Lines, changed_spans, common_lines, merge_heads
from gitmem.core.note import Note, Revision

OPEN, MIDDLE, CLOSE = "<<<<<<< ours", "=======", ">>>>>>> theirs"

# Revisions written at the same moment are ordered by name; ours is then the newest.
BASE, THEIRS, OURS = "0-base", "1-theirs", "2-ours"
SAID = ("id", "kind", "confidence", "verified", "strength", "entity", "pinned", "reason")
UNSAID = ("author", "anchor", "forgotten", "reason")  # fields that merging heads leaves alone


@dataclass(frozen=True)
class FileMerge:
    """A merged note. `has_markers`: its body holds conflict markers. `clashes` says, a line each,
    which value was dropped of a field that both sides changed."""

    note: Note
    has_markers: bool = False
    clashes: tuple[str, ...] = ()


def merge_files(base: Note | None, ours: Note, theirs: Note) -> FileMerge:
    """The merge of two versions of a note; `base` is None when both sides added it."""
    if theirs in (ours, base):
        return FileMerge(ours)
    if ours == base:
        return FileMerge(theirs)
    ours_is_newer = (ours.written or "") >= (theirs.written or "")
    newer, older = (ours, theirs) if ours_is_newer else (theirs, ours)
    body, has_markers = merge_text(base.body if base else None, ours.body, theirs.body)
    note = merge_heads(_graph(base, ours, theirs), (THEIRS, OURS)).edited(
        body=body,
        written=newer.written,
        replaces=_replaces(base, ours, theirs),
        **{name: _settled(name, base, newer, older) for name in UNSAID},
    )
    names = ("ours", "theirs") if ours_is_newer else ("theirs", "ours")
    return FileMerge(note, has_markers, tuple(_clashes(base, newer, older, names)))


def merge_text(base: str | None, ours: str, theirs: str) -> tuple[str, bool]:
    """Both texts' changes, and whether conflict markers had to be set.

    Without a base the lines that both have stand in for it. The result ends in exactly one
    newline, unless it is empty.
    """
    sides = (_lines(ours), _lines(theirs))
    before = common_lines(sides) if base is None else _lines(base)
    out: list[str] = []
    position, has_markers = 0, False
    for low, high, versions in changed_spans(before, sides):
        out += before[position:low]
        position = high
        if len(versions) == 1:
            out += versions[0]
        else:
            out += _marked(*versions)
            has_markers = True
    out += before[position:]
    text = "\n".join(out).rstrip("\n")
    return f"{text}\n" if text else "", has_markers


def _marked(ours: Lines, theirs: Lines) -> Lines:
    """Two versions between markers; the lines that both begin or end with stay outside."""
    shortest = min(len(ours), len(theirs))
    head = 0
    while head < shortest and ours[head] == theirs[head]:
        head += 1
    tail = 0
    while tail < shortest - head and ours[-1 - tail] == theirs[-1 - tail]:
        tail += 1
    mine, other = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    return (*ours[:head], OPEN, *mine, MIDDLE, *other, CLOSE, *ours[len(ours) - tail :])


def _lines(text: str) -> Lines:
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _graph(base: Note | None, ours: Note, theirs: Note) -> Graph:
    replaces = () if base is None else (BASE,)
    revisions = [Revision(OURS, ours, replaces), Revision(THEIRS, theirs, replaces)]
    return Graph(revisions if base is None else [*revisions, Revision(BASE, base)])


def _replaces(base: Note | None, ours: Note, theirs: Note) -> tuple[str, ...]:
    before = set(base.replaces) if base else set()
    kept = set(ours.replaces) & set(theirs.replaces)
    both = dict.fromkeys(ours.replaces + theirs.replaces)
    return tuple(rev for rev in both if rev in kept or rev not in before)


def _settled(name: str, base: Note | None, newer: Note, older: Note) -> Any:
    """One field: the side that changed it, the newer one when both did."""
    new, old = getattr(newer, name), getattr(older, name)
    if base is None:
        return new if new is not None else old
    return old if new == getattr(base, name) else new


def _clashes(base: Note | None, newer: Note, older: Note, names: tuple[str, str]) -> list[str]:
    every = [_said(note) for note in (newer, older)]
    new, old = every
    before = _said(base) if base else {}
    return [
        f"{name}: kept {_shown(new.get(name))} ({names[0]}); {names[1]} had {_shown(old.get(name))}"
        for name in dict.fromkeys([*new, *old])
        if new.get(name) != old.get(name)
        and (before.get(name) not in (new.get(name), old.get(name)))
    ]


def _said(note: Note) -> dict[str, Any]:
    """The single values that a person wrote."""
    known = {name: value for name in SAID if (value := getattr(note, name))}
    return known | dict(note.extra)


def _shown(value: Any) -> str:
    return "nothing" if value is None else f"'{value}'"
