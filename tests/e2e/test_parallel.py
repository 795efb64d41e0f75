"""Many hooks and many writers at once: no answer is lost, none is doubled, no note is lost."""

import json

from running import SEEN_LINE, note, scrubbed

from gitmem.index.ledger import LEDGER
from gitmem.index.usage import read_deliveries


def answers(mem, events):
    """What hooks that run at the same time say, one text for each event."""
    children = []
    for number, event in enumerate(events):
        file = mem.repo.git_dir / f"event-{number}.json"
        file.write_text(json.dumps(event))
        with file.open("rb") as stdin:
            children.append(mem.start("hook", "claude", stdin=stdin.fileno()))
    done = [(child.communicate(timeout=60), child.returncode) for child in children]
    assert [(err, code) for (_, err), code in done] == [(b"", 0)] * len(events)
    return [
        json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
        for (out, _), _ in done
    ]


def test_parallel_hooks_in_one_session_lose_nothing_and_double_nothing(mem):
    mem.store(
        *(note(f"n{i}", paths=[f"f{i}.py"]) for i in range(200)), note("everywhere", paths=["*.py"])
    )
    events = [mem.touch(f"f{i}.py", session_id="s") for i in range(200)]
    said = answers(mem, events)
    assert [f"What n{i} says." in text for i, text in enumerate(said)] == [True] * 200
    assert sorted(text.count("What everywhere says.") for text in said) == [0] * 199 + [1]
    assert sum(text.count("\n## ") for text in said) == 201
    home = mem.repo.git_dir / "gitmem"
    entries = read_deliveries(str(home))
    assert sorted(entry.id for entry in entries) == sorted(
        ["everywhere", *(f"n{i}" for i in range(200))]
    )
    assert len((home / LEDGER).read_text().splitlines()) == len(entries)
    assert {(entry.session, entry.agent) for entry in entries} == {("s", "claude")}
    assert answers(mem, events[:24]) == [""] * 24


def test_parallel_hooks_answer_while_the_index_is_out_of_date(mem):
    mem.store(note("old", paths=["old.py"]))
    index = mem.repo.git_dir / "gitmem" / "index"
    kept = {file.name: file.read_bytes() for file in index.iterdir()}
    mem.store(note("new", paths=["new.py"]))
    for file in index.iterdir():
        file.unlink()
    for name, data in kept.items():
        (index / name).write_bytes(data)
    said = answers(mem, [mem.touch("old.py", session_id=f"s{i}") for i in range(12)])
    assert [text.count("What old says.") for text in said] == [1] * 12


def test_parallel_adds_all_store_their_note(mem):
    children = [mem.start("add", f"Fact number {i}", "-p", f"f{i}.py", "--yes") for i in range(20)]
    done = [(child.communicate(timeout=120), child.returncode) for child in children]
    assert [code for _, code in done] == [0] * 20, done
    assert [scrubbed(out) for (out, _), _ in done] == [
        f"added fact-number-{i} (shared)\n  paths: f{i}.py\n{SEEN_LINE}" for i in range(20)
    ]
    ids = mem("list", "--ids").split()
    assert ids == sorted(f"fact-number-{i}" for i in range(20))
    log = mem.repo.git("log", "--format=%s", "refs/memory/facts").split("\n")
    assert sorted(log) == sorted(f"git mem: add fact-number-{i}" for i in range(20))
