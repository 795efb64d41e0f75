"""Read the view: the revisions of all layers, folded at one viewpoint. No ref moves.

A pending revision lies in the local layer and belongs to the layer that it will be published in:
there it stands beside what it replaces, so it is moved before anything is folded.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from gitmem.core.note import Revision
from gitmem.core.view import AtCommit, Folded, elsewhere, fold
from gitmem.store.ancestry import Viewpoint
from gitmem.store.backend import TreeEntry
from gitmem.store.layout import bucket
from gitmem.store.revisions import Broken, Revisions, read_revisions
from gitmem.store.united import United

MAX_BUCKETS = 40
NOWHERE = AtCommit(frozenset(), frozenset(), {}, None)

Source = tuple[str, bytes]  # the id of a blob, and its bytes


class LayerNotes(NamedTuple):
    """Notes of one layer: id key → folded, also those that are forgotten; `hidden`: those that are
    not seen from here, as they are on their own branch; rev → where it is stored; what is broken;
    and what was asked of the code's history.
    """

    layer: str
    folded: dict[str, Folded] = {}
    hidden: dict[str, Folded] = {}
    sources: Mapping[str, Source] = {}
    broken: tuple[Broken, ...] = ()
    ancestry: AtCommit = NOWHERE


def read_view(
    layers: Sequence[tuple[str, United]],
    viewpoint: Viewpoint,
    keys: Collection[str] | None = None,
    *,
    check: Callable[[], None] = lambda: None,
) -> list[LayerNotes]:
    """The notes of layers (name, content), given and returned nearest first.

    Those of the id keys `keys`, or all. Runs git. `check` is called now and then, to raise where
    there is no time left.
    """
    wanted = None if keys is None else set(keys)
    found = [
        (name, read_revisions(united.backend, entries_of(united, wanted), only=wanted, check=check))
        for name, united in layers
    ]
    placed = _placed(found)
    every = chain.from_iterable(chain.from_iterable(by_id.values()) for by_id in placed)
    ancestry = viewpoint.ancestry(revision.anchor for revision in every)
    sources = {rev: source for _, revisions in found for rev, source in revisions.sources.items()}
    return [
        _folded(name, by_id, ancestry, sources, revisions.broken)
        for (name, revisions), by_id in zip(found, placed, strict=True)
    ]


def entries_of(united: United, keys: set[str] | None) -> list[TreeEntry]:
    """All tree entries of some ids: their buckets only, unless there are many."""
    if keys is None:
        return united.entries()
    buckets = {bucket(key) for key in keys}
    if len(buckets) > MAX_BUCKETS:
        return united.entries()
    return united.entries(*sorted(buckets))


def _placed(found: Sequence[tuple[str, Revisions]]) -> list[dict[str, list[Revision]]]:
    """The revisions of each layer by id key, pending ones in the layer that they are meant for."""
    placed: dict[str, dict[str, list[Revision]]] = {name: {} for name, _ in found}
    for name, revisions in found:
        for key, every in revisions.by_id.items():
            for revision in every:
                target = revision.anchor.pending if revision.anchor else None
                layer = target if target in placed else name
                placed[layer or name].setdefault(key, []).append(revision)
    return [placed[name] for name, _ in found]


def _folded(
    name: str,
    by_id: Mapping[str, Iterable[Revision]],
    ancestry: AtCommit,
    sources: Mapping[str, Source],
    broken: tuple[Broken, ...],
) -> LayerNotes:
    folded = {key: fold(key, revisions, ancestry) for key, revisions in by_id.items()}
    hidden = {key: there for key, item in folded.items() if (there := elsewhere(item))}
    return LayerNotes(name, folded, hidden, sources, broken, ancestry)
