"""Two people edit one note at the same time: nothing is lost, and the next edit settles it."""

import time

from running import AUTHOR, SEEN_LINE, editor, note, scrubbed

EDITED = f"edited n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
CLASH = (
    "warning: note 'n' was changed meanwhile: both texts are kept\n"
    "hint: settle it with: git mem edit n\n"
)
CONFLICT = (
    "warning: note n is in conflict: its sides are shown merged\n"
    "hint: settle it with: git mem edit n\n"
)
WAIT = """
touch {open}
while [ ! -e {go} ]; do sleep 0.02; done
sed 's/^The text\\.$/{text}/' "$1" > "$1.new" && mv "$1.new" "$1"
"""


def opened(mem, tmp_path, name, text):
    """`git mem edit n` with its editor open; and the file that lets the editor save."""
    is_open, go = tmp_path / f"{name}.open", tmp_path / f"{name}.go"
    env = editor(tmp_path, name, WAIT.format(open=is_open, go=go, text=text))
    child = mem.start("edit", "n", env=env)
    deadline = time.monotonic() + 30
    while not is_open.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return child, go


def said(child):
    """(stdout, stderr) of a command that comes to its end."""
    out, err = child.communicate(timeout=30)
    return scrubbed(out), scrubbed(err)


def test_a_stale_save_is_kept_as_a_conflict_and_settled_by_the_next_edit(mem, tmp_path):
    mem.store(note("n", "The text.", paths=["src/a.py"]), note("other", paths=["src/a.py"]))
    first, first_go = opened(mem, tmp_path, "first", "One says this.")
    second, second_go = opened(mem, tmp_path, "second", "Two says that.")
    first_go.touch()
    assert said(first) == (EDITED, "")
    second_go.touch()
    assert said(second) == (EDITED, CLASH)
    assert (first.returncode, second.returncode) == (0, 0)

    (line,) = mem("list", "--conflicts").splitlines()
    assert line.endswith(" (conflict)")
    shown = mem.run("show", "n")
    assert (shown.code, shown.err) == (
        0,
        CONFLICT,
    )
    sides = shown.out.splitlines()[-2:]
    assert sorted(sides) == ["One says this.", "Two says that."]
    assert mem.json("show", "n")["conflict"] is True
    assert "1 in conflict; see: git mem list --conflicts" in mem("status").splitlines()
    assert mem("list", "--ids") == "n\nother\n"

    settled = editor(tmp_path, "settle", 'printf "%s\\n" "Both are right." >> "$1"')
    assert mem("edit", "n", env=settled) == EDITED
    assert mem("list", "--conflicts") == ""
    assert mem("show", "n").splitlines()[-3:] == [*sides, "Both are right."]
    history = mem("show", "n", "--history").splitlines()
    assert len(history) == 4
    assert history[0].startswith(f"<rev> <time> {AUTHOR}: ")
    assert history[3] == f"<rev> <time> {AUTHOR}: The text."


def test_saving_a_conflict_as_it_is_shown_settles_it(mem, tmp_path):
    mem.store(note("n", "The text.", paths=["src/a.py"]))
    child, go = opened(mem, tmp_path, "slow", "Slow.")
    mem("edit", "n", "Fast.")
    go.touch()
    said(child)
    assert mem("list", "--conflicts") != ""
    assert mem("edit", "n", env={"GIT_EDITOR": "true"}) == EDITED
    assert mem("list", "--conflicts") == ""
    assert sorted(mem("show", "n").splitlines()[-2:]) == ["Fast.", "Slow."]


def test_a_note_that_was_forgotten_meanwhile_keeps_what_was_written(mem, tmp_path):
    mem.store(note("n", "The text.", paths=["src/a.py"]))
    child, go = opened(mem, tmp_path, "slow", "Rewritten.")
    mem("forget", "n")
    go.touch()
    _, err = said(child)
    assert err.splitlines()[0] == "warning: note 'n' was changed meanwhile: both texts are kept"
    assert mem.run("show", "n").out.splitlines()[-1] == "Rewritten."
