"""Share memory through a remote: which one, which refs, and what it came to.

Use cases over `store/sync.py`; nothing here prints. A sync with nothing to do asks the remote once
and stops.
"""

import math
import os
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial

from gitmem import refs
from gitmem.config import Config
from gitmem.gates.secrets import SecretRefused, find
from gitmem.index.refresh import keep_dropped, refresh
from gitmem.store import ask, discover, remote, sync
from gitmem.store.backend import Backend, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository, Uncertain
from gitmem.store.filelock import file_lock
from gitmem.store.layer import Layer
from gitmem.store.layout import parse_path
from gitmem.store.remote import Remote
from gitmem.store.remotes import read_remotes
from gitmem.store.sync import Exchange, tip_of
from gitmem.store.united import tracked_tips

LOCK = os.path.join("gitmem", "exchange.lock")
TURN = 30.0  # seconds to wait for another exchange of this clone


@dataclass(frozen=True)
class Preview:
    """What a sync would do: refs that would be fetched, and revisions that would be pushed."""

    remote: str
    fetch: tuple[str, ...] = ()
    push: dict[str, int] = field(default_factory=dict)


def chosen(repository: Repository, name: str | None) -> Remote:
    """The remote that memory travels through, or the one called `name`. NoRemote."""
    return read_remotes(repository.common_dir, repository.root).chosen(name, _branch(repository))


def fetch(repository: Repository, name: str | None = None) -> Exchange:
    """Fetch the remote's memory; nothing of ours moves."""
    place = chosen(repository, name)
    with _turn(place):
        return sync.joined(_dropped(repository, place), sync.fetch(place))


def push(
    repository: Repository,
    name: str | None,
    config: Callable[[], Config],
    *,
    deadline: float = math.inf,
) -> Exchange:
    """Publish what the remote does not have, joined with what it has.

    It fails when it takes longer than until `deadline`, in seconds of `time.monotonic`.
    """
    place = replace(chosen(repository, name), deadline=deadline)
    with _turn(place):
        done, is_level = _asked(repository, place)
        return done if is_level else _published(place, done, config)


def both(
    repository: Repository,
    name: str | None,
    config: Callable[[], Config],
    settle: Callable[[Exchange], None],
) -> Exchange:
    """Fetch, `settle` (recognise what landed), join and publish. What is only fetched is taken into
    our own ref as well.

    Where the remote rewrote or deleted its memory nothing is published: a person decides whether
    to give back what it had (`push`) or to go along (`follow`).
    """
    place = chosen(repository, name)
    with _turn(place):
        done, is_level = _asked(repository, place)
        before = _own_tips(repository)
        settle(done)
        after = _own_tips(repository)
        done = replace(done, landed=_landed(repository, before, after))
        if (not is_level or before != after) and not done.rewritten:
            done = _published(place, done, config)
    merge(repository)
    return done


def _own_tips(repository: Repository) -> dict[str, str | None]:
    return {ref: tip_of(repository.common_dir, ref) for ref in refs.SHARED}


def _landed(
    repository: Repository, before: dict[str, str | None], after: dict[str, str | None]
) -> int:
    """How many pairs the map of what landed as what has more."""
    old, new = before[refs.LANDED], after[refs.LANDED]
    if new is None or old == new:
        return 0
    added, _ = backend_for(repository.common_dir).changes(old, new)
    return sum(item.path.count("/") == 2 for item in added)


def _asked(repository: Repository, place: Remote) -> tuple[Exchange, bool]:
    """Fetch what is new; also whether there is nothing else to do."""
    dropped = _dropped(repository, place)
    theirs = remote.tips(place)
    if _is_level(place, theirs) and not dropped.kept:
        return dropped, True
    return sync.joined(dropped, sync.fetch_from(place, theirs)), False


def _dropped(repository: Repository, place: Remote) -> Exchange:
    """Keep what the user's own fetches dropped, and say so for this remote."""
    kept = keep_dropped(repository).get(place.tracking(refs.FACTS), 0)
    return Exchange(place.name, kept=kept, rewritten=(refs.FACTS,) if kept else ())


def _turn(place: Remote) -> AbstractContextManager[bool]:
    """One exchange at a time in a clone, so that many agents do not chase each other's pushes."""
    wait = max(0.0, min(TURN, place.deadline - time.monotonic()))
    return file_lock(os.path.join(place.git_dir, LOCK), wait=wait)


