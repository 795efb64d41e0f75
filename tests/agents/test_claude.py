"""Claude Code's hook calls as it sends them, through the hook, and exactly what it reads back."""

import gc
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from recorded import NOTES

import gitmem
from gitmem import quick
from gitmem.agents import claude
from gitmem.core.render import CLOSING, OPENING
from gitmem.drafting import Draft
from gitmem.index.errorlog import read as read_errors
from gitmem.index.place import home as derived_home
from gitmem.index.refresh import refresh
from gitmem.memory import Memory

# A hook's process ends with its answer, so `main` leaves it to the system to close the index.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

HOOK = str(Path(gitmem.__file__).parent / "hook.py")


@pytest.fixture
def project(repo):
    """A repository with NOTES in its shared layer."""
    memory = Memory.open(str(repo.path), clock=lambda: 1_800_000_000.0)
    memory.add([Draft(note, note.id) for note in NOTES])
    for _ in range(5):  # nothing is being worked on
        repo.git("commit", "--quiet", "--allow-empty", "-m", "later")
    refresh(memory.repository).close()
    return repo


def payload(repo, event, **fields):
    """A call as Claude Code sends it, every common field there."""
    return {
        "session_id": "6e1c0c1e-1111-2222-3333-444444444444",
        "transcript_path": "/home/u/.claude/projects/-w-app/6e1c.jsonl",
        "cwd": str(repo.path),
        "permission_mode": "default",
        "hook_event_name": event,
        **fields,
    }


def edit(repo, path="src/a.py", **fields):
    return payload(
        repo,
        "PreToolUse",
        tool_name="Edit",
        tool_use_id="toolu_01",
        tool_input={
            "file_path": str(repo.path / path),
            "old_string": "A = 1",
            "new_string": "A = 2",
            "replace_all": False,
        },
        **fields,
    )


def bash(repo, event, command, **fields):
    given = {"command": command, "description": "run it"}
    return payload(repo, event, tool_name="Bash", tool_input=given, tool_use_id="t", **fields)


def run(data, *, env=None, args=("claude",)):
    """The hook in a process of its own, as an installed hook runs it: (stdout, seconds)."""
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, *args],
        input=data,
        capture_output=True,
        env=os.environ | (env or {}),
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode("ascii"), time.monotonic() - begun


def said(data, **options):
    """The one JSON object on stdout, None for nothing."""
    text, _ = run(data, **options)
    return json.loads(text) if text else None


def shown(event, *cards):
    body = "".join(f"\n## {head}\nWhy: {why}\n\n{text}\n" for head, why, text in cards)
    return {
        "hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": OPENING + body + CLOSING,
        }
    }


TYPED = (
    "src-is-typed (fact, shared note; by Ada Tester, 2027-01-15)",
    "path 'src/a.py' matches 'src/**'",
    "All of `src` is typed.",
)
PORT = (
    "port-in-use (fact, verified 2026-08-23, shared note; by Ada Tester, 2027-01-15)",
    "error 'Error: port 5432 in use' matches 'port 5432 in use'",
    "Stop the old server: `make down`.",
)
PUBLISH = (
    "publish-by-ci (rule, shared note; by Ada Tester, 2027-01-15)",
    "command 'cd web && npm publish' matches 'npm publish'",
    "CI publishes.",
)
STYLE = (
    "house-style (fact, shared note; by Ada Tester, 2027-01-15)",
    "always shown at session start",
    "Say what is.",
)


# --- exact output -------------------------------------------------------------------------------


def test_an_edit_brings_the_note_of_its_file_once(project):
    text, _ = run(edit(project))
    assert json.loads(text) == shown("PreToolUse", TYPED)
    assert text.count("\n") == 1 and text.endswith("}\n")
    assert said(edit(project)) is None
    assert said(edit(project) | {"session_id": "another"}) == shown("PreToolUse", TYPED)
    assert said(edit(project) | {"agent_id": "subagent-1"}) == shown("PreToolUse", TYPED)


def test_events_without_a_session_are_never_left_out(project):
    call = edit(project) | {"session_id": None}
    assert said(call) == said(call) == shown("PreToolUse", TYPED)


def test_a_file_that_no_note_is_about_brings_nothing(project):
    assert said(edit(project)) is not None
    assert said(edit(project, "README.md")) is None


def test_a_command_brings_its_note_and_those_of_the_files_it_names(project):
    call = bash(project, "PreToolUse", "cd web && npm publish")
    assert said(call) == shown("PreToolUse", PUBLISH)
    call = bash(project, "PreToolUse", "sed -i s/1/2/ src/a.py")
    assert said(call) == shown("PreToolUse", TYPED)


