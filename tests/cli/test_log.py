"""`git mem log`: whole outputs as text, as patches and as JSON; arguments, filters and places."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import GITCONFIG, Repo, seal
from running import AUTHOR, Mem, store_blob
from travelling import REF, commit, make_team

from gitmem.codec import encode, revision_name
from gitmem.core.note import Note, Triggers
from gitmem.store.git_backend import GitBackend
from gitmem.store.layout import FORMAT, FORMAT_PATH, path_of

DATE = re.compile(r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d+ \d\d:\d\d:\d\d 20\d\d \+0000$", re.MULTILINE)
LINE = re.compile(r"^[0-9a-f]{10} 20\d\d-\d\d-\d\d ", re.MULTILINE)


def told(text: str) -> str:
    """The output of `log` without its dates and revisions."""
    return LINE.sub("", DATE.sub("<date>", text))


def lines(mem: Mem, *args: str, **where: object) -> list[str]:
    """What `log --oneline` tells of each entry."""
    return told(mem("log", "--oneline", *args, **where)).splitlines()


def ids(mem: Mem, *args: str) -> list[str]:
    return [entry["id"] for entry in entries(mem, *args)]


def entries(mem: Mem, *args: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(mem("log", "--json", *args))["entries"]
    return found


def write(repo: Repo, *notes: Note) -> None:
    """Store notes in one commit of the shared layer, as they are."""
    backend = GitBackend(str(repo.git_dir))
    old = backend.tip(REF)
    files = {} if old else {FORMAT_PATH: FORMAT}
    for each in notes:
        data = encode(each)
        files[path_of(each.id, revision_name(data))] = data
    assert backend.swap(REF, commit(backend, files, *([old] if old else [])), old, "by hand")


def written(note_id: str, when: str, author: str = AUTHOR, text: str = "") -> Note:
    body = (text or f"What {note_id} says.") + "\n"
    triggers = Triggers(paths=("src/a.py",))
    return Note(note_id, body, triggers, written=when, author=author)


@pytest.fixture(scope="session")
def _story(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("story")
    (place / "home").mkdir()
    (place / "home" / ".gitconfig").write_text(GITCONFIG)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in seal(str(place / "home")).items():
            patch.setenv(name, value)
        patch.setenv("PATH", program + os.pathsep + os.environ["PATH"])
        (place / "repo").mkdir()
        mem = Mem(Repo(place / "repo"))
        mem.repo.git("init", "--quiet")
        mem.repo.commit("start", **{"README.md": "# Acme\n"})
        mem.repo.commit("add sources", **{"src/a.py": "A = 1\n", "src/b.py": "B = 2\n"})
        mem.repo.commit("add scripts", **{"scripts/run.js": "require('fs')\n"})
        mem("add", "Amounts are cents.\n\nNot floats.", "--id", "amounts", "-p", "src/a.py")
        mem.repo.git("checkout", "--quiet", "-b", "feature/x")
        mem.repo.commit("count in cents", **{"src/a.py": "A = 100\n"})
        mem("edit", "amounts", "Amounts are euro cents.\nAlways.\n\nNot floats.")
        mem("forget", "amounts", "--reason", "the ledger knows")
        mem("restore", "amounts")
        mem("add", "Mine alone.", "--id", "mine", "-c", "make", "--local", "--everywhere")
    return mem.repo.path


@pytest.fixture
def story(_story: Path, tmp_path: Path, path: None) -> Mem:
    """A note added on main, and edited, forgotten and restored on a branch; and a local one."""
    shutil.copytree(_story, tmp_path / "story", symlinks=True)
    mem = Mem(Repo(tmp_path / "story"))
    mem.repo.clock += 3600
    return mem


# --- what it prints -----------------------------------------------------------------------------


def test_the_log_tells_who_learned_what_when_on_which_branch_and_why(story):
    short = story.repo.git("rev-parse", "--short", "HEAD")
    sources = story.repo.git("rev-parse", "--short", "HEAD~2")
    there = f"Branch:   feature/x\nAnchor:   {short} count in cents\n"
    assert told(story("log")) == (
        "note mine  (local)\n"
        "Revision: <rev>\nOp:       added\n"
        f"Author:   {AUTHOR}\nDate:     <date>\n"
        "\n    Mine alone.\n"
        "\nnote amounts  (shared)\n"
        "Revision: <rev>\nOp:       restored\n"
        f"Author:   {AUTHOR}\nDate:     <date>\n{there}"
        "\n    Amounts are euro cents.\n    Always.\n"
        "\nnote amounts  (shared)\n"
        "Revision: <rev>\nOp:       forgotten\n"
        f"Author:   {AUTHOR}\nDate:     <date>\n{there}"
        "\n    the ledger knows\n"
        "\nnote amounts  (shared)\n"
        "Revision: <rev>\nOp:       edited\n"
        f"Author:   {AUTHOR}\nDate:     <date>\n{there}"
        "\n    Amounts are euro cents.\n    Always.\n"
        "\nnote amounts  (shared)\n"
        "Revision: <rev>\nOp:       added\n"
        f"Author:   {AUTHOR}\nDate:     <date>\n"
        f"Branch:   main\nAnchor:   {sources} add sources\n"
        "\n    Amounts are cents.\n"
    )


def test_one_line_for_each_revision(story):
    assert LINE.match(story("log", "--oneline"))
    assert lines(story) == [
        "added     mine: Mine alone.",
        "restored  amounts: Amounts are euro cents. (feature/x)",
        "forgotten amounts: the ledger knows (feature/x)",
        "edited    amounts: Amounts are euro cents. (feature/x)",
        "added     amounts: Amounts are cents. (main)",
    ]


def test_a_patch_shows_what_a_revision_changed_without_what_tools_write(story):
    whole = "id: amounts\ntriggers:\n  paths: [src/a.py]\n---\n"
    text = f"{whole}Amounts are euro cents.\nAlways.\n\nNot floats.\n"
    plus, minus = (re.sub("^", sign, f"---\n{text}", flags=re.M)[:-1] for sign in "+-")
    patches = told(story("log", "-p", "--oneline", "amounts"))
    assert patches == (
        "restored  amounts: Amounts are euro cents. (feature/x)\n"
        f"--- /dev/null\n+++ b/amounts\n@@ -0,0 +1,9 @@\n{plus}"
        "forgotten amounts: the ledger knows (feature/x)\n"
        f"--- a/amounts\n+++ /dev/null\n@@ -1,9 +0,0 @@\n{minus}"
        "edited    amounts: Amounts are euro cents. (feature/x)\n"
        "--- a/amounts\n+++ b/amounts\n@@ -3,6 +3,7 @@\n"
        " triggers:\n   paths: [src/a.py]\n ---\n"
        "-Amounts are cents.\n+Amounts are euro cents.\n+Always.\n \n Not floats.\n"
        "added     amounts: Amounts are cents. (main)\n"
        "--- /dev/null\n+++ b/amounts\n@@ -0,0 +1,8 @@\n"
        "+---\n+id: amounts\n+triggers:\n+  paths: [src/a.py]\n+---\n"
        "+Amounts are cents.\n+\n+Not floats.\n"
    )
    assert "\n    Mine alone.\n\n--- /dev/null\n+++ b/mine\n" in story("log", "-p")
    assert story.json("log", "-p", "-n1")["entries"][0]["diff"].startswith("--- /dev/null\n+++ b/")


def test_json_has_every_key_of_the_contract(story):
    head, sources = (story.repo.git("rev-parse", name) for name in ("HEAD", "main~1"))
    amounts = {"id": "amounts", "revision": "<rev>", "author": AUTHOR, "date": "<time>"}
    branch = {"branch": "feature/x", "anchor": head, "subject": "count in cents"}
    euro = {"summary": "Amounts are euro cents.", "layer": "shared", "pending": False}
    after = {"replaces": ["<rev>"]}
    main = {"branch": "main", "anchor": sources, "subject": "add sources"}
    why = "the ledger knows"
    nowhere = {"branch": None, "anchor": None, "subject": None}
    mine = {"id": "mine", "op": "added", "summary": "Mine alone.", "layer": "local"}
    assert story.json("log") == {
        "version": 1,
        "entries": [
            amounts | nowhere | euro | {"reason": None, "replaces": []} | mine,
            amounts | {"op": "restored", "reason": None} | branch | euro | after,
            amounts | {"op": "forgotten", "reason": why} | branch | euro | {"summary": why} | after,
            amounts | {"op": "edited", "reason": None} | branch | euro | after,
            amounts
            | {"op": "added", "reason": None, "replaces": []}
            | main
            | euro
            | {"summary": "Amounts are cents."},
        ],
    }


def test_colours_and_pager_are_those_of_git(story, tmp_path):
    seen = tmp_path / "seen"
    story.repo.git("config", "core.pager", f"cat >{seen}")
    command = "git mem log -p -n 1 amounts"
    subprocess.run(["script", "-qec", command, "/dev/null"], cwd=story.repo.path, check=True)
    text = seen.read_text()
    assert text.startswith("\x1b[33mnote amounts\x1b[m  (shared)\n")
    assert "\x1b[1m--- /dev/null\x1b[m\n" in text
    assert "\x1b[36m@@ -0,0 +1,9 @@\x1b[m\n\x1b[32m+---\x1b[m\n" in text


# --- which entries ------------------------------------------------------------------------------


def test_a_layer_and_a_number_choose(story):
    assert lines(story, "-n", "1") == ["added     mine: Mine alone."]
    assert lines(story, "-n", "0") == []
    assert lines(story, "--layer", "local") == ["added     mine: Mine alone."]
    assert lines(story, "--layer", "shared", "-n1") == [
        "restored  amounts: Amounts are euro cents. (feature/x)"
    ]


def test_dates_are_read_by_git(mem):
    write(mem.repo, written("young", "2026-02-02T12:00:00Z"))
    write(mem.repo, written("old", "2023-01-05T12:00:00Z"))
    assert ids(mem) == ["old", "young"]
    assert (
        ids(mem, "--since", "2023-06-01 00:00 +0000") == ids(mem, "--after=2023-06-01") == ["young"]
    )
    assert ids(mem, "--until", "2023-06-01") == ids(mem, "--before", "2023-01-06") == ["old"]
    assert ids(mem, "--since", "2023-01-01", "--until=2023-01-04") == []
    mem("add", "Now.", "--id", "now", "-p", "src/a.py")
    assert ids(mem, "--since", "2.weeks.ago") == ids(mem, "--since=yesterday") == ["now"]


def test_authors_and_texts_are_regular_expressions(mem):
    write(mem.repo, written("ports", "2025-01-01T00:00:00Z", "Bob <bob@example.com>", "8080\nOpen"))
    write(mem.repo, written("hosts", "2025-01-02T00:00:00Z", text="Names of hosts."))
    mem("forget", "hosts", "--reason", "DNS knows them", "--everywhere")
    assert ids(mem) == ["hosts", "hosts", "ports"]
    for args, found in (
        (["--author", "^Bob"], ["ports"]),
        (["--author", "bob@", "--author", "Ada"], ["hosts", "hosts", "ports"]),
        (["--author", "BOB"], []),
        (["-i", "--author", "BOB"], ["ports"]),
        (["--grep", "^Open$"], ["ports"]),
        (["--grep", "port"], ["ports"]),
        (["--grep", "DNS"], ["hosts"]),
        (["--grep", "^open", "-i"], ["ports"]),
        (["--grep", "^open"], []),
        (["--author", "Bob", "--grep", "DNS"], []),
    ):
        assert ids(mem, *args) == found, args


def test_a_note_is_found_by_any_name_even_forgotten_or_on_another_branch(story):
    story("add", "Stripe.", "--id", "stripe-keys", "--entity", "Stripe", "--alias", "psp")
    story("forget", "amounts", "--reason", "done")
    story.repo.git("checkout", "--quiet", "main")
    story("add", "Gone.", "--id", "goner", "-p", "src/a.py")
    story("forget", "goner")
    assert ids(story, "amounts") == ids(story, "AMOUNTS") == ["amounts"] * 5
    assert ids(story, "amo") == ["amounts"] * 5
    assert ids(story, "goner") == ids(story, "gon") == ["goner"] * 2
    assert ids(story, "stripe-keys") == ["stripe-keys"]
    story.repo.git("checkout", "--quiet", "feature/x")
    assert ids(story, "psp") == ids(story, "Stripe") == ids(story, "stripe-k") == ["stripe-keys"]


def test_a_range_keeps_what_was_learned_with_its_commits(story):
    on_branch = [
        "restored  amounts: Amounts are euro cents. (feature/x)",
        "forgotten amounts: the ledger knows (feature/x)",
        "edited    amounts: Amounts are euro cents. (feature/x)",
    ]
    on_main = ["added     amounts: Amounts are cents. (main)"]
    assert lines(story, "main..feature/x") == lines(story, "main..") == on_branch
    assert lines(story, "HEAD~1..", "-n1") == on_branch[:1]
    assert lines(story, "main") == lines(story, "HEAD~1") == on_main
    assert lines(story, "HEAD") == on_branch + on_main
    assert lines(story, "amounts", "main..") == lines(story, "main..", "amounts") == on_branch
    assert lines(story, "amounts", "main") == lines(story, "main", "--", "amounts") == on_main
    assert lines(story, "mine", "HEAD") == lines(story, "main~1..main") == []
    assert lines(story, "--", "mine") == ["added     mine: Mine alone."]


def test_a_whole_id_comes_before_a_commit_and_a_commit_before_a_prefix(story):
    story("add", "About main.", "--id", "main-road", "-p", "src/b.py", "--here")
    assert ids(story, "main") == ["amounts"]
    assert ids(story, "--", "main") == ["main-road"]
    story("add", "Main itself.", "--id", "main", "-p", "src/b.py", "--here")
    assert ids(story, "main") == ["main"]
    assert ids(story, "main", "--") == ["amounts"]


def test_a_range_follows_what_landed_under_another_id(story):
    feature = story.repo.git("rev-parse", "feature/x")
    story.repo.git("checkout", "--quiet", "main")
    story.repo.commit("something else", **{"other.txt": "x"})
    start = story.repo.git("rev-parse", "HEAD")
    story.repo.git("cherry-pick", feature)
    assert lines(story, f"{start}..HEAD", "-n1") == [
        "restored  amounts: Amounts are euro cents. (feature/x)"
    ]


# --- what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["amuonts"], 1, "there is no note and no commit 'amuonts'\nhint: did you mean amounts?"),
        (["zzz", "main"], 1, "there is no note 'zzz'\nhint: see: git mem list"),
        (["--", "HEAD"], 1, "there is no note 'HEAD'\nhint: see: git mem list"),
        (
            ["nope..main"],
            1,
            "bad revision 'nope..main'\nhint: ranges are as in git log, for example main..HEAD",
        ),
        (
            ["a..b", "c..d"],
            2,
            (
                "one ID and one RANGE at most, not a..b c..d\n"
                "hint: write them as in: git mem log my-note main..HEAD"
            ),
        ),
        (["a", "b", "c"], 2, "Got unexpected extra argument (c)\nhint: see: git mem log -h"),
        (
            ["--grep", "("],
            2,
            (
                "--grep: '(' is not a regular expression: missing ), unterminated subpattern at "
                "position 0\nhint: see: git mem log -h"
            ),
        ),
        (
            ["--author=*"],
            2,
            (
                "--author: '*' is not a regular expression: nothing to repeat at position 0\n"
                "hint: see: git mem log -h"
            ),
        ),
        (
            ["--layer", "workspace"],
            1,
            (
                "there is no workspace here: mem.workspace names no directory\n"
                "hint: choose one: git config --global mem.workspace ~/workspace.git\n"
                "hint: for the projects below one directory only, see includeIf in git help config"
            ),
        ),
    ],
)
def test_errors_say_what_to_type(story, args, code, said):
    done = story.run("log", *args)
    assert (done.code, done.out, done.err) == (code, "", f"error: {said}\n")


def test_an_unknown_name_is_an_error_in_json_too(story):
    assert story.json("log", "zzz")["error"]["message"] == "there is no note and no commit 'zzz'"


def test_broken_revisions_are_warned_of_and_the_rest_is_told(story):
    data = "---\nid: torn\nstrength: [\n---\nTorn.\n"
    path = path_of("torn", revision_name(data.encode()))
    store_blob(story.repo, path, data)
    store_blob(story.repo, path_of("false", "0" * 20), "---\nid: false\n---\nNo.\n")
    done = story.run("log", "--oneline")
    assert [line.partition(":")[0] for line in done.err.splitlines()] == ["warning"] * 2
    assert path_of("false", "0" * 20) in done.err and path in done.err
    assert (done.code, len(done.out.splitlines())) == (0, 5)
    document = story.run("log", "--json", "-n", "2")
    assert len(json.loads(document.out)["entries"]) == 2


def test_nothing_is_said_of_a_reader_that_goes_away(story):
    for args in (["log"], ["log", "-p"], ["log", "--oneline"]):
        with story.start(*args) as child:
            assert child.stdout.readline()
            child.stdout.close()
            assert child.stderr.read() == b""


# --- pending ------------------------------------------------------------------------------------


def test_a_pending_revision_is_marked_until_it_is_published_and_then_told_once(mem):
    mem.repo.write("src/a.py", "A = 2\n")
    mem("add", "Two.", "--id", "two", "-p", "src/a.py")
    assert lines(mem) == ["added     two: Two. (main, pending)"]
    assert "Op:       added (pending)\n" in mem("log")
    assert [entry["pending"] for entry in mem.json("log")["entries"]] == [True]
    mem("edit", "two", "Two, really.")
    assert lines(mem) == [
        "edited    two: Two, really. (main, pending)",
        "added     two: Two. (main, pending)",
    ]
    mem.repo.commit("count to two")
    assert lines(mem) == ["added     two: Two, really. (main)"]
    assert lines(mem, "--layer", "local") == []
    assert mem.json("log")["entries"][0]["layer"] == "shared"


# --- places -------------------------------------------------------------------------------------


def test_without_memory_there_is_nothing_to_tell(mem, make_repo):
    assert (mem("log"), mem("log", "HEAD~1..")) == ("", "")
    assert mem.json("log") == {"version": 1, "entries": []}
    empty = Mem(make_repo("empty"))
    assert empty("log") == ""
    assert empty.run("log", "HEAD").code == 1


def test_bare_repositories_and_linked_worktrees_tell_the_same(story, tmp_path):
    repo = story.repo
    expected = lines(story, "--layer", "shared")
    assert len(expected) == 4
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "main")
    linked = Mem(Repo(tmp_path / "linked"))
    assert lines(linked, "--layer", "shared") == expected
    assert lines(linked, "HEAD") == expected[-1:]
    repo.git("clone", "--quiet", "--mirror", str(repo.path), str(tmp_path / "bare.git"))
    bare = Mem(Repo(tmp_path / "bare.git"))
    assert lines(bare) == expected
    assert lines(bare, "main..feature/x", "-n1") == expected[:1]


def test_outside_a_repository_it_is_an_error(mem, tmp_path):
    (tmp_path / "nowhere").mkdir()
    done = mem.run("log", cwd=tmp_path / "nowhere")
    assert (done.code, done.out) == (1, "")


# --- a team -------------------------------------------------------------------------------------


def test_two_clones_and_a_hub_see_who_learned_what(path, tmp_path: Path):
    team = make_team(tmp_path / "team", "ada", "bob")
    ada, bob = (Mem(repo) for repo in team.clones.values())
    bob.repo.git("config", "user.name", "Bob")
    bob.repo.git("config", "user.email", "bob@example.com")
    ada("add", "Ports start at 8080.", "--id", "ports", "-p", "src/a.py", "--here")
    assert ada.run("sync").code == bob.run("sync").code == 0
    bob("edit", "ports", "Ports start at 9090.", "--everywhere")
    ada("add", "Ada's own.", "--id", "hers", "-p", "README.md", "--here")
    assert bob.run("sync").code == 0

    ada.repo.git("fetch", "--quiet")  # not merged: the revision is in the tracking ref only
    theirs = [(entry["op"], entry["id"], entry["author"]) for entry in entries(ada)]
    assert sorted(theirs) == [
        ("added", "hers", AUTHOR),
        ("added", "ports", AUTHOR),
        ("edited", "ports", "Bob <bob@example.com>"),
    ]
    assert ids(ada, "--author", "Bob") == ["ports"]

    assert ada.run("sync").code == bob.run("sync").code == 0
    hub = Mem(team.hub)
    assert ada("log", "--oneline") == bob("log", "--oneline") == hub("log", "--oneline")
    assert sorted((entry["op"], entry["id"], entry["author"]) for entry in entries(bob)) == sorted(
        theirs
    )


def test_a_conflict_is_told_side_by_side_and_its_settling_against_both(path, tmp_path: Path):
    team = make_team(tmp_path / "team", "ada", "bob")
    ada, bob = (Mem(repo) for repo in team.clones.values())
    ada("add", "Tea is black.", "--id", "tea", "-p", "src/a.py", "--everywhere")
    assert ada.run("sync").code == bob.run("sync").code == 0
    ada("edit", "tea", "Tea is green.")
    bob("edit", "tea", "Tea is white.")
    assert ada.run("sync").code == bob.run("sync").code == ada.run("sync").code == 0
    assert [entry["op"] for entry in entries(ada)] == ["edited", "edited", "added"]
    ada("edit", "tea", "Tea is tea.")
    assert [len(entry["replaces"]) for entry in entries(ada)] == [2, 1, 1, 0]
    settled = ada("log", "-p", "-n", "1", "--oneline").splitlines()[6:]
    assert (sorted(settled[1:3]), settled[3:]) == (
        ["-Tea is green.", "-Tea is white."],
        ["+Tea is tea."],
    )
