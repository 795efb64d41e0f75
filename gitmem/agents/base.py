"""What an agent's hook payload says, before any path is resolved. Hot: imports only hot files.

One module per agent: `read(payload, may_deny)` → Call or None, `answer(call, text)` → what that
agent reads on stdout, an object (printed as JSON) or text (printed as it is). Exact per-agent
output, never a superset: some agents drop what they do not know. An event at which an agent takes
no context must read as None, else its notes would count as shown and nobody would have seen them;
where such an event has facts (what a command printed, that a file is written), `delivers` is ().

Most agents send one object in the shape that Claude Code made known. `read_call` reads that; an
agent's module says which of its events is what, and what may come with it.
"""

import os

from gitmem.agents.tools import (
    commands_of,
    exit_code,
    first,
    is_shell,
    is_writer,
    mapping_of,
    paths_of,
    printed,
    searched,
    text_of,
    texts_of,
)

# What an event is, whatever its agent calls it. FORGET: the context is compacted, and no session
# start will say so.
START, PROMPT, BEFORE, AFTER, FAILED = "start", "prompt", "before", "after", "failed"
STOP, COMPACT, FORGET = "stop", "compact", "forget"

TOUCHED = ("paths", "commands")  # may bring a note before a tool
HEARD = ("errors",)  # may bring one after it, where TOUCHED had its turn
ALL = TOUCHED + HEARD  # may bring one after it, where nothing could come before

SOURCES = {"new": "startup", "fork": "resume"}  # a fork's context has what its origin was shown
DIRECTORIES = ("workdir", "working_directory", "dir_path", "cwd")
INPUTS = ("tool_input", "toolInput", "toolArgs")
RESPONSES = ("tool_response", "toolResponse", "tool_result", "toolResult", "tool_output")

HELD_BACK = (
    "This call was held back once, so that these notes are read first. Repeat it unchanged and it "
    "passes.\n\n"
)


class Call:
    """One hook call. `paths` are as the agent spelt them.

    `event` is the agent's own name of the event; `start` is set at a session's start (`startup`,
    `resume`, `clear`, `compact`); `ending` when the agent stops (`stop`) or is about to compact its
    context (`compact`); `delivers` is as in `core.event.Event`. After a command, `failed` says how
    it went (None: the agent does not say). `writes`: the tool changes the files `paths`. `forgets`:
    what the session was shown leaves its context. `denies`: the answer stops the call, so it must
    not be given where it cannot be recorded as shown: it would be given again and again. `offers`:
    the agent may drop the answer, and another event follows at which it does not: so nothing counts
    as shown yet.
    """

    __slots__ = (
        "agent",
        "event",
        "cwd",
        "session",
        "paths",
        "commands",
        "errors",
        "prompts",
        "start",
        "ending",
        "delivers",
        "failed",
        "writes",
        "forgets",
        "denies",
        "offers",
    )

    def __init__(self, event: str, cwd: str, session: str | None) -> None:
        self.agent = ""  # the name of the agent that is answered
        self.event = event
        self.cwd = cwd
        self.session = session
        self.paths: list[str] = []
        self.commands: list[str] = []
        self.errors: list[str] = []
        self.prompts: list[str] = []
        self.start: str | None = None
        self.ending: str | None = None
        self.failed: bool | None = None
        self.writes = False
        self.forgets = False
        self.denies = False
        self.offers = False
        self.delivers: tuple[str, ...] = ()


