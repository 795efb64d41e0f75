"""What went wrong while an event was answered. Hot: imports nothing."""


class Trouble:
    """The reasons for the error log. `common_dir` is set as soon as the repository is known."""

    def __init__(self) -> None:
        self.common_dir: str | None = None
        self.reasons: list[str] = []

    def note(self, error: BaseException | str) -> None:
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        self.reasons.append(" ".join(text.split())[:500])
