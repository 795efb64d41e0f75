"""How commands, errors and prompts are folded before they are compared."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.text import (
    MAX_TEXT,
    fold,
    strip_ansi,
    without_heredocs,
)


@pytest.mark.parametrize(
    ("shown", "plain"),
    [
        ("\x1b[1;31merror\x1b[0m: no", "error: no"),
        ("\x1b[38;2;1;2;3mred\x1b[K", "red"),
        ("\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"),
        ("\x1b[38:5:9mcolons", "colons"),
        ("\x9b31m8-bit\x9b0m", "8-bit"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://x.test\x1b\\link\x1b]8;;\x1b\\ end", "link end"),
        ("\x9d0;title\x9ctext", "text"),
        ("\x1bPq#0\x1b\\text", "text"),
        ("\x1b(B\x1b[mtext", "text"),
        ("\x1b7save\x1b8", "save"),
        ("\x1bcreset", "reset"),
        ("\x1b=keys\x1b>", "keys"),
        ("\x1b]0;never ends\nnext line", "\nnext line"),
        ("\x1b[31", ""),
        ("\x1b[31éa", "éa"),
        ("end\x1b", "end"),
        ("\x1b\nx", "\nx"),
        ("[31m is no sequence", "[31m is no sequence"),
        ("naïve \x85", "naïve \x85"),
    ],
)
def test_terminal_sequences_are_removed(shown, plain):
    assert strip_ansi(shown) == plain


def test_stripping_a_long_coloured_log_is_quick_and_complete():
    line = "\x1b[32mok\x1b[0m some test passed\n"
    assert strip_ansi(line * 20_000) == "ok some test passed\n" * 20_000


@settings(max_examples=70, deadline=None)
@given(st.text("a[];m0\x1b\x9b\x9d\x07\\\n(B", max_size=30))
def test_nothing_of_a_terminal_sequence_is_left_and_nothing_is_invented(text):
    plain = strip_ansi(text)
    assert not set(plain) & set("\x1b\x9b\x9d")
    rest = iter(text)
    assert all(char in rest for char in plain)
    assert plain.count("\n") == text.count("\n")


def test_folding_takes_case_colour_and_runs_of_blanks_away():
    assert fold("  \x1b[31mError\x1b[0m:\r\n\t\u00a0Straße  KAPUTT ") == "error: strasse kaputt"
    assert fold("\x1b[0m \n") == ""


def test_an_over_long_text_keeps_both_its_ends():
    text = "first " + "x" * MAX_TEXT + " last"
    folded = fold(text)
    assert (folded[:7], folded[-6:]) == ("first x", "x last")
    assert len(folded) <= MAX_TEXT + 1


HEREDOCS = {
    "cat <<EOF\nnpm publish\nEOF\nls": "cat <<EOF\nls",
    "cat <<'END MARK'\nnpm publish\nEND MARK\nls": "cat <<'END MARK'\nls",
    'cat << "EOF" > x\nnpm publish\nEOF': 'cat << "EOF" > x',
    "cat <<\\EOF\nnpm publish\nEOF\nls": "cat <<\\EOF\nls",
    "cat <<-EOF\n\tnpm publish\n\tEOF\nls": "cat <<-EOF\nls",
    "cat <<EOF\n\tEOF\nEOF\nls": "cat <<EOF\nls",
    "cat <<A <<B; echo\none\nA\ntwo\nB\nls": "cat <<A <<B; echo\nls",
    "cat <<A\n<<B\nA\nls": "cat <<A\nls",
    "tr a b <<<npm\npublish": "tr a b <<<npm\npublish",
    "tr a b <<< '<<x'\npublish": "tr a b <<< '<<x'\npublish",
    "echo $((1 << 3))\nnpm publish": "echo $((1 << 3))\nnpm publish",
    "echo $((1 << n))\nnpm publish\nn": "echo $((1 << n))\nnpm publish\nn",
    "(( x = y << n ))\nnpm publish\nn": "(( x = y << n ))\nnpm publish\nn",
    "echo 'a << b'\nnpm publish\nb": "echo 'a << b'\nnpm publish\nb",
    'echo "a << b"\nnpm publish\nb': 'echo "a << b"\nnpm publish\nb',
    'echo "a\n<< b"\nnpm publish\nb': 'echo "a\n<< b"\nnpm publish\nb',
    "echo a \\<< b\nnpm publish\nb": "echo a \\<< b\nnpm publish\nb",
    "ls # cat <<EOF\nnpm publish": "ls # cat <<EOF\nnpm publish",
    "git commit -m \"$(cat <<'EOF'\nnpm publish\nEOF\n)\" && ls": (
        "git commit -m \"$(cat <<'EOF'\n)\" && ls"
    ),
    "(cat <<EOF\nnpm publish\nEOF\n) | sh": "(cat <<EOF\n) | sh",
    "cat <<EOF\r\nnpm publish\r\nEOF\r\nls": "cat <<EOF\r\nls",
    "cat <<EOF | sh\nnpm publish": "cat <<EOF | sh",
    "python - <<'PY' 2>&1\nprint('<<X')\nPY\nmake": "python - <<'PY' 2>&1\nmake",
    "cat <<": "cat <<",
    "no heredoc": "no heredoc",
    "": "",
}


@pytest.mark.parametrize(("command", "kept"), HEREDOCS.items())
def test_the_bodies_of_heredocs_are_no_commands(command, kept):
    assert without_heredocs(command) == kept


@settings(max_examples=70, deadline=None)
@given(st.text("a<-'\"\\$()# \n\tE", max_size=30))
def test_any_text_survives_the_heredoc_scan_as_some_of_its_lines(command):
    lines = iter(command.split("\n"))
    assert all(line in lines for line in without_heredocs(command).split("\n"))
