"""Gemini CLI's hook protocol. Hot: imports only gitmem.agents.base.

Before a tool it takes no context, so everything comes after it. It escapes `<` and `>` of what it
is told and puts it into a `<hook_context>` of its own: our wrapper is then words, and nothing in a
note can close theirs.
"""

from gitmem.agents.base import (
    AFTER,
    ALL,
    FORGET,
    PROMPT,
    START,
    Call,
    in_hook_output,
    read_call,
)

EVENTS = {
    "AfterTool": AFTER,
    "BeforeAgent": PROMPT,
    "SessionStart": START,
    "PreCompress": FORGET,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    call = read_call(payload, EVENTS, after=ALL, variable="GEMINI_PROJECT_DIR")
    if call and call.commands and call.failed is None and call.errors:
        call.failed = False if call.errors[-1].startswith("Output: ") else None
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return in_hook_output(call, text)
