"""From a name to the note it calls: an id, a unique prefix, an entity or an alias."""

from collections.abc import Iterable
from typing import Protocol

from gitmem import reading
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.mention import Prompt, is_same
from gitmem.core.view import Folded, Shown
from gitmem.errors import GitMemError
from gitmem.explain import not_here
from gitmem.index.read import Index
from gitmem.index.schema import HIDDEN, WORD
from gitmem.index.segment import Segment, number_of
from gitmem.store.view import LayerNotes


class UnknownNote(GitMemError):
    kind = "not-found"


class AmbiguousName(GitMemError):
    kind = "ambiguous"


class Source(Protocol):
    """Where names are looked up: the index for all of them, the layers for one."""

    def index(self) -> Index: ...

    def load(self, keys: Iterable[str] | None = None) -> list[LayerNotes]: ...


def note(source: Source, name: str) -> Shown:
    """The note called `name`: an id, a unique prefix, an entity or an alias. One of another branch
    is not `is_visible`. UnknownNote."""
    key = resolve(source, name)
    loaded = source.load([key])
    return reading.unite(loaded).get(key) or reading.hidden(loaded)[key]


def held(
    source: Source, name: str, layer: str | None = None, *, forgotten: bool | None = False
) -> tuple[str, Folded]:
    """(layer, folded) of a note in the nearest layer that has it, or in `layer`.

    `forgotten` says whether it must be forgotten (True), must not be (False), or either
    (None). UnknownNote.
    """
    key = id_key(name)
    there = _held(source, key, layer, forgotten)
    if there is None and forgotten is not True:
        key = resolve(source, name)
        there = _held(source, key, layer, forgotten)
    if there is None:
        where = f" in layer {layer}" if layer else ""
        if forgotten and _held(source, key, layer, None):
            raise UnknownNote(f"note '{name}' is not forgotten{where}")
        if (other := reading.hidden(source.load([key])).get(key)) is not None:
            raise _elsewhere(other)
        seen = "git mem list --forgotten" if forgotten else "git mem list"
        raise UnknownNote(f"there is no note '{name}'{where}", f"see: {seen}")
    return there


def _held(
    source: Source, key: str, layer: str | None, forgotten: bool | None
) -> tuple[str, Folded] | None:
    found = in_layers(source, key, layer)
    for wanted in (False, True) if forgotten is None else (forgotten,):
        for at, folded in found:
            if (folded.note is None) is wanted:
                return at, folded
    return None


def in_layers(source: Source, key: str, layer: str | None = None) -> list[tuple[str, Folded]]:
    """(layer, folded) of one id wherever it has revisions, nearest first."""
    return [
        (notes.layer, folded)
        for notes in source.load([key])
        if layer in (None, notes.layer) and (folded := notes.folded.get(key)) and folded.heads
    ]


def resolve(source: Source, name: str) -> str:
    """The id key of what `name` calls; UnknownNote with suggestions, or AmbiguousName."""
    index = source.index()
    try:
        key = id_key(name)
        if index.named(key):
            return key
        by_entity = _named_by_entity(index, name)
        ids = sorted({row.id for row in index.rows()}) if not by_entity else []
        found = by_entity or [note_id for note_id in ids if id_key(note_id).startswith(key)]
        close = [] if found else _close(name, [*ids, *_entities(index)])
    finally:
        index.close()
    if len(found) == 1:
        return id_key(found[0])
    if found:
        raise AmbiguousName(f"'{name}' may be any of {len(found)} notes", *found[:6])
    if _held(source, key, None, True):
        raise UnknownNote(
            f"note '{name}' is forgotten",
            f"what it said: git mem show {name} --history",
            f"to bring it back: git mem restore {name}",
        )
    hints = [f"did you mean {' or '.join(close)}?"] if close else ["see: git mem list"]
    raise UnknownNote(f"there is no note '{name}'", *hints)


def _elsewhere(shown: Shown) -> UnknownNote:
    anchor = shown.folded.live[-1].anchor
    place = (anchor.branch or anchor.commit) if anchor else None
    return UnknownNote(
        f"note '{shown.note.id}' is {not_here(shown)} and not seen here",
        f"to change it go there, for example: git switch {place}" if place else "see: git mem log",
    )


def _named_by_entity(index: Index, name: str) -> list[str]:
    return [
        hit.row.id
        for hit in index.query(Event(prompts=(name,)))
        if any(kind == "entity" and is_same(trigger, name) for kind, _, trigger in hit.matched)
    ]


def _entities(index: Index) -> list[str]:
    """Every entity and alias of a note seen here. Reads the whole index: for a wrong name only."""
    found = set()
    for segment in index.segments():
        for key, postings in segment.all_postings():
            for number, kind, *_, name in postings if key.startswith(WORD) else ():
                if kind == "entity" and _is_seen(index, segment, number_of(number)):
                    found.add(name)
    return sorted(found)


def _is_seen(index: Index, segment: Segment, number: int) -> bool:
    is_dead = segment is index.base and number in index.dead
    return not (is_dead or index.row(segment, number).flags & HIDDEN)


def _close(name: str, known: list[str]) -> list[str]:
    """Up to three of `known` that somebody may mean by `name`, as a word to type: those it is a
    whole word of, and those that are spelled much like it."""
    from difflib import get_close_matches  # only for a name that is wrong

    said = Prompt(name).text
    spelled: dict[str, str] = {}
    for item in known:
        spelled.setdefault(Prompt(item).text, item)
    parts = [item for item in spelled.values() if len(said) > 2 and Prompt(item).has(said, False)]
    near = get_close_matches(said, spelled, n=3, cutoff=0.6)
    found = dict.fromkeys([*parts, *(spelled[text] for text in near)])
    return [f"'{item}'" if " " in item else item for item in list(found)[:3]]
