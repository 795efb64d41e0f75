"""What doctor finds out about installed hooks, by running them as an agent would."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Mem

from gitmem.agents.settings_file import Place
from gitmem.githooks import health, settings
from gitmem.githooks.health import Found
from gitmem.githooks.shipped import hook_script

ARRIVES = "notes arrive at session start, with a prompt, before a step and after an error"
NEEDS = "(Claude Code 2.1.9 or later)"
SETTINGS = ".claude/settings.json"

Install = Callable[..., None]


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    return Place(str(tmp_path), str(home), {})


@pytest.fixture
def install(place: Place, tmp_path: Path) -> Install:
    """Install with an interpreter that does nothing."""
    interpreter = tmp_path / "python"
    interpreter.write_text("#!/bin/sh\nexit 0\n")
    interpreter.chmod(0o755)

    def run(agent: str, scope: str = "user", deny_once: bool = False) -> None:
        for plan in settings.plan_install(
            agent,
            scope,
            place,
            interpreter=str(interpreter),
            hook_script=hook_script(),
            deny_once=deny_once,
        ):
            settings.apply(plan)

    return run


def problems(place: Place) -> list[Found]:
    return [found for found in health.examine(place) if found.is_problem]


def with_shell(place: Place, shell: Path | str) -> Place:
    return Place(place.root, place.home, {"SHELL": str(shell)})


def test_nothing_is_said_and_run_where_nothing_is_installed(place: Place) -> None:
    assert list(health.examine(place)) == []


def test_each_agent_is_listed_with_its_scopes_and_what_it_gets(
    place: Place, install: Install, path: None
) -> None:
    install("claude")
    install("cursor", deny_once=True)
    install("agents-md", "project")
    assert list(health.examine(place)) == [
        Found("claude", f"installed (user); {ARRIVES} {NEEDS}"),
        Found(
            "cursor",
            "installed (user); notes arrive at session start only, or by stopping a step once",
        ),
        Found("agents-md", "installed (project); the agent reads there how to ask for notes"),
    ]
    install("claude", "project")
    (claude, *_) = health.examine(place)
    both = "installed (project and user; a note still comes once in a session)"
    assert claude == Found("claude", f"{both}; {ARRIVES} {NEEDS}")


def test_a_noisy_start_file_is_found_whichever_shells_read_it(
    place: Place, install: Install, home: Path
) -> None:
    install("claude")
    bash = with_shell(place, "/bin/bash")
    if not os.access("/bin/bash", os.X_OK):
        pytest.skip("there is no bash")
    assert problems(bash) == []
    for name, flag in ((".bashrc", "-i"), (".bash_profile", "-l")):
        (home / name).write_text("echo welcome back\n")
        assert problems(bash) == [
            Found(
                "",
                f"'/bin/bash {flag}' prints 13 bytes of its own, and an agent that starts hooks"
                " with it cannot read the answer: 'welcome back'",
                True,
                ("in the shell's start files, print to a terminal only: [ -t 1 ] && echo …",),
            )
        ]
        (home / name).write_text("[ -t 1 ] && echo welcome back\n")
        assert problems(bash) == []


def test_a_shell_that_never_ends_is_not_waited_for(
    place: Place, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("claude")
    shell = tmp_path / "sh"
    shell.write_text("#!/bin/sh\nsleep 60\n")
    shell.chmod(0o755)
    monkeypatch.setattr(health, "PATIENCE", 0.5)
    start = time.monotonic()
    assert problems(with_shell(place, shell)) == []
    assert time.monotonic() - start < 5


def test_an_interpreter_that_is_gone_is_found(
    place: Place, install: Install, tmp_path: Path
) -> None:
    install("claude")
    assert problems(place) == []
    (tmp_path / "python").unlink()
    assert problems(place) == [
        Found(
            "claude",
            f"{tmp_path / 'python'} is gone, and the user's hooks call it",
            True,
            ("write them anew with: git mem install claude --user",),
        )
    ]


def test_a_command_that_fails_is_found_with_its_reason(
    place: Place, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("gemini", "project")
    bin_directory = tmp_path / "bin"
    bin_directory.mkdir()
    (bin_directory / "git").write_text("#!/bin/sh\necho \"git: 'mem' is not\" >&2\nexit 1\n")
    (bin_directory / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_directory}{os.pathsep}{os.environ['PATH']}")
    assert problems(place) == [
        Found(
            "gemini",
            "'git mem hook gemini' fails: git: 'mem' is not",
            True,
            ("put git-mem on the PATH of the agent, or: git mem install gemini --user",),
        )
    ]


def test_a_backslash_in_a_command_is_found(place: Place, install: Install, home: Path) -> None:
    install("claude")
    file = home / ".claude" / "settings.json"
    command = "C:\\tools\\python.exe -I -S C:\\tools/gitmem/hook.py claude"
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}
    file.write_text(json.dumps({"hooks": hooks}))
    assert problems(place) == [
        Found(
            "claude",
            f"a shell eats the backslashes of '{command}'",
            True,
            ("write it anew with: git mem install claude --user",),
        )
    ]


def test_a_program_that_lost_its_bit_and_a_file_that_cannot_be_read_are_found(
    place: Place, install: Install, home: Path
) -> None:
    install("cline")
    hook = home / "Documents" / "Cline" / "Hooks" / "PreToolUse"
    hook.chmod(0o644)
    file = home / ".codex" / "hooks.json"
    file.parent.mkdir()
    file.write_text("{,}")
    assert problems(place) == [
        Found(
            "codex",
            f"{file}:1: expected a key in double quotes, or '}}'",
            True,
            (f"repair {file} by hand, then run this again",),
        ),
        Found("cline", f"{hook} is not executable, so it is not run", True, (f"chmod +x {hook}",)),
    ]


def test_doctor_shows_what_was_found_and_exits_with_1(mem: Mem, home: Path) -> None:
    assert "ok      hooks agents: none installed; to do it: git mem install claude\n" in mem(
        "doctor"
    )
    mem("install", "gemini", "--user")
    line = "ok      hooks gemini: installed (user); notes arrive at session start, with a prompt"
    assert line in mem("doctor")
    file = home / ".gemini" / "settings.json"
    file.write_text("{,}")
    done = mem.run("doctor")
    assert done.code == 1
    assert f"PROBLEM hooks gemini: {file}:1: expected a key" in done.out
