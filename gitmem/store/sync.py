"""Exchange memory with a remote: fetch, take, push, and again when somebody was faster.

The rules of joining are `core/union.py`'s. A merge is written only to be published. What a remote
rewrote or deleted is taken into our own ref first, so nothing known is ever lost; a purge is the
one exception, and only for what it names.
"""

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from gitmem import refs
from gitmem.core import union
from gitmem.core.union import Side
from gitmem.errors import GitMemError
from gitmem.store import ask, process, remote
from gitmem.store.backend import Backend, Identity, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.discover import Uncertain, read_tip
from gitmem.store.layer import Layer
from gitmem.store.layout import FORMAT, FORMAT_PATH, check_format, parse_path
from gitmem.store.remote import Remote
from gitmem.store.transaction import REAL_TIME, Outcome, Snapshot, Timing, move, stored_format
from gitmem.store.united import tracked_tips

PATIENCE = 90.0  # seconds of trying to publish while others do
REFUSALS = 4  # a ref refused so often with nothing new at the remote is refused for good
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 4.0


# Raises when one of the tree entries must not be published.
Screen = Callable[[Backend, Collection[TreeEntry]], None]


class Refused(GitMemError):
    """The remote does not take the ref."""

    kind = "remote"


@dataclass(frozen=True)
class Exchange:
    """What an exchange did, in revisions. `kept` are those that the remote dropped and we hold;
    `is_completed`: a partial clone got the texts that plain fetches had left out."""

    remote: str
    fetched: int = 0
    merged: bool = False
    pushed: int = 0
    retries: int = 0
    kept: int = 0
    rewritten: tuple[str, ...] = field(default_factory=tuple)
    is_completed: bool = False
    landed: int = 0


def fetch(place: Remote, *, timing: Timing = REAL_TIME) -> Exchange:
    """Bring the tracking refs up to the remote. RemoteFailed."""
    return fetch_from(place, remote.tips(place), timing=timing)


def fetch_from(place: Remote, theirs: Mapping[str, str], *, timing: Timing = REAL_TIME) -> Exchange:
    """`fetch`, for a caller that knows what the remote has: ref → tip."""
    done = Exchange(place.name)
    before = {ref: tip_of(place.git_dir, place.tracking(ref)) for ref in refs.SHARED}
    wanted = [ref for ref, oid in theirs.items() if before[ref] != oid]
    if wanted:
        _bring(place, wanted, theirs)
    if place.is_partial and not is_whole(place, theirs):
        remote.fetch(place, theirs, again=True)
        done = replace(done, is_completed=True)
    backend = backend_for(place.git_dir)
    for ref in wanted:
        after = tip_of(place.git_dir, place.tracking(ref))
        done = joined(done, _arrived(place, ref, before[ref], after, backend, timing))
    for ref, old in before.items():
        if old is not None and ref not in theirs:
            done = joined(done, _vanished(place, ref, old, backend, timing))
    return done


def _bring(place: Remote, wanted: Collection[str], theirs: Mapping[str, str]) -> None:
    try:
        remote.fetch(place, wanted)
    except remote.RemoteFailed:  # a fetch of the user's may hold the same tracking refs just now
        if any(tip_of(place.git_dir, place.tracking(ref)) != theirs[ref] for ref in wanted):
            raise


def is_whole(place: Remote, tips: Mapping[str, str]) -> bool:
    """Whether every object of `tips` is here: plain fetches of a partial clone leave notes out."""
    args = ("rev-list", "--objects", "--missing=print", "--no-object-names", *tips.values())
    code, out, _ = process.attempt(args, git_dir=place.git_dir)
    return not tips or (code == 0 and b"\n?" not in out and not out.startswith(b"?"))


def _arrived(
    place: Remote, ref: str, old: str | None, new: str | None, backend: Backend, timing: Timing
) -> Exchange:
    """Count what a fetch brought, and keep what the remote no longer has."""
    none = Exchange(place.name)
    if new is None or old == new:
        return none
    added, removed = backend.changes(old, new)
    done = replace(none, fetched=revisions(added))
    if old is None or not removed or not (lost := _lost(backend, removed, new)):
        return done
    take(Layer("shared", place.git_dir, ref), [old], publishing=False, timing=timing)
    return replace(done, kept=lost, rewritten=(ref,))


