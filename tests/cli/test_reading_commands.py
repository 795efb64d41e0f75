"""`recall`, `show`, `list`, `why` and `status`: whole outputs, as text and as JSON."""

import pytest
from running import ANCHOR, AUTHOR, COMMONJS_JSON, LIBRARY, Mem, note, note_json

STORED = f"""\
created: <time>
written: <time>
author: {AUTHOR}
{ANCHOR}---
"""
AMOUNTS = note_json("amounts", "Amounts are cents.", layer="local", paths=["src/b.py"])
NEW_WAY = note_json("new-way", "Call it once.", supersedes=["old-way"], paths=["src/**"])


def start_of(library):
    """The one commit of the library."""
    return library.repo.git("rev-parse", "HEAD")


# --- recall -------------------------------------------------------------------------------------


def test_recall_by_event_unites_its_options_and_gives_every_reason(library):
    assert library(
        *("recall", "--path", "src/b.py", "--command", "npm publish --dry", "--prompt", "so?")
    ) == (
        "releases (rule, shared)\n"
        "  commands: npm publish --dry matches 'npm publish'\n"
        "\n"
        "    Releases go through make publish.\n"
        "\n"
        "amounts (fact, local)\n"
        "  paths: src/b.py matches 'src/b.py'\n"
        "\n"
        "    Amounts are cents.\n"
        "\n"
        "new-way (fact, shared)\n"
        "  paths: src/b.py matches 'src/**'\n"
        "\n"
        "    Call it once.\n"
        "\n"
    )


def test_recall_as_json_has_the_hits_with_what_matched_and_a_score(library):
    document = library.json("recall", "--path", "src/b.py")
    scores = [hit.pop("score") for hit in document["hits"]]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 1
    matched = {"kind": "paths", "value": "src/b.py"}
    more = {"anchor": start_of(library), "stale": 0}
    assert document == {
        "version": 1,
        "hits": [
            AMOUNTS | {"layers": ["local"], "matched": [matched | {"trigger": "src/b.py"}]} | more,
            NEW_WAY | {"layers": ["shared"], "matched": [matched | {"trigger": "src/**"}]} | more,
        ],
        "sufficient": None,
        "omitted": 0,
    }


@pytest.mark.parametrize(
    ("args", "ids"),
    [
        (("--path", "package.json", "--path", "README.md"), ["scripts-are-commonjs"]),
        (("--error", "x\n SyntaxError: unexpected  TOKEN 'export'"), ["scripts-are-commonjs"]),
        (("--prompt", "why does stripe fail?"), ["stripe"]),
        (("--path", "src/a.py"), ["new-way"]),
        (("--path", "nothing/here"), []),
        (("--command", "make"), []),
        (("releases",), ["releases"]),
        (("rele",), ["releases"]),
        (("payments", "gateway"), ["stripe"]),
        (("--grep", "cents|once"), ["amounts", "new-way"]),
        (("--grep", "^npm P"), ["releases"]),
        (("--grep", "twice"), []),
        (("--grep", ".", "--kind", "gotcha"), ["scripts-are-commonjs"]),
        (("--grep", ".", "--tag", "ci", "--min-strength", "5"), ["releases"]),
        (("--grep", ".", "--layer", "local"), ["amounts"]),
        (("--grep", ".", "-n", "2"), ["amounts", "house-rule"]),
        (("releases", "--path", "package.json"), ["releases", "scripts-are-commonjs"]),
    ],
)
def test_recall_finds_by_event_name_pattern_and_filter(library, args, ids):
    assert library("recall", *args, "--ids").split() == ids


def test_recall_counts_what_a_limit_left_out(library):
    text = library("recall", "--path", "src/b.py", "-n", "1")
    assert text.endswith("    Amounts are cents.\n\n1 more; see them with a larger --limit\n")
    assert library.json("recall", "--path", "src/b.py", "-n", "1")["omitted"] == 1


def test_recall_reads_the_error_from_standard_input(library):
    output = "make: ***\nSyntaxError: Unexpected token 'export'\n"
    assert library("recall", "--error", "-", stdin=output) == (
        "scripts-are-commonjs (gotcha, shared)\n"
        "  errors: SyntaxError: Unexpected token 'export' matches 'Unexpected token 'export''\n"
        "\n"
        "    Scripts under `scripts/` use CommonJS `require()`.\n"
        "\n"
    )


def test_recall_by_name_and_by_pattern_say_so(library):
    assert library("recall", "amounts").splitlines()[:2] == [
        "amounts (fact, local)",
        "  name: amounts",
    ]
    assert library("recall", "--grep", "CENTS").splitlines()[1] == "  grep: cents"


