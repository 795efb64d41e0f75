"""What it takes to put our hooks into an agent's settings: one row of data for each agent.

Cold: nothing on the hot path needs it. What a row means is done by `githooks/settings.py`; rows do
no I/O and know no other agent.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gitmem.errors import GitMemError


@dataclass(frozen=True, slots=True)
class Place:
    """Where to install. `root` is the work tree's top level, None outside of one."""

    root: str | None
    home: str
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """An agent whose hooks stand in a JSON file, event by event.

    `snippet` is the file below `hooks/` with exactly what a project gets. `user_dir` is relative to
    the home directory; the environment variable `user_dir_variable` names another one.
    """

    agent: str
    snippet: str
    project_file: str
    user_dir: str
    user_dir_variable: str
    user_file: str

    @property
    def project_command(self) -> str:
        """Names no path of a machine and no version: it is committed, and agents trust its text."""
        return f"git mem hook {self.agent}"

    def path(self, scope: str, place: Place) -> str:
        """The file that `scope` (`project` or `user`) means. Errors: no work tree, no home."""
        if scope == "project":
            if place.root is None:
                raise GitMemError(
                    f"no work tree here to install {self.agent} hooks into",
                    f"run it inside a project, or: git mem install {self.agent} --user",
                    kind="not-a-repository",
                )
            return os.path.join(place.root, *self.project_file.split("/"))
        named = place.environ.get(self.user_dir_variable)
        if not named and not place.home:
            raise GitMemError(
                f"no home directory to install {self.agent} hooks into",
                f"set HOME or {self.user_dir_variable}",
            )
        directory = named or os.path.join(place.home, *self.user_dir.split("/"))
        return os.path.join(directory, self.user_file)

    def is_ours(self, command: object) -> bool:
        """Whether a settings file's command is one that we installed, now or in the past."""
        if not isinstance(command, str):
            return False
        direct = rf"""gitmem/hook\.py["']? {re.escape(self.agent)}$"""
        text = command.strip()
        return text == self.project_command or re.search(direct, text) is not None
