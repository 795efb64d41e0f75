"""Factory droid's hook protocol. Hot: imports only gitmem.agents.base.

Claude Code's shape, in older versions in camelCase. Not every version shows the model what comes
before a tool, so that is offered, and comes with what follows the tool in any case. A failure has
no event of its own.
"""

from gitmem.agents.base import AFTER, ALL, BEFORE, PROMPT, START, Call, in_hook_output, read_call

EVENTS = {
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    call = read_call(payload, EVENTS, after=ALL, variable="FACTORY_PROJECT_DIR")
    if call is not None and EVENTS[call.event] == BEFORE:
        call.offers = True
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return in_hook_output(call, text)
