"""Do anchors find what they landed as, in the author's clone and in clones that know less?"""

import os
import sys
import time
from pathlib import Path

from gitmem.store.landing import Target, landings

TESTS = Path(__file__).parents[1]
LENGTH = 5200  # commits on main


def landing(place: Path, branches: int, seeds: int) -> None:
    """Print anchors, those recognised and false ones by the way they landed, for each clone."""
    sys.path.insert(0, str(TESTS))
    import conftest  # seals the world on import
    import landing_clones
    import landing_world

    home = place / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(conftest.GITCONFIG)
    os.environ.update(conftest.seal(str(home)))
    for seed in range(1, seeds + 1):
        repo = place / f"seed-{seed}"
        world = landing_world.build(repo, seed=seed, length=LENGTH, branches=branches)
        start = time.perf_counter()
        anchors = landing_clones.anchors_of(world, repo)
        each = 1000 * (time.perf_counter() - start) / len(anchors)
        print(
            f"seed {seed}: {LENGTH} commits on main, {branches} branches; {each:.1f} ms to anchor"
        )
        print("  kind               anchors found false")
        for result in landing_clones.in_three_clones(world, repo, anchors):
            print("\n".join(result.lines()))
        tip, before = world.main[-1][0], world.main[-11][0]
        start = time.perf_counter()
        landings(str(repo / ".git"), list(anchors.values()), [Target(tip, (before,))], {})
        print(f"the last 10 commits alone: {1000 * (time.perf_counter() - start):.0f} ms\n")
