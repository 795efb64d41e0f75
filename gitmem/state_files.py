"""The state that a layer holds, as files: what of it is about a branch, and what is open.

Notes are told at a glance where that is certain and folded like any other where it is not. What is
known to be closed is not read at all. How a picture is made of it is in `state.py`.
"""

import time
from hashlib import sha256

from gitmem.core import state, state_notes
from gitmem.core.state import Item
from gitmem.index import closed
from gitmem.index.place import home, writable_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from gitmem.core.lineage import Life
    from gitmem.core.note import Revision
    from gitmem.core.view import Folded

    Reader = Callable[[Iterable[str]], Iterator[tuple[str, bytes | None]]]

MANY = 16  # notes found to be closed; fewer are not worth a file

Row = tuple[str, str, str]  # path, blob id, rev
Newest = tuple[str, str, str | None, str | None]  # when, to the microsecond; commit; merge base


class File:
    """A stored revision: its path, its name, and its bytes."""

    __slots__ = ("data", "path", "rev")

    def __init__(self, path: str, rev: str, data: bytes) -> None:
        self.path = path
        self.rev = rev
        self.data = data

    @property
    def written(self) -> str:
        return state_notes.value(self.data, "written") or ""

    @property
    def moment(self) -> str:
        return state_notes.value(self.data, "moment") or ""

    @property
    def is_gone(self) -> bool:
        return self.path.endswith(".gone")


class Kept:
    """What a layer holds of one life of a branch: what is open, and the newest that was written.

    `files` are the revisions of all notes that are not known to be closed, by id key.
    """

    def __init__(
        self, layer: str, life: "Life", files: "Mapping[str, Sequence[File]]", newest: Newest
    ) -> None:
        self.layer = layer
        self.life = life
        self.files = files
        self.newest = newest
        found = (_open(key, items, layer) for key, items in files.items())
        self.items = [item for item in found if item is not None]


def _open(key: str, files: "Sequence[File]", layer: str) -> Item | None:
    told = _standing(files)
    if told is None:
        item = item_of(key, folded(key, files), layer)
        return item if item and item.reason is None else None
    parts = state.parts_of(key)
    if told == state_notes.CLOSED or parts is None:
        return None
    return Item(parts[0], parts[2], told[0], layer, order=told[1])


def _standing(files: "Sequence[File]") -> tuple[str, str] | None:
    if any(file.is_gone for file in files):
        return None
    return state_notes.standing({file.rev: file.data for file in files})


def item_of(key: str, found: "Folded", layer: str) -> Item | None:
    """A note as an item, open or closed; None for one that is no state or whose text is gone."""
    from gitmem.reading import content_of  # only for a note that is more than one plain revision

    parts, note, reason = state.parts_of(key), found.note, None
    if note is None and found.heads:
        closed = found.heads[-1].note
        note = closed if closed and closed.body.strip() else content_of(found)
        reason = (closed.reason if closed else None) or state.DROPPED
    if parts is None or note is None:
        return None
    order = state.field(note, "order") or note.created or ""
    return Item(parts[0], parts[2], note.body.strip(), layer, order=order, reason=reason)


def folded(key: str, files: "Iterable[File]") -> "Folded":
    """What the revisions of a note come to."""
    from gitmem.core.view import Everywhere, fold  # as above

    revisions = [revision for file in files if (revision := _revision(file))]
    return fold(key, revisions, Everywhere())


def _revision(file: File) -> "Revision | None":
    from gitmem.note_text import BadNote  # as above
    from gitmem.store.layout import Entry
    from gitmem.store.revisions import revision_of

    note_id = file.path.rpartition("/")[2].partition("@")[0]
    try:
        return revision_of(file.path, Entry(note_id, file.rev, file.is_gone), file.data)
    except BadNote:
        return None  # one bad note never hides the others