def _lost(backend: Backend, removed: Collection[TreeEntry], new: str | None) -> int:
    """How many of the revisions `removed` on the way to tip `new` no purge accounts for."""
    tree = backend.entries(new) if new else ()
    purged = union.gone({item.path: item.oid for item in tree})
    names = {item.path.removesuffix(".md") + union.GONE: item for item in removed}
    return revisions([item for name, item in names.items() if name not in purged])


def _vanished(place: Remote, ref: str, old: str, backend: Backend, timing: Timing) -> Exchange:
    """The remote deleted its memory: keep what is known, and forget that the remote has it."""
    take(Layer("shared", place.git_dir, ref), [old], publishing=False, timing=timing)
    args = ("update-ref", "-d", place.tracking(ref), old)
    process.attempt(args, git_dir=place.git_dir)
    if ref in remote.tips(place.by_other_transport):
        return Exchange(place.name)  # nothing was deleted: mem.transport is new
    return Exchange(place.name, kept=revisions(backend.entries(old)), rewritten=(ref,))


def keep_dropped(
    git_dir: str, ref: str, before: Mapping[str, str], now: Mapping[str, str]
) -> dict[str, int]:
    """Take into `ref` what tracking refs were seen at and a plain fetch or prune dropped.

    `before` and `now` are tracking refs with their tips. Tracking ref → revisions kept. What git
    has collected as garbage since is past keeping.
    """
    kept: dict[str, int] = {}
    backend = backend_for(git_dir)
    for name, old in before.items():
        new = now.get(name)
        if new == old:
            continue
        try:
            removed = backend.changes(old, new)[1] if new else backend.entries(old)
            if removed and (lost := _lost(backend, removed, new)):
                outcome = take(Layer("shared", git_dir, ref), [old], publishing=False)
                kept |= {name: lost} if outcome.changed else {}
        except process.GitFailed:
            continue
    return kept


def take(
    layer: Layer,
    tips: Collection[str],
    *,
    publishing: bool,
    committing: bool = True,
    timing: Timing = REAL_TIME,
) -> Outcome:
    """Take tips into the layer's ref, one after another; a merge commit only where it must be.

    Without `committing` a tip that needs one is left where it is.
    """
    outcome = Outcome(None, None, False)
    for tip in tips:
        propose = partial(_proposal, layer, tip, publishing, committing)
        outcome = move(layer, propose, timing=timing)
    return outcome


def _proposal(
    layer: Layer, tip: str, publishing: bool, committing: bool, snapshot: Snapshot
) -> tuple[str, str] | None:
    backend = snapshot.backend
    check_format(stored_format(layer.git_dir, tip), f"what was fetched for {layer.ref}")
    if snapshot.tip is None:
        return tip, "git mem: take what was fetched"
    found = union.join(
        _side(backend, snapshot.tip),
        _side(backend, tip),
        _Commits(backend),
        publishing=publishing,
        others=tuple(tracked_tips(layer.git_dir, layer.ref).values()) if publishing else (),
    )
    if found.adopted is not None:
        return found.adopted, "git mem: take what was fetched"
    if not committing:
        return None
    return _commit(backend, found), "git mem: merge what was fetched"


def follow(layer: Layer, tip: str | None, name: str) -> None:
    """Move the layer's ref to `tip`, whatever it holds; without one to an empty memory, for a
    deleted ref would take its reflog along."""

    def propose(snapshot: Snapshot) -> tuple[str, str]:
        who = Identity(union.NAME, union.EMAIL, 0, "+0000")
        commit = tip or snapshot.backend.commit(
            parents=(),
            changes={FORMAT_PATH: FORMAT},
            message="git mem: start anew\n",
            author=who,
            committer=who,
        )
        return commit, f"git mem: follow {name}"

    move(layer, propose)


def _commit(backend: Backend, found: union.Join) -> str:
    """The commit that a join asks for: the same id in every clone and on either back end."""
    who = Identity(union.NAME, union.EMAIL, found.date, "+0000")
    wanted = found.tree or {}
    base = _tree(backend, found.parents[0]) if found.parents else {}
    changes: dict[str, bytes | str | None] = {
        path: oid for path, oid in wanted.items() if base.get(path) != oid
    }
    changes |= {path: None for path in base if path not in wanted}
    return backend.commit(
        parents=found.parents, changes=changes, message=union.MESSAGE, author=who, committer=who
    )


