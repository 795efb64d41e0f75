"""How a memory ref is changed.

The theory, in three steps:
 1. read the tip once;
 2. build objects freely on that tip: they belong to nothing until a ref names them;
 3. move the ref once, from that tip to the new commit, or redo everything on the new tip.
So nothing a reader sees is ever half written, and no writer's work is ever lost, whoever the
other writers are. A lock file among ourselves makes waiting short and fair; it is never needed
for correctness and never stops a write that git itself would do.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from errno import EACCES, EDQUOT, ENOSPC, EPERM, EROFS
from typing import NamedTuple

from gitmem.errors import GitMemError
from gitmem.store import ask, odb, process
from gitmem.store.backend import UNPACK_LIMIT, Backend, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.filelock import file_lock
from gitmem.store.identity import Identities
from gitmem.store.layer import Layer, ensure
from gitmem.store.layout import FORMAT, FORMAT_PATH, check_format

LOCK = os.path.join("gitmem", "lock")
LOCK_WAIT = 5.0  # seconds to wait in turn before trying out of turn
PATIENCE = 10.0  # seconds of trying to move the ref
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.25  # seconds between tries, jittered
BUILD_TRIES = 3  # git may fail to write when its own upkeep removes a directory just then
FINAL = tuple(os.strerror(code) for code in (EACCES, EPERM, EROFS, ENOSPC, EDQUOT))
UPKEEP = 64  # one write in so many asks git whether it wants to tidy up


class Busy(GitMemError):
    """The ref could not be moved in time."""

    kind = "store"


class CannotWrite(GitMemError):
    """The file system does not let git write."""

    kind = "store"


class Change(NamedTuple):
    """What a transaction writes: path → content (None deletes), and why."""

    files: Mapping[str, bytes | None]
    message: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A layer at one tip (None: nothing was ever written). What was listed is kept."""

    backend: Backend
    tip: str | None
    _listed: dict[tuple[str, ...], list[TreeEntry]] = field(default_factory=dict, repr=False)

    def entries(self, *buckets: str) -> list[TreeEntry]:
        """All files, or those of some buckets."""
        if self.tip is None:
            return []
        if buckets not in self._listed:
            self._listed[buckets] = self.backend.entries(self.tip, *buckets)
        return self._listed[buckets]


class Outcome(NamedTuple):
    """Where the ref is now, where it was, and whether this call moved it."""

    commit: str | None
    tip_before: str | None
    changed: bool