class Stored:
    """The state in a layer, all branches: which files there are. Bytes are read when asked for.

    `common_dir` is where it is remembered what is closed; None: nothing is.
    """

    def __init__(
        self,
        layer: str,
        entries: "Iterable[tuple[str, str]]",
        read: "Reader",
        common_dir: str | None = None,
    ) -> None:
        self.layer = layer
        self._reader = read
        self._common_dir = common_dir
        self._scopes: dict[str, dict[str, list[Row]]] = {}
        self._read: dict[str, list[File]] = {}
        for path, oid in entries:
            if (found := _parsed(path)) is not None:
                key, scope, rev = found
                self._scopes.setdefault(scope, {}).setdefault(key, []).append((path, oid, rev))

    def of(self, lives: "Sequence[Life]") -> Kept | None:
        """What is about the first of these lives that anything was written in."""
        for life in lives:
            scope = state.scope_of(life.name)
            if scope in self._scopes and (kept := self._kept(life, scope)) is not None:
                return kept
        return None

    def _kept(self, life: "Life", scope: str) -> Kept | None:
        since, until = _stamp(life.born), _stamp(life.until) or "~"
        keys = self._scopes[scope]
        known = {
            key: told
            for key, told in self._known(scope).items()
            if key in keys and told[0] == _revs(rev for _, _, rev in keys[key])
        }
        over = {
            key: told
            for key, told in known.items()
            if (since <= told[1] and told[2] <= until) or told[2] < since or until < told[1]
        }
        every = self._files(key for key in keys if key not in over)
        files = {
            key: kept
            for key, found in every.items()
            if (kept := [file for file in found if file.is_gone or since <= file.written <= until])
        }
        within = [told for told in over.values() if since <= told[1] and told[2] <= until]
        if not files and not within:
            return None
        newest = [(told[2], told[3], told[4] or None, told[5] or None) for told in within]
        newest += [_newest([file for found in files.values() for file in found])] if files else []
        self._remember(scope, known, every)
        return Kept(self.layer, life, files, max(newest, key=lambda item: item[:2]))

    def names(self) -> list[str]:
        """The branches that anything was ever written on."""
        found = []
        for scope, keys in self._scopes.items():
            for files in self._files([next(iter(keys))]).values():
                name = state_notes.value(files[0].data, "branch")
                if name and state.scope_of(name) == scope:
                    found.append(name)
        return found

    def heads(self, note_id: str) -> tuple[str, ...]:
        """What a new revision of a note replaces, whichever life it was written in."""
        files = self._files([note_id]).get(note_id, [])
        return tuple(head.rev for head in folded(note_id, files).heads)

    def _files(self, keys: "Iterable[str]") -> dict[str, list[File]]:
        """The revisions of notes, by id key."""
        wanted = list(keys)
        rows = [
            (key, *row)
            for key in wanted
            if key not in self._read
            for row in self._scopes.get((state.parts_of(key) or ("", "", ""))[1], {}).get(key, ())
        ]
        blobs = self._reader(oid for _, _, oid, _ in rows)
        for (key, path, _, rev), (_, data) in zip(rows, blobs, strict=True):
            if data is not None and (path.endswith(".gone") or _named(data) == rev):
                self._read.setdefault(key, []).append(File(path, rev, data))
        return {key: self._read[key] for key in wanted if key in self._read}

    def _known(self, scope: str) -> closed.Known:
        if self._common_dir is None:
            return {}
        return closed.read(closed.path_of(home(self._common_dir), self.layer, scope))

    def _remember(
        self, scope: str, known: closed.Known, every: "Mapping[str, Collection[File]]"
    ) -> None:
        found: closed.Known = {
            key: _told(list(files))
            for key, files in every.items()
            if key not in known
            and len(files) == len(self._scopes[scope][key])
            and _standing(list(files)) == state_notes.CLOSED
        }
        directory = writable_home(self._common_dir) if self._common_dir and found else None
        if len(found) < MANY or directory is None:
            return
        try:
            closed.write(closed.path_of(directory, self.layer, scope), {**known, **found})
        except OSError:
            pass  # derived: the next reader reads all again


def _told(files: "Sequence[File]") -> tuple[str, str, str, str, str, str]:
    written, moment, commit, base = _newest(files)
    first = min(file.written for file in files)
    return _revs(file.rev for file in files), first, written, moment, commit or "", base or ""


def _revs(revs: "Iterable[str]") -> str:
    return " ".join(sorted(revs))


def _newest(files: "Iterable[File]") -> Newest:
    last = max(files, key=lambda file: (file.written, file.moment, file.rev))
    commit, base = (state_notes.value(last.data, name) or None for name in ("commit", "base"))
    return last.written, last.moment, commit, base


def _parsed(path: str) -> tuple[str, str, str] | None:
    """(id key, scope, rev) of a file of state; None for any other. As `layout.parse_path`."""
    directory, _, name = path.rpartition("/")
    note_id, _, ending = name.partition("@")
    rev, _, suffix = ending.partition(".")
    parts = state.parts_of(note_id)
    if parts is None or suffix not in ("md", "gone") or len(rev) != 20 or rev.strip(state.HEX):
        return None
    if sha256(note_id.encode("ascii")).hexdigest()[:2] != directory:
        return None
    return note_id, parts[1], rev


def _named(data: bytes) -> str:
    return sha256(data).hexdigest()[:20]


def _stamp(when: int | None) -> str:
    """Seconds since 1970 as notes write them; '' for none."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)) if when else ""
