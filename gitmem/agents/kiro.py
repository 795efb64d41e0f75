"""Kiro's hook protocol (CLI and IDE). Hot: imports only hot files.

Plain text on stdout joins the context at a session's start and at a prompt. Before a tool only a
refusal is heard, so a note comes there by denying once, if the user opted in; a wrapper turns the
text into exit code 2. What a hook prints after a tool is not known to arrive: facts only.
"""

import os

from gitmem.agents.base import (
    AFTER,
    BEFORE,
    HELD_BACK,
    PROMPT,
    START,
    TOUCHED,
    Call,
    read_call,
    session_of,
)
from gitmem.agents.tools import mapping_of

EVENTS = {
    "SessionStart": START,
    "agentSpawn": START,
    "UserPromptSubmit": PROMPT,
    "userPromptSubmit": PROMPT,
    "PreToolUse": BEFORE,
    "preToolUse": BEFORE,
    "PostToolUse": AFTER,
    "postToolUse": AFTER,
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    if not fields.get("prompt"):
        fields = {**fields, "prompt": os.environ.get("USER_PROMPT")}  # as the IDE passes it
    may_deny = may_deny and session_of(fields) is not None
    call = read_call(fields, EVENTS, before=TOUCHED if may_deny else (), after=())
    if call and EVENTS[call.event] == BEFORE:
        call.denies = may_deny
    return call


def answer(call: Call, text: str) -> str:
    """The text itself."""
    return HELD_BACK + text if call.denies else text
