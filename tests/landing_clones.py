"""Who finds what a branch of a `landing_world` landed as: its author, and clones that know less."""

import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from landing_world import EXPECTED, KINDS, World

from gitmem import refs
from gitmem.core.landed import closure
from gitmem.core.note import Anchor
from gitmem.store.identity import identities
from gitmem.store.landed import read_landed, record
from gitmem.store.landing import Target, landings
from gitmem.store.recognisable import recognisable


@dataclass(frozen=True)
class Result:
    """Of one clone, by kind: anchors, those recognised, and those taken for something else."""

    clone: str
    seconds: float
    anchors: "Counter[str]"
    recognised: "Counter[str]"
    false: "Counter[str]"

    def share(self, *kinds: str) -> float:
        return sum(self.recognised[kind] for kind in kinds) / sum(self.anchors[k] for k in kinds)

    def lines(self) -> list[str]:
        """The table."""
        found = [f"{self.clone}: {1000 * self.seconds / self.anchors.total():.2f} ms an anchor"]
        for kind in KINDS:
            shares = f"{self.share(kind):8.1%}" if kind in EXPECTED and self.anchors[kind] else ""
            counts = (self.anchors[kind], self.recognised[kind], self.false[kind])
            found.append(f"  {kind:20}{counts[0]:6}{counts[1]:6}{counts[2]:4}{shares}")
        return found


def anchors_of(world: World, place: Path) -> dict[str, Anchor]:
    """The anchor of each branch, as a note would keep it that is written before it lands."""
    git_dir = str(place / ".git")
    return {
        each.name: recognisable(git_dir, each.anchor, branch=each.name, default=each.seen)
        for each in world.branches
    }


def in_three_clones(world: World, place: Path, anchors: dict[str, Anchor]) -> list[Result]:
    """The author's clone; one that has main and the author's map; one that has main alone."""
    mine = str(place / ".git")
    first = _result("the author", world, mine, anchors)
    pairs = [(old, new) for old, news in _found(world, mine, anchors).items() for new in news]
    record(mine, pairs, identity=identities(mine))
    clones = []
    for name, refspecs in (
        ("map", [f"+{refs.LANDED}:{refs.tracking('origin', refs.LANDED)}"]),
        ("bare", []),
    ):
        path = place.with_name(f"{place.name}-{name}.git")
        subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
        fetch = ["git", "fetch", "--quiet", "--no-tags", f"file://{place}"]
        subprocess.run([*fetch, "main:refs/heads/main", *refspecs], cwd=path, check=True)
        clones.append(str(path))
    return [
        first,
        _result("a clone with the map", world, clones[0], anchors),
        _result("a clone of main alone", world, clones[1], anchors),
    ]


def _found(world: World, git_dir: str, anchors: dict[str, Anchor]) -> dict[str, frozenset[str]]:
    """What each anchor commit landed as: recorded before, or found now."""
    known = read_landed(git_dir)
    new = landings(git_dir, list(anchors.values()), [Target(world.main[-1][0])], known)
    return {
        each.anchor: closure(each.anchor, known) - {each.anchor} | new.get(each.anchor, frozenset())
        for each in world.branches
    }


def _result(clone: str, world: World, git_dir: str, anchors: dict[str, Anchor]) -> Result:
    start = time.perf_counter()
    found = _found(world, git_dir, anchors)
    seconds = time.perf_counter() - start
    counts: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
    for each in world.branches:
        got = found[each.anchor]
        counts[0][each.kind] += 1
        counts[1][each.kind] += each.landed in got
        counts[2][each.kind] += bool(got - {each.landed})
    return Result(clone, seconds, *counts)
