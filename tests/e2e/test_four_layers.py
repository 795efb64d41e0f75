"""One id in four layers: the nearest is heard, all triggers fire, each stays where it belongs."""

import pytest
from conftest import Repo
from running import Mem, caught_up
from travelling import make_team

LAYERS = ("local", "shared", "workspace", "self")
TEXTS = {layer: f"Kept in the layer {layer}, and nowhere else." for layer in LAYERS}


@pytest.fixture
def ann(tmp_path, path, home) -> Mem:
    """A clone with a note `one` in each layer, each with a trigger of its own."""
    mem = Mem(make_team(tmp_path / "team", "ann").clones["ann"])
    mem.repo.git("config", "--global", "mem.workspace", "~/ws.git")
    for layer in LAYERS:
        mem("add", TEXTS[layer], "-c", f"run {layer}", "--id", "one", "--layer", layer)
    return mem


def objects(repo: Repo, *where: str) -> str:
    """All objects of a repository, whether anything names them or not."""
    found = repo.git(*where, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    assert found
    return repo.git(*where, "cat-file", "--batch", stdin=found + "\n")


def held_by(repo: Repo, *where: str) -> list[str]:
    """The layers whose note is among the objects of a repository."""
    text = objects(repo, *where)
    return [layer for layer in LAYERS if TEXTS[layer] in text]


def test_the_nearest_layer_says_what_and_all_of_them_when(ann):
    for number, layer in enumerate(LAYERS):
        for other in LAYERS:
            shown = ann.shown(ann.bash(f"run {other}"))
            assert TEXTS[layer] in shown or LAYERS.index(other) < number
            assert not any(TEXTS[far] in shown for far in LAYERS if far != layer)
        document = ann.json("show", "one")
        assert (document["layer"], document["layers"]) == (layer, list(LAYERS[number:]))
        ann("forget", "one", "--layer", layer)
    assert ann("list") == ""


def test_each_note_is_an_object_of_its_own_layer_alone(ann, home):
    def everywhere() -> dict[str, list[str]]:
        common = ann.repo.git_dir
        return {
            "project": held_by(ann.repo),
            "local": held_by(ann.repo, "-C", str(common / "gitmem" / "local.git")),
            "workspace": held_by(ann.repo, "-C", str(home / "ws.git")),
            "self": held_by(ann.repo, "-C", str(home / ".local/share/git-mem/self.git")),
        }

    apart = {"project": ["shared"], **{layer: [layer] for layer in LAYERS if layer != "shared"}}
    assert everywhere() == apart
    ann.repo.write("src/new.py", "")
    ann("add", "Pending.", "-p", "src/new.py", "--id", "two", "--self")
    ann.repo.commit("new")
    ann("sync")
    ann("reindex")
    assert everywhere() == apart


@pytest.mark.parametrize("way", ["git mem sync", "git mem push", "push --mirror", "bundle --all"])
def test_nothing_but_the_shared_note_leaves_the_project(ann, tmp_path, make_repo, way):
    target = make_repo("target", "--bare")
    if way.startswith("git mem"):
        ann(way.removeprefix("git mem "))
        source = ann.repo.git("remote", "get-url", "origin")
    elif way == "push --mirror":
        ann.repo.git("push", "--quiet", "--mirror", str(target.path))
        source = str(target.path)
    else:
        source = str(tmp_path / "all.bundle")
        ann.repo.git("bundle", "create", "--quiet", source, "--all")
    clone = make_repo("clone")
    clone.git("fetch", "--quiet", source, "+refs/*:refs/all/*")
    assert held_by(clone) == ["shared"]
    ann.repo.git("clone", "--quiet", "--mirror", str(ann.repo.path), str(tmp_path / "copy"))
    assert held_by(ann.repo, "-C", str(tmp_path / "copy")) == ["shared"]


def test_no_ref_of_a_fetch_reaches_an_outer_layer(ann, home):
    before = objects(ann.repo, "-C", str(home / "ws.git"))
    for command in (("fetch",), ("sync",), ("merge",), ("init", "--no-hooks")):
        ann(*command)
    assert objects(ann.repo, "-C", str(home / "ws.git")) == before
    assert "ws.git" not in ann.repo.git("config", "--local", "--list")


# --- several projects ---------------------------------------------------------------------------


@pytest.fixture
def other(make_repo, path) -> Mem:
    """A project that never heard of `git mem`."""
    repo = make_repo("other")
    repo.commit("start", **{"src/a.py": "A = 1\n"})
    return Mem(repo)


def test_a_hook_in_a_project_without_memory_knows_what_this_person_keeps(mem, other, home):
    event = other.touch("src/a.py")
    assert other.shown(event) == ""
    assert not (other.repo.git_dir / "gitmem").exists()
    mem("add", "Use spaces.", "--self", "-p", "src/**", "--id", "tabs")
    caught_up(other, event, "## tabs (fact, self note; ")
    mem("add", "Use four.", "--self", "-p", "src/a.py", "--id", "four")
    caught_up(other, event, "## four (fact, self note; ")
    mem("forget", "tabs", "four")
    caught_up(other, event, without="## four")


def test_a_workspace_reaches_the_projects_that_its_condition_names(make_repo, path, home):
    shop, web, game = (Mem(make_repo(name)) for name in ("work/shop", "work/web", "play/game"))
    (home / "work.inc").write_text("[mem]\n\tworkspace = ~/work.git\n")
    where = f"includeIf.gitdir:{shop.repo.path.parent}/.path"
    shop.repo.git("config", "--global", where, str(home / "work.inc"))
    for each in (shop, web, game):
        each.repo.commit("start", Makefile="all:\n")
    shop("add", "Deploys freeze on Fridays.", "--workspace", "-c", "make deploy", "--id", "freeze")
    caught_up(web, web.bash("make deploy"), "## freeze (fact, workspace note; ")
    assert web("list", "--ids") == "freeze\n"
    assert game.shown(game.bash("make deploy")) == ""
    assert game("list") == ""
    assert not (game.repo.git_dir / "gitmem" / "index").exists() or game("status").startswith(
        "notes: 0 local, 0 shared\n"
    )


def test_a_project_that_moves_to_another_workspace_follows_the_configuration(mem, home):
    for name in ("one", "two"):
        mem.repo.git("config", "mem.workspace", f"~/{name}.git")
        mem("add", f"Of {name}.", "--workspace", "-p", "src/a.py", "--id", name)
        caught_up(mem, mem.touch("src/a.py"), f"## {name} ")
    assert mem("list", "--ids") == "two\n"
    mem.repo.git("config", "mem.workspace", "~/one.git")
    caught_up(mem, mem.touch("src/a.py"), "## one ", without="## two ")
    mem.repo.git("config", "--unset", "mem.workspace")
    caught_up(mem, mem.touch("src/a.py"), without="## one ")


def test_a_layer_that_goes_away_takes_its_notes_with_it_and_no_others(mem, home):
    own = home / ".local" / "share" / "git-mem" / "self.git"
    mem("add", "Mine.", "--self", "-p", "src/a.py", "--id", "mine")
    mem("add", "Ours.", "-p", "src/a.py", "--id", "ours")
    own.rename(home / "away")
    caught_up(mem, mem.touch("src/a.py"), "## ours ", without="## mine ")
    assert mem("list", "--ids") == "ours\n"
    (home / "away").rename(own)
    caught_up(mem, mem.touch("src/a.py"), "## ours ", "## mine ")


def test_mem_self_moves_the_layer_and_a_repository_from_elsewhere_is_read(mem, other, home):
    mem("add", "Mine.", "--self", "-p", "src/a.py", "--id", "mine")
    own = home / ".local" / "share" / "git-mem" / "self.git"
    mem.repo.git("clone", "--quiet", "--mirror", str(own), str(home / "synced.git"))
    other.repo.git("config", "mem.self", "~/synced.git")
    mem("forget", "mine")
    assert mem("list") == ""
    assert other("list", "--ids") == "mine\n"
    caught_up(other, other.touch("src/a.py"), "## mine ")


def test_a_review_shows_nothing_from_outside_of_the_project(ann):
    ann("add", "Private.", "--self", "-p", "src/a.py", "--id", "private")
    ann("add", "Public.", "-p", "src/a.py", "--id", "public")
    ann.repo.git("switch", "--quiet", "-c", "topic")
    ann.repo.commit("change", **{"src/a.py": "A = 3\n"})
    ann("sync")
    for args in (("main..topic",), ("--incoming",)):
        said = ann("diff", *args, "--markdown") + ann("diff", *args)
        assert "rivate" not in said
    assert "public" in ann("diff", "main..topic", "--markdown")
