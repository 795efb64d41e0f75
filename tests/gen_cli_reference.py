"""Write `docs/reference/cli.md` from the commands themselves: `python -m tests.gen_cli_reference`.

Not from help texts: their layout is click's and changes with its version.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from gitmem.cli.app import CONTEXT, SECTIONS, app

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
INTRODUCTION = """\
# Command line

Made from the commands by `python -m tests.gen_cli_reference`; do not edit it by hand.

`git mem -h` lists the commands, `git mem CMD -h` explains one. `-h` works everywhere; git itself
answers `git mem --help` and looks for a manual page, which does not exist yet.

- Results go to standard output, `error:`, `warning:` and `hint:` lines to standard error.
- `--json` prints exactly one document with `"version": 1`. Keys may be added, never renamed. An
  error is `{"version": 1, "error": {"kind", "message", "hints"}}`.
- `--ids` prints one id a line.
- Colour and pager follow git (`color.ui`, `NO_COLOR`, `GIT_PAGER`) and are off when standard
  output is no terminal. `git mem --no-pager CMD` switches the pager off.
- Where an `ID` is asked for, a unique prefix, an entity or an alias will do.
- The layers are `local` and `shared`. `workspace` and `self` are reserved names: nothing can be
  stored there yet.

| exit code | means |
|---|---|
| 0 | done; also nothing to do, and a recall without hits |
| 1 | the request could not be met: unknown id, refused note, not a repository, a problem found |
| 2 | wrong usage |
| 3 | unresolved conflict |
| 70 | a bug; what is printed can be pasted into a report |
| 130 | interrupted |

`git mem hook` always exits 0.
"""


def render() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    context = click.Context(app, info_name="git mem", **CONTEXT)
    for title, names in SECTIONS.items():
        yield f"## {title}\n"
        for name in names:
            command = app.get_command(context, name)
            assert command is not None
            yield from _command(name, command)


def _command(name: str, command: click.Command) -> Iterator[str]:
    arguments = [_argument(item) for item in command.params if isinstance(item, click.Argument)]
    options = [item for item in command.params if isinstance(item, click.Option)]
    some = ["[OPTIONS]"] if options else []
    yield f"### git mem {name}\n"
    yield f"```text\n{' '.join(['git mem', name, *some, *arguments])}\n```\n"
    yield f"{_text(command.help or '')}\n"
    if options:
        yield "| option | does |\n|---|---|"
        yield from (_row(option) for option in options)
        yield ""


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    if argument.nargs == -1 and not name.endswith("..."):
        name += "..."
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _text(text: str) -> str:
    """Help as Markdown: a paragraph that click keeps as it is (`\\b`) is code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\r", "")):
        lines = [line.strip() for line in paragraph.strip().splitlines()]
        if lines[:1] == ["\b"]:
            parts.append("\n".join(["```sh", *lines[1:], "```"]))
        else:
            parts.append(textwrap.fill(" ".join(lines), 100, break_on_hyphens=False))
    return "\n\n".join(parts)


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {_value(option)}"
    marks = " Repeatable." if option.multiple and "repeatable" not in (option.help or "") else ""
    return f"| {names}{value} | {_cell((option.help or '') + marks)} |"


def _value(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return _cell(" | ".join(option.type.choices))
    if isinstance(option.type, click.IntRange):
        return f"{option.type.min}–{option.type.max}"
    return option.type.name.upper()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
