"""The hook protocol of Windsurf's Cascade. Hot: imports only hot files.

No event takes context. Before an action a note comes by denying once, if the user opted in: the
answer is plain text, which a wrapper turns into exit code 2. The rest is facts. Devin's own agent,
the other one in the same editor, speaks the protocol of `devin`.
"""

import os

from gitmem.agents.base import HELD_BACK, TOUCHED, Call, directory_of, hear, present, touch
from gitmem.agents.tools import first, mapping_of

# The actions, and which tool each one is.
BEFORE = {
    "pre_read_code": "read",
    "pre_write_code": "write",
    "pre_run_command": "shell",
    "pre_mcp_tool_use": "",
}
AFTER = {"post_write_code": "write", "post_run_command": "shell"}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    event = first(fields, "agent_action_name")
    tool = BEFORE.get(event, AFTER.get(event))
    if tool is None:
        return None
    info = mapping_of(fields.get("tool_info"))
    call = Call(event, "", first(fields, "trajectory_id") or None)
    touch(call, tool or first(info, "mcp_tool_name"), present(info, "mcp_tool_arguments") or info)
    call.cwd = call.cwd or _beside(call.paths) or directory_of(fields)
    if event in AFTER:
        hear(call, tool, None, None, info)
    elif may_deny and call.session:
        call.delivers = TOUCHED
        call.denies = True
    else:
        return call if call.writes else None
    return call


def answer(call: Call, text: str) -> str:
    """The text for standard error."""
    return HELD_BACK + text


def _beside(paths: "list[str]") -> str:
    """The directory of the file: an action on one does not say where it happens."""
    return os.path.dirname(paths[0]) if paths and os.path.isabs(paths[0]) else ""
