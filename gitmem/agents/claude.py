"""Claude Code's hook protocol. Hot: imports only gitmem.agents.base.

Before a tool come the notes of the paths and commands it is about to touch, after it those of the
errors it printed. Where it stops, an answer goes on with the turn and blocks nothing; before
compaction, plain text joins the instructions for the summary.
"""

from gitmem.agents.base import (
    AFTER,
    BEFORE,
    COMPACT,
    FAILED,
    PROMPT,
    START,
    STOP,
    Call,
    in_hook_output,
    read_call,
)

EVENTS = {
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": FAILED,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
    "SubagentStart": START,
    "Stop": STOP,
    "SubagentStop": STOP,
    "PreCompact": COMPACT,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    return read_call(payload, EVENTS, failed=False)


def answer(call: Call, text: str) -> "dict[str, object] | str":
    """What puts `text` before the model."""
    return text if call.ending == COMPACT else in_hook_output(call, text)