@pytest.mark.parametrize(
    ("args", "code", "error"),
    [
        (("nonsense",), 1, ["there is no note 'nonsense'", "see: git mem list"]),
        (
            ("scripts-are-comonjs",),
            1,
            ["there is no note 'scripts-are-comonjs'", "did you mean scripts-are-commonjs?"],
        ),
        (
            ("payment", "gatway"),
            1,
            ["there is no note 'payment gatway'", "did you mean 'payments gateway'?"],
        ),
        (("Strype",), 1, ["there is no note 'Strype'", "did you mean stripe?"]),
        (
            ("commonjs",),
            1,
            ["there is no note 'commonjs'", "did you mean scripts-are-commonjs?"],
        ),
        (
            ("obsolete",),
            1,
            [
                "note 'obsolete' is forgotten",
                "what it said: git mem show obsolete --history",
                "to bring it back: git mem restore obsolete",
            ],
        ),
        (
            (),
            2,
            [
                "say what happens: --path, --command, --error, --prompt, or a name",
                "see: git mem recall -h",
            ],
        ),
        (
            (
                "--grep",
                "(",
            ),
            2,
            [
                "--grep '(': missing ), unterminated subpattern at position 0",
                "see: git mem recall -h",
            ],
        ),
    ],
)
def test_what_recall_cannot_answer_is_an_error_with_what_to_type(library, args, code, error):
    done = library.run("recall", *args)
    message, *hints = error
    assert (done.code, done.out) == (code, "")
    assert done.err == f"error: {message}\n" + "".join(f"hint: {hint}\n" for hint in hints)
    document = library.json("recall", *args)["error"]
    assert (document["message"], document["hints"]) == (message, hints)


def test_a_prefix_of_several_ids_is_ambiguous_and_names_them(mem):
    mem.store(note("one-a", paths=["a"]), note("one-b", paths=["b"]))
    done = mem.run("show", "one")
    assert (done.code, done.out) == (1, "")
    assert done.err == "error: 'one' may be any of 2 notes\nhint: one-a\nhint: one-b\n"


# --- show ---------------------------------------------------------------------------------------


def test_show_prints_the_note_as_it_is_stored(library):
    stored = LIBRARY[0].replace("---\nScripts", f"{STORED}Scripts")
    for name in ("scripts-are-commonjs", "scripts", "Scripts-Are-CommonJS"):
        assert library("show", name) == stored
    assert library("show", "scripts-are-commonjs", "--raw") == stored
    document = {"version": 1, **COMMONJS_JSON, "anchor": start_of(library), "layers": ["shared"]}
    assert library.json("show", "scripts-are-commonjs") == document


@pytest.mark.parametrize("name", ["stripe", "Stripe", "payments gateway", "PAYMENTS  Gateway"])
def test_show_finds_an_entity_by_its_name_and_its_aliases(library, name):
    assert library("show", name, "--raw").splitlines()[1] == "id: stripe"


def test_show_history_has_every_revision_newest_first_also_of_a_forgotten_note(library):
    assert library("show", "obsolete", "--history") == (
        f"<rev> <time> {AUTHOR}: forgotten: it is fast now\n<rev> <time> {AUTHOR}: It was slow.\n"
    )
    document = library.json("show", "obsolete", "--history")
    newest, first = document["revisions"]
    said = note_json("obsolete", "It was slow.", paths=["src/a.py"], anchor=start_of(library))
    assert first == said | {"op": "add", "reason": None, "replaces": []}
    assert (newest["op"], newest["reason"], newest["replaces"]) == (
        "forget",
        "it is fast now",
        ["<rev>"],
    )


def test_show_takes_an_older_revision_by_the_start_of_its_name(mem):
    mem.store(note("n", "One.", paths=["src/a.py"]))
    rev = mem.repo.git("ls-tree", "-r", "--name-only", "refs/memory/facts").split("@")[1][:8]
    mem("edit", "n", "Two.")
    assert mem("show", "n").endswith("---\nTwo.\n")
    assert mem("show", f"n@{rev}").endswith("---\nOne.\n")
    assert mem("show", f"n@{rev}", "--raw") == mem("show", f"n@{rev}")
    assert mem.json("show", f"n@{rev}")["body"] == "One.\n"
    done = mem.run("show", "n@ffff")
    assert (done.code, done.err) == (
        1,
        "error: note 'n' has no revision 'ffff'\nhint: see: git mem show n --history\n",
    )


def test_show_raw_gives_the_bytes_that_another_tool_stored(mem):
    from running import store_blob

    from gitmem.codec import revision_name
    from gitmem.store.layout import path_of

    mem.store(note("n", paths=["src/a.py"]))
    odd = "---\nid:   odd\ntriggers: { paths: [ src/b.py ] }\n---\n\n\ntext"
    store_blob(mem.repo, path_of("odd", revision_name(odd.encode())), odd)
    assert mem("show", "odd", "--raw") == odd
    assert mem("show", "odd") == "---\nid: odd\ntriggers:\n  paths: [src/b.py]\n---\n\n\ntext\n"


# --- list ---------------------------------------------------------------------------------------


