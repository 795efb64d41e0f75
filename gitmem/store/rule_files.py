"""Read what agents are told by files of the work tree: AGENTS.md and its like. Hot: imports os."""

import os

from gitmem.core.said import RULE_DIRECTORIES, RULE_FILES

ROOM = 200_000  # bytes of a file
MOST = 100  # files of a directory
ENDINGS = (".md", ".mdc", ".txt")
# What a file of a directory begins with where it is read for some files of the project only.
PARTIAL = ("globs:", "paths:", "applyto:", "alwaysapply: false", "inclusion:", "trigger:")


def rule_files(root: str, *, partial: bool = False) -> "list[tuple[str, str]]":
    """(name relative to `root`, text) of each rule file that is there, once for each text.

    Of the files of directories only those that every session reads; with `partial`, all.
    """
    found: dict[str, str] = {}
    names = list(RULE_FILES)
    for directory in RULE_DIRECTORIES:
        try:
            inside = sorted(os.listdir(os.path.join(root, directory)))
        except OSError:
            continue
        names += [f"{directory}/{name}" for name in inside if name.endswith(ENDINGS)][:MOST]
    for name in dict.fromkeys(names):
        try:
            with open(os.path.join(root, name), "rb") as file:
                text = file.read(ROOM).decode("utf-8", "replace")
        except OSError:
            continue
        if partial or name in RULE_FILES or not _is_partial(text):
            found.setdefault(text, name)
    return [(name, text) for text, name in found.items()]


def _is_partial(text: str) -> bool:
    if not text.startswith("---\n"):
        return False
    front = text[4:].partition("\n---")[0].lower()
    return any(_says(line.strip()) for line in front.split("\n"))


def _says(line: str) -> bool:
    """Whether a line of front matter limits where the file is read."""
    if not line.startswith(PARTIAL):
        return False
    value = line.partition(":")[2].strip(" \"'[]")
    return value not in ("", "**", "**/*", "*", "always", "always_on")
