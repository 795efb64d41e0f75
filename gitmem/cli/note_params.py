"""Options that describe a note and where it is true. The note that they make is in `fields.py`."""

from typing import Any

import click

from gitmem.cli.fields import Fields
from gitmem.cli.params import a_date, decorated_with
from gitmem.core.note import CONFIDENCE
from gitmem.store.anchors import Scope

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


def take_fields(options: dict[str, Any]) -> Fields:
    """The field options out of a command's keyword arguments."""
    return Fields(**{name: options.pop(name) for name in Fields._fields})