def read_call(
    payload: object,
    events: "dict[str, str]",
    *,
    before: "tuple[str, ...]" = TOUCHED,
    after: "tuple[str, ...]" = HEARD,
    failed: "bool | None" = None,
    variable: str = "",
) -> "Call | None":
    """A payload of the common shape, in snake or camel case; None when there is nothing to answer.

    `events` maps the agent's events to what they are. `before` and `after` are what may bring a
    note at a tool. `failed` is what the agent means by an AFTER event: False where failures have an
    event of their own, None where the output must tell. `variable` holds a missing `cwd`.
    """
    fields = mapping_of(payload)
    event = first(fields, "hook_event_name", "hookEventName") or inferred(fields)
    kind = events.get(event)
    if kind is None or (kind == STOP and fields.get("stop_hook_active")):
        return None
    call = Call(event, directory_of(fields, variable), session_of(fields))
    if kind == START:
        source = text_of(fields.get("source")) or "startup"
        call.start = SOURCES.get(source, source)
    elif kind == PROMPT:
        call.prompts = [text_of(fields.get("prompt"))]
        call.delivers = ("prompts",)
    elif kind in (STOP, COMPACT):
        call.ending = kind
    elif kind == FORGET:
        call.forgets = True
    else:
        return _read_tool(call, kind, fields, before, after, failed)
    return call


def _read_tool(
    call: Call,
    kind: str,
    fields: "dict[str, object]",
    before: "tuple[str, ...]",
    after: "tuple[str, ...]",
    failed: "bool | None",
) -> "Call | None":
    tool = first(fields, "tool_name", "toolName")
    touch(call, tool, present(fields, *INPUTS))
    if kind == BEFORE:
        call.delivers = before
        return call if before or call.writes else None
    call.delivers = after
    hear(call, tool, kind == FAILED or failed, fields.get("error"), present(fields, *RESPONSES))
    if fields.get("is_interrupt"):
        call.failed = None  # somebody stopped it
    return call


def touch(call: Call, tool: str, given: object) -> None:
    """Note what the tool's input `given` names: paths, commands, where they run."""
    if is_shell(tool) and (where := first(mapping_of(given), *DIRECTORIES)):
        call.cwd = os.path.join(call.cwd, where)
    call.paths = paths_of(given) + searched(tool, given, call.cwd)
    call.commands = commands_of(given)
    call.writes = is_writer(tool, given) and bool(call.paths)


def hear(call: Call, tool: str, failed: "bool | None", error: object, response: object) -> None:
    """Note what the tool printed: of a failure all of it, of a success only what a shell did.

    `failed` None: the exit code that the output says decides, if there is one.
    """
    has_output = failed or is_shell(tool) or not tool
    heard = printed(error) + printed(response if has_output else mapping_of(response).get("error"))
    call.errors = list(dict.fromkeys(heard))
    if call.commands:
        code = exit_code(response) if failed is None else None
        call.failed = failed if code is None else code != 0


def present(fields: "dict[str, object]", *names: str) -> object:
    """The value of the first of `names` that is there."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def inferred(fields: "dict[str, object]") -> str:
    """The event of a payload that does not name it."""
    is_tool = present(fields, "tool_name", "toolName", *INPUTS) is not None
    if "error" in fields and is_tool:
        return "PostToolUseFailure"
    if present(fields, *RESPONSES) is not None:
        return "PostToolUse"
    if is_tool:
        return "PreToolUse"
    if "prompt" in fields:
        return "UserPromptSubmit"
    return "SessionStart" if "source" in fields else ""


def session_of(fields: "dict[str, object]") -> "str | None":
    """A subagent has a context of its own, so it counts as a session of its own."""
    session = first(fields, "session_id", "sessionId")
    agent = first(fields, "agent_id")
    return f"{session}/{agent}" if session and agent else session or None


def directory_of(fields: "dict[str, object]", variable: str = "") -> str:
    """Where the event happened."""
    return first(fields, "cwd") or (variable and os.environ.get(variable)) or os.getcwd()


def root_of(roots: object, paths: "list[str]") -> str:
    """Of an editor's open folders, the one that a path lies in, else the first; '' for none."""
    folders = texts_of(roots)
    for path in paths:
        for folder in folders:
            if path.startswith(folder.rstrip("/\\") + "/"):
                return folder
    return folders[0] if folders else ""


def in_hook_output(call: Call, text: str) -> "dict[str, object]":
    """The answer that Claude Code made known."""
    return {"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}}
