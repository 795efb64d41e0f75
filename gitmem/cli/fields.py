"""What the options of a command say of a note. Loads no click (see `plain.py`)."""

from typing import NamedTuple

from gitmem.core.note import Note, Triggers

WHY, INSTEAD = "**Why it matters:**", "**Instead:**"


class Fields(NamedTuple):
    """The field options as given."""

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    always: bool = False
    why: str | None = None
    instead: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] = ()
    entity: str | None = None
    aliases: tuple[str, ...] = ()
    confidence: str | None = None
    verified: str | None = None
    strength: int | None = None
    pinned: bool = False
    supersedes: tuple[str, ...] = ()

    def over(self, note: Note) -> Note:
        """`note` with the options over it: lists add, scalars replace."""
        given = Triggers(self.always, self.paths, self.commands, self.errors, self.prompts)
        scalars = {
            name: value.strip() if isinstance(value, str) else value
            for name in ("kind", "entity", "confidence", "verified", "strength")
            if (value := getattr(self, name)) is not None
        }
        return note.edited(
            body=self._body(note.body),
            triggers=note.triggers.union(given),
            tags=_joined(note.tags, self.tags),
            aliases=_joined(note.aliases, self.aliases),
            supersedes=_joined(note.supersedes, self.supersedes),
            pinned=note.pinned or self.pinned,
            **scalars,
        )

    def _body(self, body: str) -> str:
        for title, text in ((WHY, self.why), (INSTEAD, self.instead)):
            if text:
                body = _with_part(body, title, text)
        return body


def _with_part(body: str, title: str, text: str) -> str:
    """`body` with its part `title` said anew, or said at the end."""
    part = f"{title} {text}"
    parts = body.strip("\n").split("\n\n") if body.strip() else []
    for number, old in enumerate(parts):
        if old.startswith(title):
            parts[number] = part
            break
    else:
        parts.append(part)
    return "\n\n".join(parts) + "\n"


def _joined(before: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(before + more))
