"""Install into an agent, and take exactly what was installed out again.

Plans say which file would hold which bytes (`plan.py`); only `apply` writes, and nothing prints.
What a file looks like is up to its kind: entries among those of others, a file that is all ours,
or a marked block in a text. A repeated install changes nothing.

Two scopes: `project` writes the shipped snippets as they are, files that are committed and
therefore name no path of a machine; `user` writes the same with the absolute interpreter of this
installation, which starts faster than anything found through PATH.
"""

import json
import os
import re
import shlex
from typing import Any

from gitmem.agents.installs import ROWS
from gitmem.agents.settings_file import Agent, Block, Entries, HookFile, Place, Whole
from gitmem.errors import GitMemError
from gitmem.githooks import marked_block
from gitmem.githooks.entries import EntriesOf
from gitmem.githooks.plan import Plan, SettingsError, apply, read
from gitmem.githooks.shipped import shipped

AGENTS = ROWS
SCOPES = ("project", "user")
COMMAND_LINE = re.compile(r'const COMMAND = (".*")|([^#]*) 2>/dev/null \|\| :')
POWERSHELL = "powershell"  # a command for it stays as shipped: it would not run a quoted path

__all__ = [
    "AGENTS",
    "SCOPES",
    "Plan",
    "SettingsError",
    "apply",
    "direct_command",
    "installed_commands",
    "plan_install",
    "plan_uninstall",
]


class Installation:
    """One agent in one scope at one place. Reads files and writes nothing."""

    def __init__(self, agent: str, scope: str, place: Place) -> None:
        if agent not in AGENTS:
            raise GitMemError(
                f"'{agent}' is not an agent that can be installed into",
                f"known agents: {', '.join(AGENTS)}",
                kind="usage",
            )
        self.agent = AGENTS[agent]
        self.scope = scope
        self.place = place

    def path(self, file: HookFile) -> str:
        return self.agent.path(file, self.scope, self.place)

    def install(self, file: HookFile, command: str, *, deny_once: bool) -> Plan:
        path = self.path(file)
        before = read(path)
        text = _shipped_text(file, deny_once=deny_once)
        if isinstance(file, Entries):
            wanted = self._wanted(file, text, command)
            return Plan(path, before, self._entries(file).installed(before, wanted, path))
        if isinstance(file, Block):
            return Plan(path, before, marked_block.with_block(before, text.encode(), file, path))
        assert isinstance(file, Whole)
        if before is not None and file.mark.encode() not in before:
            raise SettingsError(
                f"{path} is not ours, so it stays as it is",
                f"let it call '{self.agent.project_command}' with its input and print the answer,"
                " or move it away",
            )
        after = _with_command(text, self.agent, command).encode()
        return Plan(path, before, after, file.is_program)

    def uninstall(self, file: HookFile) -> Plan:
        path = self.path(file)
        before = read(path)
        if isinstance(file, Entries):
            text = _shipped_text(file, deny_once=False)
            wanted = self._wanted(file, text, self.agent.project_command)
            keep = os.path.islink(path)  # whoever made the link goes on wanting a file there
            after = self._entries(file).removed(before, wanted, path, keep=keep)
        elif isinstance(file, Block):
            after = marked_block.without_block(before, file, path)
        else:
            assert isinstance(file, Whole)
            is_ours = before is not None and file.mark.encode() in before
            after = None if is_ours else before
        return Plan(path, before, after, own_directory=self._own_directory(path))

    def commands(self, file: HookFile) -> list[str]:
        """Our commands in the file; of a block, which has none, its first line."""
        path = self.path(file)
        content = read(path)
        if isinstance(file, Entries):
            return self._entries(file).commands(content, path)
        if isinstance(file, Block):
            return [file.begin] if marked_block.has_block(content, file, path) else []
        assert isinstance(file, Whole)
        text = (content or b"").decode(errors="replace")
        if file.mark not in text:
            return []
        return [line for line in map(_command_in, text.splitlines()) if self.agent.is_ours(line)]

    def _entries(self, file: Entries) -> EntriesOf:
        at = file.at if self.scope == "project" else file.user_at
        return EntriesOf(self.agent, file, at=at)

    def _wanted(self, file: Entries, text: str, command: str) -> dict[str, Any]:
        """What a new file holds, with `command` as the command."""
        value: dict[str, Any] = _replaced(json.loads(text), self.agent.project_command, command)
        if self.scope == "user" and file.user_at != file.at:
            for step in reversed(file.user_at):
                value = {step: value}
        return value

    def _own_directory(self, path: str) -> str | None:
        """The directory that is ours alone, if the file is in one."""
        if not self.agent.folder:
            return None
        head, name, _ = path.rpartition(f"{os.sep}{self.agent.folder}{os.sep}")
        return head + name.rstrip(os.sep)


