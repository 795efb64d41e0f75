"""Whether what was installed into agents works on this machine: tried the way that agents do it.

An agent hands the installed command to a shell and reads what is printed. So a program that is
gone, a backslash that a shell eats, or a greeting in a shell's start file makes hooks silent, and
nobody sees why. Everything is started at once and waited for together, a few seconds at most.
"""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitmem.agents.installs import NEVER
from gitmem.agents.settings_file import DENY_ONCE, Block, Place, Whole
from gitmem.errors import GitMemError
from gitmem.githooks.settings import AGENTS, SCOPES, installed_commands

PATIENCE = 5.0  # seconds
SHELLS = ("bash", "dash", "fish", "ksh", "sh", "zsh")  # that know -l, -i and -c
EXCERPT = 40  # characters


@dataclass(frozen=True, slots=True)
class Found:
    """What is to say about one agent, or with '' about the shell. Problems come with hints."""

    agent: str
    message: str
    is_problem: bool = False
    hints: tuple[str, ...] = ()


def examine(place: Place) -> Iterator[Found]:
    """All there is to say about the agents that were installed into; nothing when there are none.

    Runs the installed commands, with empty input.
    """
    installed: dict[tuple[str, str], tuple[str, ...]] = {}
    for agent in AGENTS:
        for scope in SCOPES:
            try:
                commands = installed_commands(agent, scope, place)
            except GitMemError as error:
                if error.kind not in ("usage", "not-a-repository", "no-home"):
                    yield Found(agent, error.message, True, error.hints)
                continue
            if commands:
                installed[agent, scope] = commands
    for agent in dict.fromkeys(agent for agent, _ in installed):
        scopes = [scope for scope in SCOPES if (agent, scope) in installed]
        commands = tuple(one for scope in scopes for one in installed[agent, scope])
        yield Found(agent, _summary(agent, scopes, commands))
        yield from _not_executable(agent, scopes, place)
    yield from _tried(installed, place.environ)


def _summary(agent: str, scopes: list[str], commands: tuple[str, ...]) -> str:
    row = AGENTS[agent]
    where = " and ".join(scopes)
    if len(scopes) > 1:
        where += "; a note still comes once in a session"
    arrives = row.arrives
    if any(DENY_ONCE in one for one in commands):
        once = "by stopping a step once"
        arrives = f"notes arrive {once}" if arrives == NEVER else f"{arrives}, or {once}"
    needs = f" ({row.needs} or later)" if row.needs else ""
    return f"installed ({where}); {arrives}{needs}"


def _not_executable(agent: str, scopes: list[str], place: Place) -> Iterator[Found]:
    for scope in scopes:
        for file in AGENTS[agent].files:
            path = AGENTS[agent].path(file, scope, place)
            must_run = isinstance(file, Whole) and file.is_program and os.path.exists(path)
            if must_run and not os.access(path, os.X_OK):
                message = f"{path} is not executable, so it is not run"
                yield Found(agent, message, True, (f"chmod +x {shlex.quote(path)}",))


def _tried(
    installed: Mapping[tuple[str, str], tuple[str, ...]], environ: Mapping[str, str]
) -> Iterator[Found]:
    """What running the commands shows."""
    runnable: dict[str, tuple[str, str]] = {}
    for (agent, scope), commands in installed.items():
        if any(isinstance(file, Block) for file in AGENTS[agent].files):
            continue
        again = f"git mem install {agent}{' --user' if scope == 'user' else ''}"
        for command in commands:
            if "\\" in command:
                message = f"a shell eats the backslashes of '{command}'"
                yield Found(agent, message, True, (f"write it anew with: {again}",))
            elif gone := _gone(command):
                message = f"{gone} is gone, and the {scope}'s hooks call it"
                yield Found(agent, message, True, (f"write them anew with: {again}",))
            else:
                runnable.setdefault(command, (agent, scope))
    if not runnable or os.name == "nt":
        return
    plain = {command: _start(("sh", "-c", command)) for command in runnable}
    first = next(iter(runnable))
    shell = environ.get("SHELL", "")
    noisy = {}
    if os.path.basename(shell) in SHELLS and os.access(shell, os.X_OK):
        noisy = {flag: _start((shell, flag, "-c", first)) for flag in ("-l", "-i")}
    deadline = time.monotonic() + PATIENCE
    for command, (agent, scope) in runnable.items():
        yield from _failed(agent, scope, command, _end(plain[command], deadline))
    seen: set[bytes] = set()
    for flag, process in noisy.items():
        printed = _end(process, deadline).stdout
        if printed and printed not in seen:
            seen.add(printed)
            yield _noise(f"{shell} {flag}", printed)


def _gone(command: str) -> str:
    """The absolute program or script that a command names and that is not there; '' for none."""
    try:
        words = shlex.split(command.removeprefix("m=$("))
    except ValueError:
        return ""
    named = [word for word in words[:4] if os.path.isabs(word)]
    return next((word for word in named if not os.path.exists(word)), "")


@dataclass(frozen=True, slots=True)
class _Outcome:
    code: int | None  # None: it did not end
    stdout: bytes
    stderr: bytes


def _failed(agent: str, scope: str, command: str, outcome: _Outcome) -> Iterator[Found]:
    if outcome.code is None:
        yield Found(agent, f"'{command}' did not end within {PATIENCE:.0f} seconds", True)
    elif outcome.code or b"git: 'mem' is not" in outcome.stderr:
        words = outcome.stderr.decode("utf-8", "replace").strip().splitlines() or [
            "no reason given"
        ]
        hint = "put git-mem on the PATH of the agent"
        hints = (f"{hint}, or: git mem install {agent} --user",) if scope == "project" else ()
        yield Found(agent, f"'{command}' fails: {words[0]}", True, hints)


def _noise(how: str, printed: bytes) -> Found:
    text = printed.decode("utf-8", "replace").strip()
    excerpt = text if len(text) <= EXCERPT else text[:EXCERPT] + "…"
    return Found(
        "",
        f"'{how}' prints {len(printed)} bytes of its own, and an agent that starts hooks with it"
        f" cannot read the answer: {excerpt!r}",
        True,
        ("in the shell's start files, print to a terminal only: [ -t 1 ] && echo …",),
    )


def _start(args: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        args,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # an interactive shell must not get hold of the terminal
    )


def _end(process: "subprocess.Popen[bytes]", deadline: float) -> _Outcome:
    try:
        out, err = process.communicate(timeout=max(0.01, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return _Outcome(None, out, err)
    return _Outcome(process.returncode, out, err)
