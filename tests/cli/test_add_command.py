"""`git mem add`: what is stored, what is said, and what is refused with the line that is wrong."""

import subprocess
import sys

import pytest
from running import (
    ANCHOR,
    COMMONJS_JSON,
    LIBRARY,
    SEEN,
    SEEN_LINE,
    editor,
    note,
    note_json,
    scrubbed,
)

NO_TRIGGER = (
    "could never be recalled: it has no trigger and names no tracked file\n"
    "hint: say when it matters: -p 'src/**', -c 'npm publish', -e 'the error text', "
    "--prompt 'a phrase', or --always for the start of every session\n"
)


def test_every_option_ends_up_in_the_note_and_what_was_stored_is_printed(mem):
    args = ["add", "Use the queue", "--id", "queue", "-p", "src/{a,b}.py", "-c", "make run"]
    args += ["-e", "E42", "--prompt", "job queue", "--always", "--why", "It retries.", "--instead"]
    args += ["call enqueue()", "--kind", "rule", "--tag", "x", "--tag", "y", "--entity", "Queue"]
    args += ["--alias", "jobs", "--confidence", "likely", "--verified", "2026-01-31"]
    args += ["--strength", "5", "--pin", "--supersedes", "old"]
    assert mem(*args) == (
        "added queue (shared)\n"
        "  always: at the start of every session\n"
        "  paths: src/a.py, src/b.py\n"
        "  commands: make run\n"
        "  errors: E42\n"
        "  prompts: job queue\n"
        "  entity: Queue, jobs\n"
        f"{SEEN_LINE}"
    )
    assert mem("show", "queue") == (
        "---\n"
        "id: queue\n"
        "kind: rule\n"
        "triggers:\n"
        "  always: true\n"
        "  paths: [src/a.py, src/b.py]\n"
        "  commands: [make run]\n"
        "  errors: [E42]\n"
        "  prompts: [job queue]\n"
        "confidence: likely\n"
        "verified: 2026-01-31\n"
        "strength: 5\n"
        'tags: [x, "y"]\n'
        "entity: Queue\n"
        "aliases: [jobs]\n"
        "pinned: true\n"
        "supersedes: [old]\n"
        "created: <time>\n"
        "written: <time>\n"
        "author: Ada Tester <ada@example.com>\n"
        f"{ANCHOR}"
        "---\n"
        "Use the queue\n"
        "\n"
        "**Why it matters:** It retries.\n"
        "\n"
        "**Instead:** call enqueue()\n"
    )


def test_json_has_the_notes_as_stored_the_warnings_and_what_was_unchanged(mem):
    (mem.repo.path / "n.md").write_text(LIBRARY[0])
    scripts, sources = mem.repo.git("rev-parse", "HEAD", "HEAD~1").splitlines()
    stored = COMMONJS_JSON | {"anchor": scripts, "op": "added", "seen": SEEN, "derived": []}
    assert mem.json("add", "-F", "n.md") == {
        "version": 1,
        "notes": [stored],
        "warnings": [],
        "unchanged": [],
    }
    again = {"version": 1, "notes": [], "warnings": [], "unchanged": ["scripts-are-commonjs"]}
    assert mem.json("add", "-F", "n.md") == again
    assert mem("add", "-F", "n.md") == "unchanged scripts-are-commonjs\n"
    assert mem.json("add", "Mind src/a.py", "--local") == {
        "version": 1,
        "notes": [
            note_json("mind-src-a-py", "Mind src/a.py", layer="local", paths=["src/a.py"])
            | {"anchor": sources, "op": "added", "seen": SEEN, "derived": ["src/a.py"]}
        ],
        "warnings": [],
        "unchanged": [],
    }


def test_a_pattern_that_reaches_nothing_yet_is_stored_with_a_warning(mem):
    done = mem.run("add", "A", "-p", "later/**")
    assert (done.code, done.out) == (0, f"added a (shared)\n  paths: later/**\n{SEEN_LINE}")
    assert done.err == "warning: no tracked file matches 'later/**' yet\n"
    again = mem.json("add", "B", "-p", "later/**")
    assert again["warnings"] == [
        {"gate": "breadth", "message": "no tracked file matches 'later/**' yet"}
    ]


def test_a_derived_id_gets_a_suffix_and_a_given_one_is_refused(mem):
    assert (
        mem("add", "Same words", "-p", "src/a.py")
        == f"added same-words (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    )
    assert mem("add", "Same words", "-p", "src/a.py") == "unchanged same-words\n"
    assert (
        mem("add", "Same words", "-p", "src/b.py")
        == f"added same-words-2 (shared)\n  paths: src/b.py\n{SEEN_LINE}"
    )
    done = mem.run("add", "Other words", "--id", "Same-Words", "-p", "src/b.py")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: the note: there is already a different note 'Same-Words' in layer shared\n"
        "hint: change it with: git mem edit Same-Words\n"
        "hint: or give another id and replace it: --id <new-id> --supersedes Same-Words\n"
    )


