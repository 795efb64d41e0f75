"""Notes that can never be recalled: their triggers reach nothing. Pure."""

from collections.abc import Iterable

from gitmem.core.derive import Tracked
from gitmem.core.gitignore import literal, match_list, split
from gitmem.core.note import Note


def is_orphan(note: Note, tracked: Tracked) -> bool:
    """Whether no event and no name can reach the note in a work tree with these files."""
    triggers = note.triggers
    if triggers.always or triggers.commands or triggers.errors or triggers.prompts or note.entity:
        return False
    return not any(_reaches(triggers.paths, tracked, hint) for hint in _hints(triggers.paths))


def _hints(patterns: Iterable[str]) -> list[str | None]:
    """The literal path a positive pattern names, None for a pattern that has to be tried."""
    found: list[str | None] = []
    for pattern in patterns:
        if pattern.startswith("!"):
            continue
        segments, anchored, _ = split(pattern)
        texts = [literal(segment) for segment in segments]
        plain = [text for text in texts if text is not None]
        found.append("/".join(plain) if anchored and len(plain) == len(texts) else None)
    return found


def _reaches(patterns: tuple[str, ...], tracked: Tracked, hint: str | None) -> bool:
    if hint is not None and hint in tracked.files:
        return match_list(patterns, hint) is not None
    return any(match_list(patterns, path) is not None for path in tracked.files)
