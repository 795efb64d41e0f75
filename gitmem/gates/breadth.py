"""Warn of path triggers that reach no tracked file, or so many that they are noise.

The only user of pathspec, the reference for what a gitignore pattern means. Imported where a
pattern has a wildcard: a literal path needs no more than a look at the list.
"""

from collections.abc import Collection, Sequence

from gitmem.core.derive import MAX_DIRECTORY
from gitmem.core.gitignore import WILD


def warnings(patterns: Sequence[str], tracked: Collection[str]) -> list[str]:
    """One sentence for each positive pattern that is too narrow or too broad."""
    found = []
    for pattern in patterns:
        if pattern.startswith("!") or not tracked:
            continue
        count = _count(pattern, tracked)
        if count == 0:
            found.append(f"no tracked file matches '{pattern}' yet")
        elif count > MAX_DIRECTORY:
            found.append(f"'{pattern}' matches {count} tracked files; the note will be noise")
    return found


def _count(pattern: str, tracked: Collection[str]) -> int:
    if pattern.removeprefix("/") in tracked:
        return 1
    if not any(char in pattern for char in WILD) and "/" in pattern.strip("/"):
        start = pattern.strip("/").replace("\\", "") + "/"
        return sum(path.startswith(start) for path in tracked)
    from pathspec import GitIgnoreSpec  # costs several interpreter starts; few notes need it

    return sum(1 for _ in GitIgnoreSpec.from_lines([pattern]).match_files(tracked))
