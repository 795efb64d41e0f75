"""Several agents run one settings file: each is answered in its own shape, and no note is lost."""

import json

import pytest
from recorded import FILES, printed, recorded, root, run

from gitmem.agents import AGENTS, speaker

__all__ = ["root"]


def pascal(event):
    return event[:1].upper() + event[1:]


def test_claude_code_itself_is_always_known():
    for name in FILES:
        if name.startswith("claude/"):
            assert speaker("claude", recorded(name)["in"]) == "claude", name
    assert speaker("claude", {"hook_event_name": "PreToolUse", "tool_name": "Edit"}) == "claude"


def test_other_agents_are_what_their_hook_says():
    for name in FILES:
        agent = name.partition("/")[0]
        assert speaker(agent, recorded(name)["in"]) == agent
    for payload in (None, [], "x", 7):
        assert [speaker(agent, payload) for agent in AGENTS] == list(AGENTS)


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("codex/before-edit", "codex"),
        ("codex/failed-command", "codex"),
        ("codex/stop", "codex"),
        ("copilot/before-edit", "copilot"),
        ("copilot/before-edit-pascal", "copilot"),
        ("copilot/session-start-pascal", "copilot"),
        ("cursor/session-start", "cursor"),
        ("cursor/before-edit", "cursor"),
        ("devin/after-edit", "devin"),
        ("droid/after-edit-camel", "droid"),
    ],
)
def test_a_guest_is_known_by_what_it_sends(name, agent):
    assert speaker("claude", recorded(name)["in"]) == agent


@pytest.mark.parametrize(
    "name",
    [
        "codex/before-edit",
        "copilot/before-edit-pascal",
        "copilot/failed-command-pascal",
        "cursor/session-start",
        "devin/after-edit",
    ],
)
def test_a_host_with_two_hooks_gets_a_note_once_in_its_own_shape(root, tmp_path, name):
    agent = name.partition("/")[0]
    for first, second in (("claude", agent), (agent, "claude")):
        call = recorded(name, root, f"{first} {name}")
        where = {"env": call.get("env"), "cwd": tmp_path}
        assert run(first, call["in"], **where) == printed(call["out"])
        assert run(second, call["in"], **where) == b""


def test_a_host_that_takes_nothing_before_a_tool_loses_no_note(root, tmp_path):
    call = recorded("devin/after-edit", root, "early")
    where = {"env": call["env"], "cwd": tmp_path}
    early = {**call["in"], "hook_event_name": "PreToolUse"}
    del early["tool_response"]
    assert run("claude", early, **where) == b""
    assert run("devin", call["in"], **where) == printed(call["out"])


def test_the_two_spellings_of_copilot_are_one_session(root):
    snake = recorded("copilot/before-edit-pascal", root, "one")
    camel = recorded("copilot/before-edit", root, "one")
    assert run("claude", snake["in"]) == printed(snake["out"])
    assert run("copilot", camel["in"]) == b""


def test_hooks_of_claude_code_in_cursor_have_its_event_names(root):
    call = recorded("cursor/session-start", root, "spelt")
    spelt = {**call["in"], "hook_event_name": pascal(call["in"]["hook_event_name"])}
    assert json.loads(run("claude", spelt)) == call["out"]
