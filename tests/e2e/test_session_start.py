"""The first minute of a session: what it starts with, in which order, within which budget."""

import json
from pathlib import Path

import pytest
from conftest import Repo
from running import CLOSING, OPENING, Mem, note

SESSION = "6e1c0c1e-1111-2222-3333-444444444444"
LONG = "This one goes on about the matter for a good while, as notes about files do. " * 11


def start(mem: Mem, source: str = "startup", session: str = SESSION, **fields: object) -> str:
    """What Claude Code is given at a session's start."""
    payload = {"hook_event_name": "SessionStart", "source": source, "cwd": str(mem.repo.path)}
    out = mem.hook(payload | {"session_id": session} | fields)
    return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""


def touched(mem: Mem, path: str) -> str:
    out = mem.hook(mem.touch(path, session_id=SESSION))
    return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""


def heads(text: str) -> list[str]:
    return [line[3:].partition(" (")[0] for line in text.splitlines() if line.startswith("## ")]


def ambient(name: str, text: str, strength: int = 3) -> str:
    return f"---\nid: {name}\nstrength: {strength}\ntriggers:\n  always: true\n---\n{text}\n"


@pytest.fixture
def world(mem: Mem) -> Mem:
    """Ambient notes of several strengths, a pinned one, and one about a file."""
    mem.store(
        ambient("weak", "Prefer small commits.", 1),
        ambient("strong", "Never force-push the main branch.", 5),
        note("kept-up", "Money is cents.", more="pinned: true\nstrength: 4\n", paths=["pay.py"]),
        note("about-a", "A is a constant.", paths=["src/a.py"]),
    )
    mem.repo.git("switch", "-q", "-c", "topic")
    return mem


def test_ambient_and_pinned_notes_come_first_by_strength(world: Mem) -> None:
    text = start(world)
    assert heads(text)[:3] == ["strong", "kept-up", "weak"]
    assert text.startswith(OPENING)
    assert text.endswith(CLOSING)
    assert "Why: pinned shown at session start" in text


def test_notes_about_what_is_being_worked_on_come_as_a_line_and_whole_with_their_file(
    world: Mem,
) -> None:
    world.repo.write("src/a.py", "A = 2\n")
    text = start(world)
    assert heads(text)[-1] == "About what is being worked on"
    assert "- about-a: A is a constant." in text
    assert "A is a constant." in touched(world, "src/a.py")


def test_a_compacted_session_gets_all_of_it_again_and_a_resumed_one_a_line(world: Mem) -> None:
    text = start(world)
    assert start(world) != text  # in the same context nothing comes twice
    assert heads(start(world, "compact"))[:3] == heads(text)[:3]
    assert heads(start(world, "clear"))[:3] == heads(text)[:3]
    assert start(world, "resume") == (
        "Notes of this repository go on arriving with the files, commands and errors they are "
        "about. Where the work stands: git mem state"
    )


@pytest.mark.parametrize(("extent", "size"), [("off", 0), ("line", 1)])
def test_a_start_can_be_made_shorter(world: Mem, extent: str, size: int) -> None:
    world.repo.git("config", "mem.start", extent)
    world("reindex", "--quiet")
    assert len(start(world).splitlines()) == size


def test_fifty_one_notes_come_within_four_thousand_characters(mem: Mem) -> None:
    files = {f"src/part{n}/unit{n}.py": f"N = {n}\n" for n in range(43)}
    mem.repo.commit("files", **files)
    rules = [f"Rule {n}: say what is, in {n} words." for n in range(8)]
    mem.store(
        *(ambient(f"rule-{n}", text, 1 + n % 5) for n, text in enumerate(rules)),
        *(note(f"file-{n}", f"{n}. {LONG}", paths=[path]) for n, path in enumerate(files)),
    )
    assert sum(len(item["body"]) for item in mem.json("list")["notes"]) > 36_000
    text = start(mem)
    assert len(text) <= 4000
    assert [rule for rule in rules if rule not in text] == []
    for number, path in enumerate(files):
        assert heads(touched(mem, path)) == [f"file-{number}"]


def test_ambient_notes_that_do_not_fit_whole_all_come_in_a_line(mem: Mem) -> None:
    mem.store(*(ambient(f"rule-{n}", f"Rule {n}. {LONG}\n\nMore.") for n in range(8)))
    text = start(mem)
    assert len(text) <= 4000
    assert [n for n in range(8) if f"- rule-{n}: Rule {n}." not in text] == []


def test_what_a_rule_file_says_already_is_skipped(world: Mem) -> None:
    text = "# Rules\n\n- never **force-push** the `main` branch\n- Other things.\n"
    world.repo.write("AGENTS.md", text)
    assert heads(start(world))[:2] == ["kept-up", "weak"]


def test_a_conflict_and_a_stranded_note_are_named(world: Mem) -> None:
    world.repo.commit("work", **{"src/b.py": "B = 7\n"})
    world("add", "src/b.py is seven.", "-p", "src/b.py")
    world.repo.git("switch", "-q", "main")
    world.repo.git("branch", "-q", "-D", "topic")
    world("reindex", "--quiet")
    last = start(world).splitlines()[-2]
    assert last == "1 stranded: git mem list --stranded"


def test_a_clone_that_never_fetched_memory_says_so(mem: Mem, tmp_path: Path) -> None:
    mem("install", "claude")
    mem.repo.git("add", ".claude")
    mem.repo.git("commit", "-q", "-m", "hooks")
    mem("add", "src/a.py is a constant.", "-p", "src/a.py")
    clone = Repo(tmp_path / "clone")
    mem.repo.git("clone", "-q", str(mem.repo.path), str(clone.path))
    assert start(Mem(clone)).splitlines()[-2] == (
        "this project's memory was never fetched here: git mem init, git mem sync"
    )
    Mem(clone)("init")
    Mem(clone)("sync")
    assert "never fetched" not in start(Mem(clone), session="other")


def test_a_repository_without_memory_gets_nothing(mem: Mem) -> None:
    assert start(mem) == ""
    assert start(mem, "resume") == ""


def test_where_the_work_stands_comes_first(world: Mem) -> None:
    world("state", "set", "next", "wire up the refund path")
    world("todo", "add", "ask about rounding")
    text = start(world)
    assert heads(text)[0] == "Where the work stands"
    assert text.index("wire up the refund path") < text.index("ask about rounding")
    assert text.index("ask about rounding") < text.index("force-push")
    world.repo.git("switch", "-q", "main")
    assert "refund" not in start(world, session="other")


def test_a_decision_is_shown_short_and_told_long(world: Mem) -> None:
    world(
        *("decide", "Amounts are integers", "--context", "Floats lost cents twice."),
        *("--decision", "Store cents.", "--because", "sums must be exact", "-p", "src/a.py"),
    )
    said = touched(world, "src/a.py")
    assert "Store cents." in said
    assert "sums must be exact" in said
    assert "Floats lost cents twice." not in said
    assert "git mem show" in said
