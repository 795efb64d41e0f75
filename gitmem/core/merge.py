"""Merge the heads of one note as a set. Pure: a clash is kept in the text, never asked about.

The heads are taken together in (`written`, rev) order, never one after another, so the result is a
function of the set alone. M(H) is the merge of heads H, and base(g, h) = M(their maximal common
ancestors), recursively:

- a set member (trigger, tag, link, alias, superseded id) stays iff some head has it and no other
  head lacks it while their base has it: union, minus what one side removed on purpose;
- a field comes from the newest head that changed it against the base;
- the body takes all heads' hunks against the base at once; overlapping hunks keep each distinct
  side; without a common base, common lines once and then each side's own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gitmem.core.note import TRIGGER_KINDS, Note, Revision, Triggers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from difflib import SequenceMatcher

SETS = ("tags", "aliases", "links", "supersedes")
FIELDS = ("kind", "confidence", "verified", "strength", "entity", "pinned", "created", "id")
Lines = tuple[str, ...]
Member = tuple[str, str]


class Graph:
    """The revisions of one id and how they replace one another. Answers are remembered."""

    def __init__(self, revisions: Iterable[Revision]) -> None:
        self.revisions: dict[str, Revision] = {item.rev: item for item in revisions}
        self._past: dict[str, frozenset[str]] = {}
        self._merged: dict[frozenset[str], Note] = {}

    def past(self, rev: str) -> frozenset[str]:
        """`rev` and all it replaces, directly or through others."""
        found = self._past.get(rev)
        if found is None:
            seen: set[str] = set()
            todo = [rev]
            while todo:
                name = todo.pop()
                if name in self.revisions and name not in seen:
                    seen.add(name)
                    todo.extend(self.revisions[name].replaces)
            found = self._past[rev] = frozenset(seen)
        return found

    def heads(self, among: Iterable[str]) -> frozenset[str]:
        """The members of `among` that no other member covers."""
        members = frozenset(among)
        covered: set[str] = set()
        for rev in members:
            covered |= self.past(rev) - {rev}
        return members - covered

    def bases(self, revs: Iterable[str]) -> frozenset[str]:
        """Their maximal common ancestors; several after criss-cross edits, none without any."""
        pasts = [self.past(rev) for rev in revs]
        return self.heads(frozenset.intersection(*pasts)) if pasts else frozenset()

    def ordered(self, revs: Iterable[str]) -> list[str]:
        return sorted(revs, key=lambda rev: (self._written(rev), rev))

    def _written(self, rev: str) -> str:
        note = self.revisions[rev].note
        return (note.written if note else None) or ""

    def base_note(self, revs: Iterable[str]) -> Note | None:
        """M(bases), or None without a common base whose text is still there."""
        there = [rev for rev in self.bases(revs) if self.revisions[rev].note is not None]
        return merge_heads(self, there) if there else None

    def merged(self, revs: frozenset[str]) -> Note | None:
        return self._merged.get(revs)

    def remember(self, revs: frozenset[str], note: Note) -> Note:
        self._merged[revs] = note
        return note


def merge_heads(graph: Graph, heads: Sequence[str]) -> Note:
    """M(heads), for at least one revision that has its text."""
    key = frozenset(heads)
    if (done := graph.merged(key)) is not None:
        return done
    order = graph.ordered(key)
    notes = [note for rev in order if (note := graph.revisions[rev].note) is not None]
    if len(notes) == 1:
        return graph.remember(key, notes[0])
    base = graph.base_note(order)
    newest = notes[-1]
    kept = _kept_members(graph, order)
    merged = newest.edited(
        triggers=_triggers(kept),
        body=_body(base, notes),
        extra=tuple(_fields(base, notes, lambda note: dict(note.extra)).items()),
        **{name: tuple(text for kind, text in kept if kind == name) for name in SETS},
        **_fields(base, notes, lambda note: {name: getattr(note, name) for name in FIELDS}),
    )
    return graph.remember(key, merged)


def members(note: Note) -> list[Member]:
    """All (kind, text) members of a note's sets, in its own order."""
    found = [("always", "")] if note.triggers.always else []
    for kind in TRIGGER_KINDS:
        found += [(kind, text) for text in getattr(note.triggers, kind)]
    for kind in SETS:
        found += [(kind, text) for text in getattr(note, kind)]
    return found


