"""Options that several commands share, and the notes that they describe."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

import click

from gitmem.core.note import CONFIDENCE, Note, Triggers
from gitmem.store.anchors import Scope

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

WHY, INSTEAD = "**Why it matters:**", "**Instead:**"
LAYERS = ("local", "shared", "workspace", "self")


def decorated_with(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def a_date(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A callback for an option that takes a day, as YYYY-MM-DD."""
    try:
        return None if value is None else date.fromisoformat(value).isoformat()
    except ValueError:
        problem = f"'{value}' is not a date, write it as YYYY-MM-DD"
        raise click.BadParameter(problem, ctx, param) from None


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
ids_option = click.option("--ids", is_flag=True, help="Print one id a line.")

field_options = decorated_with(
    click.option("-p", "--path", "paths", multiple=True, metavar="GLOB", help="Files it is about."),
    click.option(
        "-c", "--command", "commands", multiple=True, metavar="STR", help="Part of a command."
    ),
    click.option("-e", "--error", "errors", multiple=True, metavar="STR", help="Part of an error."),
    click.option("--prompt", "prompts", multiple=True, metavar="STR", help="Words in a prompt."),
    click.option("--always", is_flag=True, help="Show at the start of every session."),
    click.option("--why", metavar="T", help="Why it matters."),
    click.option("--instead", metavar="T", help="What to do instead."),
    click.option("--kind", metavar="K", help="fact, gotcha, convention, decision, …"),
    click.option("--tag", "tags", multiple=True, metavar="T", help="A tag; repeatable."),
    click.option("--entity", metavar="NAME", help="What or whom the note is about."),
    click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name of it."),
    click.option("--confidence", type=click.Choice(CONFIDENCE[::-1]), help="How sure it is."),
    click.option(
        "--verified", callback=a_date, metavar="DATE", help="When it was last checked (YYYY-MM-DD)."
    ),
    click.option("--strength", type=click.IntRange(1, 5), help="5: a hard rule, 1: a guess."),
    click.option("--pin", "pinned", is_flag=True, help="Keep it at the top."),
    click.option("--supersedes", multiple=True, metavar="ID", help="The note it replaces."),
)


def layer_options(default: str | None) -> Callable[[Decorated], Decorated]:
    """`--layer L` and its short forms; the parameter is called `layer`."""
    return decorated_with(
        click.option(
            "--layer", type=click.Choice(LAYERS), default=default, help="Where the note is kept."
        ),
        click.option("--local", "layer", flag_value="local", help="--layer local"),
        click.option("--workspace", "layer", flag_value="workspace", help="--layer workspace"),
        click.option("--self", "layer", flag_value="self", help="--layer self"),
    )


scope_options = decorated_with(
    click.option("--here", is_flag=True, help="True since HEAD, whatever files it names."),
    click.option("--everywhere", is_flag=True, help="True on every branch, whenever."),
)


def take_scope(options: dict[str, Any]) -> Scope:
    """The scope options out of a command's keyword arguments."""
    scope = Scope(here=options.pop("here"), everywhere=options.pop("everywhere"))
    if scope.here and scope.everywhere:
        raise click.UsageError("--here and --everywhere exclude each other")
    return scope


@dataclass(frozen=True)
class Fields:
    """The field options as given."""

    paths: tuple[str, ...]
    commands: tuple[str, ...]
    errors: tuple[str, ...]
    prompts: tuple[str, ...]
    always: bool
    why: str | None
    instead: str | None
    kind: str | None
    tags: tuple[str, ...]
    entity: str | None
    aliases: tuple[str, ...]
    confidence: str | None
    verified: str | None
    strength: int | None
    pinned: bool
    supersedes: tuple[str, ...]

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


def take_fields(options: dict[str, Any]) -> Fields:
    """The field options out of a command's keyword arguments."""
    return Fields(**{name: options.pop(name) for name in Fields.__dataclass_fields__})
