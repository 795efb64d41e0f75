"""The state of the work, given as a fact: refused with a command, and the command takes it."""

import shlex
from pathlib import Path

import pytest
from running import Done, Mem, note

OFFERS = {
    "next": ["Next step is to add the retry.", 'Next: print "$HOME" and `id` in don\'t.sh'],
    "focus": ["Currently working on the cache", "The move to ESM is in progress; 3 of 9 are done."],
    "blockers": ["Blocked by the vendor's key!", "We're waiting for review by Ann"],
    "todos": ["TODO: --json for `list`", "TODO: 100% of $PATH \\ more", "Left to do: docs"],
}


@pytest.mark.parametrize("place, text", [(at, text) for at in OFFERS for text in OFFERS[at]])
def test_the_command_that_is_offered_takes_it(mem: Mem, place: str, text: str) -> None:
    mem.repo.commit(**{"src/a.py": ""})
    done = mem.run("add", text, "-p", "src/a.py")
    assert (done.code, done.out) == (1, "")
    error, hint = done.err.splitlines()
    assert error.startswith(
        "error: the note:1: this is where the work stands and no lasting fact: "
    )
    program, name, *args = shlex.split(hint.removeprefix("hint: keep it with: "))
    assert (program, name) == ("git", "mem")
    assert mem.run(*args).code == 0
    (said,) = _texts(mem.json("state")[place])
    assert said in text
    assert mem.json("list")["notes"] == []


def _texts(value: object) -> list[object]:
    items = value if isinstance(value, list) else [value]
    return [item["text"] if isinstance(item, dict) else item for item in items]


def test_as_json_it_is_an_error_with_the_command(mem: Mem) -> None:
    mem.repo.commit(**{"src/a.py": ""})
    assert mem.json("add", "src/a.py is fast. TODO: time it")["error"] == {
        "kind": "refused",
        "message": "the note:1: this is where the work stands and no lasting fact: TODO: time it",
        "hints": ['keep it with: git mem todo add "time it"'],
    }


def test_a_file_is_refused_by_its_line_and_keeps_no_other_out(mem: Mem, tmp_path: Path) -> None:
    mem.repo.commit(**{"src/a.py": ""})
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(note("good", "Amounts are cents.", paths=["src/**"]))
    bad.write_text(note("bad", "Amounts are cents.\n\nNext steps:\n\n- a\n- b", paths=["src/**"]))
    done = mem.run("add", "-F", str(bad), "-F", str(good))
    assert done.code == 1
    assert done.err.splitlines() == [
        f"error: {bad}:10: this is where the work stands and no lasting fact: Next steps: a",
        'hint: keep it with: git mem state set next "a"',
    ]
    assert [item["id"] for item in mem.json("list")["notes"]] == ["good"]


def test_an_edit_is_refused_where_it_brings_it_in(mem: Mem) -> None:
    mem.repo.commit(**{"src/a.py": ""})
    mem("add", "src/a.py counts cents", "--id", "cents")
    assert mem.run("edit", "cents", "I'm working on src/a.py") == Done(
        1,
        "",
        "error: note 'cents':1: this is where the work stands and no lasting fact: "
        "I'm working on src/a.py\n"
        'hint: keep it with: git mem state set focus "src/a.py"\n',
    )
    assert "counts cents" in mem("show", "cents")


def test_what_a_rule_file_says_already_is_warned_of(mem: Mem) -> None:
    mem.repo.commit(**{"AGENTS.md": "# Rules\n\n- Run `make check` before a push.\n"})
    done = mem.run("add", "Run make check before a push", "-c", "git push")
    assert (done.code, done.err) == (
        0,
        "warning: AGENTS.md:3 says this already, and agents read it\n",
    )
    done = mem.run("add", "Run make check after a merge", "-c", "git merge")
    assert (done.code, done.err) == (0, "")


def test_a_near_note_and_a_relative_date_are_warned_of(mem: Mem) -> None:
    mem.repo.commit(**{"src/a.py": ""})
    mem("add", "Amounts in src/a.py are whole cents", "--id", "cents", "-p", "src/**")
    done = mem.run("add", "The amounts in src/a.py are in whole cents", "--id", "again")
    assert (done.code, done.err) == (
        0,
        "warning: this is near to note 'cents': git mem show cents\n",
    )
    said = mem.json("add", "src/a.py was rewritten last year")["warnings"]
    assert [(item["gate"], item["message"][:35]) for item in said] == [
        ("dates", "'last year' will soon mean another ")
    ]
    assert mem.run("add", "src/a.py was rewritten in 2025").err == ""
