"""The one error that reaches a user, and how its kind becomes an exit code.

Hot: imports nothing. A subclass is defined beside the code that raises it; facts go in its
message, the next thing to type goes in its hints. Only `cli` renders.
"""

EXIT_CODES = {"usage": 2, "conflict": 3, "bug": 70, "interrupted": 130}


class GitMemError(Exception):
    """A request that could not be met.

    `kind` is a short stable word for machines (`not-found`, `refused`, `bad-note`,
    `not-a-repository`, `usage`, `conflict`, `store`, …), `message` one line that names the file
    and line or the id, `hints` what to type next.
    """

    kind = "error"

    def __init__(self, message: str, *hints: str, kind: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints
        if kind is not None:
            self.kind = kind

    @property
    def exit_code(self) -> int:
        return EXIT_CODES.get(self.kind, 1)
