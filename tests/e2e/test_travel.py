"""Two clones and a hub: what one learns, the other is told, and nobody's words are lost."""

import pytest
from conftest import Repo
from running import Mem
from travelling import (
    REF,
    REFSPEC,
    TRACKING,
    add,
    collected,
    draft,
    ids,
    make_team,
    memory,
    texts,
    tip,
)


@pytest.fixture
def team(tmp_path, path):
    return make_team(tmp_path / "team", "ann", "bob")


@pytest.fixture
def ann(team) -> Mem:
    return Mem(team.clones["ann"])


@pytest.fixture
def bob(team) -> Mem:
    return Mem(team.clones["bob"])


def share(*clones: Mem) -> None:
    for mem in clones:
        memory(mem.repo).sync()


def head(mem: Mem, ref: str = REF) -> str:
    return tip(mem.repo, ref)


@pytest.mark.parametrize("way", ["git mem sync", "git fetch", "git pull"])
def test_a_note_added_in_one_clone_is_recalled_in_the_other(ann, bob, way):
    assert bob("list", "--ids") == ""
    assert ann("add", "Never sort before the flush.", "--id", "flush", "-p", "src/a.py") == (
        "added flush (shared)\n  paths: src/a.py\n"
        "  seen on origin/main and every branch with <commit>\n"
    )
    assert ann("sync") == "origin: 1 pushed\n"
    if way == "git mem sync":
        assert bob("sync") == "origin: 1 fetched\n"
    else:
        bob.repo.git(way.removeprefix("git "), "--quiet")
        assert head(bob) == ""
    assert bob("list", "--ids") == "flush\n"
    assert bob("recall", "--path", "src/a.py", "--ids") == "flush\n"
    assert bob("show", "flush") == ann("show", "flush")
    assert "Never sort before the flush." in bob.shown(bob.touch("src/a.py"))
    assert bob.shown(bob.touch("README.md")) == ""


def test_edits_on_both_sides_are_a_conflict_that_the_next_edit_settles(ann, bob):
    ann("add", "The parser keeps order.", "--id", "p", "-p", "src/a.py")
    share(ann, bob)
    ann("edit", "p", "The parser keeps order on Linux.")
    bob("edit", "p", "The parser keeps order, always.")
    share(ann, bob, ann)
    assert head(ann) == head(bob)
    both = ["The parser keeps order on Linux.", "The parser keeps order, always."]
    for mem in (ann, bob):
        said = mem.run("show", "p")
        assert sorted(said.out.split("---\n")[2].splitlines()) == both
        assert mem("list", "--conflicts", "--ids") == "p\n"
        assert "conflict: both sides shown" in mem.shown(mem.touch("src/a.py"))
        assert mem.json("status")["conflicts"] == 1
    assert ann("edit", "p", "The parser keeps order.") != ""
    share(ann, bob)
    for mem in (ann, bob):
        assert mem("list", "--conflicts", "--ids") == ""
        assert mem("show", "p").endswith("---\nThe parser keeps order.\n")
    assert head(ann) == head(bob)


def test_a_trigger_one_removed_and_one_another_added_are_both_respected(ann, bob):
    ann("add", "Text.", "--id", "p", "-p", "src/a.py", "-p", "README.md")
    share(ann, bob)
    ann("edit", "p", "--remove-path", "README.md")
    bob("edit", "p", "-c", "npm test")
    share(ann, bob, ann)
    for mem in (ann, bob):
        triggers = mem.json("list")["notes"][0]["triggers"]
        assert (triggers["paths"], triggers["commands"]) == (["src/a.py"], ["npm test"])
        assert mem("recall", "--path", "README.md", "--ids") == ""
    assert head(ann) == head(bob)


