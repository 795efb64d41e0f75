"""`git mem diff`: whole outputs over real branches, and what it is given to compare."""

import json
import os

import pytest
from conftest import Repo
from running import Mem, note_json, store_blob

from gitmem.store.layout import path_of

HINT = "hint: there is no other branch to compare with; name one: git mem diff A...B\n"


def ids(mem, *args, **where):
    return mem("diff", "--name-only", *args, **where).split()


@pytest.fixture
def branch(mem):
    """Notes on main; a branch that changes code and edits, forgets and adds notes."""
    mem("add", "All integer cents.\n\nOf one currency.", "-p", "src/**", "--id", "cents")
    mem("add", "Call it twice.", "-p", "scripts/run.js", "--id", "old-way")
    mem("add", "Scripts are CommonJS.", "-p", "scripts/**", "--id", "scripts")
    mem.repo.git("switch", "--quiet", "--create", "feature/x")
    mem.repo.commit("change the script", **{"scripts/run.js": "run()\n"})
    mem("edit", "cents", "All whole cents.\n\nOf one currency.", "--strength", "5", "-p", "pay.py")
    mem("edit", "cents", "--remove-path", "src/**")
    mem(
        "add", "Call it once.", "-p", "scripts/run.js", "--id", "new-way", "--supersedes", "old-way"
    )
    mem("forget", "old-way", "--reason", "it was slow")
    return mem


# --- what is printed ----------------------------------------------------------------------------


def test_a_branch_is_compared_with_the_default_branch(branch):
    commit = branch.repo.git("rev-parse", "--short=10", "HEAD")
    assert branch("diff") == (
        "added\n"
        "\n"
        "+ new-way (fact, shared; by Ada Tester on feature/x)\n"
        "  paths: scripts/run.js\n"
        "  supersedes: old-way\n"
        "\n"
        "    Call it once.\n"
        "\n"
        "changed\n"
        "\n"
        "~ cents (fact, shared; by Ada Tester on feature/x)\n"
        "  strength: 3 → 5\n"
        "  + path pay.py\n"
        "  - path src/**\n"
        "\n"
        "    All [-integer-]{+whole+} cents.\n"
        "\n"
        "    …\n"
        "\n"
        "removed\n"
        "\n"
        "- old-way (fact, shared; by Ada Tester on main)\n"
        "  forgotten: it was slow\n"
        "  replaced by: new-way\n"
        "\n"
        "    Call it twice.\n"
        "\n"
        "may be stale\n"
        "\n"
        "! scripts (fact, shared; by Ada Tester on main)\n"
        f"  {commit} change the script\n"
    )


def test_stat_has_one_line_a_note_and_the_totals(branch):
    assert branch("diff", "--stat") == (
        "+ new-way  Call it once.\n"
        "~ cents    triggers, strength, body\n"
        "- old-way  it was slow; replaced by new-way\n"
        "! scripts  may be stale (1 commit)\n"
        "1 note added, 1 changed, 1 removed, 1 may be stale\n"
    )


def test_name_only_prints_the_ids_of_the_notes_that_differ(branch):
    assert branch("diff", "--name-only") == "new-way\ncents\nold-way\n"


