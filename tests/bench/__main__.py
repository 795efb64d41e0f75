"""Measure git mem against the bare interpreter on this machine, in one run.

    python -m tests.bench hook [--notes N] [--rounds 30]     50 to 100,000 notes, or N
    python -m tests.bench add  [--notes 10000]
    python -m tests.bench recall [--notes 10000] [--rounds 20]   recall, show, list and add
    python -m tests.bench sync [--notes 10000] [--rounds 5]
    python -m tests.bench writers  [--rounds 3]
    python -m tests.bench converge [--notes 300] [--rounds 1]   things in each clone, seeds
    python -m tests.bench view [--notes 10000] [--rounds 20]
    python -m tests.bench landing  [--notes 420] [--rounds 1]   branches, seeds

Every figure is a median with its p95, beside the ratio to `python -I -S -c pass` measured in the
same rounds: machines are noisy, ratios hold. Commands run as an agent or a person would run them.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import hook, landing, sync, view, world
from tests.bench.commands import commands
from tests.bench.measure import Table, in_turn

PYTHON = sys.executable
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]


WHAT = ("hook", "add", "recall", "sync", "writers", "converge", "view", "landing")


def add(place: Path, notes: int, rounds: int) -> None:
    """What writing costs: many notes in a few calls, one more, and the size on disk."""
    repo = world.build(place, 0)
    table = Table(f"add, {notes} notes")
    floor = in_turn({"python -I -S -c pass": (FLOOR, b"")}, rounds, cwd=repo)
    first = _timed(lambda: world.add_one(repo, 0))
    files = world.note_files(place, notes)
    bulk = _timed(lambda: world.add_files(repo, files, per_call=2500))
    more = sorted(_timed(lambda n=n: world.add_one(repo, n)) for n in range(1, 6))[2]
    table.show(floor | {"first add": [first], "one more add": [more], "all notes": [bulk]})
    before = world.disk(repo)
    for number in range(10, 110):
        world.add_one(repo, number)
    grown = world.disk(repo) - before
    subprocess.run(["git", "gc", "--quiet"], cwd=repo, check=True)
    print(
        f".git: {before} kB, after gc {world.disk(repo)} kB; 100 single adds grew it by {grown} kB"
    )


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--notes", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--against", default="", metavar="SCRIPT")
    args = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="git-mem-bench-"))
    try:
        if args.what == "hook":
            hook.hook(
                place, (args.notes,) if args.notes else hook.SIZES, args.rounds or 30, args.against
            )
        elif args.what == "recall":
            commands(place, args.notes or 10_000, args.rounds or 20)
        elif args.what == "sync":
            sync.sync(place, args.notes or 10_000, args.rounds or 5)
        elif args.what == "writers":
            sync.writers(place, args.rounds or 3)
        elif args.what == "converge":
            sync.converge(place, args.notes or 300, args.rounds or 1)
        elif args.what == "view":
            view.view(place, 10 * (args.notes or 10_000), args.notes or 10_000, args.rounds or 20)
        elif args.what == "landing":
            landing.landing(place, args.notes or 420, args.rounds or 1)
        else:
            add(place, args.notes or 10_000, args.rounds or 30)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
