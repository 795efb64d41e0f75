"""The values a note is made of. Pure, frozen, and free of any file format.

A note is a set of immutable revisions (see `core/view.py`); `Note` is the content of one revision,
or of several merged as a set. `codec.py` turns it into bytes and back.
"""

import unicodedata
from dataclasses import dataclass, field, replace
from typing import Any

from gitmem.core.ids import id_key as id_key
from gitmem.errors import GitMemError

CONFIDENCE = ("unsure", "likely", "verified")
KINDS = (
    "fact",
    "gotcha",
    "convention",
    "decision",
    "preference",
    "rule",
    "friction",
    "entity",
    "task_summary",
)
DEFAULT_KIND = "fact"
DEFAULT_STRENGTH = 3
MAX_ID_BYTES = 200
TRIGGER_KINDS = ("paths", "commands", "errors", "prompts")


@dataclass(frozen=True, slots=True)
class Triggers:
    """When a note is relevant. The four lists keep their order: in `paths` the last match wins."""

    always: bool = False
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.always or bool(self.paths or self.commands or self.errors or self.prompts)

    def union(self, other: "Triggers") -> "Triggers":
        """All conditions of both, ours first; an exclusion of one takes nothing from the other."""
        return Triggers(
            self.always or other.always,
            _united_paths(self.paths, other.paths),
            *(_united(getattr(self, kind), getattr(other, kind)) for kind in TRIGGER_KINDS[1:]),
        )


def _united(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ours + theirs))


def _united_paths(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Covers at least what each list covers: what excludes comes first, for the last match wins."""
    if ours == theirs:
        return ours
    if not _excludes(ours):
        if not _excludes(theirs):
            return _united(ours, theirs)
        ours, theirs = theirs, ours
    positive = tuple(pattern for pattern in theirs if not pattern.startswith("!"))
    return _united(positive[::-1], ours[::-1])[::-1]


def _excludes(paths: tuple[str, ...]) -> bool:
    return any(pattern.startswith("!") for pattern in paths)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The commit since which a revision is true, and what recognises that work without it.

    Of a pending revision `commit` is the HEAD it was written at (None: an unborn branch) and
    `paths` are its subject files; else `paths` are the files that the commit changed.
    """

    commit: str | None = None
    tree: str | None = None
    patch_id: str | None = None
    branch: str | None = None
    merge_base: str | None = None
    paths: tuple[str, ...] = ()
    extra: tuple[tuple[str, Any], ...] = ()

    def get(self, name: str) -> str | None:
        """A text among the `extra` fields; None when it is not there."""
        value = dict(self.extra).get(name)
        return value if isinstance(value, str) else None

    @property
    def pending(self) -> str | None:
        """The layer that a pending revision will be published in; None when it is not pending."""
        return self.get("pending")

    @property
    def worktree(self) -> str:
        """The linked work tree that a pending revision was written in; '' for the main one."""
        return self.get("worktree") or ""


@dataclass(frozen=True, slots=True)
class Note:
    """The content of one revision. Times are UTC text as stored (`2026-08-23T10:00:00Z`).

    `extra` holds fields this version does not know, in the order they were met: they survive
    every rewrite. Optional scalars are None when the note does not say.
    """

    id: str
    body: str = ""
    triggers: Triggers = field(default_factory=Triggers)
    kind: str | None = None
    confidence: str | None = None
    verified: str | None = None
    strength: int | None = None
    tags: tuple[str, ...] = ()
    entity: str | None = None
    aliases: tuple[str, ...] = ()
    pinned: bool = False
    links: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    created: str | None = None
    written: str | None = None
    author: str | None = None
    anchor: Anchor | None = None
    replaces: tuple[str, ...] = ()
    forgotten: bool = False
    reason: str | None = None
    extra: tuple[tuple[str, Any], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What an entity note is called by: its entity and its aliases."""
        return ((self.entity,) if self.entity else ()) + self.aliases

    @property
    def is_recallable(self) -> bool:
        """Whether any event or name can ever reach this note."""
        return bool(self.triggers) or bool(self.entity)

    def edited(self, **changes: Any) -> "Note":
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Revision:
    """One stored version. `rev` is the first 20 hex digits of the SHA-256 of the bytes.

    A purged revision has `note` None and keeps only what the fold needs of it.
    """

    rev: str
    note: Note | None
    replaces: tuple[str, ...] = ()
    anchor: Anchor | None = None

    @property
    def forgotten(self) -> bool:
        return self.note is None or self.note.forgotten


class BadId(GitMemError):
    kind = "bad-note"


def checked_id(note_id: str) -> str:
    """`note_id` in NFC, or BadId: a slug of letters, digits, `-`, `_` and `.`, ≤ 200 bytes."""
    text = unicodedata.normalize("NFC", note_id)
    if not text or not all(_is_id_char(char) for char in text) or text[0] in "-.":
        raise BadId(
            f"'{note_id}' is not a note id",
            "use letters, digits, '-', '_' and '.', for example "
            f"--id {slug(note_id) or 'scripts-are-commonjs'}",
        )
    if len(text.encode()) > MAX_ID_BYTES:
        raise BadId(f"note id '{text[:40]}…' is longer than {MAX_ID_BYTES} bytes")
    return text


def _is_id_char(char: str) -> bool:
    return char in "-_." or unicodedata.category(char)[0] in "LNM"


def slug(text: str, *, words: int = 8) -> str:
    """An id made of the first words of `text`; '' when it has no letter or digit."""
    folded = unicodedata.normalize("NFC", text).lower().replace("'", "").replace("’", "")
    spaced = "".join(
        char if unicodedata.category(char)[0] in "LNM" else " " for char in folded
    ).split()
    out = ""
    for word in spaced[:words]:
        longer = f"{out}-{word}" if out else word
        if len(longer.encode()) > 60:
            break
        out = longer
    return out or ("".join(spaced[:1])[:20] if spaced else "")
