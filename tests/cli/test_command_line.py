"""What holds for every command: help, exit codes, errors, pipes and terminals."""

import os
import pty
import signal
import subprocess

import pytest
from running import Mem, note

COMMANDS = ("add", "recall", "show", "list", "edit", "forget", "restore", "undo", "why", "status")
COMMANDS += ("doctor", "reindex", "install", "uninstall", "hook", "demo")


def test_help_names_every_command_and_each_has_its_own(mem):
    text = mem("-h")
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
    assert [name for name in COMMANDS if name not in listed] == []
    children = {name: mem.start(name, "--help") for name in COMMANDS}
    for name, child in children.items():
        out, err = child.communicate(timeout=60)
        assert (child.returncode, err) == (0, b""), name
        assert out.decode().startswith(f"Usage: git mem {name} "), name


def test_no_command_prints_the_help_and_exits_with_2(mem):
    done = mem.run()
    assert (done.code, done.err) == (2, "")
    assert done.out.startswith("Usage: git mem [OPTIONS] COMMAND [ARGS]...\n")


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        (("lst",), "there is no command 'lst' (did you mean list?)", "see: git mem -h"),
        (("list", "--colour"), "No such option '--colour'", "see: git mem list -h"),
        (("show",), "Missing argument 'ID'", "see: git mem show -h"),
        (("list", "-n", "0"), None, "see: git mem list -h"),
        (("install", "clod"), "'clod' is not an agent that can be installed into", None),
        (("list", "--layer", "moon"), None, "see: git mem list -h"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_where_help_is(mem, args, message, hint):
    done = mem.run(*args)
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first.startswith(f"error: {message or ''}")
    if hint:
        assert rest == [f"hint: {hint}"]


def test_an_error_as_json_is_one_document_with_the_same_exit_code(mem, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    for args, where, kind, code in (
        (("list",), {"cwd": away}, "not-a-repository", 1),
        (("show", "nope"), {}, "not-found", 1),
        (("recall",), {}, "usage", 2),
        (("add", "Be careful."), {}, "refused", 1),
    ):
        done = mem.run(*args, "--json", **where)
        assert (done.code, done.err) == (code, "")
        document = mem.json(*args, **where)
        assert list(document) == ["version", "error"]
        assert list(document["error"]) == ["kind", "message", "hints"]
        assert document["error"]["kind"] == kind


def test_a_bug_exits_with_70_and_leaves_a_report_to_paste(mem):
    broken = mem.repo.path / "sitecustomize.py"
    broken.write_text(
        "import sys\nclass Bomb:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'subprocess': raise RuntimeError('boom')\n"
        "sys.meta_path.insert(0, Bomb())\n"
    )
    env = {"PYTHONPATH": str(mem.repo.path)}
    done = mem.run("list", env=env)
    assert (done.code, done.out) == (70, "")
    lines = done.err.splitlines()
    assert lines[:3] == [
        "error: RuntimeError: boom",
        "hint: please report this with the text below",
        "",
    ]
    assert lines[3].startswith("git mem ") and lines[4] == "command: git mem list"
    assert lines[-1] == "RuntimeError: boom"


def test_an_interrupt_exits_with_130_and_says_nothing(mem):
    with mem.start("add", "-F", "-") as child:
        child.stdin.write(b"---\n")
        child.stdin.flush()
        ready = mem.start("status")  # loads more: when it has ended, the first is reading
        ready.communicate(timeout=60)
        pids = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(child.pid)], capture_output=True, text=True
        ).stdout.split()
        for pid in [*pids, child.pid]:
            os.kill(int(pid), signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (out, err.replace(b"\n", b"")) == (b"", b"")
    assert child.returncode in (130, -signal.SIGINT)


def test_a_reader_that_goes_away_is_no_error(mem):
    mem.store(*(note(f"n{i:03}", "word " * 20, paths=["a"]) for i in range(200)))
    for command in ("git mem list", "git mem list --json", "git mem list --ids"):
        done = subprocess.run(
            ["sh", "-c", f"{command} | head -1; echo done"],
            cwd=mem.repo.path,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            capture_output=True,
            text=True,
        )
        assert done.stderr == "", command
        assert done.stdout.splitlines()[-1] == "done"


def on_a_terminal(mem: Mem, *args: str, **env: str) -> str:
    """What a person sees on a terminal that does no paging."""
    master, slave = pty.openpty()
    env = {"GIT_PAGER": "cat", "TERM": "xterm", **env}
    with mem.start(*args, env=env, stdout=slave) as child:
        child.wait(timeout=60)
    os.close(slave)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    return seen.decode()


def test_colours_are_for_terminals_and_follow_git(library):
    assert "\x1b" in on_a_terminal(library, "list")
    assert "\x1b" not in on_a_terminal(library, "list", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(
        library,
        "list",
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="color.ui",
        GIT_CONFIG_VALUE_0="false",
    )
    for args in (
        ("list",),
        ("recall", "--grep", "."),
        ("why", "src/a.py"),
        ("show", "stripe"),
        ("status",),
        ("-h",),
    ):
        assert "\x1b" not in library(*args), args


def test_a_terminal_gets_gits_pager_and_no_pager_turns_it_off(library, tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nsed 's/^/paged: /'\n")
    pager.chmod(0o755)
    paged = on_a_terminal(library, "list", GIT_PAGER=str(pager))
    assert paged.startswith("paged: ")
    plain = on_a_terminal(library, "--no-pager", "list", GIT_PAGER=str(pager))
    assert "paged" not in plain and "amounts" in plain
    assert "paged" not in library("list", env={"GIT_PAGER": str(pager)})


def test_the_version_is_printed(mem):
    from gitmem import __version__

    assert mem("--version") == f"git mem {__version__}\n"