def test_json_has_the_new_state_of_each_note_and_what_changed(branch):
    main, head = branch.repo.git("rev-parse", "main", "HEAD").split()
    on_main = {"anchor": branch.repo.git("rev-parse", "HEAD~1"), "branch": "main"}
    on_branch = {"anchor": head, "branch": "feature/x", "layers": ["shared"]}
    document = branch.json("diff")
    fields = document["changed"][0]["changes"]["triggers"]["old"]
    assert document == {
        "version": 1,
        "base": main,
        "head": head,
        "added": [
            note_json("new-way", "Call it once.", paths=["scripts/run.js"], supersedes=["old-way"])
            | on_branch
        ],
        "changed": [
            note_json("cents", "", paths=["pay.py"], strength=5)
            | on_branch
            | {
                "body": "All whole cents.\n\nOf one currency.\n",
                "old_revision": "<rev>",
                "changes": {
                    "triggers": {
                        "old": fields | {"paths": ["src/**"]},
                        "new": fields | {"paths": ["pay.py"]},
                    },
                    "strength": {"old": 3, "new": 5},
                    "body": {
                        "old": "All integer cents.\n\nOf one currency.\n",
                        "new": "All whole cents.\n\nOf one currency.\n",
                    },
                },
            }
        ],
        "removed": [
            note_json("old-way", "Call it twice.", paths=["scripts/run.js"])
            | on_main
            | {
                "layers": ["shared"],
                "visible": False,
                "reason": "it was slow",
                "replaced_by": ["new-way"],
            }
        ],
        "maybe_stale": [
            note_json("scripts", "Scripts are CommonJS.", paths=["scripts/**"])
            | on_main
            | {
                "layers": ["shared"],
                "commits": [
                    {
                        "commit": head,
                        "subject": "change the script",
                        "author": "Ada Tester",
                        "date": "<time>",
                        "paths": ["scripts/run.js"],
                    }
                ],
            }
        ],
    }


def test_markdown_is_one_comment(branch):
    text = branch("diff", "--markdown")
    assert text.startswith(
        "<!-- git-mem-diff -->\n"
        "**Memory:** 1 note added, 1 changed, 1 removed, 1 may be stale\n"
        "\n"
        "### Added\n"
        "\n"
        "<details>\n"
        "<summary><code>new-way</code> (<code>fact</code>, <code>shared</code>; by "
        "<code>Ada Tester</code> on <code>feature/x</code>)</summary>\n"
    )
    assert text.endswith("</details>\n")
    assert branch("diff", "--markdown", "HEAD..HEAD") == (
        "<!-- git-mem-diff -->\n**Memory:** nothing changes.\n"
    )


def test_exit_code_tells_whether_there_is_something(branch):
    assert branch.run("diff", "--exit-code", "--stat").code == 1
    assert branch.run("diff", "--exit-code", "HEAD", "HEAD").code == 0
    assert branch.run("diff").code == 0
    branch.repo.git("switch", "--quiet", "--create", "quiet", "main")
    branch.repo.commit("change the script", **{"scripts/run.js": "walk()\n"})
    only_stale = branch.run("diff", "--exit-code", "--stat")
    assert (only_stale.code, only_stale.out.splitlines()[-1]) == (1, "2 notes may be stale")


def test_on_a_terminal_words_are_coloured_and_stand_in_no_brackets(branch):
    env = os.environ | {"TERM": "xterm", "GIT_PAGER": "cat"}
    master, slave = os.openpty()
    with branch.start("diff", "HEAD~1", stdout=slave, env=env) as child:
        os.close(slave)
        seen = b""
        while chunk := _read(master):
            seen += chunk
        child.communicate()
    os.close(master)
    text = seen.decode().replace("\r\n", "\n")
    assert "\x1b[32m+ new-way (fact, shared; by Ada Tester on feature/x)\x1b[m\n" in text
    assert "    All \x1b[31minteger\x1b[m\x1b[32mwhole\x1b[m cents.\n" in text
    assert "\x1b[31m  - path src/**" not in text and "  \x1b[31m- path src/**\x1b[m\n" in text


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def test_what_cannot_be_seen_in_a_note_never_reaches_the_terminal(mem):
    base = mem.repo.git("rev-parse", "HEAD")
    mem.repo.commit("more")
    text = "Left \x1b[2Jright \u202eend"
    mem("add", text, "--always", "--id", "odd", "--here")
    assert [note["body"] for note in mem.json("diff", base)["added"]] == [f"{text}\n"]
    assert mem("diff", base).splitlines()[-1] == "    Left [2Jright end"


# --- what is compared ---------------------------------------------------------------------------


