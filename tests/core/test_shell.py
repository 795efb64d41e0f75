"""The words of a shell command, and what files they may name."""

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.shell import directories, parts, words


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cat Makefile", ["cat", "Makefile"]),
        ("cat 'a b/c d.py' a\\ b.py", ["cat", "a b/c d.py", "a b.py"]),
        ("cat \"src/it's.py\" 'src/a(1).py'", ["cat", "src/it's.py", "src/a(1).py"]),
        (
            "sed -i s/a/b/ x.py>out.txt;ls|wc&&(cd y)",
            ["sed", "-i", "s/a/b/", "x.py", "out.txt", "ls", "wc", "cd", "y"],
        ),
        ('echo "a \\" b" "$X"', ["echo", 'a " b', "$X"]),
        ("cat 'never closed", ["cat", "never closed"]),
        ("", []),
    ],
)
def test_words_are_those_of_a_shell(command, said):
    assert words(command) == said


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("ab './\\\"$=", min_size=1, max_size=8), max_size=5))
def test_what_is_quoted_for_a_shell_is_read_back(given_words):
    assert words(shlex.join(given_words)) == list(dict.fromkeys(given_words))


def test_a_file_may_be_a_part_of_a_word():
    assert "a.txt" in parts("--out=a.txt")
    assert "src/pay.py" in parts("HEAD:src/pay.py")
    assert "src/pay.py" in parts("src/pay.py::test_x")
    assert "src/pay.py" in parts("src/pay.py:12:3")
    assert parts("a,b") == ["a", "b"]
    assert parts("plain") == []


def test_directories_on_the_way():
    assert directories("cd src && cat pay.py; cd 'a b'; ls") == ["src", "a b"]
    assert directories("ls src") == []