def plan_install(
    agent: str,
    scope: str,
    place: Place,
    *,
    interpreter: str,
    hook_script: str,
    deny_once: bool = False,
) -> tuple[Plan, ...]:
    """What installing would change, file by file. Reads files and writes nothing.

    `interpreter` and `hook_script` are absolute paths, used by scope `user` only. Errors: an
    unknown agent, one that cannot deny, no such place, BadJson or BadBlock for
    a file that cannot be edited safely, SettingsError for one of somebody else.
    """
    at = Installation(agent, scope, place)
    row = at.agent
    if deny_once and not row.can_deny_once:
        others = ", ".join(name for name in AGENTS if AGENTS[name].can_deny_once)
        raise GitMemError(
            f"--deny-once is not for '{agent}'",
            f"it is for agents that take no note before a step: {others}",
            kind="usage",
        )
    command = row.project_command
    if scope == "user":
        command = direct_command(row, interpreter, hook_script)
    return tuple(at.install(file, command, deny_once=deny_once) for file in row.files)


def plan_uninstall(agent: str, scope: str, place: Place) -> tuple[Plan, ...]:
    """What taking everything of ours out would change. A file that only we filled goes away."""
    at = Installation(agent, scope, place)
    return tuple(at.uninstall(file) for file in at.agent.files)


def installed_commands(agent: str, scope: str, place: Place) -> tuple[str, ...]:
    """Our commands in the agent's files, each once, in their order."""
    at = Installation(agent, scope, place)
    found = [command for file in at.agent.files for command in at.commands(file)]
    return tuple(dict.fromkeys(found))


def direct_command(row: Agent, interpreter: str, hook_script: str) -> str:
    """The shell command that runs the hook without looking anything up.

    It works in sh, so in Git Bash as well, where a backslash would be eaten.
    """
    program, script = _quoted(interpreter), _quoted(hook_script)
    return f"{program} -I -S {script} {row.name}"


def _quoted(path: str) -> str:
    if re.match(r"[A-Za-z]:[\\/]|\\\\", path):
        path = path.replace("\\", "/")
    if re.search(r'["$`\\!]', path):
        return shlex.quote(path)
    return path if re.fullmatch(r"[\w@%+=:,./-]+", path, re.ASCII) else f'"{path}"'


def _shipped_text(file: HookFile, *, deny_once: bool) -> str:
    with open(shipped(file.shipped(deny_once=deny_once)), encoding="utf-8") as snippet:
        return snippet.read()


def _replaced(value: Any, old: str, new: str) -> Any:
    """`value` with `new` for `old` in every command."""
    if isinstance(value, dict):
        return {
            key: item if key == POWERSHELL else _replaced(item, old, new)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return value.replace(old, new) if isinstance(value, str) else value


def _with_command(text: str, row: Agent, command: str) -> str:
    """A program of ours with another command, which may stand in it as a JSON string."""
    old = row.project_command
    return text.replace(json.dumps(old), json.dumps(command)).replace(old, command)


def _command_in(line: str) -> str:
    """The command in a line of a program of ours, '' where there is none."""
    found = COMMAND_LINE.fullmatch(line)
    return "" if found is None else str(json.loads(found[1])) if found[1] else found[2]