def test_an_edit_beside_a_forget_is_shown_and_listed(ann, bob):
    ann("add", "Text.", "--id", "p", "-p", "src/a.py")
    share(ann, bob)
    ann("forget", "p", "--yes")
    bob("edit", "p", "Better text.")
    share(ann, bob, ann)
    for mem in (ann, bob):
        assert mem("list", "--conflicts", "--ids") == "p\n"
        assert mem.run("show", "p").out.endswith("---\nBetter text.\n")
    bob("forget", "p", "--yes")
    share(bob, ann)
    assert ann("list", "--ids") == bob("list", "--ids") == ""
    assert head(ann) == head(bob)


def test_the_same_id_added_by_two_people_keeps_both_texts(ann, bob):
    for mem, text in ((ann, "By Ann."), (bob, "By Bob.")):
        mem("add", text, "--id", "same", "-p", "src/a.py")
    share(ann, bob, ann)
    for mem in (ann, bob):
        assert sorted(mem.run("show", "same").out.split("---\n")[2].splitlines()) == [
            "By Ann.",
            "By Bob.",
        ]
        assert mem("list", "--conflicts", "--ids") == "same\n"


def test_the_same_note_added_by_two_people_is_one(ann, bob):
    for mem in (ann, bob):
        memory(mem.repo, clock=lambda: 1_700_000_000.0).add([draft("same")])
    share(ann, bob, ann)
    assert ann("list", "--conflicts", "--ids") == ""
    assert head(ann) == head(bob)


def test_an_edit_of_what_was_only_fetched_replaces_it(ann, bob):
    ann("add", "Text.", "--id", "p", "-p", "src/a.py")
    share(ann)
    bob.repo.git("fetch", "--quiet")
    bob("edit", "p", "Better text.")
    assert bob("show", "p").endswith("---\nBetter text.\n")
    share(bob, ann)
    assert ann("show", "p") == bob("show", "p")
    assert ann("list", "--conflicts", "--ids") == ""


def test_a_stale_editor_loses_nothing_of_the_other_side(ann):
    add(ann.repo, "p")
    mine = memory(ann.repo)
    at, read = mine.held("p")
    ann("edit", "p", "Saved first.")
    done = mine.save(at, read, read.note.edited(body="Saved second.\n"))
    assert done.clashes == ["p"]
    assert sorted(ann.run("show", "p").out.split("---\n")[2].splitlines()) == [
        "Saved first.",
        "Saved second.",
    ]


def test_local_notes_are_in_nothing_that_travels(ann, team, tmp_path):
    ann("add", "The shared words.", "--id", "open", "-p", "src/a.py")
    ann("add", "The private words.", "--id", "mine", "-p", "src/a.py", "--local")
    ann("sync")
    assert ann("list", "--ids") == "mine\nopen\n"
    mirror, copy, out = (Repo(tmp_path / name) for name in ("mirror", "copy", "out"))
    for bare in (mirror, out):
        team.hub.git("init", "--quiet", "--bare", str(bare.path))
    ann.repo.git("push", "--quiet", "--mirror", str(mirror.path))
    ann.repo.git("bundle", "create", "--quiet", str(tmp_path / "all"), "--all")
    out.git("bundle", "unbundle", str(tmp_path / "all"))
    team.hub.git("clone", "--quiet", str(ann.repo.path), str(copy.path))
    assert "The private words." in texts(Repo(ann.repo.git_dir / "gitmem" / "local.git"))
    for place in (team.hub, mirror, out, copy):
        found = texts(place)
        assert "The shared words." in found
        assert "The private words." not in found


# --- what plain git does (the experiments with other tools, with the right outcome) -------------


def pushed_refs(mem: Mem) -> list[str]:
    return mem.repo.git("push", "--dry-run", "--porcelain").split("\n")


def test_a_bare_push_pushes_the_same_branches_before_and_after(ann, bob):
    ann.repo.commit("ann's", x="1")
    before = pushed_refs(ann)
    assert "refs/heads/main" in "".join(before)
    ann("add", "Text.", "--id", "p", "-p", "src/a.py")
    ann("sync")
    assert pushed_refs(ann) == before
    ann.repo.git("push", "--quiet")
    assert ann.repo.git("rev-parse", "origin/main") == ann.repo.git("rev-parse", "main")


