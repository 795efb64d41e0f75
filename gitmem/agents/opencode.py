"""What our OpenCode plugin sends, and what it is told. Hot: imports only gitmem.agents.base.

OpenCode runs plugins, not commands; ours hands its events on in Claude Code's shape and puts
`context` where OpenCode has room: after the output of a tool that ran, and into the system prompt.
Before a tool there is none.
"""

from gitmem.agents.base import AFTER, ALL, PROMPT, START, Call, read_call

EVENTS = {
    "PostToolUse": AFTER,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    return read_call(payload, EVENTS, after=ALL)


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that the plugin reads."""
    return {"context": text}
