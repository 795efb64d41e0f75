"""Read the revisions in a layer's tree. A blob that does not parse is reported, never raised.

One bad note never affects another: what cannot be read is listed with its path and the reason.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from gitmem.codec import BadNote, decode, decode_gone, revision_name
from gitmem.core.ids import id_key
from gitmem.core.note import Revision
from gitmem.store.backend import Backend, TreeEntry
from gitmem.store.layout import Entry, parse_path

OFTEN = 200  # revisions between two looks at the clock


class Broken(NamedTuple):
    """A stored revision that cannot be read."""

    path: str
    id: str
    message: str


class Revisions(NamedTuple):
    """What a tree holds: id key → revisions; rev → (blob id, bytes); and what is broken."""

    by_id: Mapping[str, list[Revision]] = {}
    sources: Mapping[str, tuple[str, bytes]] = {}
    broken: tuple[Broken, ...] = ()


def read_revisions(
    backend: Backend,
    entries: Iterable[TreeEntry],
    *,
    only: set[str] | None = None,
    check: Callable[[], None] = lambda: None,
) -> Revisions:
    """Read the revisions among `entries`, of the id keys `only` when given; what `check` raises
    between two of them ends it."""
    wanted: list[tuple[TreeEntry, Entry]] = []
    for item in entries:
        entry = parse_path(item.path)
        if entry is not None and (only is None or id_key(entry.id) in only):
            wanted.append((item, entry))
    by_id: dict[str, list[Revision]] = {}
    sources: dict[str, tuple[str, bytes]] = {}
    broken: list[Broken] = []
    blobs = backend.read(item.oid for item, _ in wanted)
    for number, ((item, entry), (_, data)) in enumerate(zip(wanted, blobs, strict=True)):
        if number % OFTEN == 0:
            check()
        try:
            revision = revision_of(item.path, entry, data)
        except BadNote as error:
            broken.append(Broken(item.path, entry.id, error.message))
            continue
        by_id.setdefault(id_key(entry.id), []).append(revision)
        sources[entry.rev] = (item.oid, data or b"")
    gone = {rev.rev for revs in by_id.values() for rev in revs if rev.note is None}
    if gone:
        by_id = {
            key: [rev for rev in revs if rev.note is None or rev.rev not in gone]
            for key, revs in by_id.items()
        }
    return Revisions(by_id, sources, tuple(broken))


def revision_of(path: str, entry: Entry, data: bytes | None) -> Revision:
    """The revision that is stored at `path` (which `entry` says), of these bytes. BadNote."""
    if data is None:
        raise BadNote(
            path, "the object is missing", "fetch it again, or restore it from another clone"
        )
    if entry.gone:
        replaces, anchor = decode_gone(data, path)
        return Revision(entry.rev, None, replaces, anchor)
    if revision_name(data) != entry.rev:
        raise BadNote(path, "the content is not what its name promises")
    note = decode(data, path)
    if id_key(note.id) != id_key(entry.id):
        raise BadNote(path, f"the note says that its id is '{note.id}'")
    return Revision(entry.rev, note, note.replaces, note.anchor)
