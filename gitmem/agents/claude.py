"""Claude Code's hook protocol. Hot: imports only gitmem.agents.base.

Before a tool: the paths and commands it is about to touch. After one: the errors it printed, with
the command as a further reason. Fields may be missing; the event is then inferred.
"""

import os

from gitmem.agents.base import Call, mapping_of, text_of

PATH_FIELDS = ("file_path", "notebook_path", "path")
SHELLS = ("Bash", "PowerShell")
BEFORE = "PreToolUse"
AFTER = "PostToolUse"
FAILED = "PostToolUseFailure"
PROMPT = "UserPromptSubmit"
START = "SessionStart"


def read(payload: object) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    event = text_of(fields.get("hook_event_name")) or _infer(fields)
    if event not in (BEFORE, AFTER, FAILED, PROMPT, START):
        return None
    cwd = text_of(fields.get("cwd")) or os.getcwd()
    call = Call(event, cwd, _session(fields))
    if event == START:
        call.start = text_of(fields.get("source")) or "startup"
    elif event == PROMPT:
        call.prompts = [text_of(fields.get("prompt"))]
        call.delivers = ("prompts",)
    else:
        _read_tool(fields, call)
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object that puts `text` before the model."""
    return {"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}}


def _infer(fields: "dict[str, object]") -> str:
    if "error" in fields:
        return FAILED
    if "tool_response" in fields:
        return AFTER
    if "tool_input" in fields:
        return BEFORE
    if "prompt" in fields:
        return PROMPT
    return START if "source" in fields else ""


def _session(fields: "dict[str, object]") -> "str | None":
    """A subagent has a context of its own, so it counts as a session of its own."""
    session = text_of(fields.get("session_id"))
    agent = text_of(fields.get("agent_id"))
    return f"{session}/{agent}" if session and agent else session or None


def _read_tool(fields: "dict[str, object]", call: Call) -> None:
    given = mapping_of(fields.get("tool_input"))
    tool = text_of(fields.get("tool_name"))
    call.paths = [path for name in PATH_FIELDS if (path := text_of(given.get(name)))]
    if tool in ("Glob", "Grep") and (
        pattern := text_of(given.get("glob" if tool == "Grep" else "pattern"))
    ):
        base = text_of(given.get("path")) or call.cwd
        call.paths += [f"{base}/{pattern}"] if not any(char in pattern for char in "*?[{") else []
    command = text_of(given.get("command"))
    if command and tool not in ("Grep", "Glob"):
        call.commands = [command]
    if call.event == BEFORE:
        call.delivers = ("paths", "commands")
    else:
        call.delivers = ("errors",)
        call.errors = _errors(fields, tool)


def _errors(fields: "dict[str, object]", tool: str) -> "list[str]":
    """The text in which an error may stand: of a failure all of it, of a success the shell's."""
    found = [text_of(fields.get("error"))]
    response = fields.get("tool_response")
    if tool in SHELLS or not tool:
        found.append(text_of(response))
        found += [text_of(mapping_of(response).get(name)) for name in ("stderr", "stdout")]
    found.append(text_of(mapping_of(response).get("error")))
    return [text for text in found if text]
