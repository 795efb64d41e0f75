"""What was delivered here: `stats`, `why --last`, `forget --not-recalled-since`."""

import re

import pytest
from running import Mem, note

SESSION = "6e1c0c1e-1111-2222-3333-444444444444"


@pytest.fixture
def used(mem: Mem) -> Mem:
    """Three notes: two were delivered by one event, one of them again in another session."""
    mem.store(
        note("amounts", "Amounts are cents.", paths=["src/a.py"]),
        note("typed", "All is typed.", paths=["src/**"]),
        note("publish", "Use make.", commands=["npm publish"]),
    )
    assert mem.hook(mem.touch("src/a.py", session_id=SESSION))
    assert mem.hook(mem.touch("src/b.py", session_id="other"))
    return mem


def test_stats_say_what_was_delivered_and_what_never_was(used: Mem) -> None:
    said = used("stats").splitlines()
    assert re.fullmatch(
        r"since \d{4}-\d\d-\d\d: 3 notes delivered by 2 events in 2 sessions", said[0]
    )
    assert re.fullmatch(
        r"that was \d+ bytes; all notes at the start of each session: \d+ bytes", said[1]
    )
    assert [re.sub(r"\d{4}-\d\d-\d\d", "<day>", line) for line in said[2:]] == [
        "",
        "most often:",
        "      2  typed, last <day>",
        "      1  amounts, last <day>",
        "",
        "1 note never fired:",
        "  publish",
    ]


def test_stats_as_json(used: Mem) -> None:
    found = used.json("stats")
    days = {item["id"]: item.pop("last_recalled") for item in found["notes"]}
    assert found["notes"] == [
        {"id": "amounts", "recall_count": 1},
        {"id": "publish", "recall_count": 0},
        {"id": "typed", "recall_count": 2},
    ]
    assert days["publish"] is None
    assert days["typed"] == "<time>"
    assert found["never_fired"] == ["publish"]
    numbers = {name: found[name] for name in ("deliveries", "events", "sessions")}
    assert numbers == {"deliveries": 3, "events": 2, "sessions": 2}
    assert found["since"] == "<time>"
    assert found["bytes"] > 0
    assert found["dump_bytes"] > 0


def test_stats_before_anything_was_delivered(mem: Mem) -> None:
    mem.store(note("amounts", "Amounts are cents.", paths=["src/a.py"]))
    assert mem("stats") == "nothing was delivered here yet; notes seen here: 1\n"
    assert mem.json("stats")["since"] is None


def test_why_last_says_what_came_last_and_why(used: Mem) -> None:
    said = used("why", "--last").splitlines()
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  claude PreToolUse, session other", said[0]
    )
    assert said[1:] == [
        "fires   typed (shared)",
        "        path 'src/b.py' matches 'src/**'",
    ]
    found = used.json("why", "--last")
    assert [(item["id"], item["layer"]) for item in found["fires"]] == [("typed", "shared")]
    assert (found["last"]["agent"], found["last"]["event"]) == ("claude", "PreToolUse")


def test_why_last_before_anything_was_delivered(mem: Mem) -> None:
    assert mem("why", "--last") == "nothing was delivered here yet\n"
    assert mem.json("why", "--last") == {
        "version": 1,
        "path": None,
        "last": None,
        "fires": [],
        "silent": [],
    }


@pytest.mark.parametrize("args", [(), ("src/a.py", "--last")])
def test_why_wants_a_path_or_the_last(mem: Mem, args: tuple[str, ...]) -> None:
    done = mem.run("why", *args)
    assert (done.code, done.err) == (
        2,
        "error: give a path, or --last\nhint: see: git mem why -h\n",
    )


def test_what_nothing_delivered_can_be_forgotten(used: Mem) -> None:
    assert used("forget", "--not-recalled-since", "1d") == "nothing to forget\n"
    found = used.json("forget", "--not-recalled-since", "9999-01-01", "--dry-run")
    assert found["would_forget"] == ["amounts", "publish", "typed"]


def test_of_notes_that_are_equal_the_one_used_more_comes_first(mem: Mem) -> None:
    mem.store(
        note("a-first", "One.", paths=["src/a.py"], prompts=["alpha"]),
        note("b-second", "Two.", paths=["src/a.py"], prompts=["beta"]),
    )
    assert mem("recall", "--path", "src/a.py", "--ids").split() == ["a-first", "b-second"]
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "beta", "cwd": str(mem.repo.path)}
    assert mem.hook(event)
    assert mem("recall", "--path", "src/a.py", "--ids").split() == ["b-second", "a-first"]
