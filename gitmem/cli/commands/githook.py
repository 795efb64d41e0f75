"""`git mem githook`: what our git hooks run. Not for people, so no help lists it.

It never stops what the user is doing: whatever happens the exit code is 0, and standard output,
which may be read by a program that pushes, stays empty.
"""

import os
import sys
import time

import click

from gitmem import along
from gitmem.cli import output
from gitmem.errors import GitMemError
from gitmem.githooks.git_hooks import EVENTS
from gitmem.githooks.pushing import is_dry_run, is_quiet, push_arguments, sends_memory
from gitmem.index import errorlog
from gitmem.memory import Memory
from gitmem.store.remote import PUSHING
from gitmem.store.rewrites import parse_rewritten

PATIENCE = 20.0  # seconds in which a push has sent the notes or goes on without


@click.command("githook", hidden=True)
@click.argument("event", type=click.Choice(EVENTS))
@click.argument("arguments", nargs=-1)
def command(*, event: str, arguments: tuple[str, ...]) -> int:
    """Run one of our git hooks; its arguments are git's."""
    if os.environ.get(PUSHING):
        return 0  # this is our own push
    try:
        memory = Memory.open(environ=True)
        if event == "pre-push":
            _pre_push(memory, arguments[0] if arguments else None)
        elif event == "post-rewrite":
            memory.rewritten(parse_rewritten(sys.stdin.buffer.read()))
        else:
            along.catch_up(memory.repository)
            memory.settle()
    except Exception as error:  # a bug of ours must not stop a push either
        if event == "pre-push":
            output.warn(f"memory was not published: {_reason(error)}; see: git mem push")
        _log(f"{event}: {_reason(error)}")
    return 0


def _pre_push(memory: Memory, name: str | None) -> None:
    memory.settle()  # what was pending may be in the commits that are pushed
    if not along.has_something_for(memory.repository, name):
        return
    arguments = push_arguments(os.getppid()) or ()
    if is_dry_run(arguments) or sends_memory(arguments):
        return
    done = memory.push(name, deadline=time.monotonic() + PATIENCE)
    if done.pushed and not is_quiet(arguments):
        sys.stderr.write(f"git mem: {output.counted(done.pushed, 'revision')} published\n")


def _reason(error: Exception) -> str:
    if isinstance(error, GitMemError):
        return error.message
    return f"{type(error).__name__}: {error}"


def _log(reason: str) -> None:
    """For `git mem doctor`; where even that cannot be written, nothing is left to do."""
    try:
        common_dir = Memory.open(environ=True).repository.common_dir
        errorlog.append(common_dir, [reason], time.time())
    except (GitMemError, OSError):
        pass
