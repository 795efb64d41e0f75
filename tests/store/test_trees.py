"""What is read from tree objects must be what git says of them."""

from pathlib import Path

import pytest
from conftest import Repo

from gitmem.store import trees
from gitmem.store.git_backend import GitBackend


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    """Commits whose trees have files, directories in directories, a submodule and odd names."""
    files = {"ab/x": "1", "ab/deep/er/y": "2", "ab.txt": "3", "cd/ä ö": "4", "ab/s": "5"}
    first = repo.commit("one", **files)
    Path(repo.path / "ab" / "s").unlink()
    Path(repo.path / "ab" / "x").chmod(0o755)
    second = repo.commit("two", **{"ab/s/now-a-directory": "6", "ef/new": "7"})
    repo.git("rm", "-q", "-r", "cd")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},ab/module")
    repo.git("commit", "-q", "-m", "three")
    return [first, second, repo.git("rev-parse", "HEAD")]


@pytest.mark.parametrize("is_packed", [False, True])
def test_trees_are_read_as_git_lists_and_compares_them(
    repo: Repo, commits: list[str], monkeypatch: pytest.MonkeyPatch, is_packed: bool
):
    if is_packed:
        repo.git("gc", "-q")
    git_dir = str(repo.git_dir)
    buckets = ("ab", "cd", "zz", "ab.txt")
    listed = [trees.files_in(git_dir, commit, buckets) for commit in commits]
    pairs = [(old, new) for old in commits for new in commits]
    compared = [trees.changes_between(git_dir, *pair) for pair in pairs]
    monkeypatch.setattr(trees, "files_in", lambda *_: None)
    monkeypatch.setattr(trees, "changes_between", lambda *_: None)
    backend = GitBackend(git_dir)
    assert listed == [backend.entries(commit, *buckets) for commit in commits]
    assert [[sorted(side, key=str) for side in found or ()] for found in compared] == [
        [sorted(side, key=str) for side in backend.changes(*pair)] for pair in pairs
    ]
    assert any(found and found[0] and found[1] for found in compared)


def test_what_is_missing_or_much_is_left_to_git(repo: Repo, commits: list[str]):
    git_dir = str(repo.git_dir)
    many = tuple(f"{number:02x}" for number in range(trees.FEW + 1))
    assert trees.files_in(git_dir, commits[0], ("ab",)) != []
    assert trees.files_in(git_dir, commits[0], many) is None
    assert trees.files_in(git_dir, "1" * 40, ("ab",)) is None
    assert trees.changes_between(git_dir, commits[0], "1" * 40) is None
    assert trees.blobs(git_dir, ["1" * 40]) == {}
