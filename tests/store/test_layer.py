"""The layers inside a project, and outside of it."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from gitmem.config import read_config
from gitmem.errors import GitMemError
from gitmem.store.discover import find
from gitmem.store.layer import Layer, Unusable, check_usable, ensure, layers_of, outer_layers
from gitmem.store.outer import data_home, seen


def project_layers(repo) -> tuple[Layer, Layer]:
    found = find(str(repo.path))
    assert found is not None
    local, shared = layers_of(found)
    return local, shared


def test_a_project_has_a_local_and_a_shared_layer(repo):
    local, shared = project_layers(repo)
    git_dir = str(repo.path / ".git")
    assert shared == Layer("shared", git_dir, "refs/memory/facts")
    assert local == Layer("local", f"{git_dir}/gitmem/local.git", "refs/memory/facts", git_dir)
    assert (local.exists, shared.exists) == (False, True)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_the_local_layer_is_made_bare_with_the_object_format_of_the_project(
    make_repo, object_format
):
    repo = make_repo("project", f"--object-format={object_format}")
    local, _ = project_layers(repo)
    ensure(local)
    ensure(local)
    assert local.exists
    assert repo.git("-C", local.git_dir, "rev-parse", "--show-object-format") == object_format
    assert repo.git("-C", local.git_dir, "rev-parse", "--is-bare-repository") == "true"
    assert os.listdir(os.path.dirname(local.git_dir)) == ["local.git"]
    assert sorted(os.listdir(local.git_dir)) == ["HEAD", "config", "objects", "refs"]


def test_many_first_writers_make_one_local_layer(repo):
    local, _ = project_layers(repo)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ensure(local), range(8)))
    assert local.exists
    assert os.listdir(os.path.dirname(local.git_dir)) == ["local.git"]


def test_a_layer_that_cannot_be_made_says_where(repo):
    local, _ = project_layers(repo)
    (repo.path / ".git" / "gitmem").write_text("in the way")
    with pytest.raises(GitMemError, match=f"cannot make the local layer at {local.git_dir}: "):
        ensure(local)


def outer(repo, tmp_path) -> tuple[Layer, Layer]:
    found = find(str(repo.path))
    assert found is not None
    workspace, own = outer_layers(
        found, str(tmp_path / "deep" / "ws.git"), str(tmp_path / "me.git")
    )
    return workspace, own


def test_the_outer_layers_lie_where_they_are_told_and_know_who_uses_them(repo, tmp_path):
    workspace, own = outer(repo, tmp_path)
    git_dir = str(repo.path / ".git")
    assert own == Layer("self", str(tmp_path / "me.git"), "refs/memory/facts", None, git_dir)
    assert (workspace.name, workspace.is_outer, own.is_outer) == ("workspace", True, True)
    assert [layer.is_outer for layer in project_layers(repo)] == [False, False]
    assert outer_layers(find(str(repo.path)), "", "") == ()


def test_an_outer_layer_is_made_bare_and_plain_whatever_the_project_is(make_repo, tmp_path):
    workspace, _ = outer(make_repo("project", "--object-format=sha256"), tmp_path)
    check_usable(workspace)
    ensure(workspace)
    check_usable(workspace)
    git = make_repo("any").git
    assert git("-C", workspace.git_dir, "rev-parse", "--show-object-format") == "sha1"
    assert git("-C", workspace.git_dir, "rev-parse", "--is-bare-repository") == "true"
    assert os.path.isdir(data_home())


def a_work_tree(repo, path):
    repo.git("init", "--quiet", str(path))


def a_file(repo, path):
    path.write_text("in the way")


def somebody_elses(repo, path):
    repo.git("init", "--quiet", "--bare", str(path))
    os.chown(path, 12345, 12345)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (a_work_tree, "is not a bare git repository"),
        (a_file, "cannot be read: Not a directory"),
        (
            somebody_elses,
            "cannot be used: git rev-parse: detected dubious ownership in repository at '{path}'",
        ),
    ],
)
def test_an_outer_layer_that_is_something_else_is_refused(repo, tmp_path, make, reason):
    if make is somebody_elses and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    _, own = outer(repo, tmp_path)
    make(repo, tmp_path / "me.git")
    with pytest.raises(Unusable) as caught:
        check_usable(own)
    assert caught.value.message == f"{own.git_dir} {reason.format(path=own.git_dir)}"


def test_neither_a_relative_path_nor_the_project_itself_is_an_outer_layer(repo):
    found = find(str(repo.path))
    relative, project = outer_layers(found, "notes.git", str(repo.path / ".git"))
    with pytest.raises(Unusable, match="which is not an absolute path"):
        check_usable(relative)
    with pytest.raises(Unusable, match="is the project itself"):
        check_usable(project)


@pytest.mark.parametrize(
    ("given", "path"),
    [("~/team.git", "{home}/team.git"), ("/srv/team.git/", "/srv/team.git"), ("team", "team")],
)
def test_git_says_what_a_configured_directory_is(repo, home, given, path):
    repo.git("config", "--global", "mem.workspace", given)
    config = read_config(str(repo.path / ".git"))
    assert config.workspace == path.format(home=home)
    assert config.own == f"{home}/.local/share/git-mem/self.git"


def test_a_condition_in_the_configuration_chooses_the_workspace(make_repo, home):
    inside, outside = make_repo("work/shop"), make_repo("play/game")
    (home / "work.inc").write_text("[mem]\n\tworkspace = ~/work.git\n")
    where = f"includeIf.gitdir:{inside.path.parent}/.path"
    inside.git("config", "--global", where, str(home / "work.inc"))
    assert read_config(str(inside.path / ".git")).workspace == f"{home}/work.git"
    assert read_config(str(outside.path / ".git")).workspace == ""


@pytest.mark.parametrize("storage", ["files", "packed"])
def test_every_write_changes_what_is_seen_of_a_layer(repo, storage):
    git_dir = str(repo.path / ".git")
    assert seen(git_dir) == seen(str(repo.path / "nowhere")) == ""
    looks = []
    for revision in ("HEAD~1", "HEAD"):
        repo.git("update-ref", "refs/memory/facts", revision)
        if storage == "packed":
            repo.git("pack-refs", "--all")
        looks.append(seen(git_dir))
    assert looks == [repo.git("rev-parse", name) for name in ("HEAD~1", "HEAD")]


def test_a_layer_whose_refs_lie_in_tables_is_seen_by_them(repo, tmp_path):
    tables = tmp_path / "me.git" / "reftable"
    tables.mkdir(parents=True)
    assert seen(str(tmp_path / "me.git")) == "?"
    looks = set()
    for text in ("one", "another"):
        (tables / "aside").write_text(text)
        os.replace(tables / "aside", tables / "tables.list")
        looks.add(seen(str(tmp_path / "me.git")))
    assert len(looks) == 2
