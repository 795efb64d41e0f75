"""`edit`, `forget`, `restore` and `undo`: each a new revision, none a loss."""

import pytest
from running import AUTHOR, SEEN, SEEN_LINE, editor, note, note_json

NO_TRIGGER = (
    "error: note 'n' could never be recalled without a trigger\n"
    "hint: give it one in the same edit, for example -p 'src/**', or forget the note\n"
)


@pytest.fixture
def one(mem):
    """One shared note `n`."""
    mem.store(note("n", "One.", more="tags: [a, b]\nstrength: 2\n", paths=["src/a.py"]))
    return mem


def body(mem, name="n"):
    return mem("show", name).split("\n---\n", 1)[1]


# --- edit ---------------------------------------------------------------------------------------


def test_list_options_add_remove_options_narrow_scalars_and_text_replace(one):
    args = ["-p", "src/b.py", "-c", "make", "--tag", "c", "--remove-tag", "a", "--strength", "4"]
    args += ["--confidence", "verified", "--always", "--pin", "--kind", "rule", "--alias", "enn"]
    assert one("edit", "n", "Two.", *args) == (
        "edited n (shared)\n"
        "  always: at the start of every session\n"
        "  paths: src/a.py, src/b.py\n"
        "  commands: make\n"
        "  entity: enn\n"
        f"{SEEN_LINE}"
    )
    changed = one.json("show", "n")
    assert {name: changed[name] for name in ("body", "tags", "strength", "kind", "pinned")} == {
        "body": "Two.\n",
        "tags": ["b", "c"],
        "strength": 4,
        "kind": "rule",
        "pinned": True,
    }
    assert one("edit", "n", "--no-always", "--no-pin", "--remove-path", "src/a.py") == (
        f"edited n (shared)\n  paths: src/b.py\n  commands: make\n  entity: enn\n{SEEN_LINE}"
    )


def test_edit_as_json_has_the_new_revision(one):
    head = one.repo.git("rev-parse", "HEAD")  # not the commit of src/a.py, as for an add
    expected = note_json("n", "Two.", tags=["a", "b"], strength=2, paths=["src/a.py"], anchor=head)
    assert one.json("edit", "n", "Two.") == {
        "version": 1,
        "notes": [expected | {"op": "edited", "seen": SEEN, "derived": []}],
        "warnings": [],
        "unchanged": [],
    }
    assert one.json("edit", "n", "Two.")["unchanged"] == ["n"]
    assert one("edit", "n", "Two.") == "unchanged n\n"
    assert len(one("show", "n", "--history").splitlines()) == 2


def test_the_editor_changes_a_note_and_headings_are_no_comments(one, tmp_path):
    env = editor(tmp_path, "headings", 'printf "# One\\n\\n## Two\\n" >> "$1"')
    edited = f"edited n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert one("edit", "n", env=env) == edited
    assert body(one) == "One.\n# One\n\n## Two\n"
    windows = editor(
        tmp_path,
        "windows",
        'printf \'\\357\\273\\277\' | cat - "$1" > "$1.n"; sed \'s/$/\\r/\' "$1.n" > "$1"',
    )
    assert one("edit", "n", env=windows) == "unchanged n\n"
    configured = tmp_path / "windows"
    one.repo.git(
        "config", "core.editor", str(editor(tmp_path, "core", 'echo Core. >> "$1"')["GIT_EDITOR"])
    )
    assert one("edit", "n", env={"GIT_EDITOR": None}) == edited
    assert body(one).endswith("## Two\nCore.\n") and configured.exists()


