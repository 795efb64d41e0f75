"""GitHub Copilot CLI's hook protocol. Hot: imports only hot files.

It has two: an event configured in camelCase sends camelCase fields and does not say its name, and
`toolArgs` is JSON in a string; one in PascalCase sends Claude Code's fields. The first reads its
answer at the top level, the second there for some events and in `hookSpecificOutput` for others.
"""

from gitmem.agents.base import (
    AFTER,
    BEFORE,
    FAILED,
    FORGET,
    PROMPT,
    START,
    Call,
    in_hook_output,
    read_call,
)
from gitmem.agents.tools import first, mapping_of

EVENTS = {
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": FAILED,
    "UserPromptSubmit": PROMPT,
    "SessionStart": START,
    "PreCompact": FORGET,
}
FAILURES = ("failure", "timeout", "error")


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    given = fields.get("toolArgs")
    call = read_call({**fields, "toolArgs": _parsed(given)} if given else fields, EVENTS)
    if call is None:
        return None
    if not first(fields, "hook_event_name"):
        call.event = ""
    result = mapping_of(fields.get("toolResult") or fields.get("tool_result"))
    if call.commands and first(result, "resultType", "result_type") in FAILURES:
        call.failed = True
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    context: dict[str, object] = {"additionalContext": text}
    return context | in_hook_output(call, text) if call.event else context


def _parsed(given: object) -> object:
    """The arguments in a JSON text; a text that is none is a patch."""
    if not isinstance(given, str):
        return given
    from gitmem.jsonio import from_json  # loaded already by whoever read the payload

    try:
        return from_json(given.encode("utf-8", "replace"))
    except ValueError:
        return given
