"""What is read out of a call, whatever its agent calls it; and the facts that are kept of it."""

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.agents import AGENTS, claude
from gitmem.agents.base import Call, root_of
from gitmem.agents.tools import (
    commands_of,
    exit_code,
    is_shell,
    is_writer,
    patch_paths,
    paths_of,
    printed,
    searched,
)

PATCH = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@
-*** Update File: not/this.py
+x
*** Add File: "with space/new.py"
+y
*** Delete File: old.py\r
*** End Patch
"""
PATCHED = ["src/a.py", "src/b.py", "with space/new.py", "old.py"]


# --- what a tool touches -------------------------------------------------------------------------


def test_a_patch_names_every_file_it_changes_moves_adds_and_deletes():
    assert patch_paths(PATCH) == PATCHED
    for field in ("command", "patch", "patchText", "input"):
        assert paths_of({field: PATCH}) == PATCHED
    assert paths_of(PATCH) == PATCHED
    assert paths_of({"command": f"apply_patch <<'EOF'\n{PATCH}EOF\n"}) == PATCHED
    assert patch_paths("a *** Update File: x") == patch_paths("") == []


def test_text_that_is_written_to_a_file_is_no_patch():
    assert paths_of({"file_path": "notes.md", "content": PATCH}) == ["notes.md"]


def test_a_path_has_many_names_and_a_call_many_paths():
    for name in ("file_path", "filePath", "path", "notebook_path", "target_file", "absolute_path"):
        assert paths_of({name: "a"}) == ["a"]
    assert paths_of({"edits": [{"path": "a"}, {"file_path": "b"}, {"path": "a"}]}) == ["a", "b"]
    assert paths_of({"paths": ["a", "b"], "files": ["c", {"path": "d"}]}) == ["a", "b", "c", "d"]
    assert paths_of({"file_path": "a", "edits": [{"old_string": "x"}]}) == ["a"]
    assert paths_of({"path": ["a"], "edits": "b", "files": {"path": "c"}}) == []


def test_a_search_names_a_directory_and_a_file_that_is_no_pattern():
    assert searched("Glob", {"pattern": "src/a.py"}, "/w") == ["/w/src/a.py"]
    assert searched("glob", {"pattern": "**/*.py", "dir_path": "src"}, "/w") == ["src"]
    assert searched("grep_search", {"include_pattern": "a.py", "dir_path": "src"}, "/w") == [
        "src",
        "src/a.py",
    ]
    assert searched("read_many_files", {"include": ["a.py", "*.md"]}, "/w") == ["/w/a.py"]
    assert searched("Edit", {"pattern": "a.py"}, "/w") == []


def test_a_command_has_many_names_and_the_verb_of_an_editor_is_none():
    assert commands_of({"command": "ls"}) == commands_of({"cmd": "ls"}) == ["ls"]
    assert commands_of({"command_line": "ls"}) == commands_of({"commands": "ls"}) == ["ls"]
    assert commands_of({"commands": ["ls", 7, "pwd"]}) == ["ls", "pwd"]
    assert commands_of({"command": ["bash", "-lc", "ls -a"]}) == ["bash -lc ls -a"]
    assert commands_of({"command": "view", "path": "a"}) == []
    assert commands_of({"command": PATCH}) == []
    assert commands_of("ls") == commands_of(None) == commands_of({"command": {"x": 1}}) == []


def test_a_tool_is_known_by_the_last_part_of_its_name():
    assert is_shell("Bash") and is_shell("developer__shell") and is_shell("run_shell_command")
    assert not is_shell("Read") and not is_shell("")
    for tool in ("Edit", "mcp__files__write_file", "MCP:edit_file", "ApplyPatch", "fs_write"):
        assert is_writer(tool, {}), tool
    assert is_writer("text_editor", {"command": "insert"})
    assert not is_writer("text_editor", {"command": "view"})
    assert not is_writer("Read", {})


def test_of_several_open_folders_the_one_that_holds_the_file_counts():
    assert root_of(["/a", "/b"], ["/b/x"]) == "/b"
    assert root_of(["/a", "/b/"], ["x", "/b/x"]) == "/b/"
    assert root_of(["/a", "/ab"], ["/ab/x"]) == "/ab"
    assert root_of(["/a", "/b"], ["x"]) == "/a"
    assert root_of([], ["x"]) == root_of(None, []) == root_of([7], []) == ""


# --- what a tool prints --------------------------------------------------------------------------


def test_an_output_is_text_or_has_it_in_fields_and_blocks():
    assert printed("x") == ["x"]
    assert printed({"stdout": "a", "stderr": "b", "interrupted": False}) == ["b", "a"]
    assert printed({"content": [{"type": "text", "text": "a"}, "b"]}) == ["a", "b"]
    assert printed({"llmContent": "a", "error": {"message": "b", "type": "c"}}) == ["b", "a"]
    assert printed({"result_type": "failure", "text_result_for_llm": "a"}) == ["a"]
    assert printed(None) == printed("") == printed(7) == printed({"other": "x"}) == []
    deep: object = "x"
    for _ in range(1000):
        deep = [deep]
    assert printed(deep) == []


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ({"exit_code": 3}, 3),
        ({"exitCode": 0, "stdout": "Exit code: 9"}, 0),
        ({"output": "x", "metadata": {"exit": 1}}, 1),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 127\nOutput:\nx", 127),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nx", 1),
        ("Exit code 2\nmake: ***", 2),
        ("Output: x\nExit Code: 2\nProcess Group PGID: 7", 2),
        ("x\n<exited with exit code 1>", 1),
        ("x\n\n[Process exited with code 0]", 0),
        ("Process exited with code -9", -9),
        ("the test says: exit code 3", None),
        ("exit code: none", None),
        ("exit code: ²", None),
        ("x" * 5000 + "\nexit code: 1\n" + "y" * 5000, None),
        ({"exit_code": True}, None),
        ({"exit_code": "1"}, None),
        ("", None),
        (None, None),
    ],
)
def test_an_exit_code_is_a_field_or_said_at_either_end(response, code):
    assert exit_code(response) == code


# --- what is kept of a call ----------------------------------------------------------------------


def read(agent, **fields):
    return importlib.import_module(f"gitmem.agents.{agent}").read({"cwd": "/w", **fields})


def after(agent, response, event="PostToolUse", tool="Bash", **fields):
    return read(
        agent,
        hook_event_name=event,
        tool_name=tool,
        tool_input={"command": "make"},
        tool_response=response,
        **fields,
    ).failed


def test_claude_code_says_by_the_event_how_a_command_went():
    assert after("claude", {"stdout": "Exit code: 1"}) is False
    assert after("claude", None, "PostToolUseFailure", error="Exit code 1") is True
    assert after("claude", None, "PostToolUseFailure", error="x", is_interrupt=True) is None
    call = read(
        "claude",
        hook_event_name="PostToolUseFailure",
        tool_name="Edit",
        tool_input={"file_path": "a"},
        error="String to replace not found",
    )
    assert (call.failed, call.errors) == (None, ["String to replace not found"])


def test_codex_says_it_in_the_output_or_not_at_all():
    assert after("codex", "Exit code: 1\nOutput:\nx") is True
    assert after("codex", "Process exited with code 0\nOutput:\nx") is False
    assert after("codex", {"output": "x", "exit_code": 1}) is True
    assert after("codex", "x") is None


def test_gemini_says_only_a_code_that_is_not_zero():
    def failed(text, error=None):
        response = {"llmContent": text, "returnDisplay": "", "error": error}
        return after("gemini", response, "AfterTool", "run_shell_command")

    assert failed("Output: x\nExit Code: 2") is True
    assert failed("Output: x\nProcess Group PGID: 7") is False
    assert failed("Command moved to background (PID: 7).") is None


def test_copilot_says_it_in_the_kind_of_result_or_the_output():
    def failed(kind, text):
        return read(
            "copilot",
            toolName="bash",
            toolArgs='{"command": "make"}',
            toolResult={"resultType": kind, "textResultForLlm": text},
        ).failed

    assert failed("failure", "x") is failed("timeout", "") is True
    assert failed("success", "x\n<exited with exit code 2>") is True
    assert failed("success", "x\n<exited with exit code 0>") is False
    assert failed("success", "x") is None


def test_cline_and_cursor_say_what_they_know():
    def cline(success, text="x"):
        about = {"toolName": "execute_command", "parameters": {"command": "make"}}
        part = {**about, "result": text, "success": success}
        return read("cline", hookName="PostToolUse", taskId="1", postToolUse=part).failed

    assert (cline(False), cline(True), cline(True, "exit code: 1")) == (True, None, True)

    def cursor(event, **fields):
        return read("cursor", hook_event_name=event, conversation_id="c", **fields)

    call = cursor("afterShellExecution", command="make", output="x")
    assert (call.commands, call.errors, call.failed, call.delivers) == (["make"], ["x"], None, ())
    shell = {"tool_name": "Shell", "tool_input": {"command": "make"}}
    assert cursor("postToolUseFailure", error_message="x", **shell).failed is True
    edit = cursor("afterFileEdit", file_path="/c:/Users/a/x.py", edits=[])
    assert (edit.paths, edit.writes, edit.delivers) == (["c:/Users/a/x.py"], True, ())


def test_goose_and_kiro_tell_how_a_command_went():
    common = {"session_id": "s", "tool_name": "developer__shell", "tool_input": {"command": "make"}}
    good = read("goose", event="PostToolUse", working_dir="/x", **common)
    bad = read("goose", event="PostToolUseFailure", working_dir="/x", **common)
    assert (good.failed, bad.failed, good.delivers, good.cwd) == (False, True, ("errors",), "/x")
    call = read(
        "kiro",
        hook_event_name="PostToolUse",
        tool_name="execute_bash",
        tool_input={"command": "make"},
        tool_response={"stdout": "x", "exit_code": 1},
    )
    assert (call.failed, call.errors, call.delivers) == (True, ["x"], ())


@pytest.mark.parametrize(
    ("agent", "fields"),
    [
        ("claude", {"hook_event_name": "PreToolUse", "tool_name": "Edit"}),
        ("claude", {"hook_event_name": "PreToolUse", "tool_name": "NotebookEdit"}),
        ("codex", {"hook_event_name": "PreToolUse", "tool_name": "apply_patch"}),
        ("copilot", {"toolName": "create"}),
        ("gemini", {"hook_event_name": "AfterTool", "tool_name": "replace"}),
        ("opencode", {"hook_event_name": "PostToolUse", "tool_name": "edit"}),
        ("droid", {"hook_event_name": "PostToolUse", "tool_name": "Create"}),
        ("devin", {"hook_event_name": "PostToolUse", "tool_name": "write"}),
        ("kiro", {"hook_event_name": "PreToolUse", "tool_name": "fs_write"}),
        ("goose", {"event": "PreToolUse", "tool_name": "developer__text_editor"}),
        ("cursor", {"hook_event_name": "preToolUse", "tool_name": "Write"}),
    ],
)
def test_a_tool_that_changes_files_is_known(agent, fields):
    name = "toolArgs" if agent == "copilot" else "tool_input"
    assert read(agent, **fields, **{name: {"path": "a"}}).writes
    other = read(agent, **{**fields, **({"toolName": "x"} if "toolName" in fields else {})})
    assert other is None or not other.writes


def test_a_stop_and_a_compaction_are_endings():
    stop = claude.read({"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": False})
    inner = claude.read({"hook_event_name": "SubagentStop", "session_id": "s", "agent_id": "a"})
    compact = claude.read({"hook_event_name": "PreCompact", "trigger": "auto"})
    assert (stop.ending, inner.ending, compact.ending) == ("stop", "stop", "compact")
    assert inner.session == "s/a"
    assert claude.answer(stop, "x") == {
        "hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "x"}
    }
    assert claude.answer(compact, "x") == "x"


@pytest.mark.parametrize(
    ("agent", "fields"),
    [
        ("gemini", {"hook_event_name": "PreCompress"}),
        ("copilot", {"hook_event_name": "PreCompact", "timestamp": "x"}),
        ("cursor", {"hook_event_name": "preCompact"}),
        ("cline", {"hookName": "PreCompact"}),
        ("devin", {"hook_event_name": "PostCompaction"}),
        ("generic", {"event": "compact"}),
    ],
)
def test_a_compaction_that_no_session_start_follows_forgets_what_was_shown(agent, fields):
    assert read(agent, **fields).forgets


def test_the_start_of_a_fork_shows_nothing_that_its_origin_was_shown():
    for agent in ("claude", "codex"):
        assert read(agent, hook_event_name="SessionStart", source="fork").start == "resume"
        assert read(agent, hook_event_name="SessionStart").start == "startup"
        assert read(agent, hook_event_name="SubagentStart", agent_id="a").start == "startup"
    assert read("copilot", source="new").start == "startup"


def test_a_project_may_be_named_by_the_environment(monkeypatch):
    for agent, variable, event in (
        ("devin", "DEVIN_PROJECT_DIR", "UserPromptSubmit"),
        ("droid", "FACTORY_PROJECT_DIR", "UserPromptSubmit"),
        ("gemini", "GEMINI_PROJECT_DIR", "BeforeAgent"),
    ):
        monkeypatch.setenv(variable, "/project")
        module = importlib.import_module(f"gitmem.agents.{agent}")
        assert module.read({"hook_event_name": event, "prompt": "x"}).cwd == "/project"
        assert module.read({"hook_event_name": event, "cwd": "/w"}).cwd == "/w"


# --- anything at all -----------------------------------------------------------------------------

TEXTS = st.text(st.characters(), max_size=20) | st.sampled_from(["PreToolUse", "src/a.py", PATCH])
FIELDS = (
    *("hook_event_name", "hookName", "event", "agent_action_name", "tool_name", "toolName"),
    *("tool_input", "toolArgs", "tool_info", "tool_response", "toolResult", "error", "prompt"),
    *("source", "cwd", "session_id", "path", "command", "edits", "preToolUse", "parameters"),
    *("workspaceRoots", "metadata", "content"),
)
NAMES = st.sampled_from(FIELDS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.booleans())
def test_no_document_is_too_odd_to_be_read(document, may_deny):
    for name in AGENTS.values():
        call = importlib.import_module(f"gitmem.agents.{name}").read(document, may_deny)
        assert call is None or isinstance(call, Call)
