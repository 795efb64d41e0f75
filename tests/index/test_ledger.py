"""What was delivered is written down once, counted, and kept within bounds."""

import os
import subprocess
import sys

import pytest

from gitmem.index import ledger
from gitmem.index.ledger import LEDGER, OLD, USES, count, is_full, record
from gitmem.index.usage import last_delivery, put_aside, read_deliveries, read_usage

WRITE = """
import os, sys
from gitmem.index.ledger import record
directory, name = sys.argv[1:]
sys.stdin.readline()
for number in range(50):
    notes = [("shared", f"note-{number}-{at}", "ab", 100, "Why: x " * 20) for at in range(3)]
    record(directory, f"{number}.{name}", ("s", "claude", "PreToolUse"), notes)
"""


def deliver(directory, stamp, *ids, session="s"):
    notes = [("shared", name, "rev", 10, "Why: it matched") for name in ids]
    record(str(directory), f"{stamp}000000000.1f", (session, "claude", "PreToolUse"), notes)


def test_a_delivery_is_read_as_it_was_written(tmp_path):
    note = ("local", "größe", "0123", 42, "Why: path 'a\tb' matches\n'a*'")
    record(str(tmp_path), "1500000000.2a", ("s/agent 1", "codex", "PostToolUse"), [note])
    (entry,) = read_deliveries(str(tmp_path))
    assert (entry.time, entry.session, entry.agent, entry.event) == (
        1.5,
        "s/agent 1",
        "codex",
        "PostToolUse",
    )
    assert (entry.layer, entry.id, entry.rev, entry.size) == ("local", "größe", "0123", 42)
    assert entry.why == "Why: path 'a b' matches 'a*'"


def test_the_last_delivery_is_all_its_notes_in_their_order(tmp_path):
    assert last_delivery(str(tmp_path)) == []
    deliver(tmp_path, 1, "a")
    deliver(tmp_path, 2, "c", "b")
    assert [entry.id for entry in last_delivery(str(tmp_path))] == ["c", "b"]


def test_counts_are_of_ids_and_of_nothing_that_looks_like_one(tmp_path):
    deliver(tmp_path, 1, "claude", "PreToolUse-x")
    deliver(tmp_path, 2, "claude")
    assert count(str(tmp_path), ["claude", "PreToolUse", "s", "claude-2"]) == {
        "claude": 2,
        "PreToolUse": 0,
        "s": 0,
        "claude-2": 0,
    }


def test_usage_adds_up(tmp_path):
    deliver(tmp_path, 10, "a", "b")
    deliver(tmp_path, 20, "a", session="t")
    usage = read_usage(str(tmp_path))
    assert usage.recalls == {"a": (2, 20.0), "b": (1, 10.0)}
    assert (usage.deliveries, usage.events, usage.sessions, usage.size, usage.since) == (
        3,
        2,
        2,
        30,
        10.0,
    )


def test_what_is_put_aside_is_still_counted(tmp_path):
    for generation in range(4):
        for number in range(3):
            deliver(tmp_path, 100 * generation + number + 1, "a", f"g{generation}")
        put_aside(str(tmp_path))
    deliver(tmp_path, 1000, "a")
    usage = read_usage(str(tmp_path))
    assert usage.recalls["a"] == (13, 1000.0)
    assert usage.recalls["g0"] == (3, 3.0)
    assert (usage.deliveries, usage.events, usage.since) == (25, 13, 1.0)
    assert count(str(tmp_path), ["a", "g0"]) == {"a": 13, "g0": 3}
    assert sorted(os.listdir(tmp_path)) == [LEDGER, OLD, USES]


def test_a_crash_while_it_is_put_aside_counts_nothing_twice(tmp_path, monkeypatch):
    deliver(tmp_path, 1, "a")
    put_aside(str(tmp_path))
    deliver(tmp_path, 2, "a")

    def crash(*_):
        raise OSError("no more")

    real = os.replace
    monkeypatch.setattr(
        os, "replace", lambda old, new: crash() if new.endswith(OLD) else real(old, new)
    )
    with pytest.raises(OSError, match="no more"):
        put_aside(str(tmp_path))
    monkeypatch.undo()
    assert (tmp_path / USES).exists()
    assert read_usage(str(tmp_path)).recalls == {"a": (2, 2.0)}
    put_aside(str(tmp_path))
    assert read_usage(str(tmp_path)).recalls == {"a": (2, 2.0)}


def test_a_torn_line_is_passed_over(tmp_path):
    deliver(tmp_path, 1, "a")
    with open(tmp_path / LEDGER, "a") as file:
        file.write("17\ts\n\n\xff\nhalf a line")
    assert read_usage(str(tmp_path)).deliveries == 1


def test_it_says_when_it_is_full(tmp_path, monkeypatch):
    assert not is_full(str(tmp_path))
    deliver(tmp_path, 1, "a")
    assert not is_full(str(tmp_path))
    monkeypatch.setattr(ledger, "LIMIT", 10)
    assert is_full(str(tmp_path))


def test_parallel_writers_lose_and_tear_nothing(tmp_path):
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, str(tmp_path), f"{number:x}"],
            stdin=subprocess.PIPE,
            text=True,
        )
        for number in range(6)
    ]
    for process in running:
        process.communicate("go\n", timeout=60)
    entries = read_deliveries(str(tmp_path))
    assert len(entries) == 6 * 50 * 3
    assert len((tmp_path / LEDGER).read_text().splitlines()) == len(entries)
    stamps = [entry.stamp for entry in entries]
    assert [stamps[at] for at in range(0, len(stamps), 3)] == [
        stamps[at + 2] for at in range(0, len(stamps), 3)
    ]