def test_the_body_of_a_heredoc_is_no_command(project):
    call = bash(project, "PreToolUse", "git commit -F - <<'MSG'\nnpm publish was it\nMSG\n")
    assert said(call) is None
    call = bash(project, "PreToolUse", "cat <<'MSG' && npm publish\nx\nMSG\n")
    assert said(call) is not None


def test_a_failure_is_matched_without_its_colours(project):
    call = bash(
        project,
        "PostToolUseFailure",
        "make up",
        error="Exit code 2\n\x1b[31mError\x1b[0m: port  5432 in use",
        is_interrupt=False,
        duration_ms=812,
    )
    assert said(call) == shown("PostToolUseFailure", PORT)


def test_an_error_that_a_successful_command_printed_counts(project):
    call = bash(
        project,
        "PostToolUse",
        "make up || true",
        tool_response={"stdout": "", "stderr": "Error: port 5432 in use\n", "interrupted": False},
    )
    assert said(call) == shown("PostToolUse", PORT)


def test_after_a_tool_only_an_error_brings_a_note(project):
    call = bash(project, "PostToolUse", "npm publish src/a.py", tool_response={"stdout": "ok"})
    assert said(call) is None
    read = payload(
        project,
        "PostToolUse",
        tool_name="Read",
        tool_input={"file_path": str(project.path / "src/a.py")},
        tool_response={"file": {"content": "port 5432 in use"}},
    )
    assert said(read) is None


def test_a_prompt_brings_what_it_names(project):
    call = payload(project, "UserPromptSubmit", prompt="When is Release-Day of the billing API?")
    card = (
        "release-days (fact, shared note; by Ada Tester, 2027-01-15)",
        "the prompt names 'release day'; the prompt names 'Billing API'",
        "Tuesdays.",
    )
    assert said(call) == shown("UserPromptSubmit", card)
    assert said(call | {"prompt": "src/a.py npm publish", "session_id": "b"}) is None


def test_a_session_starts_with_what_is_always_shown_and_again_after_compaction(project):
    def start(source):
        return payload(project, "SessionStart", source=source, model="m")

    assert said(start("startup")) == shown("SessionStart", STYLE)
    assert said(start("startup")) is None
    line = said(start("resume"))["hookSpecificOutput"]["additionalContext"]
    assert line.startswith("Notes of this repository go on arriving")
    assert said(edit(project)) == shown("PreToolUse", TYPED)
    assert said(edit(project)) is None
    assert said(start("compact")) == shown("SessionStart", STYLE)
    assert said(edit(project)) == shown("PreToolUse", TYPED)
    assert said(start("clear")) == shown("SessionStart", STYLE)


def test_a_notebook_is_a_file(project):
    call = payload(
        project,
        "PreToolUse",
        tool_name="NotebookEdit",
        tool_input={"notebook_path": str(project.path / "nb/x.ipynb"), "new_source": "1"},
    )
    card = (
        "plots (fact, shared note; by Ada Tester, 2027-01-15)",
        "path 'nb/x.ipynb' matches '*.ipynb'",
        "Keep cells small.",
    )
    assert said(call) == shown("PreToolUse", card)


def test_a_patch_names_its_files(project):
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch\n"
    call = payload(project, "PreToolUse", tool_name="apply_patch", tool_input={"command": patch})
    assert said(call) == shown("PreToolUse", TYPED)


def test_a_path_may_be_relative_to_the_directory_of_the_event(project):
    call = edit(project) | {"cwd": str(project.path / "src"), "tool_input": {"file_path": "a.py"}}
    assert said(call) == shown("PreToolUse", TYPED)
    outside = edit(project) | {"tool_input": {"file_path": "/elsewhere/src/a.py"}}
    assert said(outside) is None


def test_the_event_is_inferred_where_its_name_is_missing(project):
    call = edit(project)
    del call["hook_event_name"]
    assert said(call) == shown("PreToolUse", TYPED)


def test_a_session_id_never_becomes_a_path(project, tmp_path):
    assert said(edit(project) | {"session_id": "../../../x"}) == shown("PreToolUse", TYPED)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repo"]


# --- odd input ----------------------------------------------------------------------------------

