"""What has to be done when HEAD or the memory moved, before the view is right again.

Pending notes whose work is committed by now are published; of the anchors that HEAD does not
contain, those are recorded whose work landed as another commit. Each new commit is looked at once:
`scanned.py` says how far that got.
"""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gitmem.core.landed import Landed, closure
from gitmem.core.note import Anchor
from gitmem.index.read import Index
from gitmem.index.scanned import HEAD, Scanned, here, is_settled
from gitmem.index.schema import OUTSIDE, PENDING
from gitmem.store import process
from gitmem.store.ancestry import Viewpoint
from gitmem.store.default_branch import default_branch
from gitmem.store.discover import Repository
from gitmem.store.identity import Identities, identities
from gitmem.store.landed import read_landed, record
from gitmem.store.landing import Target, landings
from gitmem.store.layer import layers_of
from gitmem.store.pending import Waiting, publish, read_waiting
from gitmem.store.place import Place, place_of
from gitmem.store.rewrites import rewrites
from gitmem.store.united import united
from gitmem.store.view import read_view


def settle(repository: Repository, index: Index, deadline: float | None) -> bool:
    """Publish what was pending and record what landed; whether something was.

    TimeoutError when the `deadline` (an instant of `time.monotonic`) passes first.
    """
    place = place_of(repository)
    if is_settled(index, place.worktree, place.head):
        return False
    waiting = {fields[0] for fields in index.filed(PENDING)}
    outside = {fields[1]: fields[0] for fields in index.filed(OUTSIDE)}
    scanned = Scanned(index.directory)
    is_moved = scanned.tips.get(here(place.worktree)) != (place.head or "")
    settling = _Settling(place, deadline)
    pairs = settling.landed(outside, waiting if is_moved else (), scanned)
    published = settling.publish(waiting) if is_moved else 0
    scanned.tips[here(place.worktree)] = place.head or ""
    scanned.anchors = set(outside)
    scanned.write()
    return bool(pairs or published)


@dataclass
class _Settling:
    """One run of it. `deadline` is an instant of `time.monotonic`."""

    place: Place
    deadline: float | None

    @cached_property
    def _identity(self) -> Identities:
        return identities(self.place.repository.common_dir)

    def landed(self, outside: Mapping[str, str], waiting: Collection[str], scanned: Scanned) -> int:
        """Record what landed of the anchors `outside` (commit → id key), and as what a commit that
        notes are `waiting` at was amended; how many pairs. Brings `scanned` up to the targets."""
        repository, place = self.place.repository, self.place
        landed = read_landed(repository.common_dir)
        anchors = self._anchors(outside, landed)
        for item in self._waiting(waiting):
            if item.anchor.commit:
                anchors.setdefault(item.anchor.commit, item.anchor)
        # What a commit was amended to before may have been amended again.
        wanted = {oid for commit in anchors for oid in closure(commit, landed)}
        pairs = rewrites(
            repository.git_dir,
            repository.common_dir,
            place.short_branch,
            wanted,
            scanned.tips.get(here(place.worktree)),
        )
        pairs = {(old, new) for old, new in pairs if new not in landed.get(old, ())}
        known = _with(landed, pairs)
        for targets, some in self._work(anchors, scanned):
            found = landings(repository.git_dir, some, targets, known, deadline=self.deadline)
            pairs |= {(old, new) for old, every in found.items() for new in every}
        return record(repository.common_dir, pairs, identity=self._identity) if pairs else 0

    def publish(self, keys: Collection[str]) -> int:
        """Publish the pending revisions of some ids that are committed; how many."""
        repository = self.place.repository
        landed = read_landed(repository.common_dir)
        found = self._waiting(keys)
        return publish(repository, layers_of(repository), found, landed, self._identity)

    def _waiting(self, keys: Collection[str]) -> list[Waiting]:
        repository = self.place.repository
        return read_waiting(repository, layers_of(repository), keys) if keys else []

    def _anchors(self, outside: Mapping[str, str], landed: Landed) -> dict[str, Anchor]:
        """The anchors at the commits `outside`, with their recognisers."""
        repository = self.place.repository
        layers = [(item.name, united(item)) for item in layers_of(repository) if item.exists]
        keys = set(outside.values())
        found: dict[str, Anchor] = {}
        for notes in read_view(layers, Viewpoint(repository, self.place.head, landed), keys):
            for folded in notes.folded.values():
                for revision in folded.graph.revisions.values():
                    anchor = revision.anchor
                    if anchor and anchor.commit and anchor.commit in outside and not anchor.pending:
                        found[anchor.commit] = anchor
        return found

    def _work(
        self, anchors: Mapping[str, Anchor], scanned: Scanned
    ) -> list[tuple[list[Target], list[Anchor]]]:
        """Which commits to look at for which anchors: for known ones those that are new, for new
        ones all since they branched off. `scanned` then says so.

        Of another branch than the default one, what that one has too is not looked at again.
        """
        before, now = dict(scanned.tips), self._targets()
        main = tuple(tip for ref, tip in now.items() if not ref.startswith(HEAD))

        def target(ref: str, *since: str | None) -> Target:
            if not ref.startswith(HEAD):
                return Target(now[ref], tuple(filter(None, since)))
            return Target(now[ref], (*main, *filter(None, since)), is_any=True)

        scanned.tips.update(now)
        old = [anchor for commit, anchor in anchors.items() if commit in scanned.anchors]
        new = [anchor for commit, anchor in anchors.items() if commit not in scanned.anchors]
        moved = [target(ref, before.get(ref)) for ref in now if before.get(ref) != now[ref]]
        whole = [target(ref) for ref in now]
        found = ((list(dict.fromkeys(moved)), old), (list(dict.fromkeys(whole)), new))
        return [work for work in found if work[0] and work[1]]

    def _targets(self) -> dict[str, str]:
        """Where work lands: the default branch, here and as last fetched, and HEAD."""
        git_dir = self.place.repository.git_dir
        found: dict[str, str] = {}
        if default := default_branch(git_dir):
            name = default.removeprefix("refs/heads/")
            if default.startswith("refs/remotes/"):
                name = default.split("/", 3)[3]
            patterns = (f"refs/heads/{name}", f"refs/remotes/*/{name}")
            args = ("for-each-ref", "--format=%(refname) %(objectname)", *patterns)
            lines = os.fsdecode(process.run(args, git_dir=git_dir)).splitlines()
            found = dict(line.rsplit(" ", 1) for line in lines)
        if self.place.head and self.place.head not in found.values():
            found[here(self.place.worktree)] = self.place.head
        return found


def _with(landed: Landed, pairs: Iterable[tuple[str, str]]) -> Landed:
    found = {old: set(news) for old, news in landed.items()}
    for old, new in pairs:
        found.setdefault(old, set()).add(new)
    return {old: frozenset(news) for old, news in found.items()}
