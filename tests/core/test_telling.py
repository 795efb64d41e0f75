"""Which line of an error becomes the trigger that knows it again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.telling import LONGEST, telling_line
from gitmem.core.text import fold

PYTEST = """Exit code 1
============ test session starts ============
tests/test_pay.py F                      [100%]
    def test_total():
>       assert total([1]) == 100
E       ModuleNotFoundError: No module named 'app'

tests/test_pay.py:4: ModuleNotFoundError
=========== 1 failed in 0.02s ==========="""
NODE = """Exit code 1
/w/app/tools/run.js:1
export const a = 1
^^^^^^

SyntaxError: Unexpected token 'export'
    at Object.compileFunction (node:vm:360:18)
    at wrapSafe (node:internal/modules/cjs/loader:1126:15)

Node.js v20.0.0"""
RUST = """   Compiling app v0.1.0
error[E0382]: borrow of moved value: `name`
 --> src/main.rs:4:20
For more information about this error, try `rustc --explain E0382`."""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PYTEST, "ModuleNotFoundError: No module named 'app'"),
        (NODE, "SyntaxError: Unexpected token 'export'"),
        (
            "src/a.c:12:3: error: expected ';' before 'return'",
            "error: expected ';' before 'return'",
        ),
        (
            "\x1b[31mfatal: not a git repository\x1b[0m (or any parent)",
            "fatal: not a git repository (or any parent)",
        ),
        ("bash: foo: command not found", "bash: foo: command not found"),
        (
            "npm ERR! A complete log of this run: /x.log\nnpm ERR! missing script: dev",
            "npm ERR! missing script: dev",
        ),
        (
            "make: *** No rule to make target 'all'.  Stop.",
            "make: *** No rule to make target 'all'. Stop.",
        ),
        ("Exit code 2", ""),
        ("", ""),
        ("===== ----- 12 34", ""),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'user'",
            "KeyError: 'user'",
        ),
    ],
)
def test_the_line_that_names_the_error_is_taken(error, line):
    assert telling_line(error) == line


def test_a_compiler_names_the_error_before_the_place():
    assert telling_line(RUST) in RUST
    assert "error" in telling_line(RUST)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("abE :/.1é\x1b[m\t'", max_size=60), max_size=6).map("\n".join))
def test_the_line_is_found_again_in_the_error_it_came_from(error):
    line = telling_line(error)
    assert fold(line) in fold(error)
    assert len(line) <= LONGEST
    assert "\n" not in line
