"""The history of notes: who learned what, when, on which branch, and why. A stream, newest first.

Each entry is a stored revision. The layers are read side by side and joined by date; what was
fetched and is not merged yet is part of them. Must not print, and never holds all entries.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import unified_diff
from heapq import merge
from typing import TypeAlias

from gitmem import reading
from gitmem.codec import encode
from gitmem.core.ids import id_key
from gitmem.core.landed import Landed, closure
from gitmem.core.note import Anchor, Note, Revision
from gitmem.core.view import Everywhere, fold, is_pending
from gitmem.errors import GitMemError
from gitmem.memory import Memory
from gitmem.naming import UnknownNote
from gitmem.store import commits
from gitmem.store.commits import Headline
from gitmem.store.landed import read_landed
from gitmem.store.layer import Layer
from gitmem.store.revision_log import Logged, Shelf, revisions
from gitmem.store.revisions import Broken
from gitmem.store.united import United, united

NOWHERE = "/dev/null"


class BadArguments(GitMemError):
    kind = "usage"


@dataclass(frozen=True)
class Entry:
    """A revision in the history of a layer.

    `op` is `added`, `edited`, `forgotten`, `restored` or `purged`; `date` is UTC text; `replaced`
    is what it replaces, as far as that is here. Of a purge, the author is who purged. `headline`
    is that of the anchor, when it was asked for and the commit is here.
    """

    layer: str
    id: str
    revision: Revision
    replaced: tuple[Revision, ...]
    op: str
    author: str
    date: str
    headline: Headline | None = None

    @property
    def anchor(self) -> Anchor | None:
        return self.revision.anchor

    @property
    def note(self) -> Note:
        """What the revision says; a purged one says nothing."""
        return self.revision.note or Note(self.id)

    @property
    def is_pending(self) -> bool:
        return is_pending(self.revision)


Stream: TypeAlias = Generator[Entry | Broken, None, None]


@dataclass(frozen=True)
class Asked:
    """Which entries: all by default. Times in seconds since 1970, patterns of which one must match.

    `key` is that of one note, `range` the commits among which the anchor must be.
    """

    key: str | None = None
    range: str | None = None
    layer: str | None = None
    since: int | None = None
    until: int | None = None
    authors: Sequence[re.Pattern[str]] = ()
    texts: Sequence[re.Pattern[str]] = ()
    headlines: bool = False


@dataclass(frozen=True)
class History:
    """The layers of a memory as they are at one moment."""

    memory: Memory
    contents: Mapping[Layer, United]
    landed: Landed = field(default_factory=dict)

    @classmethod
    def open(cls, memory: Memory) -> "History":
        """Publishes what was pending and is committed by now, as every command does."""
        try:
            memory.index().close()
        except (GitMemError, OSError):
            pass  # the index is derived: the history is there without it
        contents = {layer: united(layer) for layer in memory.layers if layer.exists}
        return cls(memory, contents, read_landed(memory.repository.common_dir))

    @property
    def left_out(self) -> list[str]:
        """Why some of what was fetched cannot be read."""
        return [problem for content in self.contents.values() for problem in content.left_out]

    def chosen(self, words: Sequence[str], after: Sequence[str] | None) -> Asked:
        """What arguments `[ID] [RANGE]` ask for; `after` are those that stood after a `--`, where
        only an ID can be. UnknownNote, AmbiguousName, BadArguments."""
        if after is None:
            ranges = [word for word in words if ".." in word]
            ids = [word for word in words if ".." not in word]
            if len(words) == 1 and ids and self._is_range(ids[0]):
                ranges, ids = ids, []
            elif len(ids) == 2:
                ids, ranges = ids[:1], ids[1:]
        else:
            ranges, ids = list(words), list(after)
        if len(ranges) > 1 or len(ids) > 1:
            raise BadArguments(
                f"one ID and one RANGE at most, not {' '.join([*ranges, *ids])}",
                "write them as in: git mem log my-note main..HEAD",
            )
        try:
            key = self.key_of(ids[0]) if ids else None
        except UnknownNote as error:
            if len(words) > 1 or after is not None:
                raise
            problem = f"there is no note and no commit '{words[0]}'"
            raise UnknownNote(problem, *error.hints) from None
        return Asked(key=key, range=ranges[0] if ranges else None)

    def key_of(self, name: str) -> str:
        """The id key of a note, also of one that is forgotten or on another branch only."""
        if self._has(name):
            return id_key(name)
        try:
            return self.memory.resolve(name)
        except UnknownNote as error:
            every = {key for content in self.contents.values() for key in reading.ids_in(content)}
            found = [key for key in every if key.startswith(id_key(name))]
            if len(found) == 1:
                return found[0]
            raise UnknownNote(error.message, *error.hints) from None

    def _has(self, name: str) -> bool:
        key = id_key(name)
        return any(key in reading.ids_in(content, key) for content in self.contents.values())

    def _is_range(self, word: str) -> bool:
        """Whether a single word names a commit; the whole id of a note comes before it."""
        return not self._has(word) and commits.is_commit(self.memory.repository.git_dir, word)

    def log(self, asked: Asked) -> Stream:
        """The entries, newest first, and what is broken in its place. Close it to stop early.

        UnknownLayer and BadRange come before the first.
        """
        layers = [self.memory.layer(asked.layer)] if asked.layer else list(self.contents)
        git_dir = self.memory.repository.git_dir
        among = commits.commits_in(git_dir, asked.range) if asked.range is not None else None
        shelf = Shelf(self.contents.values(), asked.key)
        streams = [
            self._layer(layer, shelf, asked, among) for layer in layers if layer in self.contents
        ]
        return _joined(streams)

    def _layer(
        self, layer: Layer, shelf: Shelf, asked: Asked, among: frozenset[str] | None
    ) -> Stream:
        content = self.contents[layer]
        read = revisions(layer, content, shelf, key=asked.key, since=asked.since)
        with closing(read) as batches:
            for batch in batches:
                found = [
                    item
                    for logged in batch
                    if isinstance(item := _entry(layer.name, logged), Broken)
                    or self._is_asked(item, asked, among)
                ]
                yield from self._titled(found) if asked.headlines else found

    def _is_asked(self, entry: Entry, asked: Asked, among: frozenset[str] | None) -> bool:
        text = f"{entry.id}\n{entry.note.body}\n{entry.note.reason or ''}"
        return (
            (asked.since is None or entry.date >= utc(asked.since))
            and (asked.until is None or entry.date <= utc(asked.until))
            and (among is None or self._is_anchored(entry.anchor, among))
            and (not asked.authors or any(found.search(entry.author) for found in asked.authors))
            and (not asked.texts or any(found.search(text) for found in asked.texts))
        )

    def _is_anchored(self, anchor: Anchor | None, among: frozenset[str]) -> bool:
        """Whether the anchor, or a commit that it landed as, is one of `among`."""
        if anchor is None or anchor.commit is None:
            return False
        return not among.isdisjoint(closure(anchor.commit, self.landed))

    def _titled(self, found: Sequence[Entry | Broken]) -> Iterator[Entry | Broken]:
        anchors = [item.anchor for item in found if isinstance(item, Entry)]
        oids = {anchor.commit for anchor in anchors if anchor and anchor.commit}
        titles = commits.headlines(self.memory.repository.git_dir, oids)
        for item in found:
            if isinstance(item, Entry) and item.anchor and item.anchor.commit in titles:
                item = replace(item, headline=titles[item.anchor.commit])
            yield item


def utc(seconds: int) -> str:
    """The text of a time, as notes have it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _joined(streams: Sequence[Stream]) -> Stream:
    """The streams as one, by date; each keeps its own order, and what is broken its place."""
    with ExitStack() as stack:
        for stream in streams:
            stack.enter_context(closing(stream))
        yield from merge(*streams, key=_date, reverse=True)