def test_one_bad_file_does_not_keep_the_good_ones_out(mem):
    files = {
        "good.md": note("good", paths=["src/a.py"]),
        "bad.md": "---\nid: bad\nstrength: 9\n---\nx\n",
        "idle.md": note("idle"),
        "fine.md": note("fine", paths=["src/b.py"]),
    }
    args = []
    for name, text in files.items():
        (mem.repo.git_dir / name).write_text(text)
        args += ["-F", str(mem.repo.git_dir / name)]
    done = mem.run("add", *args, "-F", "missing.md")
    assert done.code == 1
    assert done.out == (
        f"added good (shared)\n  paths: src/a.py\n{SEEN_LINE}"
        f"added fine (shared)\n  paths: src/b.py\n{SEEN_LINE}"
    )
    git_dir = mem.repo.git_dir
    assert done.err == (
        f"error: {git_dir}/idle.md {NO_TRIGGER}"
        f"error: {git_dir}/bad.md:3: 'strength' must be a number from 1 to 5, not '9'\n"
        "error: missing.md: No such file or directory\n"
    )
    assert mem("list", "--ids") == "fine\ngood\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "---\nid: c\ntitle: Notes: run X\n---\nx\n",
            [":3: not valid YAML (key 'title')", 'quote it: title: "Notes: run X"'],
        ),
        (
            "---\nid: c\ntriggers:\n  errors:\n    - TypeError: cannot read\n---\nx\n",
            [
                ":5: an item of 'errors' must be text, not a mapping",
                'quote it: - "TypeError: cannot read"',
            ],
        ),
        (
            "---\nid: c\ndate: {{date}}\n---\nx\n",
            [":3: a key must be text (key 'date')", 'quote it: date: "{{date}}"'],
        ),
        (
            "---\nid: c\ntriggers:\n\tpaths: [a]\n---\nx\n",
            [":4: not valid YAML (key 'paths')", "indent with spaces, not tabs"],
        ),
        (
            "---\nid: c\ntriggers:\n  paths: {a: b}\n---\nx\n",
            [
                ":4: 'paths' must be a list, not a mapping",
                'write paths: ["…"], each item in quotes',
            ],
        ),
        (
            "---\nid: c\n1: one\n",
            [
                ":1: front matter is never closed",
                "end it with a line that is exactly '---'",
                "if line 1 is a horizontal rule, put an empty line before it",
            ],
        ),
        (
            "---\nid: c\na: &x [1]\nb: *x\n---\nx\n",
            [":3: YAML anchors and aliases are not allowed (key 'a')", 'quote it: a: "&x [1]"'],
        ),
        (
            b"---\nid: c\ntriggers: {paths: [a]}\n---\ncaf\xe9\n",
            [":5: not UTF-8: byte 0xe9 at offset 40", "save the file as UTF-8"],
        ),
        (
            "---\nid: c\ntriggers: {paths: [a]}\n---\n",
            [" has no text", "say what was learned, in a sentence"],
        ),
        ("", [" has no text", "say what was learned, in a sentence"]),
        (
            "---\nid: c d\ntriggers: {paths: [a]}\n---\nx\n",
            [":2: 'c d' is not a note id", "write id: c-d"],
        ),
    ],
)
def test_a_file_that_is_no_note_is_refused_with_its_line_and_what_to_type(mem, text, message):
    """Colons, placeholders, tabs, aliases, other encodings: what real files have."""
    (mem.repo.path / "c.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = mem.run("add", "-F", "c.md")
    assert (done.code, done.out) == (1, "")
    problem, *hints = message
    assert done.err == f"error: c.md{problem}\n" + "".join(f"hint: {hint}\n" for hint in hints)
    assert mem.repo.git("for-each-ref", "refs/memory") == ""


def test_an_alias_bomb_costs_neither_time_nor_memory_nor_the_other_notes(mem):
    levels = "".join(f"k{i}: &k{i} [{', '.join([f'*k{i - 1}'] * 9)}]\n" for i in range(1, 10))
    (mem.repo.path / "bomb.md").write_text(f"---\nid: bomb\nk0: &k0 lol\n{levels}---\nx\n")
    (mem.repo.path / "good.md").write_text(note("good", paths=["src/a.py"]))
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, (400 << 20,) * 2)"
    )
    run = "; sys.argv[0] = 'git-mem'; runpy.run_module('gitmem', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", limited + run, "add", "-F", "bomb.md", "-F", "good.md"],
        cwd=mem.repo.path,
        capture_output=True,
        timeout=20,
    )
    assert done.returncode == 1
    assert scrubbed(done.stdout) == f"added good (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    assert done.stderr.splitlines()[0] == (
        b"error: bomb.md:3: YAML anchors and aliases are not allowed (key 'k0')"
    )


