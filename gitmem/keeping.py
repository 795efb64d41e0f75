"""Write where the work stands: set, add, finish, drop, clear. Each is one transaction.

The first thing that is written on a branch takes along what the branch inherited, in the same
commit: from then on it is its own. Nothing is deleted: what is done or dropped is a tombstone that
keeps its text.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from gitmem import refs
from gitmem.changes import PREFIX
from gitmem.codec import encode, revision_name
from gitmem.core import state
from gitmem.core.ids import id_key
from gitmem.core.note import Note
from gitmem.core.state import Item
from gitmem.drafting import Refused
from gitmem.errors import GitMemError
from gitmem.gates.secrets import SecretRefused, find
from gitmem.ground import Ground
from gitmem.state import State, branch_of
from gitmem.state_files import Stored, folded, item_of
from gitmem.store import process
from gitmem.store.layer import layers_of
from gitmem.store.layout import path_of
from gitmem.store.transaction import Change, Snapshot, transact
from gitmem.store.united import united_with

SHARED, LOCAL = "shared", "local"
DONE, DROPPED, CLEARED = state.DONE, state.DROPPED, state.CLEARED

Key = tuple[str, str]  # kind and short id
Open = Mapping[Key, Note]
Step = Callable[[Open], Open]  # what is open → what to write


class UnknownItem(GitMemError):
    kind = "not-found"


class AmbiguousItem(GitMemError):
    kind = "ambiguous"


@dataclass(frozen=True)
class Kept:
    """What was written: the items, how many were taken along, and from which branch."""

    branch: str
    layer: str
    items: list[Item] = field(default_factory=list)
    taken: int = 0
    source: str | None = None

    @property
    def is_open(self) -> bool:
        return any(item.reason is None for item in self.items)


def set_one(ground: Ground, kind: str, text: str, layer: str = SHARED) -> Kept:
    """Say the focus or the next step; with no text, that there is none. Nothing to do where that
    is what it says."""
    text = state.one_line(text)
    key = (kind, "")

    def step(there: Open) -> Open:
        now = there.get(key)
        if now is None:
            return {key: Note(id="", body=text)} if text else {}
        if not text:
            return {key: _closed(now, CLEARED)}
        return {} if now.body.strip() == text else {key: now.edited(body=text)}

    return _Writer(ground, layer).write(f"state {kind}", step)


def add(ground: Ground, kind: str, texts: Sequence[str], layer: str = SHARED) -> Kept:
    """Add blockers or todo items. One that is open already stays as it is; Refused without text."""
    lines = [state.one_line(text) for text in texts]
    if not all(lines):
        raise Refused(f"a {kind} needs a text")
    writer = _Writer(ground, layer)

    def step(there: Open) -> Open:
        known = {note.body.strip() for (of, _), note in there.items() if of == kind}
        found: dict[Key, Note] = {}
        for text in dict.fromkeys(lines):
            if text not in known:
                found[_free(kind, text, {*there, *found})] = Note(id="", body=text)
        return found

    return writer.write(f"{kind} add", step)


def close(
    ground: Ground, kind: str, names: Sequence[str], reason: str, layer: str | None = None
) -> Kept:
    """Finish or drop items, called by their short ids or unique beginnings of these.

    What is closed already stays so. UnknownItem, AmbiguousItem; then nothing is changed.
    """
    found = [_named(ground, kind, name, layer) for name in names]
    done: Kept | None = None
    for at in dict.fromkeys(item.layer for item in found):
        wanted = [(kind, item.id) for item in found if item.layer == at]

        def step(there: Open, wanted: Sequence[Key] = wanted) -> Open:
            return {key: _closed(there[key], reason) for key in wanted if key in there}

        kept = _Writer(ground, at).write(f"{kind} {reason}", step)
        done = kept if done is None else _joined(done, kept)
    assert done is not None, "at least one name"
    return done


def clear(ground: Ground, kind: str, layer: str = SHARED) -> Kept:
    """Close all that there is of a kind."""

    def step(there: Open) -> Open:
        return {key: _closed(note, CLEARED) for key, note in there.items() if key[0] == kind}

    return _Writer(ground, layer).write(f"clear {kind}", step)


def listed(ground: Ground, kind: str, layer: str | None = None) -> tuple[str, list[Item]]:
    """The branch, and all of a kind that was ever written there, in the order of adding."""
    world = State(ground.repository, layer, whole=True)
    branch = branch_of(world)
    found: list[Item] = []
    for stored in world.stored:
        kept, _ = world.kept(stored, branch)
        for key in kept.files if kept else ():
            if kept is not None and key.startswith(f"{kind}-"):
                item = item_of(key, folded(key, kept.files[key]), stored.layer)
                found += [item] if item else []
    return branch, list(state.in_order(found))


def _named(ground: Ground, kind: str, name: str, layer: str | None) -> Item:
    """The one item that `name` is the beginning of: an open one, else one that is closed."""
    name = name.lower()
    world = State(ground.repository, layer)
    branch = branch_of(world)
    every: Sequence[Item] = world.picture(branch).many(kind)
    found = [item for item in every if name and item.id.startswith(name)]
    if not found:
        _, every = listed(ground, kind, layer)
        found = [item for item in every if name and item.id.startswith(name)]
    found = [item for item in found if item.id == name] or found
    if not found:
        plural = "git mem state" if kind == "blocker" else "git mem todo list"
        raise UnknownItem(f"there is no {kind} '{name}' on branch {branch}", f"see: {plural}")
    if len({item.id for item in found}) > 1:
        hints = [f"{item.id}  {item.text[:60]}" for item in found[:6]]
        raise AmbiguousItem(f"'{name}' may be any of {len(found)} {kind} items", *hints)
    return min(found, key=lambda item: (item.reason is not None, item.layer != LOCAL))


def _joined(one: Kept, other: Kept) -> Kept:
    return Kept(
        one.branch,
        one.layer,
        one.items + other.items,
        one.taken + other.taken,
        one.source or other.source,
    )


def _free(kind: str, text: str, taken: Collection[Key]) -> Key:
    """The key of a new item; one that only looks the same gets a number."""
    item = state.item_of(text)
    numbered = (item if number == 1 else f"{item}-{number}" for number in count(1))
    return next(key for name in numbered if (key := (kind, name)) not in taken)


def _closed(note: Note, reason: str) -> Note:
    return note.edited(forgotten=True, reason=reason)


class _Writer:
    """Who writes the state of the branch that HEAD is on, to one layer, and when."""

    def __init__(self, ground: Ground, layer: str) -> None:
        self.ground = ground
        every = layers_of(ground.repository, refs.STATE)
        self.layer = next(item for item in every if item.name == layer)
        self.world = State(ground.repository)
        self.branch = branch_of(self.world)
        self.scope = state.scope_of(self.branch)
        self.now = ground.clock()
        self.base = self._base()

    def _base(self) -> str | None:
        """Where HEAD has left the default branch."""
        branches, head = self.world.branches, self.world.place[1]
        if branches.default is None or head is None or branches.default == self.branch:
            return head
        target = branches.tip(branches.default)
        args = ("merge-base", head, target or "")
        code, out, _ = process.attempt(args, git_dir=self.ground.repository.git_dir)
        return out.decode("ascii").strip() if code == 0 else None

    def write(self, verb: str, step: Step) -> Kept:
        """Write what `step` makes of what is open. SecretRefused, and what `transact` raises."""
        done = Kept(self.branch, self.layer.name)

        def build(snapshot: Snapshot) -> Change | None:
            nonlocal done
            content = united_with(self.layer, snapshot.backend, snapshot.tip)
            stored = Stored(self.layer.name, content.entries(), content.backend.read)
            kept, source = self.world.kept(stored, self.branch)
            there = {
                (parts[0], parts[2]): note
                for key, files in (kept.files if kept else {}).items()
                if (parts := state.parts_of(key)) and (note := folded(key, files).note)
            }
            changed = step(there)
            if not changed:
                done = Kept(self.branch, self.layer.name)
                return None
            is_own = kept is None or kept.life == self.world.branches.lives(self.branch)[0]
            taken = {} if is_own and source is None else there.keys() - changed.keys()
            notes = {**{key: there[key] for key in sorted(taken)}, **changed}
            ready = [
                self._ready(key, note, number, stored)
                for number, (key, note) in enumerate(notes.items())
            ]
            done = Kept(
                self.branch, self.layer.name, self._items(ready, changed), len(taken), source
            )
            return self._change(verb, ready)

        transact(self.layer, build, identity=self.ground.identity)
        return done

    def _ready(self, key: Key, note: Note, number: int, stored: Stored) -> Note:
        """The revision that is stored."""
        kind, item = key
        note_id = state.id_of(kind, self.scope, item)
        who = self.ground.identity.author
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now))
        written = note.edited(
            id=note_id,
            kind=kind,
            created=note.created or stamp,
            written=stamp,
            author=f"{who.name} <{who.email}>",
            anchor=None,
            replaces=stored.heads(note_id),
        )
        moment = f"{self.now + number / 1_000_000:017.6f}"
        return state.with_fields(
            written,
            branch=self.branch.encode("utf-8", "replace").decode(),
            commit=self.world.place[1],
            base=self.base,
            order=state.field(note, "order") or moment,
            moment=moment,
        )

    def _change(self, verb: str, notes: Sequence[Note]) -> Change:
        files: dict[str, bytes | None] = {}
        for note in notes:
            data = encode(note)
            text = data.decode()
            if find(text) and (found := find(text, allowed=self.ground.config.allow_secret)):
                raise SecretRefused(f"the {note.kind}", found)
            files[path_of(note.id, revision_name(data))] = data
        return Change(files, f"{PREFIX}{verb} ({self.branch})")

    def _items(self, notes: Sequence[Note], changed: Mapping[Key, Note]) -> list[Item]:
        found = []
        for note in notes:
            parts = state.parts_of(id_key(note.id))
            if parts and (parts[0], parts[2]) in changed:
                reason = note.reason if note.forgotten else None
                text = note.body.strip()
                found.append(Item(parts[0], parts[2], text, self.layer.name, reason=reason))
        return found
