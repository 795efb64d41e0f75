"""What an agent's hook payload says, before any path is resolved. Hot: imports nothing.

One module per agent: `read(payload)` → Call or None, `answer(call, text)` → what that agent reads
on stdout. Exact per-agent output, never a superset: some agents drop what they do not know.
"""


class Call:
    """One hook call. `paths` are as the agent spelt them.

    `event` is the agent's own name of the event; `start` is set at a session's start (`startup`,
    `resume`, `clear`, `compact`); `delivers` is as in `core.event.Event`.
    """

    __slots__ = (
        "event",
        "cwd",
        "session",
        "paths",
        "commands",
        "errors",
        "prompts",
        "start",
        "delivers",
    )

    def __init__(self, event: str, cwd: str, session: str | None) -> None:
        self.event = event
        self.cwd = cwd
        self.session = session
        self.paths: list[str] = []
        self.commands: list[str] = []
        self.errors: list[str] = []
        self.prompts: list[str] = []
        self.start: str | None = None
        self.delivers: tuple[str, ...] = ()


def text_of(value: object) -> str:
    """`value` if it is text, else ''. Lone surrogates become '?', so that it can be encoded."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def mapping_of(value: object) -> "dict[str, object]":
    return value if isinstance(value, dict) else {}
