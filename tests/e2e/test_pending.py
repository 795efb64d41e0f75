"""Notes about work that is not committed: seen in their work tree, published with the commit."""

import json
import time
from pathlib import Path

import pytest
from conftest import Repo
from running import Mem, note


def listed(mem: Mem) -> list[tuple[str, str, bool]]:
    """(id, layer, pending) of what is seen."""
    notes = mem.json("list")["notes"]
    return [(item["id"], item["layer"], item["pending"]) for item in notes]


def anchor_of(mem: Mem, note_id: str) -> str:
    child = mem.start("show", note_id, "--json")
    out, _ = child.communicate()
    anchor: str = json.loads(out)["anchor"]
    return anchor


def waiting(mem: Mem) -> str:
    return mem("list", "--pending", "--ids")


def write(mem: Mem) -> None:
    """Change src/a.py and learn something about it."""
    mem.repo.write("src/a.py", "A = 1\nA += 1\n")
    mem("add", "src/a.py counts twice", "--id", "twice")
    assert listed(mem) == [("twice", "local", True)]
    assert "refs/memory/facts" not in mem.repo.git("for-each-ref")


def test_it_is_shown_in_the_work_tree_and_published_with_the_first_commit_of_the_file(
    mem: Mem,
) -> None:
    write(mem)
    assert mem.shown(mem.touch("src/a.py")).count("src/a.py counts twice") == 1
    assert "about work not committed yet" in mem.shown(mem.touch("src/a.py"))
    mem.repo.git("commit", "-q", "--allow-empty", "-m", "something else")
    assert listed(mem) == [("twice", "local", True)]
    commit = mem.repo.commit("count twice")
    assert listed(mem) == [("twice", "shared", False)]
    assert anchor_of(mem, "twice") == commit
    assert waiting(mem) == ""
    assert mem.json("status")["pending"] == 0


def test_a_hook_publishes_it_too(mem: Mem) -> None:
    write(mem)
    mem.repo.commit("count twice")
    until = time.monotonic() + 30
    while "not committed" in (text := mem.shown(mem.touch("src/a.py"))):
        assert time.monotonic() < until  # a busy machine may answer once from the index before
    assert "src/a.py counts twice" in text
    assert "refs/memory/facts" in mem.repo.git("for-each-ref")


def test_what_is_staged_and_what_is_untracked_counts_and_what_is_ignored_does_not(
    mem: Mem,
) -> None:
    mem.repo.commit("ignore", **{".gitignore": "*.log\n"})
    mem.repo.write("debug.log", "x\n")
    assert mem.run("add", "It is noisy.", "--id", "log", "-p", "*.log").code == 0
    mem.repo.write("src/new.py", "NEW = 1\n")
    assert mem.run("add", "It is new.", "--id", "new", "-p", "src/new.py").code == 0
    mem.repo.write("src/b.py", "B = 3\n")
    mem.repo.git("add", "src/b.py")
    mem("add", "src/b.py is three", "--id", "three")
    assert listed(mem) == [
        ("log", "shared", False),
        ("new", "local", True),
        ("three", "local", True),
    ]


def test_an_edit_and_a_forget_of_a_shared_note_wait_as_well(mem: Mem) -> None:
    mem.store(note("one", "One.", paths=["src/a.py"]), note("two", "Two.", paths=["src/a.py"]))
    mem.repo.write("src/a.py", "A = 2\n")
    mem("edit", "one", "Changed.")
    mem("forget", "two")
    assert mem("list") == "one  [local] Changed. (pending)\n"
    assert mem.repo.git("rev-list", "--count", "refs/memory/facts") == "1"
    mem.repo.git("stash", "-q")
    assert mem("list") == "one  [local] Changed. (pending)\n"
    mem.repo.git("stash", "pop", "-q")
    mem.repo.commit("a is two")
    assert mem("list") == "one  Changed.\n"
    mem.repo.git("checkout", "-q", "HEAD~1")
    assert mem("list") == "one  One.\ntwo  Two.\n"


def test_a_stash_does_not_publish(mem: Mem) -> None:
    write(mem)
    mem.repo.git("stash", "-q")
    mem.repo.commit("elsewhere", **{"README.md": "# B\n"})
    assert listed(mem) == [("twice", "local", True)]
    assert mem.repo.git("for-each-ref", "refs/memory") == ""


