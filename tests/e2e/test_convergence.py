"""Clones end on one commit with everything in it, whatever happened to them on the way.

Longer: `python -m tests.bench converge`.
"""

import multiprocessing
import os
import subprocess
import time

import pytest
from conftest import Repo
from converging import run
from travelling import GITMEM, REF, add, draft, ids, make_team, memory, paths, tip

WRITERS, EACH = 8, 100


@pytest.mark.parametrize("seed", [1, 2])
def test_clones_that_write_sync_crash_and_tidy_up_end_on_one_commit(tmp_path, seed):
    world = run(seed, tmp_path / "world", steps=12)
    assert world.did["rounds"] <= 2
    for act in ("add", "edit", "sync", "fetch", "crash"):
        assert world.did[act] > 0, world.did


def _write(path: str, writer: int, start: "multiprocessing.synchronize.Event") -> None:
    with memory(Repo(path), bulk=True) as mine:
        mine.identity, mine.config  # noqa: B018 - asked for before the clock starts
        start.wait()
        for number in range(EACH):
            done = mine.add([draft(f"w{writer}-{number}")])
            assert len(done.notes) == 1, done


def _meddle(git_dir: str, stop: "multiprocessing.synchronize.Event") -> None:
    """Move the ref as another tool would: with its old value, and without our lock."""
    for role in ("AUTHOR", "COMMITTER"):  # a new process has no HOME in a sealed world
        os.environ[f"GIT_{role}_NAME"] = os.environ[f"GIT_{role}_EMAIL"] = "other@example.com"
    repo = Repo(git_dir)
    while not stop.is_set():
        old = tip(repo)
        new = repo.git("commit-tree", f"{old}^{{tree}}", "-p", old, "-m", "another tool")
        subprocess.run(["git", "update-ref", REF, new, old], cwd=git_dir, stderr=subprocess.DEVNULL)
        time.sleep(0.05)


def write_at_once(repo: Repo) -> float:
    """Seconds that WRITERS processes take to add EACH notes while another tool moves the ref."""
    context = multiprocessing.get_context("spawn")
    start, stop = context.Event(), context.Event()
    meddler = context.Process(target=_meddle, args=(str(repo.git_dir), stop))
    writers = [
        context.Process(target=_write, args=(str(repo.path), number, start))
        for number in range(WRITERS)
    ]
    for child in writers:
        child.start()
    time.sleep(3)
    meddler.start()
    time.sleep(0.5)
    began = time.perf_counter()
    start.set()
    for child in writers:
        child.join()
    took = time.perf_counter() - began
    stop.set()
    meddler.join()
    assert [child.exitcode for child in writers] == [0] * WRITERS
    return took


def test_eight_writers_and_a_meddling_tool_keep_every_note(repo):
    add(repo, "first")
    write_at_once(repo)
    assert len(ids(repo)) == WRITERS * EACH + 1
    assert len(paths(repo)) == WRITERS * EACH + 2
    others = repo.git("log", "--format=%s", REF).split("\n").count("another tool")
    assert others > 0


def test_twenty_clones_that_push_at_once_all_get_their_notes_there(tmp_path):
    names = [f"c{number}" for number in range(20)]
    team = make_team(tmp_path / "team", *names)
    for name, repo in team.clones.items():
        add(repo, f"by-{name}")
    children = [
        subprocess.Popen(
            [*GITMEM, "sync"], cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for repo in team.clones.values()
    ]
    done = [(child.communicate(timeout=300)[0].decode(), child.returncode) for child in children]
    assert [code for _, code in done] == [0] * 20, done
    last = memory(team.clones["c0"])
    last.sync()
    assert ids(team.clones["c0"]) == sorted(f"by-{name}" for name in names)
    for repo in team.clones.values():
        memory(repo).sync()
    assert {tip(repo) for repo in team.clones.values()} == {tip(team.hub)}
