"""What is answered without click must be what click would have answered."""

import os
import subprocess
import sys

import click
import pytest
from running import Mem, note, scrubbed

from gitmem.cli import plain
from gitmem.cli.app import app

NAMES = ("show", "list", "recall", "add")


@pytest.fixture
def library(mem: Mem) -> Mem:
    mem.store(
        note("amounts", "Amounts are cents.\n\nAlways.", paths=["src/a.py"]),
        note("pinned", "Call it once.", paths=["src/**"]),
        note("publish", "Use make.", commands=["npm publish"]),
    )
    return mem


def answered(mem: Mem, *args: str) -> tuple[int | None, bytes, bytes]:
    """What `plain.answer` does with a command line, in a process of its own."""
    code = (
        "import sys; from gitmem.cli.plain import answer; code = answer(sys.argv[1:]);"
        "sys.stdout.flush(); sys.exit(99 if code is None else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=mem.repo.path,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return None if done.returncode == 99 else done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("show", "amounts"),
        ("list", "-n", "2"),
        ("list", "--limit", "9", "--ids"),
        ("list", "-n", "9", "--kind", "fact"),
        ("recall", "--path", "src/a.py"),
        ("recall", "--path", "src/a.py", "-n", "1"),
        ("recall", "--path", "src/a.py", "--ids"),
        ("recall", "--command", "npm publish", "--prompt", "amounts"),
        ("recall", "--path", "nowhere.txt"),
    ],
)
def test_a_plain_question_is_answered_as_click_answers_it(library: Mem, args: tuple[str, ...]):
    library("recall", "--path", "src/a.py")
    code, out, err = answered(library, *args)
    assert code == 0
    script = f"import sys; from gitmem.cli.app import main; sys.exit(main({list(args)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=library.repo.path, capture_output=True
    )
    assert (code, out, err) == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("show",),
        ("show", "a", "b"),
        ("show", "nowhere"),
        ("show", "amounts", "--json"),
        ("show", "amounts@1234"),
        ("list",),
        ("list", "-n", "0"),
        ("list", "-n", "x"),
        ("list", "-n"),
        ("list", "-n", "2", "--tag", "x"),
        ("recall",),
        ("recall", "name"),
        ("recall", "--path=src/a.py"),
        ("recall", "--error", "-"),
        ("add",),
        ("add", "-F", "note.md"),
        ("add", "one", "two"),
        ("add", "text", "--strength", "9"),
        ("status",),
    ],
)
def test_anything_else_is_left_to_click_without_a_word(library: Mem, args: tuple[str, ...]):
    assert answered(library, *args) == (None, b"", b"")


@pytest.mark.parametrize("name", NAMES)
def test_every_plain_option_is_one_of_the_command(name: str):
    command = app.get_command(click.Context(app), name)
    assert command is not None
    known = {
        option: (param.name, param.multiple, param.is_flag)
        for param in command.params
        if isinstance(param, click.Option)
        for option in param.opts
    }
    assert {
        option: (parameter, how == plain.MANY, how == plain.FLAG)
        for option, (parameter, how) in plain.PLAIN[name].items()
    } == {option: known[option] for option in plain.PLAIN[name]}


def test_a_plain_add_stores_what_the_command_stores_and_says_the_same(mem: Mem):
    args = ("add", "Mind src/a.py", "--why", "It is old.", "--tag", "x", "--tag", "y", "--pin")
    code, out, err = answered(mem, *args, "--id", "one")
    assert (code, err) == (0, b"")
    assert mem(*args, "--id", "two").replace("two", "one") == scrubbed(out)
    kept = [mem("show", name, "--raw").split("\n") for name in ("one", "two")]
    assert [line for line in kept[0] if "one" not in line] == [
        line for line in kept[1] if "two" not in line
    ]


def test_a_plain_add_that_is_refused_says_so_once(mem: Mem):
    done = mem.run("add", "Nothing is named here")
    code, out, err = answered(mem, "add", "Nothing is named here")
    assert (code, out.decode(), err.decode()) == (done.code, done.out, done.err)
    assert code == 1


def test_git_is_asked_ahead_for_nothing_that_is_not_used(mem: Mem):
    script = (
        "from gitmem.cli.plain import answer; from gitmem.store import process;"
        "assert answer(['add', 'Mind src/a.py', '--id', 'x']) == 0; assert not process._begun"
    )
    subprocess.run([sys.executable, "-c", script], cwd=mem.repo.path, check=True)


def test_neither_click_nor_typing_is_loaded_for_a_plain_question(library: Mem):
    script = (
        "import sys; from gitmem.cli.plain import answer;"
        "assert answer(['recall', '--path', 'src/a.py']) == 0;"
        "assert not {'click', 'typing', 're', 'subprocess'} & (sys.modules.keys() - before)"
    )
    script = "import sys; before = set(sys.modules); " + script
    library("recall", "--path", "src/a.py")
    subprocess.run([sys.executable, "-c", script], cwd=library.repo.path, check=True)