def _date(item: Entry | Broken) -> str:
    return "9" if isinstance(item, Broken) else item.date


def _entry(layer: str, logged: Logged | Broken) -> Entry | Broken:
    if isinstance(logged, Broken):
        return logged
    revision, replaced = logged.revision, logged.replaced
    if not is_pending(revision):  # nobody else ever saw what it replaces of these
        replaced = tuple(before for before in replaced if not is_pending(before))
    note = revision.note
    op = "purged" if note is None else "forgotten" if note.forgotten else _live(replaced)
    author, date = (note.author, note.written) if note else (None, None)
    who, when = author or logged.who, date or logged.when
    return Entry(layer, logged.id, revision, replaced, op, who, when)


def _live(replaced: Sequence[Revision]) -> str:
    if not replaced:
        return "added"
    is_over = all(before.note is not None and before.note.forgotten for before in replaced)
    return "restored" if is_over else "edited"


def patch(entry: Entry) -> list[str]:
    """A unified diff of what the note said before and says now, without what tools write."""
    texts = [before for before in entry.replaced if not before.forgotten]
    old = _text(fold(entry.id, texts, Everywhere()).note)
    new = _text(None if entry.revision.forgotten else entry.revision.note)
    before, after = f"a/{entry.id}" if old else NOWHERE, f"b/{entry.id}" if new else NOWHERE
    return list(unified_diff(old, new, before, after, lineterm=""))


def _text(note: Note | None) -> list[str]:
    if note is None:
        return []
    bare = note.edited(created=None, written=None, author=None, anchor=None, replaces=())
    return encode(bare).decode().split("\n")[:-1]