ODD = [
    b'{"hook_event_name": "PreToolUse"}',
    b'{"session_id": null, "cwd": null, "tool_input": null, "hook_event_name": "PreToolUse"}',
    b'{"hook_event_name": "NeverHeardOf", "session_id": "s", "cwd": "/nope"}',
    b'{"hook_event_name": "PreToolUse", "cwd": "/nope", "tool_input": {"file_path": "/nope/a"}}',
    b'{"hook_event_name": ["PreToolUse"], "tool_input": [1], "cwd": 7}',
    b"[]",
    b"null",
    b"true",
    b'"text"',
    b"12",
    b"",
    b" \n",
    b"\xef\xbb\xbf",
    b"{}",
]


@pytest.mark.parametrize("data", ODD)
def test_odd_shapes_bring_nothing_and_stop_nothing(data):
    assert run(data)[0] == ""


MALFORMED = [b"{", b"{]", b'{"a": }', b"nonsense", b'{"a": "\xff', b"[" * 100_000, b"{\x00}"]


@pytest.mark.parametrize("data", MALFORMED, ids=lambda data: repr(data[:8]))
def test_malformed_input_leaves_its_reason_in_the_log(data, home):
    assert run(data)[0] == ""
    entries = read_errors(str(home / ".cache" / "git-mem"))
    assert len(entries) == 1 and entries[0][1]


def test_fields_of_other_types_bring_nothing(project):
    call = edit(project)
    assert said(call | {"tool_input": {"file_path": ["a", "b"]}}) is None
    assert said(call | {"tool_input": {"file_path": {"x": 1}}, "session_id": 7}) is None
    assert said(call | {"tool_input": {"file_path": "a\0b"}}) is None
    assert said(call | {"tool_input": {"command": "\ud800 src/\udcff"}}) is None
    assert said(call | {"cwd": "/nope/\ud800"}) is None
    assert said(call | {"session_id": "\ud800"}) == shown("PreToolUse", TYPED)


def test_a_lone_surrogate_beside_a_match_does_no_harm(project):
    call = bash(project, "PostToolUseFailure", "x", error="\ud83e Error: port 5432 in use \udfff")
    text, _ = run(call)
    assert (
        "matches 'port 5432 in use'" in json.loads(text)["hookSpecificOutput"]["additionalContext"]
    )


def test_a_byte_order_mark_is_no_obstacle(project):
    assert said(b"\xef\xbb\xbf" + json.dumps(edit(project)).encode()) == shown("PreToolUse", TYPED)


def test_of_two_documents_the_first_counts(project):
    one, two = json.dumps(edit(project)).encode(), json.dumps(edit(project, "x.ipynb")).encode()
    assert said(one + b"\n" + two + b"\n") == shown("PreToolUse", TYPED)


def test_bytes_that_are_no_utf8_are_replaced(project):
    data = json.dumps(edit(project)).encode().replace(b"A = 2", b"\xff\xfe")
    assert said(data) == shown("PreToolUse", TYPED)


def test_three_megabytes_are_read_whole(project):
    call = edit(project)
    call["tool_input"]["old_string"] = '}"]\n' * 800_000
    text, seconds = run(call)
    assert json.loads(text) == shown("PreToolUse", TYPED)
    assert seconds < 10


# --- standard input that does not end -----------------------------------------------------------


def run_with_open_stdin(*chunks, pause=0.0):
    """The hook fed `chunks`, with its input never closed: (stdout, seconds)."""
    begun = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-I", "-S", HOOK, "claude"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        for chunk in chunks:
            process.stdin.write(chunk)
            process.stdin.flush()
            time.sleep(pause)
        text, errors = process.stdout.read(), process.stderr.read()
        seconds = time.monotonic() - begun
        assert (process.wait(timeout=10), errors) == (0, b"")
    return text.decode(), seconds


def test_one_whole_document_is_enough(project):
    text, seconds = run_with_open_stdin(json.dumps(edit(project)).encode())
    assert json.loads(text) == shown("PreToolUse", TYPED)
    assert seconds < 4


def test_a_document_may_come_in_pieces(project):
    data = json.dumps(edit(project)).encode()
    pieces = (data[:50], data[50:200], data[200:])
    assert json.loads(run_with_open_stdin(*pieces, pause=0.05)[0]) == shown("PreToolUse", TYPED)


@pytest.mark.parametrize("chunk", [b"", b'{"cwd": "/x'])
def test_silence_is_not_waited_for(chunk):
    text, seconds = run_with_open_stdin(chunk)
    assert (text, seconds < 4) == ("", True)


# --- in this process ----------------------------------------------------------------------------


