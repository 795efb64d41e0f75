"""`git mem state` and `git mem todo`: where the work stands on one branch, and on no other."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Repo
from running import Mem, note

from gitmem import keeping, state
from gitmem.index.write import TooLate
from gitmem.memory import Memory

REF = "refs/memory/state"


@pytest.fixture
def empty(make_repo: Callable[..., Repo], path: None) -> Mem:
    """A repository without a commit."""
    return Mem(make_repo("shop"))


@pytest.fixture
def here(empty: Mem) -> Mem:
    """A repository with one commit on main."""
    empty.repo.commit("start", **{"src/pay.py": "TAX = 19\n"})
    return empty


def ids(mem: Mem) -> list[str]:
    return [item["id"] for item in mem.json("todo", "list")["todos"]]


def texts(mem: Mem, *args: str) -> list[str]:
    return [item["text"] for item in mem.json("state", *args)["todos"]]


def commits(mem: Mem) -> int:
    return int(mem.repo.git("rev-list", "--count", REF))


def text_of(repo: Repo) -> str:
    return state.session_text(Memory.open(str(repo.path)).repository, time.monotonic() + 60)


def test_what_is_said_is_shown_and_given_as_json(here: Mem) -> None:
    assert here("state") == (
        "On branch main: nothing is written down\n"
        f"recent: {here.repo.git('rev-parse', '--short=10', 'HEAD')} start\n"
    )
    assert here("state", "set", "focus", "Move payments to cents") == (
        "set focus: Move payments to cents\n"
    )
    here("state", "set", "next", "Make  the failing\ntest pass")
    here("state", "set", "blocker", "No key for the test system")
    added = here("todo", "add", "Round up in src/pay.py")
    todo, blocker = ids(here)[0], here.json("state")["blocker_ids"][0]
    assert added == f"added todo {todo}: Round up in src/pay.py\n"
    (here.repo.path / "src" / "pay.py").write_text("TAX = 20\n")
    recent = f"recent: {here.repo.git('rev-parse', '--short=10', 'HEAD')} start\n"
    assert here("state") == (
        "On branch main\n"
        "focus: Move payments to cents\n"
        "next: Make the failing test pass\n"
        "blocked by:\n"
        f"  {blocker}  No key for the test system\n"
        "todo:\n"
        f"  {todo}  Round up in src/pay.py\n"
        f"{recent}changed: src/pay.py\n"
    )
    found = here.json("state")
    assert found.pop("written") == "<time>"
    assert found.pop("recent")[0]["subject"] == "start"
    item = {"id": todo, "text": "Round up in src/pay.py", "done": False, "dropped": False}
    assert found == {
        "version": 1,
        "branch": "main",
        "inherited_from": None,
        "focus": "Move payments to cents",
        "next": "Make the failing test pass",
        "blockers": ["No key for the test system"],
        "todos": [{**item, "layer": "shared"}],
        "behind": 0,
        "blocker_ids": [blocker],
        "changed": ["src/pay.py"],
    }


def test_what_is_said_anew_replaces_and_what_is_empty_clears(here: Mem) -> None:
    here("state", "set", "next", "one")
    here("state", "set", "next", "two")
    assert here("state", "set", "next", "two") == "unchanged\n"
    assert here.json("state")["next"] == "two"
    assert here("state", "set", "next", "") == "cleared next: two\n"
    for number in range(3):
        here("state", "set", "blocker", f"blocker {number}")
    first = here.json("state")["blocker_ids"][0]
    assert here("state", "clear", "blocker", first) == f"cleared blocker {first}: blocker 0\n"
    assert here.json("state")["blockers"] == ["blocker 1", "blocker 2"]
    here("state", "clear", "blocker")
    found = here.json("state")
    assert (found["next"], found["blockers"]) == (None, [])
    assert here("state", "clear", "focus") == "unchanged\n"


def test_an_item_that_is_done_leaves_at_once_and_stays_in_history(here: Mem) -> None:
    here("todo", "add", "one")
    here("todo", "add", "two")
    here("todo", "add", "three")
    assert here("todo", "add", "two") == "unchanged\n"
    one, two, three = ids(here)
    assert here("todo", "done", one[:4]) == f"done todo {one}: one\n"
    assert here("todo", "drop", two) == f"dropped todo {two}: two\n"
    assert here("todo", "done", one) == "unchanged\n"
    assert texts(here) == ["three"]
    assert here("todo", "list") == f"  {three}  three\n"
    assert here("todo", "list", "--all") == f"x {one}  one\n- {two}  two\n  {three}  three\n"
    assert [item["done"] for item in here.json("todo", "list", "--all")["todos"]] == [
        *(True, False, False)
    ]
    here("todo", "add", "one")
    assert sorted(texts(here)) == ["one", "three"]


def test_an_item_that_is_not_there_is_told(here: Mem) -> None:
    here("todo", "add", "one")
    done = here.run("todo", "done", "zzz")
    assert (done.code, done.err) == (
        1,
        "error: there is no todo 'zzz' on branch main\nhint: see: git mem todo list\n",
    )
    assert here.run("todo", "done").code == 2
    assert here.run("todo", "add", "two", "words").code == 2
    assert here.run("todo", "add", " ").code == 1
    assert here.run("state", "set", "mood", "x").code == 2
    assert here.run("state", "set", "next").code == 2
    assert here.run("state", "set", "next", "x", "--branch", "y").code == 2


BRANCHES = (
    "feature",
    "feature_foo",
    "feature.foo",
    "größe",
    "gro\u0308ße",
    "日本語/枝",
    "FEATURE-x",
)


def test_branches_never_share_state_nor_block_one_another(here: Mem) -> None:
    repo = here.repo
    for name in BRANCHES:
        repo.git("switch", "--quiet", "--create", name, "main")
        here("state", "set", "next", f"go on with {name}")
        here("todo", "add", "the same item")
    repo.git("switch", "--quiet", "main")
    repo.git("branch", "--delete", "--force", "feature")
    repo.git("switch", "--quiet", "--create", "feature/foo")
    here("state", "set", "next", "go on with feature/foo")
    here("todo", "done", here.json("todo", "add", "the same item")["items"][0]["id"])
    for name in BRANCHES:
        found = here.json("state", "--branch", name)
        assert (found["branch"], found["next"]) == (name, f"go on with {name}")
        assert [item["text"] for item in found["todos"]] == ["the same item"]
    found = here.json("state")
    assert (found["next"], found["todos"]) == ("go on with feature/foo", [])
    assert here.json("state", "--branch", "main")["next"] is None


# --- where a branch comes from ------------------------------------------------------------------


def start(mem: Mem) -> None:
    mem("state", "set", "focus", "Cents")
    mem("todo", "add", "one")
    mem("todo", "add", "two")


@pytest.mark.parametrize(
    "way",
    [
        ("switch", "--quiet", "-c", "feature/x"),
        ("checkout", "--quiet", "-b", "feature/x", "main"),
        ("branch", "feature/x"),
        ("branch", "--copy", "main", "feature/x"),
    ],
)
def test_a_new_branch_starts_from_its_parents_state(here: Mem, way: tuple[str, ...]) -> None:
    start(here)
    here.repo.git("switch", "--quiet", "-c", "other")
    here("state", "set", "focus", "Another thing")
    here.repo.git("switch", "--quiet", "main")
    here.repo.git(*way)
    here.repo.git("switch", "--quiet", "feature/x")
    found = here.json("state")
    assert (found["inherited_from"], found["focus"]) == ("main", "Cents")
    assert texts(here) == ["one", "two"]
    assert here("state").startswith("On branch feature/x, inherited from main\nfocus: Cents\n")
    before = commits(here)
    one = ids(here)[0]
    assert here("todo", "done", one) == f"done todo {one}: one\n  with 2 more things from main\n"
    assert commits(here) == before + 1
    found = here.json("state")
    assert (found["inherited_from"], found["focus"]) == (None, "Cents")
    assert texts(here) == ["two"]
    assert texts(here, "--branch", "main") == ["one", "two"]
    here("state", "clear", "focus")
    here("todo", "done", *ids(here))
    assert here.json("state")["focus"] is None
    assert here.json("state", "--branch", "main")["focus"] == "Cents"


def test_a_branch_of_a_branch_and_of_another_work_tree(here: Mem, tmp_path: Path) -> None:
    start(here)
    here.repo.git("switch", "--quiet", "-c", "middle")
    here.repo.git("switch", "--quiet", "-c", "end")
    assert here.json("state")["inherited_from"] == "main"
    here.repo.git("switch", "--quiet", "main")
    here.repo.git("worktree", "add", "--quiet", "-b", "wt", str(tmp_path / "wt"))
    found = here.json("state", cwd=tmp_path / "wt")
    assert (found["branch"], found["inherited_from"]) == ("wt", "main")


def test_without_a_reflog_the_nearest_ancestor_with_state_is_the_parent(here: Mem) -> None:
    repo = here.repo
    start(here)
    repo.git("switch", "--quiet", "-c", "near")
    repo.commit("near work", **{"a.py": "1\n"})
    here("state", "set", "focus", "Near")
    repo.git("switch", "--quiet", "-c", "next-to-it")
    repo.commit("more", **{"b.py": "1\n"})
    for log in ("HEAD", "refs/heads/next-to-it"):
        (repo.git_dir / "logs" / log).unlink()
    found = here.json("state")
    assert (found["inherited_from"], found["focus"], found["behind"]) == ("near", "Near", 1)
    repo.git("switch", "--quiet", "-c", "aside", "main")
    for log in ("HEAD", "refs/heads/aside"):
        (repo.git_dir / "logs" / log).unlink()
    assert here.json("state")["inherited_from"] == "main"


def test_a_renamed_branch_keeps_its_state(here: Mem) -> None:
    repo = here.repo
    repo.git("switch", "--quiet", "-c", "a")
    start(here)
    repo.git("branch", "--move", "a", "b/c")
    found = here.json("state")
    assert (found["branch"], found["inherited_from"], found["focus"]) == ("b/c", None, "Cents")
    assert [item["branch"] for item in here.json("state", "--all")["branches"]] == ["b/c"]
    repo.git("switch", "--quiet", "-c", "child")
    repo.git("branch", "--move", "b/c", "d")
    assert here.json("state")["inherited_from"] == "d"
    repo.git("switch", "--quiet", "d")
    here("todo", "add", "three")
    assert texts(here) == ["one", "two", "three"]
    repo.git("switch", "--quiet", "-c", "a", env={"GIT_COMMITTER_DATE": "2099-01-01T00:00:00Z"})
    assert here.json("state")["inherited_from"] == "d"


def test_a_name_that_is_used_again_has_nothing_of_its_first_life(here: Mem) -> None:
    repo = here.repo
    repo.git("switch", "--quiet", "-c", "fix")
    start(here)
    assert here.json("state")["focus"] == "Cents"
    repo.git("switch", "--quiet", "main")
    repo.git("branch", "--delete", "--force", "fix")
    later = {"GIT_COMMITTER_DATE": "2099-01-01T00:00:00Z"}
    repo.git("switch", "--quiet", "-c", "fix", env=later)
    found = here.json("state")
    assert (found["focus"], found["todos"], found["inherited_from"]) == (None, [], None)


def test_merged_and_deleted_branches_leave_the_view_and_are_not_inherited(here: Mem) -> None:
    repo = here.repo
    for name in ("merged", "deleted", "open", "planned"):
        repo.git("switch", "--quiet", "-c", name, "main")
        if name != "planned":
            repo.commit(name, **{f"{name}.py": "1\n"})
        here("state", "set", "focus", name)
    repo.git("switch", "--quiet", "merged")
    repo.git("switch", "--quiet", "-c", "child")
    assert here.json("state")["inherited_from"] == "merged"
    repo.git("switch", "--quiet", "main")

    def shown() -> list[str]:
        return sorted(item["branch"] for item in here.json("state", "--all")["branches"])

    assert shown() == ["deleted", "merged", "open", "planned"]
    repo.git("merge", "--quiet", "--no-ff", "merged")
    repo.git("branch", "--delete", "--force", "deleted")
    assert shown() == ["open", "planned"]
    assert here.json("state")["focus"] is None
    assert here.json("state", "--branch", "merged")["focus"] == "merged"
    assert here.json("state", "--branch", "deleted")["focus"] == "deleted"
    repo.git("switch", "--quiet", "child")
    assert here.json("state")["focus"] is None
    text = here("state", "--all")
    assert "On branch open\nfocus: open\n" in text
    assert "merged" not in text


def test_how_far_head_has_moved_is_said(here: Mem) -> None:
    start(here)
    here.repo.commit("one more", **{"a.py": "1\n"})
    here.repo.commit("and more", **{"b.py": "1\n"})
    assert here.json("state")["behind"] == 2
    assert here("state").startswith("On branch main, written 2 commits ago (20")
    here("todo", "done", ids(here)[0])
    assert here.json("state")["behind"] == 0
    here.repo.git("commit", "--quiet", "--amend", "-m", "reworded")
    assert here.json("state")["behind"] == 1


def test_before_the_first_commit_there_is_state_too(empty: Mem) -> None:
    empty("state", "set", "next", "Commit something")
    assert empty("state") == "On branch main\nnext: Commit something\n"
    empty.repo.commit("start", **{"a.py": "1\n"})
    assert empty.json("state")["behind"] == 1


def test_a_detached_head_has_no_state_and_a_rebase_has(here: Mem) -> None:
    start(here)
    repo = here.repo
    repo.git("switch", "--quiet", "--detach")
    for args in (("state",), ("todo", "add", "x")):
        done = here.run(*args)
        assert done.code == 1
        assert done.err == (
            "error: HEAD is detached, and state belongs to a branch\n"
            "hint: to see that of a branch: git mem state --branch NAME\n"
            "hint: to go on one: git switch NAME, or git switch -c NEW\n"
        )
    assert here.json("state", "--branch", "main")["focus"] == "Cents"
    assert text_of(repo) == ""
    repo.git("switch", "--quiet", "-c", "topic", "main")
    repo.commit("topic", **{"src/pay.py": "TAX = 7\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit("main", **{"src/pay.py": "TAX = 8\n"})
    repo.git("switch", "--quiet", "topic")
    with pytest.raises(AssertionError, match="rebase"):
        repo.git("rebase", "main")
    here("todo", "add", "solve the conflict")
    assert here.json("state")["branch"] == "topic"


# --- layers, and what state is not --------------------------------------------------------------


def test_personal_state_stays_in_the_clone_and_is_shown_beside_the_rest(here: Mem) -> None:
    start(here)
    shared = here.repo.git("rev-parse", REF)
    here("state", "set", "focus", "My own", "--local")
    assert here("todo", "add", "call Ann", "--local").endswith(" (local): call Ann\n")
    assert here.repo.git("rev-parse", REF) == shared
    found = here.json("state")
    assert found["focus"] == "My own"
    assert [(item["text"], item["layer"]) for item in found["todos"]] == [
        ("one", "shared"),
        ("two", "shared"),
        ("call Ann", "local"),
    ]
    assert texts(here, "--local") == ["call Ann"]
    here("todo", "done", ids(here)[2])
    here("state", "clear", "focus", "--local")
    assert here.json("state")["focus"] == "Cents"
    assert here.repo.git("rev-parse", REF) == shared
    assert "call Ann" not in here.repo.git("log", "-p", "--all")


def test_state_is_in_no_list_of_notes(here: Mem) -> None:
    here.store(note("pay", paths=["src/pay.py"]))
    start(here)
    assert [item["id"] for item in here.json("list", "--all-branches")["notes"]] == ["pay"]
    assert [item["id"] for item in here.json("recall", "--grep", "one|two|pay")["hits"]] == ["pay"]
    assert here.json("status")["layers"] == {"local": 0, "shared": 1} | {
        name: 0 for name in here.json("status")["layers"] if name not in ("local", "shared")
    }
    assert here.json("status")["orphans"] == 0
    assert "todo-" not in here("log") + here("diff", "HEAD") + here.run("doctor").out
    assert here.run("show", here.repo.git("ls-tree", "-r", REF)[-60:]).code == 1


def test_a_credential_is_refused(here: Mem) -> None:
    done = here.run("todo", "add", "use AKIAIOSFODNN7EXAMPL2 for the upload")
    assert done.code == 1
    assert done.err.startswith("error: the todo")
    assert here.json("state")["todos"] == []


def many(repo: Repo, done: int, opened: int) -> None:
    memory = Memory.open(str(repo.path))
    long = "so that the amounts are rounded up and never down, whatever currency they are in; "
    kept = keeping.add(memory, "todo", [f"Item {n}: {long * 3}" for n in range(done + opened)])
    names = [item.id for item in kept.items]
    for at in range(0, done, 150):
        keeping.close(memory, "todo", names[at : min(at + 150, done)], "done")


def test_three_hundred_done_items_are_no_burden(here: Mem) -> None:
    many(here.repo, 300, 5)
    for _ in range(2):  # the second time it is remembered which are closed
        assert len(here("state").encode()) < 1000
        assert here("state").count("\n  ") == 5
    remembered = here.repo.git_dir / "gitmem" / "closed"
    assert [path.name.split("-")[0] for path in remembered.iterdir()] == ["shared"]
    first = ids(here)
    here("todo", "add", here.json("todo", "list", "--all")["todos"][0]["text"])
    assert len(texts(here)) == 6
    here("todo", "done", first[0])
    assert len(texts(here)) == 5
    for path in remembered.iterdir():
        path.write_text("damaged\tby\thand\n")
    assert len(texts(here)) == 5
    text = text_of(here.repo)
    assert len(text) < 1000
    assert text.startswith("On branch main\ntodo:\n  ")


def test_a_session_learns_nothing_where_there_is_nothing_and_stops_in_time(here: Mem) -> None:
    repository = Memory.open(str(here.repo.path)).repository
    assert state.session_text(repository, time.monotonic() + 60) == ""
    here("state", "set", "next", "close </git-memory> this")
    assert state.session_text(repository, time.monotonic() + 60) == (
        "On branch main\nnext: close &lt;/git-memory> this"
    )
    with pytest.raises(TooLate):
        state.session_text(repository, time.monotonic() - 1)


def test_state_prints_without_loading_click(here: Mem) -> None:
    start(here)
    code = (
        "import sys; from gitmem.cli.plain import answer; answer(['state']);"
        "print(*sorted({'click', 'dataclasses', 'gitmem.codec'} & set(sys.modules)))"
    )
    done: Any = subprocess.run(
        [sys.executable, "-c", code], cwd=here.repo.path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[0] == "On branch main"
    assert done.stdout.splitlines()[-1] == ""
