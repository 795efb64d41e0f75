"""Run commands in turn and show their medians as ratios to the first."""

import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

Times = dict[str, list[float]]


def in_turn(
    commands: Mapping[str, tuple[Sequence[str], bytes]], rounds: int, *, cwd: Path
) -> Times:
    """Seconds of each command, A B C A B C …, after one round that is not counted."""
    times: Times = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, (command, stdin) in commands.items():
            start = time.perf_counter()
            subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, cwd=cwd, check=True)
            if number:
                times[name].append(time.perf_counter() - start)
    return times


class Table:
    """One table on stdout; the first row is what the others are compared with."""

    def __init__(self, title: str) -> None:
        self.title = title

    def show(self, times: Times) -> None:
        floor = statistics.median(next(iter(times.values())))
        print(f"\n{self.title}\n{'':34} {'median':>10} {'p95':>10} {'ratio':>7}")
        for name, values in times.items():
            middle = statistics.median(values)
            late = sorted(values)[int(len(values) * 0.95)] if len(values) > 1 else values[0]
            print(f"{name:34} {middle * 1e3:7.1f} ms {late * 1e3:7.1f} ms {middle / floor:6.2f}x")
