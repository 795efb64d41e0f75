"""What a session does besides: an error seen, a command that works again, nothing recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import Mem

import gitmem

HOOK = [sys.executable, "-I", "-S", str(Path(gitmem.__file__).parent / "hook.py"), "claude"]
SESSION = "6e1c0c1e-1111-2222-3333-444444444444"
ERROR = "Exit code 1\nE   ModuleNotFoundError: No module named 'app'\n1 failed"
LINE = "ModuleNotFoundError: No module named 'app'"
HINT = (
    f"`pytest -q` failed earlier ({LINE}) and works now. If the reason would cost the next "
    'session time too, record it: git mem add --from-last-error "what was wrong, what to do"'
)
NOTHING = (
    "This session changed files and recorded nothing. If it learned something that the next "
    "one will need and the code does not say, record it now, else ignore this: "
    "git mem add \"what is so, why, what to do instead\" -p '<files it is about>'"
)


@pytest.fixture
def world(mem: Mem) -> Mem:
    """A repository that has a note, about something else."""
    mem("add", "src/b.py stays as it is.", "-p", "src/b.py")
    return mem


def call(mem: Mem, event: str, session: str | None = SESSION, **fields: object) -> str:
    """The context that Claude Code is given, '' for none; a PreCompact's text as it is."""
    payload = {"hook_event_name": event, "cwd": str(mem.repo.path), **fields}
    if session:
        payload["session_id"] = session
    done = subprocess.run(
        HOOK, input=json.dumps(payload), capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stderr == ""
    if not done.stdout.startswith("{"):
        return done.stdout.strip()
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def bash(command: str) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def fail(mem: Mem, command: str = "pytest -q", error: str = ERROR, **more: object) -> str:
    return call(mem, "PostToolUseFailure", **bash(command), error=error, **more)


def work(mem: Mem, command: str = "pytest -q", **more: object) -> str:
    response = {"stdout": "ok", "stderr": "", "interrupted": False}
    return call(mem, "PostToolUse", **bash(command), tool_response=response, **more)


def edit(mem: Mem, **more: object) -> str:
    given = {"file_path": str(mem.repo.path / "src/a.py"), "old_string": "a", "new_string": "b"}
    return call(mem, "PreToolUse", tool_name="Edit", tool_input=given, **more)


def test_a_command_that_failed_and_works_again_is_worth_one_hint(world: Mem) -> None:
    assert fail(world) == ""
    assert work(world, "ls") == ""
    assert work(world) == HINT
    assert work(world) == ""
    assert fail(world) == ""
    assert work(world) == ""


def test_the_hint_can_be_typed_as_it_stands(world: Mem) -> None:
    fail(world)
    fail(world, "make", "Exit code 2\nmake: *** other error. Stop.")
    assert work(world) == HINT
    world("add", "--from-last-error", "Set PYTHONPATH=src before the tests.")
    assert world.json("recall", "--error", ERROR)["hits"][0]["matched"] == [
        {"kind": "errors", "value": f"E {LINE}", "trigger": LINE}
    ]
    context = fail(world, "pytest -q tests", session="other")
    assert "Set PYTHONPATH=src" in context
    assert work(world, "pytest -q tests", session="other") == ""


def test_an_error_that_a_note_knows_needs_no_hint(world: Mem) -> None:
    world("add", "Set PYTHONPATH.", "-e", "No module named 'app'")
    assert "Set PYTHONPATH" in fail(world)
    assert work(world) == ""


def test_in_another_session_nothing_failed(world: Mem) -> None:
    fail(world)
    assert work(world, session="8d2e0000-0000") == ""
    assert work(world, session=None) == ""
    assert work(world) == HINT


def test_one_session_gets_three_such_hints_at_most(world: Mem) -> None:
    for name in ("a", "b", "c", "d"):
        fail(world, name)
    assert [bool(work(world, name)) for name in ("a", "b", "c", "d")] == [True, True, True, False]


def test_the_last_error_needs_no_session_and_no_earlier_note(mem: Mem) -> None:
    mem("init")
    assert fail(mem, session=None) == ""
    mem("add", "--from-last-error", "Set PYTHONPATH=src.")
    assert [note["triggers"]["errors"] for note in mem.json("list")["notes"]] == [[LINE]]


def test_without_an_error_seen_there_is_none_to_take(world: Mem) -> None:
    done = world.run("add", "--from-last-error", "Set it.")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: no hook has seen an error in this repository\n"
        'hint: say it yourself: git mem add "…" -e "part of the error"\n'
    )


def test_a_session_that_changed_files_and_recorded_nothing_is_told_once(world: Mem) -> None:
    assert call(world, "Stop", stop_hook_active=False) == ""
    edit(world)
    assert call(world, "Stop", stop_hook_active=True) == ""
    assert call(world, "Stop", stop_hook_active=False) == NOTHING
    assert call(world, "Stop", stop_hook_active=False) == ""
    assert call(world, "PreCompact", trigger="auto") == ""


def test_before_its_context_is_compacted_it_is_told_in_plain_text(world: Mem) -> None:
    edit(world)
    assert call(world, "PreCompact", trigger="auto") == NOTHING
    assert call(world, "Stop", stop_hook_active=False) == ""


def test_a_session_that_recorded_something_is_left_alone(world: Mem) -> None:
    edit(world)
    world("add", "src/a.py holds a constant.", "-p", "src/a.py")
    assert call(world, "Stop", stop_hook_active=False) == ""


def test_reading_alone_leaves_nothing_to_record(world: Mem) -> None:
    given = {"file_path": str(world.repo.path / "src/a.py")}
    call(world, "PreToolUse", tool_name="Read", tool_input=given)
    assert call(world, "Stop", stop_hook_active=False) == ""


def test_hints_can_be_switched_off(world: Mem) -> None:
    world.repo.git("config", "mem.hints", "false")
    fail(world)
    edit(world)
    assert work(world) == ""
    assert call(world, "Stop", stop_hook_active=False) == ""
    world.repo.git("config", "--unset", "mem.hints")
    assert call(world, "Stop", stop_hook_active=False) == NOTHING


def test_a_repository_without_memory_is_left_alone(mem: Mem) -> None:
    fail(mem)
    edit(mem)
    assert work(mem) == ""
    assert call(mem, "Stop", stop_hook_active=False) == ""
    assert not (mem.repo.path / ".git" / "gitmem").exists()
