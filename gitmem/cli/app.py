"""`git mem`: the table of commands, each loaded when it is asked for.

Results go to stdout, everything else to stderr.
"""

import importlib
import os
from collections.abc import Sequence

import click

from gitmem import __version__
from gitmem.cli import output
from gitmem.cli.boundary import guarded, report, silence_stdout
from gitmem.cli.plain import decoded
from gitmem.errors import EXIT_CODES

SECTIONS = {
    "Every day": {
        "add": "Store a note",
        "recall": "Show the notes an event, a name or a pattern reaches",
        "show": "Show a note as it is stored",
        "list": "List the notes",
        "edit": "Change a note",
        "forget": "Forget notes; nothing is deleted",
        "restore": "Bring a forgotten note back",
        "undo": "Take back the last change",
        "promote": "Move a note to another layer, for more to see",
        "demote": "Move a note to another layer, for fewer to see",
        "log": "Show the history of notes",
        "diff": "Show what changes between two commits' views",
        "why": "Say which notes fire for a path, and why others do not",
        "status": "Count notes and say what needs attention",
    },
    "Work state and decisions": {
        "state": "Show or say where the work stands on this branch",
        "todo": "Keep the list of what is to be done on this branch",
        "decide": "Write down a decision and why it was taken",
        "decisions": "List what was decided, the newest first",
        "friction": "Write down where a tool got in the way",
    },
    "Sharing": {
        "init": "Let plain fetch, pull and push carry memory",
        "sync": "Exchange memory with a remote",
        "fetch": "Fetch a remote's memory",
        "push": "Publish memory",
        "merge": "Take what was fetched into our own memory",
        "land": "Say by hand that work landed as another commit",
        "merge-driver": "Merge a note that is kept as a file",
    },
    "Care": {
        "stats": "Say what was delivered here, and what never was",
        "doctor": "Check repository, notes, index and hooks",
        "reindex": "Rebuild the index and report orphans",
    },
    "Agents": {
        "install": "Install an agent's hooks",
        "uninstall": "Remove an agent's hooks",
        "hook": "Answer one hook event on stdin",
        "demo": "Show the whole thing on a scratch repository",
    },
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}
HIDDEN = ("githook",)  # for scripts that we install ourselves
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class App(click.Group):
    """A group whose commands are imported only when they run."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would call it a failure; nobody wants to read on
            silence_stdout()
            return 0

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS and name not in HIDDEN:
            return None
        module = importlib.import_module(f"gitmem.cli.commands.{name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and args[0] not in HIDDEN:
            from difflib import get_close_matches  # only for a name that is wrong

            close = get_close_matches(args[0], COMMANDS, n=3)
            hint = f" (did you mean {' or '.join(close)}?)" if close else ""
            raise click.UsageError(f"there is no command '{args[0]}'{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@click.command(cls=App, context_settings=CONTEXT)
@click.version_option(__version__, "--version", prog_name="git mem", message="%(prog)s %(version)s")
@click.option("--no-pager", is_flag=True, help="Do not page output.")
@click.pass_context
def app(ctx: click.Context, *, no_pager: bool) -> None:
    """Git-native memory: notes that arrive when they matter."""
    if no_pager:
        os.environ["GIT_PAGER"] = "cat"


def main(argv: Sequence[str]) -> int:
    """Run `git mem ARGV`; the exit code."""
    args = decoded(argv)
    output.use_utf8()
    return guarded(args, lambda: _run(args))


def _run(args: Sequence[str]) -> object:
    """What click makes of it, and what it says of a wrong command line."""
    try:
        return app.main(args, prog_name="git mem", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        output.say(error.format_message())
        return EXIT_CODES["usage"]
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "git mem"
        report(args, "usage", error.format_message(), (f"see: {path} -h",))
        return EXIT_CODES["usage"]
    except click.Abort:
        return EXIT_CODES["interrupted"]
    except click.ClickException as error:
        report(args, "error", error.format_message(), ())
        return 1
