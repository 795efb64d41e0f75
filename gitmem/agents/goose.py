"""Goose's hook protocol. Hot: imports only hot files.

Claude Code's shape, with names of its own for some fields. Versions up to 1.48 show the model
nothing of it; a refusal would reach it, but with the word never to try again, so none is given.
"""

from gitmem.agents.base import (
    AFTER,
    BEFORE,
    FAILED,
    PROMPT,
    START,
    STOP,
    Call,
    in_hook_output,
    read_call,
)
from gitmem.agents.tools import first, mapping_of

EVENTS = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": BEFORE,
    "BeforeReadFile": BEFORE,
    "BeforeShellExecution": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": FAILED,
    "Stop": STOP,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    common = {
        "hook_event_name": first(fields, "event", "hook_event_name"),
        "cwd": first(fields, "working_dir", "cwd"),
        "prompt": first(fields, "message", "prompt"),
        "error": first(fields, "error", "message"),
    }
    return read_call(fields | common, EVENTS, failed=False)


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return in_hook_output(call, text)
