"""Every agent's calls as it sends them, and beside each the exact bytes it reads back."""

import copy
import importlib

import pytest
from recorded import FILES, printed, recorded, root, run, says

from gitmem.agents import AGENTS
from gitmem.agents.base import Call

__all__ = ["root"]


@pytest.mark.parametrize("name", FILES)
def test_a_recorded_call_is_answered_with_exactly_these_bytes(root, tmp_path, name):
    call = recorded(name, root, name)
    agent, arguments = name.partition("/")[0], call.get("arguments", ())
    answered = run(agent, call["in"], *arguments, env=call.get("env"), cwd=tmp_path)
    assert answered == printed(call["out"])


# The agents that can be told nothing at a moment still send it.
MOMENTS = {
    "an edit": ("before-edit", "after-edit"),
    "several files": ("patch", "several-files"),
    "a file in a command": ("command-names-a-file",),
    "a read through the shell": ("read-through-the-shell",),
    "a failed command": ("failed-command",),
    "a prompt": ("prompt",),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_has_a_recorded_call_of_every_moment(agent):
    names = [name.partition("/")[2] for name in FILES if name.startswith(f"{agent}/")]
    missing = [
        moment for moment, begins in MOMENTS.items() if not any(n.startswith(begins) for n in names)
    ]
    assert missing == []
    assert not all(says(f"{agent}/{name}") for name in names)


# --- Codex checks its answers --------------------------------------------------------------------

# What its schemas allow for a hook that only adds context: nothing else, at any level.
CODEX_EVENTS = ("PreToolUse", "PostToolUse", "SessionStart", "SubagentStart", "UserPromptSubmit")


def is_valid_for_codex(answer, event):
    return (
        set(answer) == {"hookSpecificOutput"}
        and set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        and answer["hookSpecificOutput"]["hookEventName"] == event
        and event in CODEX_EVENTS
        and isinstance(answer["hookSpecificOutput"]["additionalContext"], str)
    )


def test_codex_gets_no_key_that_its_schemas_do_not_have():
    calls = [recorded(name) for name in FILES if name.startswith("codex/")]
    answers = [(call["out"], call["in"]["hook_event_name"]) for call in calls if call["out"]]
    assert {event for _, event in answers} == set(CODEX_EVENTS)
    assert [event for answer, event in answers if not is_valid_for_codex(answer, event)] == []
    assert not is_valid_for_codex({**answers[0][0], "suppressOutput": True}, answers[0][1])


# --- denying once --------------------------------------------------------------------------------

DENIALS = [name for name in FILES if name.endswith("-deny-once")]


@pytest.mark.parametrize("name", DENIALS)
def test_the_same_call_passes_when_it_is_repeated(root, name):
    call = recorded(name, root, f"again {name}")
    agent = name.partition("/")[0]
    assert run(agent, call["in"], "--deny-once") == printed(call["out"])
    assert run(agent, call["in"], "--deny-once") == b""
    other = recorded(name, root, f"never {name}")
    assert run(agent, other["in"]) == b""
    assert run(agent, other["in"], "--deny-once") == printed(call["out"])


# --- odd shapes ----------------------------------------------------------------------------------

ODD = [None, True, 7, "", "\ud800", "a\0b", [], {}, ["x", 1, None], {"path": ["y"]}, [[[["z"]]]]]


def places(value, path=()):
    """The places in a document, from the outside in."""
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, item in inner:
        yield from places(item, (*path, key))


def without_or_with(value, path, odd):
    """`value` with something else at `path`; without it for Ellipsis."""
    if not path:
        return odd
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if odd is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = odd
    return value


@pytest.mark.parametrize("agent", AGENTS)
def test_whatever_stands_in_a_field_the_rest_is_read(agent):
    module = importlib.import_module(f"gitmem.agents.{AGENTS[agent]}")
    for name in FILES:
        given = recorded(name)["in"] if name.startswith(f"{agent}/") else {}
        for path in places(given):
            for odd in (*ODD, ...) if path else ODD:
                payload = without_or_with(given, path, odd)
                for may_deny in (False, True):
                    check(module.read(payload, may_deny))


def check(call):
    """A call holds what its fields say, all of it text that can be encoded."""
    if call is None:
        return
    assert isinstance(call, Call)
    texts = [call.event, call.cwd, call.session or "", call.start or "", call.ending or ""]
    for text in (*texts, *call.paths, *call.commands, *call.errors, *call.prompts):
        text.encode()
    assert call.failed in (None, True, False)
    assert not call.denies or call.session


@pytest.mark.parametrize("agent", AGENTS)
def test_odd_documents_bring_nothing_and_stop_nothing(root, tmp_path, agent):
    name = next(
        (name for name in FILES if name.startswith(f"{agent}/") and "edit" in name and says(name)),
        f"{agent}/before-edit",
    )
    call = recorded(name, root, f"odd {agent}")
    where = {"env": call.get("env"), "cwd": tmp_path}
    given = call["in"]
    for payload in (
        None,
        {},
        [given],
        dict.fromkeys(given),
        {field: [value] for field, value in given.items()},
        dict.fromkeys(given, "\ud83e"),
    ):
        assert run(agent, payload, *call.get("arguments", ()), **where) == b"", payload
    answered = run(agent, given, *call.get("arguments", ()), **where)
    assert answered == printed(call["out"])
