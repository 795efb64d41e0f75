"""Install our hooks into an agent's settings file, and take exactly them out again.

A plan says which file would hold which bytes; only `apply` writes. Other tools' hooks, comments and
formatting survive (`jsonedit.py`). Ours are known by their command, so an older spelling of ours is
brought up to date where it stands, and a repeated install changes nothing. Nothing here prints.

Two scopes: `project` writes the shipped snippet as it is, a file that is committed and therefore
names no path of a machine; `user` writes the same entries with the absolute interpreter of this
installation, which starts faster than anything found through PATH.
"""

import difflib
import json
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gitmem.agents.claude_install import CLAUDE
from gitmem.agents.settings_file import Place, SettingsFile
from gitmem.errors import GitMemError
from gitmem.githooks.jsonedit import Document
from gitmem.githooks.jsontext import BLANKS, BadJson
from gitmem.githooks.shipped import shipped

AGENTS = {row.agent: row for row in (CLAUDE,)}
SCOPES = ("project", "user")


class SettingsError(GitMemError):
    """A settings file could not be read or written."""

    kind = "settings"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the file at `path` holds and would hold; None for no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def is_change(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """A unified diff, empty when nothing would change."""
        lines = difflib.unified_diff(
            _lines(self.before),
            _lines(self.after),
            os.devnull if self.before is None else self.path,
            os.devnull if self.after is None else self.path,
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def plan_install(
    agent: str, scope: str, place: Place, *, interpreter: str, hook_script: str
) -> Plan:
    """What installing would change. Reads the settings file and writes nothing.

    `interpreter` and `hook_script` are absolute paths, used by scope `user` only. Errors: an
    unknown agent, no such place, BadJson for a file that cannot be edited safely.
    """
    row = _row(agent)
    path = row.path(scope, place)
    before = _read(path)
    command = row.project_command
    if scope == "user":
        command = direct_command(row, interpreter, hook_script)
    snippet = _snippet(row, command)
    document = _document(before, path)
    if not document.text.strip(BLANKS + "\ufeff"):
        return Plan(path, before, snippet)
    wanted = json.loads(snippet)["hooks"]
    for event in [*wanted, *(event for event in _hooks(document) if event not in wanted)]:
        document = _settled(document, row, event, *wanted.get(event, [None]))
    return Plan(path, before, document.text.encode())


def plan_uninstall(agent: str, scope: str, place: Place) -> Plan:
    """What taking our entries out would change. A file that only we filled goes away."""
    row = _row(agent)
    path = row.path(scope, place)
    before = _read(path)
    document = _document(before, path)
    for event in _hooks(document):
        document = _settled(document, row, event, None)
    after = None if before is None else document.text.encode()
    if after != before and after == b"{}\n" and not os.path.islink(path):
        after = None
    return Plan(path, before, after)


def installed_commands(agent: str, scope: str, place: Place) -> tuple[str, ...]:
    """Our commands in the settings file, each once, in the order of the file."""
    row = _row(agent)
    path = row.path(scope, place)
    document = _document(_read(path), path)
    found = [
        handlers[index]["command"]
        for event in _hooks(document)
        for _, handlers, ours in _ours(document, row, event)
        for index in ours
    ]
    return tuple(dict.fromkeys(found))


def apply(plan: Plan) -> None:
    """Write what `plan` says, at once or not at all; a symbolic link stays one.

    Errors: SettingsError when the file is no longer what the plan saw, or cannot be written.
    """
    if not plan.is_change:
        return
    target = os.path.realpath(plan.path)
    if _read(target) != plan.before:
        raise SettingsError(f"{plan.path} was changed meanwhile", "run the same command again")
    try:
        if plan.after is None:
            os.unlink(target)
        else:
            _write(target, plan.after)
    except OSError as error:
        raise SettingsError(f"cannot write {plan.path}: {error.strerror}") from error


def direct_command(row: SettingsFile, interpreter: str, hook_script: str) -> str:
    """The shell command that runs the hook without looking anything up.

    It works in sh, so in Git Bash as well, where a backslash would be eaten.
    """
    program, script = _quoted(interpreter), _quoted(hook_script)
    return f"{program} -I -S {script} {row.agent}"


def _quoted(path: str) -> str:
    if re.match(r"[A-Za-z]:[\\/]|\\\\", path):
        path = path.replace("\\", "/")
    if re.search(r'["$`\\!]', path):
        return shlex.quote(path)
    return path if re.fullmatch(r"[\w@%+=:,./-]+", path, re.ASCII) else f'"{path}"'


def _row(agent: str) -> SettingsFile:
    if agent not in AGENTS:
        raise GitMemError(
            f"'{agent}' is not an agent that can be installed into",
            f"known agents: {', '.join(AGENTS)}",
            kind="usage",
        )
    return AGENTS[agent]


def _snippet(row: SettingsFile, command: str) -> bytes:
    with open(shipped(row.snippet), encoding="utf-8") as file:
        text = file.read()
    return text.replace(json.dumps(row.project_command), json.dumps(command)).encode()


def _document(content: bytes | None, path: str) -> Document:
    try:
        return Document.parse((content or b"").decode(), path)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadJson(path, line, "not UTF-8") from error


def _hooks(document: Document) -> dict[str, Any]:
    hooks = document.value.get("hooks") if isinstance(document.value, dict) else None
    return hooks if isinstance(hooks, dict) else {}


def _ours(
    document: Document, row: SettingsFile, event: str
) -> Iterator[tuple[int, list[Any], list[int]]]:
    """Of each group with a handler of ours: its index, its handlers, which of them are ours."""
    groups = _hooks(document).get(event)
    for index, group in enumerate(groups if isinstance(groups, list) else []):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(handlers, list):
            continue
        ours = [
            at
            for at, handler in enumerate(handlers)
            if isinstance(handler, dict) and row.is_ours(handler.get("command"))
        ]
        if ours:
            yield index, handlers, ours


def _settled(
    document: Document, row: SettingsFile, event: str, wanted: dict[str, Any] | None
) -> Document:
    """The document with exactly `wanted` of ours under `event`; with None, nothing of ours.

    A group that is all ours is replaced where it stands. In a group shared with other handlers
    only our handler is touched.
    """
    is_placed = wanted is None
    for index, handlers, ours in reversed(list(_ours(document, row, event))):
        at = ("hooks", event, index)
        if len(ours) < len(handlers):
            for handler in reversed(ours):
                document = document.remove((*at, "hooks", handler))
        elif is_placed:
            document = document.remove(at, prune=2)
        else:
            is_placed = True
            if document.value["hooks"][event][index] != wanted:
                document = document.replace(at, wanted)
    return document if is_placed else document.append(("hooks", event), wanted)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from error


def _write(target: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    temporary = f"{target}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode(errors="replace").splitlines(keepends=True)