def test_dashes_that_are_no_fence_stay_in_the_note(mem):
    body = "left --- right\n\nA title\n---\n\n| a | b |\n|---|---|\n----\n --- \nEND-MARK"
    text = note("dashes", body, more='title: "left --- right"\n', paths=["src/a.py"])
    mem.store(text)
    shown = mem("show", "dashes").split("\n---\n", 1)
    assert "\ntitle: left --- right\n" in shown[0]
    assert shown[1] == body + "\n"


def test_rules_lower_down_are_no_front_matter_and_no_trigger(mem):
    text = "Some prose.\n\n---\n\nglobs: '**'\n\n---\n\nEND-MARK\n"
    (mem.repo.path / "prose.md").write_text(text)
    done = mem.run("add", "-F", "prose.md")
    assert (done.code, done.err) == (1, f"error: prose.md {NO_TRIGGER}")
    assert mem("add", "-F", "prose.md", "-p", "src/a.py", "--id", "prose") == (
        f"added prose (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    )
    assert mem("show", "prose").endswith(f"---\n{text}")
    assert mem("recall", "--path", "zzz") == ""


def test_byte_order_marks_and_windows_line_ends_leave_no_trace(mem):
    text = "\ufeff" + note("marked", "Two\nlines.", paths=["src/*"]).replace("\n", "\r\n")
    (mem.repo.path / "bom.md").write_bytes(text.encode())
    assert mem("add", "-F", "bom.md") == f"added marked (shared)\n  paths: src/*\n{SEEN_LINE}"
    raw = mem("show", "marked", "--raw")
    assert raw.startswith("---\nid: marked\n") and "\r" not in raw
    assert mem("recall", "--path", "src/a.py", "--ids") == "marked\n"


def test_texts_that_look_like_other_types_stay_texts(mem):
    files = []
    for number, (name, more) in enumerate(
        [("007", ""), ("no", "1: one\nyes: 0x10\n"), ("12-30", "when: 2026-08-23\n")]
    ):
        (mem.repo.path / f"{number}.md").write_text(note(name, more=more, paths=["src/a.py"]))
        files += ["-F", f"{number}.md"]
    assert mem.run("add", *files).code == 0
    listed = mem.json("list")["notes"]
    assert [item["id"] for item in listed] == ["007", "12-30", "no"]
    assert '"1": one\n"yes": "0x10"\n' in mem("show", "no")
    assert mem("show", "007").splitlines()[1] == 'id: "007"'


def test_an_empty_condition_means_none_and_never_everything(mem):
    for number, triggers in enumerate(
        ["paths:", "paths: []", "paths: ''", "errors: ['']", "commands: [' ']", "prompts: [~]"]
    ):
        (mem.repo.path / "n.md").write_text(
            f"---\nid: n{number}\ntriggers:\n  {triggers}\n---\nx\n"
        )
        done = mem.run("add", "-F", "n.md")
        assert (done.code, done.err) == (1, f"error: n.md {NO_TRIGGER}"), triggers


def test_a_text_with_commas_and_a_list_are_the_same_patterns(mem):
    mem.store(
        "---\nid: text\ntriggers:\n  paths: src/*.py, lib/{a,b}.js\n---\nx\n",
        note("list", "x", paths=["src/*.py", "lib/{a,b}.js"]),
    )
    patterns = [item["triggers"]["paths"] for item in mem.json("list")["notes"]]
    assert patterns == [["src/*.py", "lib/a.js", "lib/b.js"]] * 2


@pytest.mark.parametrize("args", [("-F", "-"), ("--json", "-F", "-")])
def test_a_whole_note_comes_from_standard_input(mem, args):
    text = note("from-stdin", paths=["src/a.py"])
    assert mem.run("add", *args, stdin=text).code == 0
    done = mem.run("add", "-F", "-", stdin="---\nid: x\n")
    assert done.err.splitlines()[0] == "error: standard input:1: front matter is never closed"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "nothing to add: give TEXT, or a whole note with -F FILE"),
        (("x", "-F", "a.md", "--id", "n"), "--id names one note, and several were given"),
        (("x", "-F", "a.md", "--edit"), "--edit finishes one note, and several were given"),
        (
            ("x", "--verified", "yesterday"),
            "Invalid value for '--verified': 'yesterday' is not a date",
        ),
        (
            ("x", "--verified", "2026-02-30"),
            "Invalid value for '--verified': '2026-02-30' is not a date",
        ),
        (("x", "--strength", "6"), "Invalid value for '--strength': 6 is not in the range 1<=x<=5"),
    ],
)
def test_wrong_usage_exits_with_2(mem, args, message):
    done = mem.run("add", *args, "--yes")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("", "-p", "x"), "the note has no text"),
        (("x", "--id", "a b", "-p", "a"), "'a b' is not a note id"),
        (("…", "-p", "src/a.py"), "the note has no word to make an id of"),
        (("x", "-p", "!src/a.py"), "path trigger '!src/a.py' only excludes, so it can never match"),
        (
            ("x", "--entity", " "),
            "the note could never be recalled: it has no trigger and names no tracked file",
        ),
        (("x", "-p", "../x"), "path trigger '../x' leaves the repository"),
    ],
)
def test_what_cannot_be_stored_exits_with_1(mem, args, message):
    done = mem.run("add", *args)
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == f"error: {message}"
    assert mem.repo.git("for-each-ref", "refs/memory") == ""