def test_list_has_one_line_for_each_note(library):
    assert library("list") == (
        "amounts               [local] Amounts are cents.\n"
        "house-rule            Never push to main.\n"
        "legacy                The old tree.\n"
        "new-way               Call it once.\n"
        "old-way               Call it twice.\n"
        "releases              Releases go through make publish.\n"
        "scripts-are-commonjs  Scripts under `scripts/` use CommonJS `require()`.\n"
        "stripe                Stripe needs the test key.\n"
    )


@pytest.mark.parametrize(
    ("args", "ids"),
    [
        (("--kind", "rule"), ["releases"]),
        (("--kind", "none"), []),
        (("--tag", "ci"), ["releases", "scripts-are-commonjs"]),
        (("--entity", "STRIPE"), ["stripe"]),
        (("--entity", "payments gateway"), ["stripe"]),
        (("--layer", "local"), ["amounts"]),
        (("--orphans",), ["legacy"]),
        (("--conflicts",), []),
        (("--forgotten",), ["obsolete"]),
        (("-n", "2"), ["amounts", "house-rule"]),
        (("--tag", "ci", "--kind", "gotcha"), ["scripts-are-commonjs"]),
    ],
)
def test_list_filters(library, args, ids):
    assert library("list", *args, "--ids").split() == ids


def test_list_as_json_has_whole_notes(library):
    document = library.json("list", "--tag", "node")
    start = {"anchor": start_of(library)}
    assert document == {"version": 1, "notes": [COMMONJS_JSON | start | {"layers": ["shared"]}]}
    (gone,) = library.json("list", "--forgotten")["notes"]
    said = note_json("obsolete", "It was slow.", paths=["src/a.py"], visible=False, revision=None)
    assert gone == said | start | {"layers": ["shared"], "forgotten": True}


# --- why and status -----------------------------------------------------------------------------


def test_why_says_which_notes_fire_and_why_the_others_do_not(library):
    assert library("why", "src/b.py") == (
        "src/b.py: 2 of 8 notes fire\n"
        "\n"
        "fires   amounts: Amounts are cents.\n"
        "        paths: src/b.py matches 'src/b.py'\n"
        "\n"
        "fires   new-way: Call it once.\n"
        "        paths: src/b.py matches 'src/**'\n"
        "\n"
        "silent  old-way: another note supersedes it\n"
        "silent  house-rule: it is shown at session start\n"
        "silent  legacy: no path trigger matches: 'legacy/**'\n"
        "silent  releases: it has no path trigger, only commands\n"
        "silent  scripts-are-commonjs: no path trigger matches: 'package.json', 'scripts/**'\n"
        "silent  stripe: it has no path trigger; it is recalled by name\n"
    )
    document = library.json("why", "README.md")
    assert (document["version"], document["path"], document["fires"]) == (1, "README.md", [])
    assert [item["id"] for item in document["silent"]][:2] == ["amounts", "house-rule"]


def test_why_knows_exclusions_and_paths_outside(mem):
    mem.store(note("most", paths=["src/**", "!src/b.py"]))
    assert mem("why", "src/b.py").splitlines()[-1] == "silent  most: excluded by '!src/b.py'"
    for path in ("/elsewhere/x", "../x", ""):
        text = f"{path}: outside the repository, so no note fires\n"
        assert mem("why", path) == text
    reason = "the path is outside the repository"
    assert mem.json("why", "/x")["silent"] == [{"id": "most", "reason": reason}]


def test_status_counts_and_says_what_needs_attention(library):
    lines = library("status").splitlines()
    assert lines[0] == "notes: 1 local, 7 shared"
    assert "1 that no trigger reaches; see: git mem list --orphans" in lines
    assert "hooks: none installed; see: git mem install claude" in lines
    document = library.json("status")
    expected = {
        "version": 1,
        "layers": {"local": 1, "shared": 7, "workspace": 0, "self": 0},
        "pending": 0,
        "conflicts": 0,
        "stranded": 0,
        "other_branches": 0,
        "broken": 0,
        "orphans": 1,
        "last_error": None,
    }
    assert {name: document[name] for name in expected} == expected
    assert document["hooks"]["claude"] is False
    assert isinstance(document["unpublished"], int)


def test_status_names_the_last_error_of_a_hook(mem):
    mem.store(note("n", paths=["src/a.py"]))
    mem.hook(b"{broken")
    reason = "ValueError: the input is not a JSON document"
    assert f"last hook error: {reason}; see: git mem doctor" in mem("status").splitlines()
    assert mem.json("status")["last_error"] == reason
    mem.run("doctor")
    assert mem.json("status")["last_error"] is None


def test_wide_and_long_ids_leave_the_list_readable(path, make_repo):
    mem = Mem(make_repo("wide"))
    mem.repo.commit()
    mem.store(note("größe", "Ü\n\nmore", paths=["a"]), note("x" * 60, "word " * 40, paths=["a"]))
    first, second = mem("list").splitlines()
    assert first == f"{'größe':<40}  Ü"
    assert second == f"{'x' * 60}  {('word ' * 40)[:59].rstrip()}…"
