"""Derive path triggers from a note's text: the repository says which words are paths. Pure.

Path-shaped words count only when they are tracked files or directories. Three guards keep noise
out: no single-segment directory (in prose that is a word), no directory with more than
MAX_DIRECTORY tracked files, no generic file name alone.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

MAX_DIRECTORY = 150
GENERIC = frozenset(
    [
        "readme",
        "readme.md",
        "readme.rst",
        "readme.txt",
        "changelog.md",
        "license",
        "license.md",
        "contributing.md",
        "package.json",
        "package-lock.json",
        "tsconfig.json",
        "index.ts",
        "index.tsx",
        "index.js",
        "index.jsx",
        "index.html",
        "index.md",
        "main.py",
        "main.go",
        "main.rs",
        "main.ts",
        "main.js",
        "mod.rs",
        "lib.rs",
        "__init__.py",
        "__main__.py",
        "setup.py",
        "setup.cfg",
        "pyproject.toml",
        "requirements.txt",
        "conftest.py",
        "utils.py",
        "utils.ts",
        "types.ts",
        "config.py",
        "config.ts",
        "config.json",
        "config.yaml",
        "config.yml",
        "settings.py",
        "settings.json",
        "makefile",
        "dockerfile",
        "docker-compose.yml",
        "cargo.toml",
        "go.mod",
        "go.sum",
        ".gitignore",
        ".env",
        "app.py",
        "app.ts",
        "app.js",
        "spec.md",
        "page.tsx",
        "layout.tsx",
        "route.ts",
        "styles.css",
        "claude.md",
        "agents.md",
    ]
)
_ESCAPES = {"*": "[*]", "?": "[?]", "[": "\\[", "{": "\\{", "\\": "\\\\"}
_OPENING = "`'\"([{<*“‘«|"
_CLOSING = "`'\")]}>*”’»|.,:;!?…"


class Tracked:
    """The tracked files of a repository, by path, by name and by directory."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.files = frozenset(paths)
        self.names: dict[str, list[str]] = {}
        self.counts: Counter[str] = Counter()
        for path in self.files:
            self.names.setdefault(path.rpartition("/")[2], []).append(path)
            self.counts.update(_parents(path))

    @cached_property
    def ordered(self) -> list[str]:
        """The files in path order."""
        return sorted(self.files)

    @cached_property
    def has_odd_names(self) -> bool:
        """Whether a file name begins or ends with what else is put around a name."""
        return any(name[:1] in _OPENING or name[-1:] in _CLOSING for name in self.names)

    def places(self, name: str) -> list[str]:
        """The directories called `name`."""
        return self._directories.get(name, [])

    @cached_property
    def _directories(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for directory in self.counts:
            found.setdefault(directory.rpartition("/")[2], []).append(directory)
        return found


def derive_paths(text: str, tracked: Tracked) -> tuple[str, ...]:
    """The path triggers that `text` names, in order, as escaped gitignore patterns."""
    found: dict[str, None] = {}
    for word in _words(text):
        if _is_prose(word, tracked):
            continue
        whole = _first(word, tracked)
        named = [whole] if whole else [_first(piece, tracked) for piece in _pieces(word)]
        found.update((trigger, None) for trigger in named if trigger)
    return tuple(found)


def _is_prose(word: str, tracked: Tracked) -> bool:
    """Whether a word can be told at a glance to name nothing: most words of a text can."""
    core = word.strip(_OPENING + _CLOSING)
    return core.isalnum() and core not in tracked.names and not tracked.has_odd_names


def _first(word: str, tracked: Tracked) -> str | None:
    """The trigger of the first spelling of `word` that names something."""
    return next(
        (trigger for token in _spellings(word) if (trigger := _trigger(token, tracked))), None
    )


def guarded_words(text: str, tracked: Tracked) -> list[tuple[str, str]]:
    """The words that name tracked files or directories but are too broad to derive: why not."""
    found = []
    for word in _words(text):
        for piece in (word, *_pieces(word)):
            for token in _spellings(piece):
                if reason := _too_broad(token, tracked):
                    found.append(reason)
                    break
    return list(dict.fromkeys(found))


def _too_broad(token: str, tracked: Tracked) -> tuple[str, str] | None:
    name = token.rstrip("/")
    count = tracked.counts[name]
    homes = len(tracked.names.get(token, ()))
    if count > MAX_DIRECTORY:
        return f"{name}/", f"covers {count} tracked files"
    if count and token.endswith("/") and "/" not in name:
        return f"{name}/", "is a single directory name, in prose often a word"
    if homes and _is_generic(token):
        return token, "is too common a file name to derive a trigger from"
    if homes > 1 and "." in token.strip("."):
        return token, f"names {homes} tracked files"
    return None


def _words(text: str) -> Iterable[str]:
    for chunk in text.split():
        if "://" not in chunk:
            yield chunk


def _pieces(word: str) -> list[str]:
    """The parts of a list or a link without blanks in it."""
    for mark in ("](", "`", "|", "—", "="):
        word = word.replace(mark, ",")
    pieces = [piece for piece in word.split(",") if piece]
    return pieces if len(pieces) > 1 else []


def _spellings(word: str) -> list[str]:
    """What a word may mean as a path, as typed first: wrappings, `:42` and `#L3` come off."""
    out = [word]
    inner = word.lstrip(_OPENING)
    out.append(inner)
    while inner and inner[-1] in _CLOSING:
        inner = inner[:-1]
        out.append(inner)
    bare = inner.replace("\\", "/").removeprefix("./")
    out.append(bare)
    out += [bare.partition(mark)[0] for mark in (":", "#", "(")]
    return list(dict.fromkeys(item.removeprefix("./") for item in out if item))


def _trigger(token: str, tracked: Tracked) -> str | None:
    if token in tracked.files and ("/" in token or _is_path_shaped(token)):
        return escape(token)
    directory = token.rstrip("/")
    if "/" in directory:
        count = tracked.counts[directory]
        return f"{escape(directory)}/**" if 0 < count <= MAX_DIRECTORY else None
    homes = tracked.names.get(token, [])
    is_named = len(homes) == 1 and "." in token.strip(".")
    return escape(homes[0]) if is_named and not _is_generic(token) else None


def _is_path_shaped(name: str) -> bool:
    """Whether a name alone can be meant as a file: `deploy` is a word, `Jenkinsfile` is none."""
    return not _is_generic(name) and ("." in name or not name.islower())


def _is_generic(name: str) -> bool:
    return name.casefold() in GENERIC


def _parents(path: str) -> Iterable[str]:
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


def escape(path: str) -> str:
    """The gitignore pattern that matches exactly this path from the root."""
    text = "".join(_ESCAPES.get(char, char) for char in path)
    if text.endswith(" "):
        text = text[:-1] + "\\ "
    if "/" not in text or text.startswith(("#", "!", " ")):
        text = "/" + text
    return text