def test_two_dots_compare_the_views_and_three_what_the_second_brings(mem):
    mem.repo.git("switch", "--quiet", "--create", "topic")
    mem.repo.commit("topic", topic="1\n")
    mem("add", "Of topic.", "-p", "topic", "--id", "of-topic")
    mem.repo.git("switch", "--quiet", "main")
    mem.repo.commit("main", main="1\n")
    mem("add", "Of main.", "-p", "main", "--id", "of-main")
    assert ids(mem, "main..topic") == ids(mem, "main", "topic") == ["of-topic", "of-main"]
    assert ids(mem, "main...topic") == ids(mem, "...topic") == ["of-topic"]
    assert ids(mem, "topic..") == ids(mem, "topic") == ["of-main", "of-topic"]
    assert ids(mem, "topic...main") == ids(mem, "topic...") == ["of-main"]


def test_what_was_cherry_picked_is_no_news(mem):
    mem.repo.git("switch", "--quiet", "--create", "topic")
    picked = mem.repo.commit("one", one="1\n")
    mem("add", "Of one.", "-p", "one", "--id", "of-one")
    mem.repo.commit("two", two="2\n")
    mem("add", "Of two.", "-p", "two", "--id", "of-two")
    mem.repo.git("switch", "--quiet", "main")
    mem.repo.commit("main", main="1\n")
    assert ids(mem, "main...topic") == ["of-one", "of-two"]
    mem.repo.git("cherry-pick", picked)
    assert mem("list", "--ids") == "of-one\n"
    assert ids(mem, "main...topic") == ["of-two"]


@pytest.mark.parametrize("base", ["v1", "HEAD~1", ":/scripts", "HEAD^{/scripts}", "main@{1}"])
def test_a_side_is_whatever_git_reads_as_a_commit(mem, base):
    mem.repo.git("tag", "--annotate", "--message", "one", "v1")
    mem.repo.commit("more", more="1\n")
    mem("add", "Of more.", "-p", "more", "--id", "of-more")
    assert ids(mem, base) == ["of-more"]


@pytest.mark.parametrize("name", ["nope", "HEAD:README.md", "nope...HEAD", "HEAD..nope"])
def test_a_side_that_is_no_commit_is_named(mem, name):
    wrong = "HEAD:README.md" if ":" in name else "nope"
    done = mem.run("diff", name)
    assert (done.code, done.out, done.err) == (
        1,
        "",
        (
            f"error: '{wrong}' is not a commit here\n"
            "hint: see: git log --oneline --all, or fetch it first\n"
        ),
    )


def test_branches_without_a_common_commit_can_be_compared_as_they_are(mem):
    mem("add", "Of a.", "-p", "src/a.py", "--id", "of-a")
    mem.repo.git("switch", "--quiet", "--orphan", "alone")
    mem.repo.commit("alone")
    done = mem.run("diff", "main...alone")
    assert (done.code, done.err) == (
        1,
        (
            "error: 'main' and 'alone' have no commit in common\n"
            "hint: to compare the two as they are: git mem diff main..alone\n"
        ),
    )
    assert mem("diff", "--stat", "main..alone") == "- of-a\n1 note removed\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("A..B", "C"), "give one range, or two commits"),
        (("A", "--incoming"), "--incoming compares with what was fetched, not with a commit"),
        (
            ("--stat", "--json"),
            "--stat, --name-only, --markdown and --json exclude one another",
        ),
    ],
)
def test_what_cannot_be_asked_together_is_refused(mem, args, message):
    done = mem.run("diff", *args)
    shown = json.loads(done.out)["error"]["message"] if "--json" in args else done.err
    assert (done.code, shown.partition("\nhint: ")[0].removeprefix("error: ")) == (2, message)


def test_without_a_range_the_default_branch_is_compared_with_its_upstream(mem, make_repo):
    mem.repo.commit("more", more="1\n")
    mem("add", "Of more.", "-p", "more", "--id", "of-more")
    alone = mem.run("diff")
    assert (alone.code, alone.out, alone.err) == (0, "", HINT)
    hub = make_repo("hub", "--bare")
    mem.repo.git("remote", "add", "origin", str(hub.path))
    mem.repo.git("push", "--quiet", "origin", "main~1:refs/heads/main")
    mem.repo.git("branch", "--quiet", "--set-upstream-to", "origin/main")
    assert ids(mem) == ["of-more"]
    mem.repo.git("push", "--quiet", "origin", "main")
    assert mem("diff", "--exit-code") == ""


