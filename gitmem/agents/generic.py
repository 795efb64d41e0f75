"""A small protocol for agents that have none of their own here. Hot: imports only hot files.

Written for whoever writes a wrapper: plain words in, `{"context": text}` out. What is sent may
bring a note, at whatever event: the wrapper knows what its agent has room for.
"""

from gitmem.agents.base import (
    AFTER,
    ALL,
    BEFORE,
    COMPACT,
    PROMPT,
    START,
    STOP,
    Call,
    directory_of,
)
from gitmem.agents.tools import first, mapping_of, texts_of

EVENTS = (START, PROMPT, BEFORE, AFTER, STOP, COMPACT)


def read(payload: object, may_deny: bool = False) -> "Call | None":
    """What the payload asks about; None when there is nothing to answer."""
    fields = mapping_of(payload)
    event = first(fields, "event")
    if event not in EVENTS:
        return None
    call = Call(event, directory_of(fields), first(fields, "session") or None)
    if event == START:
        call.start = first(fields, "source") or "startup"
        return call
    if event in (STOP, COMPACT):
        call.ending = event
        call.forgets = event == COMPACT
        return call
    call.paths = texts_of(fields.get("paths"))
    call.commands = texts_of(fields.get("commands"))
    call.errors = texts_of(fields.get("errors"))
    call.prompts = texts_of(fields.get("prompts")) + texts_of(fields.get("prompt"))
    call.delivers = (*ALL, "prompts")
    call.writes = fields.get("writes") is True
    failed = fields.get("failed")
    call.failed = failed if isinstance(failed, bool) else None
    return call


def answer(call: Call, text: str) -> "dict[str, object]":
    """The JSON object with the text for the model."""
    return {"context": text}