class Timing(NamedTuple):
    """Clock and sleep, in seconds; tests pass their own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


REAL_TIME = Timing()


def transact(
    layer: Layer,
    build: Callable[[Snapshot], Change | None],
    *,
    identity: Identities,
    backend: Backend | None = None,
    timing: Timing = REAL_TIME,
) -> Outcome:
    """Add one commit to the layer's ref: `build` says what, or None for nothing to do.

    `build` runs again on the new tip when another writer was first, so it decides from its
    Snapshot alone. Raises Busy, CannotWrite, BrokenRef, NewerFormat, and GitFailed for the rest.
    """
    files: dict[str, bytes | None] = {}

    def propose(snapshot: Snapshot) -> tuple[str, str] | None:
        change = build(snapshot)
        if change is None:
            return None
        files.clear()
        files.update(change.files)
        if snapshot.tip is None:
            files[FORMAT_PATH] = FORMAT
        commit = snapshot.backend.commit(
            parents=() if snapshot.tip is None else (snapshot.tip,),
            changes=files,
            message=change.message,
            author=identity.author,
            committer=identity.committer,
        )
        return commit, reason_of(layer, change.message)

    outcome = move(layer, propose, backend=backend, timing=timing)
    if outcome.changed and outcome.commit is not None:
        _tidy_now_and_then(layer, outcome.commit, len(files))
    return outcome


def reason_of(layer: Layer, message: str) -> str:
    """What the reflog says of a commit: its title, and in an outer layer the project it came from;
    that stays on this machine."""
    title = message.partition("\n")[0]
    return f"{title} in {layer.used_by}" if layer.used_by else title


def move(
    layer: Layer,
    propose: Callable[[Snapshot], tuple[str, str] | None],
    *,
    backend: Backend | None = None,
    timing: Timing = REAL_TIME,
) -> Outcome:
    """Move the layer's ref to the commit that `propose` makes on the tip it is shown.

    `propose` returns (commit, reason for the reflog), or None for nothing to do; it runs again
    when another writer was first. `transact` is this with a commit on the tip; merges and purges
    bring their own. Raises as `transact` does.
    """
    ensure(layer)
    backend = backend or backend_for(layer.git_dir)
    path = os.path.join(layer.git_dir, LOCK)
    with file_lock(path, wait=LOCK_WAIT, clock=timing.clock, sleep=timing.sleep):
        try:
            return _move(layer, propose, backend, timing)
        except process.GitFailed as error:
            for reason in FINAL:
                if reason in error.stderr:
                    raise CannotWrite(f"cannot write to {layer.git_dir}: {reason}") from error
            raise


def _move(
    layer: Layer,
    propose: Callable[[Snapshot], tuple[str, str] | None],
    backend: Backend,
    timing: Timing,
) -> Outcome:
    deadline, pause = timing.clock() + PATIENCE, FIRST_PAUSE
    tip = backend.tip(layer.ref)
    proposal = _propose(layer, propose, Snapshot(backend, tip), timing)
    while proposal is not None and proposal[0] != tip:
        commit, reason = proposal
        if backend.swap(layer.ref, commit, tip, reason):
            return Outcome(commit, tip, True)
        if timing.clock() >= deadline:
            raise _busy(layer)
        timing.sleep(_jittered(pause))
        pause = min(2 * pause, LONGEST_PAUSE)
        now = backend.tip(layer.ref)
        if now != tip:  # else only the lock was held, and what was built still stands
            tip = now
            proposal = _propose(layer, propose, Snapshot(backend, tip), timing)
    return Outcome(tip, tip, False)


def _jittered(pause: float) -> float:
    import random  # only where two writers meet

    return random.uniform(pause / 2, pause)  # noqa: S311


def _propose(
    layer: Layer,
    propose: Callable[[Snapshot], tuple[str, str] | None],
    snapshot: Snapshot,
    timing: Timing,
) -> tuple[str, str] | None:
    if snapshot.tip is not None:
        check_format(stored_format(layer.git_dir, snapshot.tip), f"{layer.ref} in {layer.git_dir}")
    for _ in range(BUILD_TRIES - 1):
        try:
            return propose(snapshot)
        except process.GitFailed:
            timing.sleep(FIRST_PAUSE)
    return propose(snapshot)


def stored_format(git_dir: str, commit: str) -> bytes | None:
    """FORMAT in the tree of `commit`, None when there is none; without a process if it can be."""
    found = odb.read_object(git_dir, commit)
    tree = found and odb.read_object(git_dir, found[1][5 : 5 + len(commit)].decode("ascii"))
    if not tree:
        return ask.read_file(git_dir, commit, FORMAT_PATH)
    _, mark, rest = tree[1].partition(b"100644 %s\0" % FORMAT_PATH.encode())
    if not mark:
        return None
    oid = rest[: len(commit) // 2].hex()
    return odb.read_blob(git_dir, oid) or ask.read_file(git_dir, commit, FORMAT_PATH)


def _busy(layer: Layer) -> Busy:
    lock = os.path.join(layer.git_dir, *f"{layer.ref}.lock".split("/"))
    if os.path.exists(lock):
        return Busy(
            f"cannot lock {layer.ref}: {lock} exists",
            f"if no git command is running here, remove it: rm '{lock}'",
        )
    return Busy(f"{layer.ref} in {layer.git_dir} kept moving for {PATIENCE:.0f} s", "try again")


def _tidy_now_and_then(layer: Layer, commit: str, written: int) -> None:
    """Let git pack what gathered, as `git commit` does, unless the user turned that off."""
    if written <= UNPACK_LIMIT and int(commit[-8:], 16) % UPKEEP:
        return
    args = ("config", "--type=bool", "--get", "maintenance.auto")
    if process.attempt(args, git_dir=layer.git_dir)[1].strip() != b"false":
        process.start(("maintenance", "run", "--auto", "--quiet"), git_dir=layer.git_dir)