def test_an_unchanged_an_empty_and_a_removed_file_change_nothing(one, tmp_path):
    for name, script in (("same", "true"), ("empty", ': > "$1"'), ("gone", 'rm "$1"')):
        assert one("edit", "n", env=editor(tmp_path, name, script)) == "unchanged n\n"
    done = one.run("edit", "n", env={"GIT_EDITOR": "false"})
    assert (done.code, done.err) == (1, "error: the editor 'false' failed; nothing was changed\n")
    assert len(one("show", "n", "--history").splitlines()) == 1


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("s/^  paths: .*/  paths: [/", "4: not valid YAML (key 'paths')"),
        ("s/^  paths: .*/  paths: []/", "note 'n' could never be recalled without a trigger"),
        ("s/^id: .*/id: other/", "an edit cannot rename note 'n' to 'other'"),
        ("s/^One\\.$//", "note 'n' would have no text"),
        (
            "s/^strength: .*/strength: much/",
            "5: 'strength' must be a number from 1 to 5, not 'much'",
        ),
    ],
)
def test_what_was_typed_is_kept_when_it_cannot_be_stored(one, tmp_path, script, problem):
    done = one.run("edit", "n", env=editor(tmp_path, "ed", f"sed -i '{script}' \"$1\""))
    assert (done.code, done.out) == (1, "")
    first, *_, last = done.err.splitlines()
    assert first.endswith(problem) and first.startswith("error: ")
    start = "hint: what you wrote is kept in "
    assert last.startswith(start)
    with open(last.removeprefix(start)) as file:
        assert file.read().startswith("---\nid: ")
    assert body(one) == "One.\n"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("nope", "x"), 1, "error: there is no note 'nope'\nhint: see: git mem list\n"),
        (
            ("n", "--remove-path", "src/x"),
            1,
            "error: note 'n' has no 'src/x' among its paths\nhint: its paths: 'src/a.py'\n",
        ),
        (
            ("n", "--remove-path", "src/a.py"),
            1,
            NO_TRIGGER,
        ),
        (
            ("n", " "),
            1,
            "error: note 'n' would have no text\nhint: to drop it: git mem forget n\n",
        ),
        (
            ("n", "--layer", "self", "x"),
            1,
            "error: there is no note 'n' in layer self\nhint: see: git mem list\n",
        ),
        ((), 2, "error: Missing argument 'ID'\nhint: see: git mem edit -h\n"),
    ],
)
def test_an_edit_that_cannot_be_made_says_what_to_type(one, args, code, message):
    done = one.run("edit", *args)
    assert (done.code, done.out, done.err) == (code, "", message)


def test_fields_that_other_tools_wrote_survive_every_edit(one):
    more = "owner: Ann\ntriggers:\n  paths: [src/b.py]\n  moons: [full]\n"
    one.store(f"---\nid: kept\n{more}---\nText.\n")
    one("edit", "kept", "-c", "make", "--tag", "t")
    text = one("show", "kept")
    assert text.startswith(
        "---\nid: kept\ntriggers:\n  paths: [src/b.py]\n  commands: [make]\n  moons: [full]\n"
        "tags: [t]\nowner: Ann\n"
    )
    assert text.count("\n---\n") == 1


# --- forget and restore ---------------------------------------------------------------------------


def test_a_forgotten_note_leaves_recall_and_comes_back_as_it_was(one):
    before = one("show", "n")
    assert one("forget", "n", "--reason", "wrong") == f"forgotten n (shared)\n{SEEN_LINE}"
    assert one("list") == "" and one("recall", "--path", "src/a.py") == ""
    assert one.hook(one.touch("src/a.py")) == ""
    assert one("list", "--forgotten") == "n  One.\n"
    done = one.run("show", "n")
    assert done.code == 1
    assert done.err == (
        "error: note 'n' is forgotten\n"
        "hint: what it said: git mem show n --history\n"
        "hint: to bring it back: git mem restore n\n"
    )
    assert one.run("forget", "n").err.splitlines()[0] == "error: note 'n' is forgotten"
    assert one("restore", "n") == f"restored n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert one("show", "n").replace("replaces: [<rev>]\n", "") == before
    again = one.run("restore", "n")
    assert (again.code, again.err) == (1, "error: note 'n' is not forgotten\n")
    unknown = one.run("restore", "nope")
    assert (unknown.code, unknown.err) == (
        1,
        "error: there is no note 'nope'\nhint: see: git mem list --forgotten\n",
    )