def merge(repository: Repository) -> bool:
    """Take all that was fetched into our own refs; whether one moved."""
    moved = False
    for ref in refs.SHARED:
        tips = sorted(set(tracked_tips(repository.common_dir, ref).values()))
        mine = tip_of(repository.common_dir, ref)
        todo = [tip for tip in tips if tip != mine]
        if todo:
            layer = Layer("shared", repository.common_dir, ref)
            outcome = sync.take(layer, todo, publishing=False)
            moved = moved or outcome.commit != mine
    return moved


def is_behind(repository: Repository) -> bool:
    """Whether something was fetched that our own refs do not have."""
    for ref in refs.SHARED:
        mine = tip_of(repository.common_dir, ref)
        for tip in tracked_tips(repository.common_dir, ref).values():
            backend = backend_for(repository.common_dir)
            if mine is None or (tip != mine and not backend.is_ancestor(tip, mine)):
                return True
    return False


def follow(repository: Repository, name: str | None = None) -> Exchange:
    """Make our own refs what the remote has, nothing if it has nothing; the reflog leads back."""
    place = chosen(repository, name)
    done = fetch(repository, name)
    try:
        refresh(repository).close()  # it must not take what is dropped now for something lost
    except OSError:
        pass  # no index, no memory of what was there
    for ref in refs.SHARED:
        theirs = tip_of(place.git_dir, place.tracking(ref))
        if theirs is not None or tip_of(place.git_dir, ref) is not None:
            sync.follow(Layer("shared", place.git_dir, ref), theirs, place.name)
    return Exchange(done.remote, fetched=done.fetched, merged=True)


def preview(repository: Repository, name: str | None = None) -> Preview:
    """What a sync would do. Asks the remote, changes nothing."""
    place = chosen(repository, name)
    theirs = remote.tips(place)
    backend = backend_for(place.git_dir)
    pushes: dict[str, int] = {}
    for ref in refs.SHARED:
        mine, tracked = (tip_of(place.git_dir, item) for item in (ref, place.tracking(ref)))
        if mine is not None and mine != theirs.get(ref):
            added, _ = backend.changes(tracked, mine)
            if count := sync.revisions(added):
                pushes[ref] = count
    wanted = [
        ref for ref, oid in theirs.items() if tip_of(place.git_dir, place.tracking(ref)) != oid
    ]
    return Preview(place.name, tuple(wanted), pushes)


def unpublished(repository: Repository) -> int:
    """How many revisions no remote is known to have. No network."""
    mine = tip_of(repository.common_dir, refs.FACTS)
    tracked = sorted(set(tracked_tips(repository.common_dir).values()))
    if mine is None or mine in tracked:
        return 0
    backend = backend_for(repository.common_dir)
    known = {item.path for tip in tracked for item in backend.entries(tip)}
    return sync.revisions([item for item in backend.entries(mine) if item.path not in known])


def _is_level(place: Remote, theirs: dict[str, str]) -> bool:
    """Whether remote, tracking refs and our own refs agree."""
    return all(
        theirs.get(ref) == tip_of(place.git_dir, place.tracking(ref)) == tip_of(place.git_dir, ref)
        for ref in refs.SHARED
    ) and (not place.is_partial or sync.is_whole(place, theirs))


def _published(place: Remote, done: Exchange, config: Callable[[], Config]) -> Exchange:
    for ref in refs.SHARED:
        if tip_of(place.git_dir, ref) is not None:
            sent = sync.publish(place, ref, screen=partial(_screen, config().allow_secret))
            done = sync.joined(done, sent)
    return done


def _screen(allowed: Collection[str], backend: Backend, entries: Collection[TreeEntry]) -> None:
    """SecretRefused when a revision that would be published holds a credential."""
    named = {item.oid: item.path for item in entries if parse_path(item.path)}
    for oid, data in backend.read(named):
        if found := find((data or b"").decode("utf-8", "replace"), allowed=allowed):
            entry = parse_path(named[oid])
            raise SecretRefused(f"note '{entry.id}'" if entry else named[oid], found)


def _branch(repository: Repository) -> str | None:
    try:
        return discover.read_head(repository)[0]
    except Uncertain:
        return ask.read_head(repository)[0]
