"""What one-shot commands cost, run as a person or an agent runs them: `git mem …`."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import world
from tests.bench.measure import Table, Times

PYTHON = str(Path(sys.executable).resolve())
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]
# What is installed is compiled; a checkout is, once Python may write what it compiled.
WRITES = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
LIMITS = {"recall --path F": 8, "show ID": 8, "list -n 20": 8, "add TEXT": 12}


def commands(place: Path, notes: int, rounds: int) -> None:
    """The table of `python -m tests.bench recall`; each ratio is a median of pairs in one round."""
    repo = world.build(place, notes)
    world.warm(repo)
    path = world.file_name(1)

    def asked(number: int) -> dict[str, list[str]]:
        return {
            "python -I -S -c pass": FLOOR,
            "recall --path F": ["git", "mem", "recall", "--path", path],
            "show ID": ["git", "mem", "show", "note-7"],
            "list -n 20": ["git", "mem", "list", "-n", "20"],
            "add TEXT": ["git", "mem", "add", f"{path} is number {number}", "--id", f"n-{number}"],
        }

    times = _in_turn(asked, rounds, repo)
    Table(f"commands, {notes} notes").show(times)
    floor, *others = times.items()
    for name, values in others:
        ratio = statistics.median(
            mine / least for mine, least in zip(values, floor[1], strict=True)
        )
        print(f"{name}: {ratio:.1f} x (at most {LIMITS[name]})")


def _in_turn(asked: Callable[[int], dict[str, list[str]]], rounds: int, repo: Path) -> Times:
    """Seconds of each command, A B C A B C …, after one round that is not counted."""
    times: Times = {name: [] for name in asked(0)}
    for number in range(rounds + 1):
        for name, command in asked(number).items():
            start = time.perf_counter()
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=repo,
                env=WRITES,
                check=True,
            )
            if number:
                times[name].append(time.perf_counter() - start)
    return times