def test_selectors_choose_notes_and_a_dry_run_changes_nothing(mem):
    mem.store(
        note("a", "About the queue.", more="kind: rule\ntags: [x]\nstrength: 1\n", paths=["a"]),
        note("b", "About the cache.", more="kind: rule\n", paths=["a"]),
        note("c", "New.", more="supersedes: [b]\ntags: [x]\n", paths=["a"]),
    )
    for args, chosen in (
        (("-q", "QUEUE"), ["a"]),
        (("--kind", "rule"), ["a", "b"]),
        (("--kind", "rule", "--tag", "x"), ["a"]),
        (("--max-strength", "2"), ["a"]),
        (("--superseded",), ["b"]),
        (("--before", "2020-01-01"), []),
        (("--before", "2999-01-01", "--tag", "x"), ["a", "c"]),
        (("b", "--tag", "x"), ["b", "a", "c"]),
    ):
        said = "".join(f"would forget {name}\n" for name in chosen) or "nothing to forget\n"
        assert mem("forget", *args, "--dry-run") == said, args
    assert mem.json("forget", "--tag", "x", "--dry-run") == {
        "version": 1,
        "would_forget": ["a", "c"],
    }
    assert mem("list", "--ids") == "a\nb\nc\n"
    assert mem("forget", "--tag", "x") == (
        f"forgotten a (shared)\n{SEEN_LINE}forgotten c (shared)\n{SEEN_LINE}"
    )
    assert mem("forget", "--tag", "x") == "nothing to forget\n"
    assert mem("list", "--ids") == "b\n"
    log = mem.repo.git("log", "-1", "--format=%s", "refs/memory/facts")
    assert log == "git mem: forget 2 notes"


def test_forget_without_a_choice_or_with_a_wrong_one_forgets_nothing(one):
    done = one.run("forget")
    assert done.code == 2
    assert done.err == (
        "error: say which notes: give ids, or a selector such as --tag T\n"
        "hint: see: git mem forget -h\n"
    )
    assert one.run("forget", "--before", "soon").code == 2
    done = one.run("forget", "n", "nope")
    assert (done.code, done.err.splitlines()[0]) == (1, "error: there is no note 'nope'")
    assert one("list", "--ids") == "n\n"


def test_forget_and_restore_as_json(one):
    gone = one.json("forget", "n", "--reason", "r")
    (stored,) = gone.pop("notes")
    assert gone == {"version": 1, "warnings": [], "unchanged": []}
    assert (stored["id"], stored["op"], stored["visible"]) == ("n", "forgotten", False)
    (back,) = one.json("restore", "n")["notes"]
    assert (back["id"], back["op"], back["body"]) == ("n", "restored", "One.\n")


# --- undo ---------------------------------------------------------------------------------------


def test_undo_takes_back_the_last_change_and_undo_again_brings_it_back(one):
    one("edit", "n", "Two.")
    assert one("undo") == f"edited n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert body(one) == "One.\n"
    assert one("undo") == f"edited n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert body(one) == "Two.\n"
    one("forget", "n")
    assert one("undo") == f"restored n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert body(one) == "Two.\n"
    newest = one("show", "n", "--history").splitlines()
    assert newest[:2] == [
        f"<rev> <time> {AUTHOR}: Two.",
        f"<rev> <time> {AUTHOR}: forgotten: no reason given",
    ]
    assert len(newest) == 6


def test_undo_of_an_add_forgets_and_of_many_notes_all_of_them(mem):
    mem.store(note("a", paths=["x"]), note("b", paths=["x"]), note("c", paths=["x"]))
    undone = mem("undo").splitlines()
    assert sorted(undone[::2]) == [f"forgotten {name} (shared)" for name in "abc"]
    assert undone[1::2] == [f"  seen {SEEN}"] * 3
    assert mem("list") == ""
    restored = mem("undo").splitlines()
    assert sorted(restored[::3]) == [f"restored {name} (shared)" for name in "abc"]
    assert restored[1::3] == ["  paths: x"] * 3
    assert restored[2::3] == [f"  seen {SEEN}"] * 3


def test_undo_takes_the_last_change_of_any_layer_or_the_note_that_is_named(one):
    one.store(note("mine", paths=["src/b.py"]), layer="local")
    one("edit", "n", "Two.")
    assert one("undo", "mine") == f"forgotten mine (local)\n{SEEN_LINE}"
    assert one("undo") == f"restored mine (local)\n  paths: src/b.py\n{SEEN_LINE}"
    one("edit", "n", "Three.")
    assert one("undo") == f"edited n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert body(one) == "Two.\n"
    done = one.run("undo", "unknown")
    assert (done.code, done.err.splitlines()[0]) == (1, "error: there is no note 'unknown'")
    assert one.json("undo", "n")["notes"][0]["body"] == "Three.\n"


def test_there_is_nothing_to_undo_before_the_first_change(mem):
    done = mem.run("undo")
    assert (done.code, done.out, done.err) == (1, "", "error: no change was made here yet\n")
