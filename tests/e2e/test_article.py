"""The main job: a note arrives when it matters, with its reason, and never otherwise."""

import json

import pytest
from running import SEEN_LINE, card, note, shown

COMMONJS = """\
---
id: scripts-are-commonjs
kind: gotcha
triggers:
  paths: [package.json, "scripts/**"]
  errors: ["Unexpected token 'export'"]
confidence: verified
verified: 2026-08-23
strength: 4
tags: [node, ci]
---
Scripts under `scripts/` use CommonJS `require()`.

**Why it matters:** two of them run from live CI. Adding `"type": "module"` breaks that silently.

**Instead:** name new ESM config files `.mjs`.
"""
BODY = COMMONJS.partition("\n---\n")[2].rstrip("\n")
FACTS = "gotcha, verified 2026-08-23, shared note"


def commonjs(why, text=BODY, facts=FACTS):
    return card("scripts-are-commonjs", facts, why, text)


@pytest.fixture
def article(mem):
    mem.store(COMMONJS)
    return mem


def failure(mem, error, **fields):
    return {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "node tools/new.js"},
        "cwd": str(mem.repo.path),
        "error": error,
        **fields,
    }


def test_an_edit_of_the_file_brings_the_note_with_its_three_parts_and_its_reason(article):
    event = {
        "tool_name": "Edit",
        "cwd": str(article.repo.path),
        "tool_input": {"file_path": "package.json"},
    }
    out = article.hook(event)
    assert out.endswith("}\n") and out.count("\n") == 1
    assert json.loads(out) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "additionalContext": shown(commonjs("path 'package.json' matches 'package.json'")),
        }
    }


def test_a_file_whose_name_only_contains_the_trigger_brings_nothing(article):
    assert article.shown(article.touch("package.json")) != ""
    assert article.hook(article.touch("my-package.json.bak")) == ""


def test_the_error_brings_the_note_after_the_failure(article):
    error = "Exit code 1\nSyntaxError: Unexpected token 'export'\n    at node:internal"
    out = json.loads(article.hook(failure(article, error)))
    why = "error 'SyntaxError: Unexpected token 'export'' matches 'Unexpected token 'export''"
    assert out == {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUseFailure",
            "additionalContext": shown(commonjs(why)),
        }
    }


def test_an_edit_and_a_failure_in_one_session_bring_the_note_once(article):
    error = failure(article, "Unexpected token 'export'", session_id="s1")
    assert article.shown(article.touch("package.json", session_id="s1")) != ""
    assert article.hook(error) == ""
    assert article.shown(error | {"session_id": "s2"}) != ""


def test_a_new_revision_is_shown_again_in_the_same_session(article):
    event = article.touch("package.json", session_id="s1")
    assert article.shown(event) != ""
    article("edit", "scripts-are-commonjs", "They are ES modules now.")
    assert article.shown(event) == shown(
        commonjs("path 'package.json' matches 'package.json'", "They are ES modules now.")
    )
    assert article.hook(event) == ""


def test_events_without_a_session_are_never_taken_for_repetitions(article):
    event = article.touch("package.json")
    assert article.hook(event) == article.hook(event) != ""


def test_a_local_note_of_the_same_id_arrives_on_all_triggers_of_the_shared_note(article):
    article.store(note("scripts-are-commonjs", "Mine.", commands=["npm run lint"]), layer="local")
    for event, why in (
        (article.bash("npm run lint"), "command 'npm run lint' matches 'npm run lint'"),
        (article.touch("package.json"), "path 'package.json' matches 'package.json'"),
        (article.touch("scripts/run.js"), "path 'scripts/run.js' matches 'scripts/**'"),
        (
            failure(article, "Unexpected token 'export'"),
            "error 'Unexpected token 'export'' matches 'Unexpected token 'export''",
        ),
    ):
        assert article.shown(event) == shown(commonjs(why, "Mine.", "fact, local note"))


def test_a_note_that_could_never_be_recalled_is_refused_and_nothing_is_stored(article):
    before = article.refs()
    done = article.run("add", "Be careful.")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: the note could never be recalled: it has no trigger and names no tracked file\n"
        "hint: say when it matters: -p 'src/**', -c 'npm publish', -e 'the error text', "
        "--prompt 'a phrase', or --always for the start of every session\n"
    )
    assert article.refs() == before
    assert article("list", "--ids") == "scripts-are-commonjs\n"


def test_a_tracked_file_named_in_the_text_becomes_the_trigger_and_add_says_so(mem):
    assert mem("add", "src/a.py nests items inside event") == (
        "added src-a-py-nests-items-inside-event (shared)\n"
        "  paths: src/a.py (derived from the text)\n"
        f"{SEEN_LINE}"
    )
    assert mem.shown(mem.touch("src/a.py")) == shown(
        card(
            "src-a-py-nests-items-inside-event",
            "fact, shared note",
            "path 'src/a.py' matches 'src/a.py'",
            "src/a.py nests items inside event",
        )
    )
    assert mem.hook(mem.touch("src/b.py")) == ""


def test_a_word_too_common_to_derive_from_is_named_with_what_to_type(mem):
    mem.repo.commit(**{"other/package.json": "{}\n"})
    done = mem.run("add", "Sort the keys of package.json")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: the note could never be recalled: it has no trigger and names no tracked file\n"
        "hint: 'package.json' is too common a file name to derive a trigger from; "
        "if you mean it: -p 'package.json'\n"
        "hint: say when it matters: -p 'src/**', -c 'npm publish', -e 'the error text', "
        "--prompt 'a phrase', or --always for the start of every session\n"
    )


def test_the_demo_shows_every_kind_of_trigger_and_leaves_a_repository(mem, tmp_path):
    out = mem("demo", "--dir", str(tmp_path / "shop"))
    lines = out.splitlines()
    titles = [line for line in lines if line.startswith("== ")]
    assert titles == [
        "== A project with some history",
        "== What the team learned, as notes",
        "== A session starts: only the rules that govern all of it",
        "== The agent opens src/api/events.py",
        "== It opens the sibling src/api/users.py: silence",
        "== It is about to edit package.json",
        "== It opens package.json again: shown once in this session, so silence",
        "== In another session, a script fails with an error that the same note knows",
        "== It is about to run npm publish",
        "== The user asks about an entity",
        "== And why, for a person",
        "== A branch learns something; main does not know it yet",
        "== Its work lands on main as one new commit: so does what it learned",
        "== What a reviewer sees of a branch that is still open",
    ]
    assert lines.count("(nothing)") == 2
    assert "Traceback" not in out and "PROBLEM" not in out
    assert mem("list", "--ids", cwd=tmp_path / "shop").split() == [
        "amounts-are-integer-cents",
        "never-push-to-main-open-a-pull-request",
        "releases-go-through-make-publish",
        "scripts-are-commonjs",
        "src-api-events-py-nests-items-inside-event",
        "src-currency-py-yen-have-no-minor-unit",
        "stripe",
    ]
