"""Goose's hook protocol. Hot: imports only hot files.

Facts only: Goose ignores what a hook prints, except a refusal before a tool, and with that it tells
the model never to try again. So nothing is answered, and no note counts as shown. What its hooks
tell of commands and files still counts when something is to be remembered.
"""

from gitmem.agents.base import AFTER, BEFORE, FAILED, Call, read_call
from gitmem.agents.tools import first, mapping_of

EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "PostToolUseFailure": FAILED}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload tells, with nothing that could be delivered."""
    fields = mapping_of(payload)
    common = {
        "hook_event_name": first(fields, "event", "hook_event_name"),
        "cwd": first(fields, "working_dir", "cwd"),
    }
    return read_call(fields | common, EVENTS, before=(), after=(), failed=False)


def answer(call: Call, text: str) -> str:
    """Nothing, which is what Goose takes."""
    return ""
