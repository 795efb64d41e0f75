"""What it takes to install into an agent: rows of data, and what each of their words means.

Cold: nothing on the hot path needs it. The rows stand in `installs.py`; what is done with them is
the business of `githooks`. Nothing here does I/O or knows any agent by name.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gitmem.errors import GitMemError

DENY_ONCE = " --deny-once"


@dataclass(frozen=True, slots=True)
class Place:
    """Where to install. `root` is the work tree's top level, None outside of one."""

    root: str | None
    home: str
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HookFile:
    """One file of an agent. All names are relative and spelt with `/`.

    `snippet` and `deny_snippet` are below `hooks/`, and say exactly what a project gets, the second
    one with --deny-once ('' for an agent that does without). `project` is below the top of
    the work tree, `user` below the agent's own directory.
    """

    snippet: str
    project: str
    user: str
    deny_snippet: str = ""

    def shipped(self, *, deny_once: bool) -> str:
        """The name of the snippet to install."""
        return (self.deny_snippet or self.snippet) if deny_once else self.snippet


@dataclass(frozen=True, slots=True)
class Entries(HookFile):
    """A JSON file in which our entries stand among those of others.

    `at` is where: an object of one list for each event, or the list itself. `user_at` differs in
    an agent whose own settings keep the hooks elsewhere than a project's file. With `inner`, an
    entry is a group with a list of handlers of that name, as in Claude Code. `command` is the path
    of the command in a handler.
    """

    at: tuple[str, ...] = ("hooks",)
    user_at: tuple[str, ...] = ("hooks",)
    inner: str = "hooks"
    command: tuple[str, ...] = ("command",)


@dataclass(frozen=True, slots=True)
class Whole(HookFile):
    """A file that is all ours. A file without `mark` is somebody else's."""

    mark: str = "git mem uninstall"
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class Block(HookFile):
    """A text file of others that has a block of ours between two marked lines."""

    begin: str = "<!-- git mem: begin -->"
    end: str = "<!-- git mem: end -->"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent to install into.

    `home` is its own directory below the home directory; the environment variable `variable` names
    another one. `folder` is the name of a directory that is all ours. `arrives` says when notes
    reach the model, `is_early` whether also before a tool runs, `needs` the oldest version of the
    agent in which that is so, `remarks` what else to tell.
    """

    name: str
    files: tuple[Entries | Whole | Block, ...]
    arrives: str
    home: str = ""
    variable: str = ""
    folder: str = ""
    needs: str = ""
    is_early: bool = True
    remarks: tuple[str, ...] = ()

    @property
    def project_command(self) -> str:
        """Names no path of a machine and no version: it is committed, and agents trust its text."""
        return f"git mem hook {self.name}"

    @property
    def can_deny_once(self) -> bool:
        """Whether it can be made to stop a step once, with the note as the reason."""
        return any(file.deny_snippet for file in self.files)

    def path(self, file: HookFile, scope: str, place: Place) -> str:
        """The file that `scope` (`project` or `user`) means. Errors: no work tree, no home."""
        if scope == "project":
            if place.root is None:
                hint = f", or: git mem install {self.name} --user" if file.user else ""
                raise GitMemError(
                    f"no work tree here to install {self.name} hooks into",
                    f"run it inside a project{hint}",
                    kind="not-a-repository",
                )
            return os.path.join(place.root, *file.project.split("/"))
        if not file.user:
            raise GitMemError(
                f"'{self.name}' has no file of yours to install into, only one of a project",
                f"git mem install {self.name} --project",
                kind="usage",
            )
        named = place.environ.get(self.variable) if self.variable else None
        if not named and not place.home:
            raise GitMemError(
                f"no home directory to install {self.name} hooks into",
                f"set HOME{f' or {self.variable}' if self.variable else ''}",
                kind="no-home",
            )
        directory = named or os.path.join(place.home, *self.home.split("/"))
        return os.path.join(directory, *file.user.split("/"))

    def is_ours(self, command: object) -> bool:
        """Whether a command is one that we installed, now or in the past."""
        if not isinstance(command, str):
            return False
        calls = rf"""(git mem hook|.*gitmem/hook\.py["']?) {re.escape(self.name)}"""
        text = command.strip()
        plain = re.fullmatch(rf"{calls}({DENY_ONCE})?( \|\| :)?", text)
        return (plain or re.fullmatch(rf"m=\$\({calls}{DENY_ONCE}\); .*", text)) is not None