def _kept_members(graph: Graph, order: Sequence[str]) -> list[Member]:
    own = {rev: members(note) for rev in order if (note := graph.revisions[rev].note)}
    sets = {rev: frozenset(items) for rev, items in own.items()}
    bases: dict[tuple[str, str], frozenset[Member]] = {}
    for g in own:
        for h in own:
            if g != h:
                base = graph.base_note((g, h))
                bases[g, h] = frozenset(members(base)) if base else frozenset()

    def is_kept(item: Member) -> bool:
        return any(
            item in sets[h]
            and not any(item not in sets[g] and item in bases[g, h] for g in own if g != h)
            for h in own
        )

    every = dict.fromkeys(item for items in own.values() for item in items)
    return [item for item in every if is_kept(item)]


def _triggers(kept: Sequence[Member]) -> Triggers:
    return Triggers(
        ("always", "") in kept,
        *(tuple(text for kind, text in kept if kind == wanted) for wanted in TRIGGER_KINDS),
    )


def _fields(base: Note | None, notes: Sequence[Note], read: Any) -> dict[str, Any]:
    before: Mapping[str, Any] = read(base) if base else {}
    out = dict(before)
    for note in notes:
        for name, value in read(note).items():
            is_change = name not in before or value != before[name]
            if is_change and (value is not None or name in before):
                out[name] = value
        for name in before.keys() - read(note).keys():
            out.pop(name, None)
    return out


def _body(base: Note | None, notes: Sequence[Note]) -> str:
    sides = [_lines(note.body) for note in notes]
    return "\n".join(merge_lines(_lines(base.body) if base else common_lines(sides), sides))


def _lines(body: str) -> Lines:
    return tuple(body.split("\n"))


def common_lines(sides: Sequence[Lines]) -> Lines:
    """The lines that all sides share, in order."""
    common = sides[0]
    for side in sides[1:]:
        blocks = _compared(common, side).get_matching_blocks()
        common = tuple(line for block in blocks for line in common[block.a : block.a + block.size])
    return common


def merge_lines(base: Lines, sides: Sequence[Lines]) -> Lines:
    """An n-way diff3: hunks that overlap keep every distinct side, oldest first."""
    out: list[str] = []
    position = 0
    for low, high, versions in changed_spans(base, sides):
        out += base[position:low]
        for text in versions:
            out += text
        position = high
    return (*out, *base[position:])


def changed_spans(
    base: Lines, sides: Sequence[Lines]
) -> Iterator[tuple[int, int, tuple[Lines, ...]]]:
    """Where sides differ from the base: (low, high, what they have for base[low:high]).

    Hunks that overlap are one span. Each distinct version once, in the order of `sides`; sides
    that did not touch the span have no say in it.
    """
    hunks = sorted(
        (a, b, k, side[c:d])
        for k, side in enumerate(sides)
        for op, a, b, c, d in _compared(base, side).get_opcodes()
        if op != "equal"
    )
    i = 0
    while i < len(hunks):
        low, high = hunks[i][:2]
        group = [hunks[i]]
        i += 1
        while i < len(hunks) and (hunks[i][0] < high or hunks[i][0] == low):
            high = max(high, hunks[i][1])
            group.append(hunks[i])
            i += 1
        versions = (
            _version(base, group, k, low, high) for k in sorted({hunk[2] for hunk in group})
        )
        yield low, high, tuple(dict.fromkeys(versions))


def _version(
    base: Lines, group: Sequence[tuple[int, int, int, Lines]], k: int, low: int, high: int
) -> Lines:
    """Side k's own version of base[low:high]."""
    text: list[str] = []
    position = low
    for a, b, side, new in group:
        if side == k:
            text += base[position:a]
            text += new
            position = b
    return (*text, *base[position:high])


def _compared(one: Lines, other: Lines) -> "SequenceMatcher[str]":
    from difflib import SequenceMatcher  # only where texts differ, and few do

    return SequenceMatcher(None, one, other, autojunk=False)