def test_notes_of_two_people_about_one_commit_stay_two_readable_notes(ann, bob):
    for name, mem in (("ann", ann), ("bob", bob)):
        mem("add", f"Seen by {name}.", "--id", f"by-{name}", "-p", "src/a.py")
    share(ann, bob, ann)
    assert ann("list", "--ids") == bob("list", "--ids") == "by-ann\nby-bob\n"
    assert ann.json("status")["layers"]["shared"] == 2


def test_a_first_sync_publishes_to_a_remote_without_notes(ann, team):
    assert ann("sync") == "origin: nothing to do\n"
    ann("add", "Text.", "--id", "p", "-p", "src/a.py")
    assert ann("sync", "--dry-run") == "would push 1 revision of facts to origin\n"
    assert tip(team.hub) == ""
    assert ann.json("sync") == {
        "version": 1,
        "remote": "origin",
        "fetched": 0,
        "merged": False,
        "pushed": 1,
        "landed": 0,
        "retries": 0,
        "kept": 0,
        "rewritten": [],
    }
    assert tip(team.hub) == head(ann)


def test_plain_fetch_pull_and_prune_never_touch_unpublished_notes(ann, bob):
    bob("add", "Text.", "--id", "theirs", "-p", "src/a.py")
    share(bob)
    ann("add", "Text.", "--id", "mine", "-p", "src/a.py")
    mine = head(ann)
    bob.repo.commit("bob's", y="1")
    bob.repo.git("push", "--quiet")
    for command in (("fetch", "--quiet"), ("pull", "--quiet"), ("fetch", "--quiet", "--prune")):
        ann.repo.git(*command)
        assert head(ann) == mine
    ann.repo.git("-c", "fetch.prune=true", "pull", "--quiet", "--all")
    assert head(ann) == mine
    assert ann("list", "--ids") == "mine\ntheirs\n"


def test_a_fresh_clone_gets_the_memory_with_its_first_sync(ann, team):
    ann("add", "Text.", "--id", "p", "-p", "src/a.py")
    share(ann)
    fresh = Mem(team.clone("fresh", refspec=False))
    assert fresh("list", "--ids") == ""
    assert fresh("sync") == "origin: 1 fetched\n"
    assert fresh("list", "--ids") == "p\n"
    assert head(fresh) == head(fresh, TRACKING) == head(ann)
    set_at_clone = Mem(team.clone("early", "-c", f"remote.origin.fetch={REFSPEC}", refspec=False))
    assert set_at_clone("list", "--ids") == "p\n"


def test_worktrees_share_one_memory(ann, tmp_path):
    ann("add", "Text.", "--id", "p", "-p", "src/a.py")
    ann.repo.git("worktree", "add", "--quiet", str(tmp_path / "side"))
    side = Mem(Repo(tmp_path / "side"))
    assert side("list", "--ids") == "p\n"
    side("add", "More.", "--id", "q", "-p", "src/a.py")
    assert side("sync") == "origin: 2 pushed\n"
    assert ann("list", "--ids") == "p\nq\n"
    assert ann("sync") == "origin: nothing to do\n"


def test_nothing_is_lost_to_gc_and_an_expired_reflog(ann, bob):
    for mem, name in ((ann, "a"), (bob, "b")):
        mem("add", f"Text of {name}.", "--id", name, "-p", "src/a.py")
        mem("edit", name, f"New text of {name}.")
    share(ann, bob, ann)
    ann("add", "Not shared yet.", "--id", "c", "-p", "src/a.py", "--local")
    assert "Text of a." in collected(ann.repo)
    assert ann("list", "--ids") == "a\nb\nc\n"
    assert ann("show", "a").endswith("---\nNew text of a.\n")
    add(ann.repo, "d")
    share(ann, bob)
    assert ids(bob.repo) == ["a", "b", "d"]
