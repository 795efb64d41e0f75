"""What an agent or a person is doing: paths, commands, errors, prompts. Hot: imports nothing."""

KINDS = ("paths", "commands", "errors", "prompts")


class Event:
    """One event, agent-neutral.

    `paths` are relative to the repository root with `/`; a directory ends with `/`. `delivers`
    names the kinds that may bring a note: the other kinds only raise the score of those that do
    (a failing command also says which command it was). `start` is set at a session's start, to
    one of `startup`, `resume`, `clear`, `compact`.
    """

    __slots__ = ("paths", "commands", "errors", "prompts", "delivers", "start", "session", "name")

    def __init__(
        self,
        paths: tuple[str, ...] = (),
        commands: tuple[str, ...] = (),
        errors: tuple[str, ...] = (),
        prompts: tuple[str, ...] = (),
        *,
        delivers: tuple[str, ...] = KINDS,
        start: str | None = None,
        session: str | None = None,
        name: str = "",
    ) -> None:
        self.paths = paths
        self.commands = commands
        self.errors = errors
        self.prompts = prompts
        self.delivers = delivers
        self.start = start
        self.session = session
        self.name = name
