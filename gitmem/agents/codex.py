"""OpenAI Codex's hook protocol. Hot: imports only gitmem.agents.base.

Claude Code's shape, with three differences. There is no tool that reads: files are read by commands
that name them. A command that fails ends in an ordinary PostToolUse whose output may say its exit
code. The answer is checked against a schema that allows no further key, and takes nothing when the
agent stops or compacts.
"""

from gitmem.agents.base import AFTER, BEFORE, PROMPT, START, Call, in_hook_output, read_call

EVENTS = {
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
    "SubagentStart": START,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    return read_call(payload, EVENTS)


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return in_hook_output(call, text)