@pytest.fixture
def main(capfd):
    """What the hook's process runs, here: its answer to given bytes as text."""

    def answer(data, *args):
        reading, writing = os.pipe()
        kept = os.dup(0)
        feeder = threading.Thread(target=feed, args=(writing, data))
        feeder.start()
        try:
            os.dup2(reading, 0)
            assert quick.main(list(args or ("claude",))) == 0
        finally:
            gc.enable()
            os.dup2(kept, 0)
            os.close(kept)
            os.close(reading)
            feeder.join()
        text, errors = capfd.readouterr()
        assert errors == ""
        return text

    return answer


def feed(handle, data):
    try:
        while data:
            data = data[os.write(handle, data) :]
    except BrokenPipeError:
        pass  # switched off, it reads nothing
    finally:
        os.close(handle)


def test_main_answers_as_the_process_does(project, main):
    data = json.dumps(edit(project)).encode()
    assert json.loads(main(data)) == shown("PreToolUse", TYPED)
    assert main(data) == ""


def test_an_unknown_agent_is_a_reason_in_the_log(main, home):
    assert main(b"{}", "nobody") == ""
    (entry,) = read_errors(str(home / ".cache" / "git-mem"))
    assert entry[1].startswith("ValueError: there is no agent 'nobody'; known: claude")


@pytest.mark.parametrize("word", ["0", "off", "FALSE", "no"])
def test_the_hook_can_be_switched_off(project, main, monkeypatch, word):
    data = json.dumps(edit(project)).encode()
    monkeypatch.setenv("GIT_MEM_HOOK", word)
    assert main(data) == ""
    monkeypatch.setenv("GIT_MEM_HOOK", "1")
    assert main(data) != ""


def test_the_configuration_switches_it_off_too(project, main):
    data = json.dumps(edit(project)).encode()
    project.git("config", "mem.hook", "false")
    assert main(data) == ""
    project.git("config", "mem.hook", "true")
    assert main(data) != ""


def test_whatever_goes_wrong_the_answer_is_empty_and_the_reason_kept(project, main, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt("stop")

    monkeypatch.setattr(claude, "read", fail)
    assert main(json.dumps(edit(project)).encode()) == ""


def test_a_damaged_index_is_rebuilt_and_still_answers(project, main):
    directory = Path(derived_home(str(project.git_dir)))
    data = json.dumps(edit(project)).encode()
    for name in ("top", next(p.name for p in (directory / "index").glob("base-*"))):
        file = directory / "index" / name
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2])
        assert json.loads(main(data.replace(b"6e1c", name.encode()))) == shown("PreToolUse", TYPED)
    assert "damaged" in read_errors(str(directory))[0][1]


def test_a_deleted_index_is_rebuilt(project, main):
    directory = Path(derived_home(str(project.git_dir)), "index")
    for file in directory.iterdir():
        file.unlink()
    assert json.loads(main(json.dumps(edit(project)).encode())) == shown("PreToolUse", TYPED)


# --- reading a payload --------------------------------------------------------------------------


def test_every_path_of_a_call_is_read():
    def paths(tool, **given):
        call = claude.read(
            {"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": tool, "tool_input": given}
        )
        return call.paths

    assert paths("Write", file_path="/w/a", content="x") == ["/w/a"]
    assert paths("NotebookEdit", notebook_path="/w/n.ipynb") == ["/w/n.ipynb"]
    assert paths("Grep", pattern="x", path="/w/src", glob="a.py") == ["/w/src", "/w/src/a.py"]
    assert paths("Grep", pattern="x", glob="*.py") == []
    assert paths("Glob", pattern="src/a.py") == ["/w/src/a.py"]
    assert paths("Glob", pattern="**/*.py", path="/w/src") == ["/w/src"]
    assert paths("mcp__files__read", path="/w/a") == ["/w/a"]
    assert paths("Bash", command="ls") == []


def test_what_can_bring_a_note_depends_on_the_event():
    def delivers(**fields):
        call = claude.read({"cwd": "/w", "tool_name": "Bash", **fields})
        return call and call.delivers

    given = {"command": "ls"}
    assert delivers(hook_event_name="PreToolUse", tool_input=given) == ("paths", "commands")
    assert delivers(hook_event_name="PostToolUse", tool_input=given) == ("errors",)
    assert delivers(hook_event_name="PostToolUseFailure", tool_input=given) == ("errors",)
    assert delivers(hook_event_name="UserPromptSubmit", prompt="x") == ("prompts",)
    assert delivers(hook_event_name="Stop") == ()
    assert delivers(hook_event_name="Stop", stop_hook_active=True) is None
    assert delivers(hook_event_name="Notification", message="x") is None