class _Commits:
    """`core.union.History` over a back end."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def is_ancestor(self, old: str, new: str) -> bool:
        return self._backend.is_ancestor(old, new)

    def root_trees(self, tip: str) -> list[dict[str, str]]:
        return [_tree(self._backend, root) for root in self._backend.roots(tip)]


def _side(backend: Backend, tip: str) -> Side:
    commit = next(iter(backend.history(tip, 1)))
    return Side(tip, commit.author.when, _tree(backend, tip))


def _tree(backend: Backend, commit: str) -> dict[str, str]:
    return {item.path: item.oid for item in backend.entries(commit)}


def publish(
    place: Remote,
    ref: str = refs.FACTS,
    *,
    screen: Screen,
    timing: Timing = REAL_TIME,
) -> Exchange:
    """Push `ref` to the remote, joined with what is there. Refused, RemoteFailed, as `screen` does.

    Any rejection of our ref is answered by fetching, joining and pushing again; a remote that
    refuses with nothing new on its side refuses for good.
    """
    done = Exchange(place.name)
    deadline, pause, refusals = timing.clock() + PATIENCE, FIRST_PAUSE, 0
    while True:
        mine, theirs = (tip_of(place.git_dir, name) for name in (ref, place.tracking(ref)))
        if mine is None or mine == theirs:
            return done
        if theirs is not None:
            outcome = take(
                Layer("shared", place.git_dir, ref), [theirs], publishing=True, timing=timing
            )
            done = replace(done, merged=done.merged or outcome.changed)
            if outcome.commit == theirs or outcome.commit is None:
                return done
            mine = outcome.commit
        answer, count = _send(place, ref, mine, theirs, screen)
        if answer.accepted and _has(place, ref, mine):
            return replace(done, pushed=done.pushed + count)
        timing.sleep(random.uniform(0, pause))  # noqa: S311 - jitter
        pause = min(2 * pause, LONGEST_PAUSE)
        fetched = fetch(place, timing=timing)  # after the pause: what is joined must be new
        done = joined(done, replace(fetched, retries=1))
        refusals = refusals + 1 if tip_of(place.git_dir, place.tracking(ref)) == theirs else 0
        if refusals >= REFUSALS or timing.clock() > deadline:
            raise Refused(
                f"'{place.name}' refused {place.theirs(ref)}: {answer.reason or 'it kept moving'}",
                "your notes are safe here; branches are pushed as ever",
                "if the host takes only branches: git config mem.transport branch",
            )


def _send(
    place: Remote, ref: str, mine: str, theirs: str | None, screen: Screen
) -> tuple[remote.Pushed, int]:
    backend = backend_for(place.git_dir)
    added, _ = backend.changes(theirs, mine)
    screen(backend, added)
    replaces = theirs if theirs is not None and not backend.is_ancestor(theirs, mine) else None
    return remote.push(place, ref, mine, replaces=replaces), revisions(added)


def _has(place: Remote, ref: str, mine: str) -> bool:
    """Whether the remote really has commit `mine` now, or something made on it."""
    now = remote.tips(place).get(ref)
    if now is None:
        return False
    if now == mine:
        args = ("-c", "core.logAllRefUpdates=always", "update-ref", place.tracking(ref), mine)
        process.attempt(args, git_dir=place.git_dir)
        return True
    remote.fetch(place, [ref])
    tracked = tip_of(place.git_dir, place.tracking(ref))
    return tracked is not None and backend_for(place.git_dir).is_ancestor(mine, tracked)


def tip_of(git_dir: str, ref: str) -> str | None:
    """The tip of a ref, read the cheap way where that is certain."""
    try:
        return read_tip(git_dir, ref)
    except Uncertain:
        return ask.read_tip(git_dir, ref)


def revisions(entries: Collection[TreeEntry]) -> int:
    """How many of some tree entries are revisions of notes."""
    return sum(parse_path(item.path) is not None for item in entries)


def joined(one: Exchange, other: Exchange) -> Exchange:
    """Both exchanges as one."""
    return Exchange(
        one.remote,
        one.fetched + other.fetched,
        one.merged or other.merged,
        one.pushed + other.pushed,
        one.retries + other.retries,
        one.kept + other.kept,
        tuple(dict.fromkeys(one.rewritten + other.rewritten)),
        one.is_completed or other.is_completed,
        one.landed + other.landed,
    )