def test_a_credential_is_refused_with_the_line_it_stands_on(mem):
    token = "ghp_" + "k3J9xQ2mV7tB5nL8rW1zC4dF6hG0sAyP2uE7"
    (mem.repo.path / "n.md").write_text(note("n", f"Fine.\nUse {token} here.", paths=["src/a.py"]))
    done = mem.run("add", "-F", "n.md")
    assert (done.code, done.out) == (1, "")
    first, *rest = done.err.splitlines()
    assert first.startswith("error: n.md:7: this looks like a credential (")
    assert rest == [
        "hint: take it out, and say where it is kept instead",
        "hint: if it is none: git config --add mem.allowSecret '<the exact string>'",
    ]
    assert token not in done.err
    typed = mem.run("add", f"Use {token}", "-p", "src/a.py")
    assert typed.err.startswith("error: the note:1: this looks like a credential (")
    mem.repo.git("config", "--add", "mem.allowSecret", token)
    assert mem.run("add", "-F", "n.md").code == 0


def test_the_editor_finishes_a_note_and_its_headings_are_no_comments(mem, tmp_path):
    write = editor(tmp_path, "write", "printf '# A heading\\n\\nText.\\n' >> \"$1\"")
    assert mem("add", "--edit", "-p", "src/a.py", "--id", "n", env=write) == (
        f"added n (shared)\n  paths: src/a.py\n{SEEN_LINE}"
    )
    assert mem("show", "n").endswith("---\n# A heading\n\nText.\n")
    template = editor(
        tmp_path, "template", 'sed -i \'s/^  paths: .*/  paths: [src]/\' "$1"; echo Hi >> "$1"'
    )
    assert mem("add", "--edit", env=template) == f"added hi (shared)\n  paths: src\n{SEEN_LINE}"
    as_it_is = {"GIT_EDITOR": "true"}
    assert mem("add", "--edit", "See src/b.py", env=as_it_is) == (
        f"added see-src-b-py (shared)\n  paths: src/b.py (derived from the text)\n{SEEN_LINE}"
    )


def test_an_editor_that_leaves_nothing_adds_nothing(mem, tmp_path):
    for name, script in (("same", "true"), ("empty", ': > "$1"'), ("gone", 'rm "$1"')):
        done = mem.run("add", "--edit", env=editor(tmp_path, name, script))
        assert (done.code, done.out) == (1, "")
        assert done.err == "error: nothing was added: the text is empty\n"
    failed = mem.json("add", "--edit", env={"GIT_EDITOR": "true"})
    assert failed == {
        "version": 1,
        "error": {
            "kind": "refused",
            "message": "nothing was added: the text is empty",
            "hints": [],
        },
    }


def test_what_was_typed_in_the_editor_is_kept_when_it_is_refused(mem, tmp_path):
    for name, script, problem in (
        ("idle", 'printf "Be careful.\\n" > "$1"', f"the note {NO_TRIGGER}"),
        ("broken", 'printf -- "---\\nid: [x\\n---\\nLost?\\n" > "$1"', None),
    ):
        done = mem.run("add", "--edit", env=editor(tmp_path, name, script))
        assert (done.code, done.out) == (1, "")
        *_, last = done.err.splitlines()
        start = "hint: what you wrote is kept in "
        assert last.startswith(start)
        with open(last.removeprefix(start)) as file:
            assert file.read() in ("Be careful.\n", "---\nid: [x\n---\nLost?\n")
        if problem:
            assert done.err == f"error: {problem}{last}\n"
    assert mem("list") == ""
