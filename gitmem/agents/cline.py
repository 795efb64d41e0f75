"""Cline's hook protocol. Hot: imports only hot files.

One object, whose part for the event has a name of its own. Context is taken at every event that
matters, and reaches the model with its next request.
"""

from gitmem.agents.base import (
    AFTER,
    BEFORE,
    FORGET,
    HEARD,
    PROMPT,
    START,
    TOUCHED,
    Call,
    directory_of,
    hear,
    root_of,
    touch,
)
from gitmem.agents.tools import first, mapping_of, paths_of

# Event → what it is, and the part of the payload that is about it.
EVENTS = {
    "TaskStart": (START, "taskStart"),
    "TaskResume": (START, "taskResume"),
    "UserPromptSubmit": (PROMPT, "userPromptSubmit"),
    "PreToolUse": (BEFORE, "preToolUse"),
    "PostToolUse": (AFTER, "postToolUse"),
    "PreCompact": (FORGET, "preCompact"),
}


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    event = first(fields, "hookName")
    if event not in EVENTS:
        return None
    kind, part = EVENTS[event]
    about = mapping_of(fields.get(part))
    given = about.get("parameters")
    cwd = root_of(fields.get("workspaceRoots"), paths_of(given)) or directory_of(fields)
    call = Call(event, cwd, first(fields, "taskId") or None)
    if kind == START:
        call.start = "resume" if event == "TaskResume" else "startup"
    elif kind == PROMPT:
        call.prompts = [first(about, "prompt")]
        call.delivers = ("prompts",)
    elif kind == FORGET:
        call.forgets = True
    else:
        tool = first(about, "toolName")
        touch(call, tool, given)
        call.delivers = TOUCHED if kind == BEFORE else HEARD
        if kind == AFTER:
            failed = True if about.get("success") is False else None
            hear(call, tool, failed, None, about.get("result"))
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return {"cancel": False, "contextModification": text, "errorMessage": ""}
