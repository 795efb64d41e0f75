"""Cursor's hook protocol. Hot: imports only hot files.

Context arrives at a session's start only. After a tool it is documented and reported lost, so none
is given there. Before a tool a note comes by denying once, if the user opted in. The rest is facts:
the end of a shell command does not say how it went, but the failure of a tool has its own event.
"""

from gitmem.agents.base import HELD_BACK, TOUCHED, Call, directory_of, hear, root_of, touch
from gitmem.agents.tools import first, mapping_of

START = "sessionStart"
FORGET = "preCompact"
FAILED = "postToolUseFailure"
BEFORE = ("preToolUse", "beforeShellExecution", "beforeReadFile")
AFTER = ("postToolUse", "afterShellExecution", "afterFileEdit", FAILED)
# Events whose fields are those of a tool's input, and the tool that they mean.
TOOLS = {
    "beforeShellExecution": "Shell",
    "afterShellExecution": "Shell",
    "beforeReadFile": "Read",
    "afterFileEdit": "Edit",
}
FOR_THE_USER = "git mem shows the agent a note first; the same call passes when it is repeated"


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    event = first(fields, "hook_event_name")
    event = event[:1].lower() + event[1:]  # hooks of Claude Code's settings have its spelling
    if event not in (START, FORGET, *BEFORE, *AFTER):
        return None
    call = Call(event, "", first(fields, "conversation_id", "session_id") or None)
    tool = TOOLS.get(event) or first(fields, "tool_name")
    touch(call, tool, fields if event in TOOLS else fields.get("tool_input"))
    call.paths = [_with_drive(path) for path in call.paths]
    root = root_of(fields.get("workspace_roots"), call.paths)
    call.cwd = _with_drive(call.cwd or first(fields, "cwd") or root or directory_of(fields))
    if event == START:
        call.start = "startup"
    elif event == FORGET:
        call.forgets = True
    elif event in AFTER:
        error = fields.get("error_message") or fields.get("error")
        response = fields.get("output") or fields.get("tool_output")
        hear(call, tool, True if event == FAILED else None, error, response)
    elif may_deny and call.session:
        call.delivers = TOUCHED
        call.denies = True
    else:
        return call if call.writes else None
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    if not call.denies:
        return {"additional_context": text}
    return {
        "permission": "deny",
        "user_message": FOR_THE_USER,
        "agent_message": HELD_BACK + text,
    }


def _with_drive(path: str) -> str:
    """`/c:/Users/a` → `c:/Users/a`, as Cursor spells paths on Windows."""
    return path[1:] if path[:1] == "/" and path[2:3] == ":" and path[1].isalpha() else path
