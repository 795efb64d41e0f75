"""Devin's hook protocol (CLI and Desktop). Hot: imports only gitmem.agents.base.

Claude Code's shape without `cwd`: the project is in the environment. Context is taken after a tool,
not before it.
"""

from gitmem.agents.base import AFTER, ALL, FORGET, PROMPT, START, Call, in_hook_output, read_call

EVENTS = {
    "PostToolUse": AFTER,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
    "PostCompaction": FORGET,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    return read_call(payload, EVENTS, after=ALL, variable="DEVIN_PROJECT_DIR")


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return in_hook_output(call, text)