# --- what may be stale --------------------------------------------------------------------------


def test_a_note_may_be_stale_by_what_the_range_changed_renamed_or_removed(mem):
    mem("add", "About a and b.", "-p", "src/**", "--id", "sources")
    mem("add", "See scripts/run.js for it.", "-c", "node", "--id", "named")
    mem("add", "About the readme.", "-p", "/README.md", "--id", "readme")
    mem("add", "About all.", "--always", "--id", "ambient")
    base = mem.repo.git("rev-parse", "HEAD")
    mem.repo.git("mv", "src/a.py", "src/c.py")
    rename = mem.repo.commit("rename a")
    (mem.repo.path / "scripts" / "run.js").unlink()
    removal = mem.repo.commit("remove the script")
    found = {item["id"]: item["commits"] for item in mem.json("diff", base)["maybe_stale"]}
    assert {
        note_id: [(each["commit"], each["paths"]) for each in commits]
        for note_id, commits in found.items()
    } == {
        "named": [(removal, ["scripts/run.js"])],
        "sources": [(rename, ["src/a.py", "src/c.py"])],
    }


def test_a_note_that_was_written_or_verified_meanwhile_is_not_stale(mem):
    mem("add", "About a.", "-p", "src/a.py", "--id", "edited")
    mem("add", "About a, too.", "-p", "src/a.py", "--id", "plain")
    mem("add", "About a.", "-p", "src/a.py", "--id", "sure", "--verified", "2026-01-01")
    mem("add", "About a.", "-p", "src/a.py", "--id", "was-sure", "--verified", "2020-01-01")
    base = mem.repo.git("rev-parse", "HEAD")
    for number in range(7):
        mem.repo.commit(f"change {number}", **{"src/a.py": f"A = {number}0\n"})
    mem("edit", "edited", "About a, now.")
    mem("edit", "edited", "About a.")
    assert ids(mem, base) == []
    stale = mem.json("diff", base)["maybe_stale"]
    assert [item["id"] for item in stale] == ["plain", "was-sure"]
    assert [commit["subject"] for commit in stale[0]["commits"]] == [
        f"change {number}" for number in range(6, -1, -1)
    ]
    assert [line[13:] for line in mem("diff", base).splitlines()[3:9]] == [
        *(f"change {number}" for number in range(6, 1, -1)),
        "",
    ]
    assert mem("diff", base).splitlines()[8] == "  and 2 more"


def test_a_merge_counts_for_what_it_changed_itself(mem):
    mem("add", "About a.", "-p", "src/a.py", "--id", "of-a")
    mem("add", "About b.", "-p", "src/b.py", "--id", "of-b")
    mem.repo.git("switch", "--quiet", "--create", "side")
    mem.repo.commit("side", **{"src/a.py": "side\n", "src/b.py": "side\n"})
    mem.repo.git("switch", "--quiet", "main")
    mem.repo.commit("ours", **{"src/a.py": "ours\n"})
    base = mem.repo.git("rev-parse", "HEAD")
    mem.repo.git("merge", "--quiet", "--no-commit", "--strategy-option", "ours", "side")
    merge = mem.repo.commit("merge side", **{"src/a.py": "both\n"})
    found = mem.json("diff", base)["maybe_stale"]
    side = mem.repo.git("rev-parse", "side")
    assert {item["id"]: [each["commit"] for each in item["commits"]] for item in found} == {
        "of-a": [merge, side],
        "of-b": [side],
    }


# --- what was fetched ---------------------------------------------------------------------------


