"""What one hook costs, from 50 to 100,000 notes: `python -m tests.bench hook`.

Whole processes, run in turn with the bare interpreter. A session of its own for each event, so that
every hit is shown, recorded and written to the ledger as in real use.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.bench import world
from tests.bench.measure import Table, Times

HOOK = Path(__file__).parents[2] / "gitmem" / "hook.py"
PYTHON = sys.executable
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]
DIRECT = [PYTHON, "-I", "-S", str(HOOK), "claude"]
THROUGH_GIT = ["git", "mem", "hook", "claude"]
SIZES = (50, 1_000, 10_000, 100_000)


def hook(place: Path, sizes: tuple[int, ...], rounds: int, against: str = "") -> None:
    """One table for each size. `against`: a program for Node that answers the same events from a
    directory of note files, which AGENTMEM_DIR names; it is run in the same rounds."""
    for notes in sizes:
        directory = place / str(notes)
        directory.mkdir()
        repo = world.filled(directory, notes)
        world.warm(repo)
        if against:
            _compare(directory, repo, notes, rounds, against)
            continue
        Table(f"hook, {notes} notes").show(_events(repo, rounds) | _moved(repo, rounds))
        Table(f"hook without an index, {notes} notes").show(_cold(repo, max(3, rounds // 6)))
        shutil.rmtree(directory)


def _events(repo: Path, rounds: int) -> Times:
    edit = {"hook_event_name": "PreToolUse", "tool_name": "Edit"}
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    failed = {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "error": f"Exit code 2\nmake: *** {world.error(1)}, stop",
    }
    calls = {
        "no hit": (DIRECT, edit | _file(repo, "docs/none.txt")),
        "one hit": (DIRECT, edit | _file(repo, world.file_name(1))),
        "ten hits": (DIRECT, edit | _file(repo, world.BUSY)),
        "a command that failed, one hit": (DIRECT, failed),
        "first event of a session": (DIRECT, start),
        "no hit, through git mem": (THROUGH_GIT, edit | _file(repo, "docs/none.txt")),
        "one hit, through git mem": (THROUGH_GIT, edit | _file(repo, world.file_name(1))),
    }
    times: Times = {"python -I -S -c pass": []} | {name: [] for name in calls}
    for number in range(rounds + 1):
        rows = [("python -I -S -c pass", FLOOR, b"")]
        rows += [(name, args, _event(repo, fields)) for name, (args, fields) in calls.items()]
        for name, args, stdin in rows:
            spent = _run(args, stdin, repo)
            if number:
                times[name].append(spent)
    return times


def _compare(place: Path, repo: Path, notes: int, rounds: int, program: str) -> None:
    """One hit, ours and the other's, in turn."""
    files = place / "files"
    files.mkdir()
    for note in world.notes_of(notes):
        (files / f"{note.id}.md").write_text(
            f"---\nid: {note.id}\npaths: {json.dumps(note.triggers.paths)}\n"
            f"errors: {json.dumps(note.triggers.errors)}\n---\n{note.body}"
        )
    env = {**os.environ, "AGENTMEM_DIR": str(files), "TMPDIR": str(place)}
    fields = {"hook_event_name": "PreToolUse", "tool_name": "Edit"}
    event = fields | _file(repo, world.file_name(1))
    times: Times = {"python -I -S -c pass": [], "ours": [], "theirs": []}
    for number in range(rounds + 1):
        for name, args in (
            ("python -I -S -c pass", FLOOR),
            ("ours", DIRECT),
            ("theirs", ["node", program]),
        ):
            start = time.perf_counter()
            stdin = _event(repo, event)
            done = subprocess.run(
                args, input=stdin, cwd=repo, env=env, check=True, capture_output=True
            )
            if number:
                times[name].append(time.perf_counter() - start)
            assert name[0] == "p" or b"additionalContext" in done.stdout, name
    Table(f"against {Path(program).name}, {notes} notes").show(times)
    ours, theirs = (statistics.median(times[name]) for name in ("ours", "theirs"))
    print(f"{theirs / ours:.1f} times as fast")


def _moved(repo: Path, rounds: int) -> Times:
    """One hit after HEAD moved by ten commits, to and fro, notes anchored in all of them."""
    tip = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repo, check=True, capture_output=True, text=True
    ).stdout.strip()
    fields = {"hook_event_name": "PreToolUse", "tool_name": "Edit"}
    event = fields | _file(repo, world.file_name(1))
    times = []
    for number in range(rounds + 2):
        at = tip if number % 2 else f"{tip}~10"
        subprocess.run(["git", "update-ref", "HEAD", at], cwd=repo, check=True)
        times.append(_run(DIRECT, _event(repo, event), repo))
    subprocess.run(["git", "update-ref", "HEAD", tip], cwd=repo, check=True)
    return {"one hit, HEAD moved by ten": times[2:]}


def _cold(repo: Path, rounds: int) -> Times:
    """The first event where there is no index at all, and the second."""
    fields = {"hook_event_name": "PreToolUse", "tool_name": "Edit"}
    event = fields | _file(repo, world.file_name(1))
    times: Times = {"python -I -S -c pass": [], "first event": [], "second event": []}
    empty = 0
    for _ in range(rounds):
        shutil.rmtree(repo / ".git" / "gitmem", ignore_errors=True)
        times["python -I -S -c pass"].append(_run(FLOOR, b"", repo))
        times["first event"].append(_run(DIRECT, _event(repo, event), repo))
        _wait_for_index(repo)
        stdin = _event(repo, event)
        times["second event"].append(_run(DIRECT, stdin, repo))
        empty += not subprocess.run(
            DIRECT, input=_event(repo, event), cwd=repo, capture_output=True
        ).stdout
    print(f"\nempty answers to a later event: {empty} of {rounds}")
    return times


def _wait_for_index(repo: Path) -> None:
    """Until the index that the first event left to a process behind it is there."""
    for _ in range(600):
        if (repo / ".git" / "gitmem" / "index" / "top").exists():
            return
        time.sleep(0.05)


def _run(args: list[str], stdin: bytes, repo: Path) -> float:
    start = time.perf_counter()
    subprocess.run(args, input=stdin, stdout=subprocess.DEVNULL, cwd=repo, check=True)
    return time.perf_counter() - start


def _file(repo: Path, name: str) -> dict[str, object]:
    return {"tool_input": {"file_path": str(repo / name), "old_string": "a", "new_string": "b"}}


def _event(repo: Path, fields: dict[str, object]) -> bytes:
    session = os.urandom(16).hex()
    return json.dumps({"session_id": session, "cwd": str(repo), **fields}).encode()