def test_a_commit_on_a_branch_made_after_the_note_publishes_there(mem: Mem) -> None:
    write(mem)
    mem.repo.git("switch", "-q", "-c", "later")
    commit = mem.repo.commit("count twice")
    assert listed(mem) == [("twice", "shared", False)]
    assert anchor_of(mem, "twice") == commit
    mem.repo.git("switch", "-q", "main")
    assert listed(mem) == []


def test_an_amend_publishes_it_with_the_amended_commit(mem: Mem) -> None:
    mem.repo.commit("wip", **{"src/b.py": "B = 5\n"})
    write(mem)
    mem.repo.git("commit", "-q", "--amend", "--all", "-m", "wip, and a counts twice")
    assert listed(mem) == [("twice", "shared", False)]
    assert anchor_of(mem, "twice") == mem.repo.git("rev-parse", "HEAD")


def test_an_amend_of_the_message_alone_leaves_it_pending_and_seen(mem: Mem) -> None:
    mem.repo.commit("wip", **{"src/b.py": "B = 5\n"})
    write(mem)
    mem.repo.git("commit", "-q", "--amend", "-m", "wip, said better")
    assert listed(mem) == [("twice", "local", True)]
    mem.repo.commit("count twice")
    assert listed(mem) == [("twice", "shared", False)]


def test_an_abandoned_change_stays_pending_and_can_be_forgotten(mem: Mem) -> None:
    write(mem)
    mem.repo.git("checkout", "-q", "--", "src/a.py")
    mem.repo.commit("elsewhere", **{"README.md": "# B\n"})
    assert waiting(mem) == "twice\n"
    mem("forget", "twice")
    assert (listed(mem), waiting(mem)) == ([], "")
    mem.repo.commit("a changes after all", **{"src/a.py": "A = 9\n"})
    assert listed(mem) == []
    assert mem.repo.git("for-each-ref", "refs/memory") == ""


def test_on_an_unborn_branch_the_first_commit_publishes_it(path: None, make_repo: object) -> None:
    mem = Mem(make_repo("unborn"))  # type: ignore[operator]
    mem.repo.write("src/a.py", "A = 1\n")
    assert mem.run("add", "src/a.py is first", "-p", "src/a.py", "--id", "first").code == 0
    mem("add", "Use tabs.", "--always", "--id", "tabs")
    assert listed(mem) == [("first", "local", True), ("tabs", "local", True)]
    assert "src/a.py is first" in mem.shown(mem.touch("src/a.py"))
    mem.repo.commit("the first")
    assert listed(mem) == [("first", "shared", False), ("tabs", "shared", False)]


def test_a_file_that_is_never_committed_keeps_its_note_here(mem: Mem) -> None:
    mem.repo.write("scratch.py", "x\n")
    assert mem.run("add", "It is only mine.", "-p", "scratch.py", "--id", "mine").code == 0
    (mem.repo.path / "scratch.py").rename(mem.repo.git_dir / "scratch.py")
    for number in range(3):
        mem.repo.commit("more", **{"src/a.py": f"A = {number}\n"})
    assert listed(mem) == [("mine", "local", True)]


def test_each_worktree_has_its_own_pending_notes(mem: Mem, tmp_path: Path) -> None:
    write(mem)
    mem.repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "wt"))
    there = Mem(Repo(tmp_path / "wt"))
    there.repo.clock = mem.repo.clock
    assert listed(there) == []
    assert waiting(there) == "twice\n"
    there.repo.write("src/b.py", "B = 4\n")
    there("add", "src/b.py is four", "--id", "four")
    assert listed(there) == [("four", "local", True)]
    assert listed(mem) == [("twice", "local", True)]
    there.repo.commit("four")
    assert listed(there) == [("four", "shared", False)]
    assert listed(mem) == [("twice", "local", True)]
    assert mem.json("status")["pending"] == 1


def test_an_edit_of_a_pending_note_is_published_as_one(mem: Mem) -> None:
    write(mem)
    mem("edit", "twice", "src/a.py counts thrice")
    assert mem("list") == "twice  [local] src/a.py counts thrice (pending)\n"
    mem.repo.commit("count")
    assert mem("list") == "twice  src/a.py counts thrice\n"
    mem.repo.git("switch", "-q", "-c", "old", "HEAD~1")
    assert mem("list") == ""
    assert mem("list", "--conflicts") == ""


def test_an_id_that_is_pending_is_taken(mem: Mem) -> None:
    write(mem)
    done = mem.run("add", "Something else.", "--id", "twice", "-p", "README.md")
    assert done.code == 1
    assert done.err.startswith("error: the note: there is already a different note 'twice'")


