"""Options that several commands share. Those that describe a note are in `note_params.py`."""

import re
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

LAYERS = ("local", "shared", "workspace", "self")
AGE = re.compile(r"(\d+) ?(d|days?|w|weeks?|m|months?|y|years?)(?: ago)?")
DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


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


def an_age(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A callback for an option that takes a day or an age (`90d`, `6 months`): the instant, in
    seconds since 1970."""
    if value is None:
        return None
    found = AGE.fullmatch(value.strip().lower())
    if found:
        days = int(found[1]) * DAYS[found[2][0]]
        return time.time() - days * 86_400
    try:
        return datetime.fromisoformat(value).replace(tzinfo=UTC).timestamp()
    except ValueError:
        problem = f"'{value}' is no age, write it as 90d, 6m, 1y or YYYY-MM-DD"
        raise click.BadParameter(problem, ctx, param) from None


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
ids_option = click.option("--ids", is_flag=True, help="Print one id a line.")


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
