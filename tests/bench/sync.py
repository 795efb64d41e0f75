"""What sharing costs, and many clones over a long time.

Runs as `python -m tests.bench sync` and `python -m tests.bench converge`.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import world

TESTS = Path(__file__).parents[1]
REFSPEC = "+refs/memory/*:refs/memory-remotes/origin/*"
QUIET = {"stdout": subprocess.DEVNULL, "check": True}


def sync(place: Path, notes: int, rounds: int) -> None:
    """First sync against plain `git fetch`, processes of an idle sync, bytes of one more note."""
    repo = world.build(place, notes)
    hub = place / "hub.git"
    git(place, "init", "--quiet", "--bare", "--initial-branch=main", str(hub))
    git(repo, "remote", "add", "origin", f"file://{hub}")
    git(repo, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    print(f"\nsync, {notes} notes\nfirst push: {_timed(lambda: world.mem(repo, 'sync')):.2f} s")
    plain, ours = [], []
    for number in range(rounds):
        for name, command, times in (
            ("plain", ["git", "fetch", "--quiet", "origin", REFSPEC], plain),
            ("ours", [sys.executable, "-m", "gitmem", "sync"], ours),
        ):
            clone = place / f"{name}{number}"
            git(place, "clone", "--quiet", f"file://{hub}", str(clone))
            start = time.perf_counter()
            subprocess.run(command, cwd=clone, **QUIET)
            times.append(time.perf_counter() - start)
    ratio = statistics.median(ours) / statistics.median(plain)
    print(f"plain fetch: {statistics.median(plain):.2f} s")
    print(f"first sync: {statistics.median(ours):.2f} s, {ratio:.2f} x (at most 3)")
    print(f"idle sync: {_processes(place / 'ours0')} git processes (at most 4)")
    print(f"one more note: {_sent(place, place / 'ours0')} bytes sent (under 20000)")
    again = _timed(lambda: world.mem(place / "ours1", "sync"))
    print(f"sync that fetches one note: {again:.2f} s")


def _processes(clone: Path) -> int:
    log = clone / ".git" / "trace"
    env = {**os.environ, "GIT_TRACE2_EVENT": str(log)}
    subprocess.run(["git", "mem", "sync"], cwd=clone, env=env, **QUIET)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    return sum(event["event"] == "start" for event in events)


def _sent(place: Path, clone: Path) -> int:
    counter = place / "receive"
    counter.write_text(f'#!/bin/sh\ntee {place}/sent | git receive-pack "$@"\n')
    counter.chmod(0o755)
    git(clone, "config", "remote.origin.receivepack", str(counter))
    world.add_one(clone, 1)
    world.mem(clone, "sync")
    return (place / "sent").stat().st_size


def converge(place: Path, steps: int, seeds: int) -> None:
    """Many clones, many random things, crashes among them: see tests/converging.py."""
    sys.path.insert(0, str(TESTS))
    import conftest  # seals the world on import
    import converging

    home = place / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(conftest.GITCONFIG)
    os.environ.update(conftest.seal(str(home)))
    for seed in range(seeds):
        start = time.perf_counter()
        done = converging.run(seed, place / f"world{seed}", steps)
        took = time.perf_counter() - start
        kept = len(done.kept) + len(done.ids)
        rounds = done.did["rounds"]
        print(f"seed {seed}: one tip after {rounds} rounds, {kept} writes, {took:.0f} s")
        print("  " + ", ".join(f"{name} {count}" for name, count in sorted(done.did.items())))


def writers(place: Path, rounds: int) -> None:
    """Notes a second of eight processes while another tool moves the ref."""
    sys.path[:0] = [str(TESTS), str(TESTS / "e2e")]
    import conftest
    import test_convergence

    os.environ.update(conftest.seal(str(place)))
    (place / ".gitconfig").write_text(conftest.GITCONFIG)
    for number in range(rounds):
        repo = conftest.Repo(place / f"r{number}")
        repo.path.mkdir()
        repo.git("init", "--quiet")
        test_convergence.add(repo, "first")
        took = test_convergence.write_at_once(repo)
        total = test_convergence.WRITERS * test_convergence.EACH
        kept = len(test_convergence.ids(repo)) - 1
        print(f"{kept} of {total} notes kept, {total / took:.0f} a second")


def git(where: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=where, **QUIET)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
