"""Factory droid's hook protocol. Hot: imports only gitmem.agents.base.

Claude Code's shape, in older versions in camelCase. Before a tool its hooks may only decide about
it, so notes come after. A failure has no event of its own.
"""

from gitmem.agents.base import AFTER, ALL, PROMPT, START, Call, in_hook_output, read_call

EVENTS = {
    "PostToolUse": AFTER,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    return read_call(payload, EVENTS, after=ALL, variable="FACTORY_PROJECT_DIR")


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return in_hook_output(call, text)