def test_incoming_is_what_fetched_memory_changes_here(mem, tmp_path):
    hub = Repo(tmp_path / "hub.git")
    mem.repo.git("clone", "--quiet", "--bare", ".", str(hub.path))
    mem.repo.git("remote", "add", "origin", str(hub.path))
    mem("add", "Integer cents.", "-p", "src/a.py", "--id", "cents")
    mem.run("push")
    mem.repo.git("clone", "--quiet", str(hub.path), str(tmp_path / "other"))
    other = Mem(Repo(tmp_path / "other"))
    other.run("sync")
    other("edit", "cents", "Whole cents.", "--everywhere")
    other("add", "Of b.", "-p", "src/b.py", "--id", "of-b")
    other.run("push")
    assert mem("diff", "--incoming") == ""
    mem.run("fetch")
    assert (
        mem("diff", "--incoming", "--stat")
        == mem("diff", "--incoming", "origin", "--stat")
        == ("+ of-b   Of b.\n~ cents  body\n1 note added, 1 changed\n")
    )
    document = mem.json("diff", "--incoming")
    head = mem.repo.git("rev-parse", "HEAD")
    assert (document["base"], document["head"], document["maybe_stale"]) == (head, head, [])
    mem.run("merge")
    assert mem("diff", "--incoming", "--exit-code") == ""
    done = mem.run("diff", "--incoming", "elsewhere")
    assert (done.code, done.err) == (
        1,
        "error: nothing was fetched from 'elsewhere'\nhint: to fetch it: git mem fetch elsewhere\n",
    )


def test_memory_that_was_only_fetched_is_seen(branch, tmp_path):
    other = Repo(tmp_path / "other")
    branch.repo.git("clone", "--quiet", "--branch", "feature/x", ".", str(other.path))
    other.git("fetch", "--quiet", "origin", "+refs/memory/*:refs/memory-remotes/origin/*")
    assert ids(Mem(other), "origin/main...HEAD") == ["new-way", "cents", "old-way"]


# --- places -------------------------------------------------------------------------------------


def test_a_broken_note_is_a_warning_and_stops_nothing(branch):
    store_blob(branch.repo, path_of("bad", "0" * 20), "no note\n")
    done = branch.run("diff", "--name-only")
    assert (done.code, done.out) == (0, "new-way\ncents\nold-way\n")
    assert done.err.startswith("warning: shared: ") and done.err.count("\n") == 1
    assert [note["id"] for note in branch.json("diff")["added"]] == ["new-way"]


def test_a_bare_repository_has_the_same_views(branch, tmp_path):
    bare = Repo(tmp_path / "bare.git")
    branch.repo.git("clone", "--quiet", "--mirror", ".", str(bare.path))
    assert Mem(bare)("diff", "--stat", "main...feature/x") == branch("diff", "--stat")


def test_where_no_memory_is_nothing_differs(mem, make_repo):
    mem.repo.commit("more", more="1\n")
    assert mem("diff", "--exit-code", "HEAD~1") == ""
    empty = Mem(make_repo("empty"))
    done = empty.run("diff")
    assert (done.code, done.out, done.err) == (0, "", HINT)
    assert empty.json("diff") == {
        "version": 1,
        "base": None,
        "head": None,
        "added": [],
        "changed": [],
        "removed": [],
        "maybe_stale": [],
    }


def test_in_a_shallow_clone_a_note_that_cannot_be_placed_is_marked(branch, tmp_path):
    path = tmp_path / "shallow"
    url = f"file://{branch.repo.path}"
    branch.repo.git("clone", "--quiet", "--depth=1", "--branch=feature/x", url, str(path))
    shallow = Mem(Repo(path))
    shallow.repo.git("fetch", "--quiet", "origin", "+refs/memory/*:refs/memory-remotes/origin/*")
    shallow.repo.commit("more", **{"scripts/run.js": "more()\n"})
    commit = shallow.repo.git("rev-parse", "--short=10", "HEAD")
    assert shallow("diff", "HEAD~1") == (
        "may be stale\n"
        "\n"
        "! new-way (fact, shared; by Ada Tester on feature/x)\n"
        f"  {commit} more\n"
        "\n"
        "! scripts (fact, shared; by Ada Tester on main) (not known whether it is seen here)\n"
        f"  {commit} more\n"
    )
