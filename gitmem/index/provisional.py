"""Answer an event where there is no index yet and no time to make one.

The stored revisions are looked through as they lie, which takes a tenth of the time that reading
them takes, for ids that the event may reach; only those notes are read, folded and filed, in an
index that nobody else ever sees. Cold: runs git.
"""

import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence

from gitmem import frontmatter_subset
from gitmem.core import gitignore, text
from gitmem.core.event import Event
from gitmem.core.ids import id_key
from gitmem.core.mention import Prompt
from gitmem.index.read import Index, top_name
from gitmem.index.write import State, TooLate, Writer
from gitmem.store.batch import read_blobs
from gitmem.store.layout import parse_path

FENCE = b"\n---\n"
WILD = "*?["
UNSURE = ["\\"]  # an escape is not read here


def provisional(state: State, directory: str, event: Event, deadline: float) -> Index:
    """An index of the notes that `event` may reach at the state `state`, to be asked for it alone.

    Its files are made below `directory` and gone when this returns. TooLate; GitMemError.
    """
    reach = Reach(event, folds_case=state.config.ignorecase)
    keys: set[str] = set()
    for layer in state.layers:
        entries = [(item.oid, parse_path(item.path)) for item in layer.united.entries()]
        by_oid = {oid: id_key(entry.id) for oid, entry in entries if entry is not None}
        left = deadline - time.monotonic()
        if left <= 0:
            raise TooLate
        keys |= reach.of(by_oid, read_blobs(layer.git_dir, by_oid, timeout=left))
    place = tempfile.mkdtemp(prefix="provisional-", dir=directory)
    try:
        Writer(place, state, deadline).write_some(keys)
        return Index(place, top_name(state.viewpoint.worktree or ""))
    finally:
        shutil.rmtree(place, ignore_errors=True)


class Reach:
    """Whether a stored revision may be reached by an event; surely yes where it is not sure."""

    def __init__(self, event: Event, *, folds_case: bool) -> None:
        self._event = event
        self._folds_case = folds_case
        self._paths = [self._folded(path) for path in event.paths]
        self._literal = {name for path in self._paths for name in _names(path)}
        self._said = {
            "commands": [text.fold(value) for value in event.commands],
            "errors": [text.fold(value) for value in event.errors],
        }
        self._prompts = [Prompt(prompt) for prompt in event.prompts]

    def of(self, by_oid: "dict[str, str]", contents: "dict[str, bytes]") -> set[str]:
        """The ids (by their blobs' ids) of which some revision may be reached."""
        return {by_oid[oid] for oid, data in contents.items() if self.may_reach(data)}

    def may_reach(self, data: bytes) -> bool:
        """Whether the event may reach the revision of these bytes."""
        front = data[: data.find(FENCE, 4) + 1].decode("utf-8", "replace")
        if "\nsupersedes:" in front:
            return True  # it may stand in the place of another
        if self._event.start:
            return "\n  always:" in front or "\npinned:" in front
        if self._paths and ("\nentity:" in front or "\naliases:" in front):
            return True
        if self._paths and any(map(self._is_path, _items(front, "\n  paths:"))):
            return True
        for kind, said in self._said.items():
            if said and any(_is_said(item, said) for item in _items(front, f"\n  {kind}:")):
                return True
        return bool(self._prompts) and any(
            self._is_named(item)
            for key in ("\n  prompts:", "\nentity:", "\naliases:")
            for item in _items(front, key)
        )

    def _is_path(self, pattern: str) -> bool:
        if "\\" in pattern:
            return True
        pattern = self._folded(pattern)
        if any(char in pattern for char in WILD):
            return any(gitignore.matches(pattern, path) for path in self._paths)
        return pattern.strip("/") in self._literal

    def _is_named(self, phrase: str) -> bool:
        return "\\" in phrase or any(prompt.names(phrase) for prompt in self._prompts)

    def _folded(self, path: str) -> str:
        return path.casefold() if self._folds_case else path


def _is_said(needle: str, said: Sequence[str]) -> bool:
    return "\\" in needle or any(text.fold(needle) in value for value in said)


def _names(path: str) -> Iterable[str]:
    """What a pattern without wildcards may say to match a path: a part, or a way down to it."""
    parts = path.strip("/").split("/")
    yield from parts
    yield from ("/".join(parts[:number]) for number in range(1, len(parts) + 1))


def _items(front: str, key: str) -> Iterable[str]:
    """The values under a key of canonical front matter; where that is not plain to see, one that
    is taken for anything."""
    start = front.find(key)
    if start < 0:
        return ()
    lines = front[start + len(key) :].split("\n")
    if lines[0].strip():
        flow = lines[0].strip().removeprefix("[").removesuffix("]")
        if '"' in flow and "," in flow:
            tree = frontmatter_subset.read(f"it: [{flow}]\n")
            found = tree["it"] if tree else UNSURE
            return found if isinstance(found, list) else UNSURE  # type: ignore[return-value]
        return [part.strip(" \"'") for part in flow.split(",")]
    items = []
    for line in lines[1:]:
        if not line.lstrip(" ").startswith("- "):
            break
        items.append(line.lstrip(" ")[2:].strip("\"'"))
    return items
