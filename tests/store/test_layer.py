"""The layers inside a project."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from gitmem.errors import GitMemError
from gitmem.store.discover import find
from gitmem.store.layer import Layer, ensure, layers_of


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
