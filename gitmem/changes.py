"""The changes a note can undergo: edit, forget, restore, undo. Each is one transaction.

Every change is a new revision that replaces the heads it was made from; nothing is ever rewritten.
New notes are added by `placing.py`.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from gitmem import reading
from gitmem.codec import encode, revision_name
from gitmem.core.ids import id_key
from gitmem.core.note import Anchor, Note, Revision
from gitmem.core.trigger import normalise
from gitmem.core.view import Everywhere, Folded, fold, is_pending
from gitmem.drafting import Prepared, Refused, is_same_content
from gitmem.errors import GitMemError
from gitmem.gates import status
from gitmem.gates.secrets import SecretRefused, find
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint
from gitmem.store.anchors import Anchoring
from gitmem.store.backend import Backend
from gitmem.store.identity import Identities
from gitmem.store.layer import Layer
from gitmem.store.layout import path_of
from gitmem.store.transaction import Change, Snapshot, reason_of, transact
from gitmem.store.united import united, united_with
from gitmem.store.view import read_view

PREFIX = "git mem: "


class NothingToUndo(GitMemError):
    kind = "not-found"


class Writer(NamedTuple):
    """Where a change goes, from where it is seen, who makes it and when (seconds since 1970).

    `near` are the layers that may hold pending revisions of `layer`, which is the last of them.
    `backend` is that of a process that writes a lot; None lets each change choose.
    """

    layer: Layer
    near: Sequence[Layer]
    viewpoint: Viewpoint
    anchoring: Anchoring
    identity: Identities
    now: float
    allowed_secrets: Callable[[], Collection[str]] = tuple
    backend: Backend | None = None

    @property
    def stamp(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now))

    @property
    def author(self) -> str:
        who = self.identity.author
        return f"{who.name} <{who.email}>"

    def place_of(self, anchor: Anchor | None) -> Layer:
        """Where a revision with this anchor is kept: a pending one in the local layer."""
        return self.near[0] if anchor is not None and anchor.pending else self.layer

    def backend_of(self, layer: Layer) -> Backend | None:
        return self.backend if layer == self.layer else None


class Stored(NamedTuple):
    """A revision that was written: op is `added`, `edited`, `forgotten` or `restored`."""

    op: str
    layer: str
    note: Note
    rev: str
    data: bytes
    derived: tuple[str, ...] = ()


@dataclass(frozen=True)
class Written:
    """What a change did: revisions written, ids left as they were, what was refused, and the ids
    of notes that somebody else changed between reading and writing."""

    notes: list[Stored] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[GitMemError] = field(default_factory=list)
    clashes: list[str] = field(default_factory=list)

    def joined(self, other: "Written") -> "Written":
        return Written(
            self.notes + other.notes,
            self.unchanged + other.unchanged,
            self.refused + other.refused,
            self.clashes + other.clashes,
        )


class Seen:
    """What a writer sees while it writes to `layer`: the tip it was shown, united with what was
    fetched, and the other layers as they are."""

    def __init__(self, writer: Writer, layer: Layer, snapshot: Snapshot) -> None:
        self._writer = writer
        self._united = [
            (
                item.name,
                united_with(item, snapshot.backend, snapshot.tip)
                if item == layer
                else united(item, writer.backend_of(item)),
            )
            for item in writer.near
            if item == layer or item.exists
        ]

    def ids(self) -> set[str]:
        return {key for _, content in self._united for key in reading.ids_in(content)}

    def note(self, key: str) -> tuple[Folded | None, Folded | None]:
        """(what the revisions of an id come to here, what they are on another branch)."""
        notes = read_view(self._united, self._writer.viewpoint, [key])
        mine = next((item for item in notes if item.layer == self._writer.layer.name), None)
        return (mine.folded.get(key), mine.hidden.get(key)) if mine else (None, None)


def save(writer: Writer, read: Folded, note: Note) -> Written:
    """Store `note` as the successor of the heads that were read. Refused, StatusRefused,
    BadTrigger.

    Where others were faster, both stand as a conflict and the id is among the `clashes`.
    """
    before = reading.content_of(read)
    note = note.edited(triggers=normalise(note.triggers), forgotten=False, reason=None)
    if not note.body.strip():
        raise Refused(
            f"note '{note.id}' would have no text", f"to drop it: git mem forget {note.id}"
        )
    if before is None or note.body != before.body:
        status.check(note.body, note.kind, f"note '{note.id}'")
    if not note.is_recallable:
        raise Refused(
            f"note '{note.id}' could never be recalled without a trigger",
            "give it one in the same edit, for example -p 'src/**', or forget the note",
        )
    if id_key(note.id) != id_key(read.id):
        raise Refused(
            f"an edit cannot rename note '{read.id}' to '{note.id}'",
            f"add a new note with --id {note.id} --supersedes {read.id}",
        )
    is_settled = len(read.heads) == 1 and read.note is not None
    if is_settled and before is not None and is_same_content(before, note):
        return Written(unchanged=[note.id])
    stored = _successor(writer, "edited", read, note)
    layer = writer.place_of(stored.note.anchor)
    clashes: list[str] = []

    def build(snapshot: Snapshot) -> Change | None:
        now, _ = Seen(writer, layer, snapshot).note(id_key(read.id))
        clashes[:] = [note.id] if reading.heads_of(now) != reading.heads_of(read) else []
        return change_of("edit", [stored])

    transact(layer, build, identity=writer.identity, backend=writer.backend_of(layer))
    return Written([stored], clashes=clashes)


def forget(writer: Writer, notes: Sequence[Folded], reason: str | None) -> Written:
    """Write a tombstone over each note."""
    return _write(
        writer,
        "forget",
        [_successor(writer, "forgotten", item, _tombstone(item, reason)) for item in notes],
    )


def restore(writer: Writer, folded: Folded) -> Written:
    """Write what a forgotten note said before as its newest revision."""
    note = reading.content_of(folded)
    if note is None:
        raise NothingToUndo(f"the text of note '{folded.id}' is gone")
    return _write(writer, "restore", [_successor(writer, "restored", folded, note)])


def undo(writer: Writer, notes: Sequence[Folded]) -> Written:
    """Write what stood before the newest head of each note."""
    return _write(writer, "undo", [_undone(writer, folded) for folded in notes])


def _undone(writer: Writer, folded: Folded) -> Stored:
    graph = folded.graph
    newest = folded.heads[-1].rev
    before = frozenset().union(*(graph.past(head.rev) for head in folded.heads)) - {newest}
    before -= _published_by(folded.heads[-1], [graph.revisions[rev] for rev in before])
    previous = fold(folded.id, (graph.revisions[rev] for rev in before), Everywhere())
    if previous.note is None:
        return _successor(writer, "forgotten", folded, _tombstone(folded, "undo"))
    op = "restored" if folded.note is None else "edited"
    return _successor(writer, op, folded, previous.note)


def _published_by(newest: Revision, before: Iterable[Revision]) -> set[str]:
    """The pending revisions that say what `newest` says: it published them and changed nothing."""
    return {
        item.rev
        for item in before
        if is_pending(item) and item.rev in newest.replaces and _says_same(item.note, newest.note)
    }


def _says_same(one: Note | None, other: Note | None) -> bool:
    return one is not None and other is not None and is_same_content(one, other)


def _tombstone(folded: Folded, reason: str | None) -> Note:
    note = reading.content_of(folded)
    return Note(
        id=folded.id,
        created=note.created if note else None,
        forgotten=True,
        reason=reason or None,
    )


def _successor(writer: Writer, op: str, read: Folded, note: Note) -> Stored:
    layer = writer.layer.name
    if note.forgotten:
        before = reading.content_of(read) or note
        anchor = writer.anchoring.removal(before, read, layer)
    else:
        anchor = writer.anchoring.change(note, read, layer)
    written = note.edited(
        id=read.id,
        written=writer.stamp,
        author=writer.author,
        anchor=anchor,
        replaces=reading.heads_of(read),
    )
    return as_stored(op, writer, written)


def as_stored(op: str, writer: Writer, note: Note, given: Prepared | None = None) -> Stored:
    """The revision as it will be stored; SecretRefused when it holds a credential."""
    data = encode(note)
    text = data.decode()
    if find(text) and (found := find(text, allowed=writer.allowed_secrets())):
        there = find(given.source, allowed=writer.allowed_secrets()) if given else []
        raise SecretRefused(given.name if given else f"note '{note.id}'", there or found)
    derived = given.derived if given else ()
    layer = writer.place_of(note.anchor)
    return Stored(op, layer.name, note, revision_name(data), data, derived)


def _write(writer: Writer, verb: str, notes: list[Stored]) -> Written:
    for layer in dict.fromkeys(writer.place_of(item.note.anchor) for item in notes):
        kept = [item for item in notes if item.layer == layer.name]
        transact(
            layer,
            partial(_only, change_of(verb, kept)),
            identity=writer.identity,
            backend=writer.backend_of(layer),
        )
    return Written(notes)


def _only(change: Change | None, _: Snapshot) -> Change | None:
    return change


def change_of(verb: str, notes: Sequence[Stored]) -> Change | None:
    if not notes:
        return None
    what = notes[0].note.id if len(notes) == 1 else f"{len(notes)} notes"
    files = {path_of(item.note.id, item.rev): item.data for item in notes}
    return Change(files, f"{PREFIX}{verb} {what}")


def newest_written(folded: Folded) -> str:
    """When the newest head of a note was written."""
    return max((head.note.written or "" for head in folded.heads if head.note), default="")


def last_change(layers: Sequence[Layer]) -> dict[str, set[str]]:
    """What the newest change made in this clone wrote, by the reflogs: id key → revs."""
    newest: tuple[tuple[int, float], Layer, str] | None = None
    for layer in layers:
        if not layer.exists:
            continue
        args = ("log", "-g", "--format=%H %ct %gs", "-n", "50", layer.ref, "--")
        code, out, _ = process.attempt(args, git_dir=layer.git_dir)
        for line in out.decode("utf-8", "replace").splitlines() if code == 0 else ():
            commit, when, subject = line.split(" ", 2)
            if subject.startswith(PREFIX) and _is_from_here(layer, subject):
                age = int(when), _reflog_time(layer)
                if newest is None or age > newest[0]:
                    newest = age, layer, commit
                break
    if newest is None:
        raise NothingToUndo("no change was made here yet")
    _, layer, commit = newest
    return reading.changed_by(layer, commit)


def _is_from_here(layer: Layer, subject: str) -> bool:
    """Whether an entry of a reflog is about a change made in this project."""
    ending = " ".join(reason_of(layer, "").split())
    return " ".join(subject.split()).endswith(ending)


def _reflog_time(layer: Layer) -> float:
    """When the reflog was written: commits of one second in two layers have no other order."""
    try:
        return os.stat(os.path.join(layer.git_dir, "logs", *layer.ref.split("/"))).st_mtime
    except OSError:
        return 0.0
