"""State goes where memory goes, and two people on one branch never get in each other's way."""

import subprocess
from pathlib import Path

import pytest
from conftest import Repo
from running import Mem
from travelling import Team, make_team, tip

REF = "refs/memory/state"


@pytest.fixture
def team(tmp_path: Path, path: None) -> Team:
    return make_team(tmp_path / "team", "ada", "bob")


@pytest.fixture
def ada(team: Team) -> Mem:
    return Mem(team.clones["ada"])


@pytest.fixture
def bob(team: Team) -> Mem:
    return Mem(team.clones["bob"])


def todos(mem: Mem, *args: str) -> list[str]:
    return [item["text"] for item in mem.json("state", *args)["todos"]]


def item(mem: Mem, text: str) -> str:
    """The id of an item by its text, done or not."""
    every = mem.json("todo", "list", "--all")["todos"]
    return next(each["id"] for each in every if each["text"] == text)


def both_sync(ada: Mem, bob: Mem) -> None:
    for mem in (ada, bob, ada):
        mem("sync")


def test_two_clones_add_and_finish_items_at_the_same_time(team: Team, ada: Mem, bob: Mem) -> None:
    for text in ("one", "two", "three"):
        ada("todo", "add", text)
    both_sync(ada, bob)
    assert todos(bob) == ["one", "two", "three"]
    ada("todo", "add", "from ada")
    bob("todo", "add", "from bob")
    ada("todo", "done", item(ada, "one"))
    bob("todo", "done", item(bob, "two"))
    for mem in (ada, bob):  # the same item finished twice, the same item added twice
        mem("todo", "done", item(mem, "three"))
        mem("todo", "add", "from both")
    both_sync(ada, bob)
    assert tip(ada.repo, REF) == tip(bob.repo, REF) == tip(team.hub, REF) != ""
    for mem in (ada, bob):
        assert sorted(todos(mem)) == ["from ada", "from bob", "from both"]
        assert len(mem.json("state")["todos"]) == 3
        assert "same time" not in mem("state")
        assert mem.json("list", "--conflicts")["notes"] == []
        assert mem.json("status")["conflicts"] == 0


def test_two_next_steps_at_once_are_both_shown_until_one_is_set(ada: Mem, bob: Mem) -> None:
    ada("state", "set", "next", "start")
    both_sync(ada, bob)
    ada("state", "set", "next", "as ada says")
    bob("state", "set", "next", "as bob says")
    both_sync(ada, bob)
    for mem in (ada, bob):
        assert sorted(mem.json("state")["next"].split("\n")) == ["as ada says", "as bob says"]
        assert mem("state").count("(said at the same time)") == 2
    bob("state", "set", "next", "together")
    both_sync(ada, bob)
    assert ada.json("state")["next"] == bob.json("state")["next"] == "together"
    assert "same time" not in ada("state")


def test_what_was_fetched_is_seen_before_it_is_merged(ada: Mem, bob: Mem) -> None:
    bob("todo", "add", "mine")
    ada("todo", "add", "theirs")
    ada("sync")
    bob.repo.git("fetch", "--quiet")
    assert sorted(todos(bob)) == ["mine", "theirs"]
    bob("todo", "done", item(bob, "theirs"))
    both_sync(ada, bob)
    assert todos(ada) == todos(bob) == ["mine"]


def test_plain_push_and_pull_carry_state(team: Team, ada: Mem, bob: Mem) -> None:
    for mem in (ada, bob):
        mem("init")
    ada.repo.commit("work", **{"src/a.py": "A = 2\n"})
    ada("state", "set", "focus", "Cents")
    ada.repo.git("push", "--quiet", "origin", "main")
    assert tip(team.hub, REF) == tip(ada.repo, REF) != ""
    bob.repo.git("pull", "--quiet")
    found = bob.json("state")
    assert (found["focus"], found["behind"]) == ("Cents", 0)


def test_a_branch_that_a_colleague_checks_out_has_its_state(ada: Mem, bob: Mem) -> None:
    ada.repo.git("switch", "--quiet", "-c", "feature/x")
    ada("state", "set", "focus", "Cents")
    ada.repo.commit("work", **{"src/a.py": "A = 2\n"})
    ada.repo.git("push", "--quiet", "-u", "origin", "feature/x")
    ada("sync")
    bob("sync")
    assert bob.json("state", "--all")["branches"] == []  # there is no such branch yet
    bob.repo.git("fetch", "--quiet")
    assert [each["branch"] for each in bob.json("state", "--all")["branches"]] == ["feature/x"]
    bob.repo.git("switch", "--quiet", "feature/x")
    found = bob.json("state")
    assert (found["focus"], found["inherited_from"], found["behind"]) == ("Cents", None, 1)
    bob.repo.git("switch", "--quiet", "main")
    bob.repo.git("merge", "--quiet", "feature/x")
    bob.repo.git("push", "--quiet", "origin", "main")
    assert bob.json("state", "--all")["branches"] == []


def test_personal_state_is_in_no_clone_and_no_bundle(team: Team, ada: Mem, tmp_path: Path) -> None:
    ada("todo", "add", "shared word")
    ada("todo", "add", "private word", "--local")
    ada("sync")
    ada.repo.git("push", "--quiet", "--mirror", "origin")
    ada.repo.git("bundle", "create", "--quiet", str(tmp_path / "all"), "--all")
    copy = Repo(tmp_path / "copy.git")
    subprocess.run(
        ["git", "clone", "--quiet", "--mirror", str(tmp_path / "all"), str(copy.path)], check=True
    )
    for repo in (team.hub, copy):
        said = repo.git("log", "-p", "--all")
        assert "shared word" in said
        assert "private word" not in said


def test_state_and_notes_travel_in_one_sync_and_land(ada: Mem, bob: Mem) -> None:
    ada.repo.git("switch", "--quiet", "-c", "topic")
    ada.repo.commit("work", **{"src/new.py": "N = 1\n"})
    ada("add", "src/new.py starts at one")
    ada("todo", "add", "squash it")
    ada.repo.git("switch", "--quiet", "main")
    ada.repo.git("merge", "--quiet", "--squash", "topic")
    ada.repo.commit("squashed")
    ada.repo.git("push", "--quiet", "origin", "main")
    ada("sync")
    bob.repo.git("pull", "--quiet")
    bob("sync")
    assert [each["id"] for each in bob.json("list")["notes"]] == ["src-new-py-starts-at-one"]
    assert bob.run("doctor").err == ""
    assert todos(bob) == []
