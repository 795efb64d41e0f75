"""A long history with an anchor in every tenth commit: what the view costs, cold and after a move.

The bounds are those of the one git process that has to be run in any case, and of the interpreter.
"""

import random
import subprocess
import sys
import time
from pathlib import Path

from gitmem.codec import encode, revision_name
from gitmem.core.note import Anchor, Note, Triggers
from gitmem.store.layout import path_of
from tests.bench import world
from tests.bench.measure import Table, Times, in_turn

FILES = 2000
HOOK = Path(__file__).parents[2] / "gitmem" / "hook.py"
PYTHON = sys.executable
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]
ALL_ANCHORS = """
import sys
from gitmem.core.note import Anchor
from gitmem.store.ancestry import Viewpoint
from gitmem.store.discover import find
from gitmem.store.place import place_of
repository = find(".")
anchors = [Anchor(commit=line.strip()) for line in open(sys.argv[1])]
Viewpoint(repository, place_of(repository).head).ancestry(anchors)
"""


def view(place: Path, commits: int, notes: int, rounds: int) -> None:
    """The table of `python -m tests.bench view`."""
    repo = place / "repo"
    repo.mkdir()
    _git(repo, "init", "-q", "-b", "main")
    oids = _history(repo, commits)
    anchors = _notes(repo, oids, notes)
    _git(repo, "reset", "-q", "--hard", "main")
    listed = place / "anchors"
    listed.write_text("".join(f"{oid}\n" for oid in anchors))
    for graph in (False, True):
        if graph:
            _git(repo, "commit-graph", "write", "--reachable")
        _cold(repo, listed, f"{commits} commits, {notes} anchors, graph: {graph}", rounds)
    _moved(repo, f"hook, {commits} commits, {notes} notes", rounds)


def file_name(directory: int, number: int) -> str:
    """One of 40 x FILES files, some 40 in a directory, as in large projects."""
    return f"dir{directory}/part{number % 50}/file{number}.txt"


def _cold(repo: Path, listed: Path, title: str, rounds: int) -> None:
    walk = f"(cat '{listed}'; echo ^HEAD) | git rev-list --stdin"
    commands = {
        "python -I -S -c pass": (FLOOR, b""),
        "git rev-list --stdin": (["sh", "-c", walk], b""),
        "which anchors are in HEAD": ([sys.executable, "-c", ALL_ANCHORS, str(listed)], b""),
        "git mem reindex": ([sys.executable, "-m", "gitmem", "reindex"], b""),
    }
    times = in_turn(commands, max(3, rounds // 6), cwd=repo)
    Table(title).show(times)
    floor, git, mine, _ = (sorted(values)[len(values) // 2] for values in times.values())
    print(f"bound 1.5 x rev-list + 10 x floor: {1e3 * (1.5 * git + 10 * floor):.0f} ms; ", end="")
    print(f"the view takes {1e3 * mine:.0f} ms")


def _moved(repo: Path, title: str, rounds: int) -> None:
    """A hook where nothing moved, and one after HEAD moved by ten commits, to and fro."""
    world.warm(repo)
    event = world.event(repo, file_name(1, 1))
    command = [PYTHON, "-I", "-S", str(HOOK), "claude"]
    times: Times = {"python -I -S -c pass": [], "nothing moved": [], "HEAD moved by 10": []}
    tip = _git(repo, "rev-parse", "main")
    for number in range(rounds + 1):
        at = tip if number % 2 else f"{tip}~10"
        for name, (args, stdin) in {
            "python -I -S -c pass": (FLOOR, b""),
            "nothing moved": (command, event),
            "HEAD moved by 10": (command, event),
        }.items():
            if name == "HEAD moved by 10":
                _git(repo, "update-ref", "refs/heads/main", at)
            start = time.perf_counter()
            subprocess.run(args, input=stdin, stdout=subprocess.DEVNULL, cwd=repo, check=True)
            if number:
                times[name].append(time.perf_counter() - start)
    Table(title).show(times)


def _history(repo: Path, count: int) -> list[str]:
    """Commits on main with a merge now and then, and one branch in fifty that never lands."""
    rng = random.Random(3)
    lines = [b"reset refs/heads/main\n"]
    for number in range(1, count + 1):
        ref = b"main" if number % 50 else b"open%d" % number
        lines.append(
            b"commit refs/heads/%s\nmark :%d\ncommitter B <b@example.com> %d +0000\ndata 2\nc\n\n"
            % (ref, number, 1_400_000_000 + number * 60)
        )
        parent = number - 1 if (number - 1) % 50 else number - 2
        if parent > 0:
            lines.append(b"from :%d\n" % parent)
        path = file_name(number % 40, rng.randrange(FILES)).encode()
        lines.append(b"M 644 inline %s\ndata <<E\n%d\nE\n" % (path, number))
    marks = repo / ".git" / "marks"
    args = ["git", "fast-import", "--quiet", f"--export-marks={marks}"]
    subprocess.run(args, input=b"".join(lines), cwd=repo, check=True)
    found = dict(line.split() for line in marks.read_text().splitlines())
    return [found[f":{number}"] for number in range(1, count + 1)]


def _notes(repo: Path, oids: list[str], count: int) -> list[str]:
    """As many notes, anchored all over the history, one in fifty on a branch that never lands; the
    last ten commits have none."""
    step = max(1, (len(oids) - 20) // count)
    anchors = [oids[number * step + (9 if number % 50 == 4 else 0)] for number in range(count)]
    files = [b"M 644 inline FORMAT\ndata 9\ngitmem 1\n\n"]
    for number, oid in enumerate(anchors):
        note = Note(
            f"note-{number}",
            body=f"What was learned {number}.\n",
            triggers=Triggers(paths=(file_name(number % 40, number),)),
            written="2026-01-01T00:00:00Z",
            anchor=Anchor(commit=oid, paths=(file_name(number % 40, number),)),
        )
        data = encode(note)
        path = path_of(note.id, revision_name(data)).encode()
        files.append(b"M 644 inline %s\ndata %d\n%s\n" % (path, len(data), data))
    head = b"commit refs/memory/facts\ncommitter B <b@example.com> 1700000000 +0000\ndata 2\nc\n\n"
    subprocess.run(
        ["git", "fast-import", "--quiet"], input=head + b"".join(files), cwd=repo, check=True
    )
    return anchors


def _git(repo: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=repo, check=True, capture_output=True, text=True)
    return done.stdout.strip()