def test_push_publishes_what_the_pushed_commits_hold(
    mem: Mem, make_repo: object, tmp_path: Path
) -> None:
    hub = make_repo("hub", "--bare")  # type: ignore[operator]
    mem.repo.git("remote", "add", "origin", str(hub.path))
    mem.run("init")
    write(mem)
    mem.repo.git("push", "-q", "-u", "origin", "main")
    assert "refs/memory" not in hub.git("for-each-ref")
    mem.repo.commit("count twice")
    mem.repo.git("push", "-q")
    assert "refs/memory/facts" in hub.git("for-each-ref")
    clone = tmp_path / "clone"
    hub.git("clone", "-q", str(hub.path), str(clone))
    ben = Mem(Repo(clone))
    ben.run("init")
    ben("sync")
    assert listed(ben) == [("twice", "shared", False)]


def test_commits_that_were_there_before_do_not_publish_it(mem: Mem) -> None:
    repo = mem.repo
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("feature", **{"src/a.py": "A = 1\nF = 1\n"})
    repo.git("switch", "-q", "main")
    repo.write("src/a.py", "A = 1\nHOT = 1\n")
    mem("add", "src/a.py has a hotfix", "--id", "hot")
    assert listed(mem) == [("hot", "local", True)]
    commit = repo.commit("hotfix")
    assert listed(mem) == [("hot", "shared", False)]
    assert anchor_of(mem, "hot") == commit
    repo.git("switch", "-q", "feature")
    assert listed(mem) == []


def test_a_commit_in_another_worktree_does_not_publish_it_while_its_file_is_changed(
    mem: Mem, tmp_path: Path
) -> None:
    mem.repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "wt"))
    write(mem)
    there = Repo(tmp_path / "wt")
    there.clock = mem.repo.clock
    there.commit("other", **{"src/a.py": "A = 8\n"})
    assert listed(Mem(there)) == []
    assert listed(mem) == [("twice", "local", True)]
    mem.repo.git("stash", "-q")
    assert listed(mem) == [("twice", "local", True)]
    commit = mem.repo.commit("mine", **{"src/a.py": "A = 1\nA += 1\n"})
    assert listed(mem) == [("twice", "shared", False)]
    assert anchor_of(mem, "twice") == commit


def test_on_an_orphan_branch_the_roots_of_others_do_not_publish_it(mem: Mem) -> None:
    mem.repo.git("switch", "-q", "--orphan", "site")
    mem("add", "The site is static.", "--always", "--id", "static")
    assert listed(mem) == [("static", "local", True)]
    mem.repo.commit("site", **{"index.html": "x\n"})
    assert listed(mem) == [("static", "shared", False)]
    mem.repo.git("switch", "-q", "main")
    assert listed(mem) == []


def test_undo_and_restore_take_back_what_was_published_since(mem: Mem) -> None:
    mem.store(note("one", "One.", paths=["src/a.py"]), note("two", "Two.", paths=["src/a.py"]))
    mem.repo.write("src/a.py", "A = 2\n")
    mem("edit", "one", "Changed.")
    mem("forget", "two")
    mem("add", "src/a.py is two", "--id", "three")
    mem.repo.commit("a is two")
    assert mem("list") == "one    Changed.\nthree  src/a.py is two\n"
    mem("undo", "one")
    mem("undo", "two")
    mem("undo", "three")
    assert mem("list") == "one  One.\ntwo  Two.\n"
    mem("forget", "two")
    mem("restore", "two")
    assert mem("list") == "one  One.\ntwo  Two.\n"


def test_a_soft_reset_and_one_new_commit_keep_it_in_view(mem: Mem) -> None:
    repo = mem.repo
    start = repo.git("rev-parse", "HEAD")
    repo.commit("one", **{"src/a.py": "".join(f"A_{n} = value_of({n})\n" for n in range(9))})
    assert mem.run("add", "It is b.", "-p", "b.txt", "--id", "b").code == 0
    repo.write("b.txt", "b\n")
    mem("edit", "b", "It is really b.")
    repo.git("reset", "-q", "--soft", start)
    repo.commit("all of it at once")
    assert listed(mem) == [("b", "shared", False)]
    assert mem("list") == "b  It is really b.\n"


@pytest.mark.parametrize("option", ["--here", "--everywhere"])
def test_a_note_that_says_where_it_is_true_does_not_wait(mem: Mem, option: str) -> None:
    mem.repo.write("src/a.py", "A = 7\n")
    mem("add", "src/a.py is seven", "--id", "seven", option)
    assert listed(mem) == [("seven", "shared", False)]
