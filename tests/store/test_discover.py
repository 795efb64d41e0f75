"""Finding a repository by reading files gives git's own answer, or says it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Repo

from gitmem.store import ask, process
from gitmem.store.discover import Repository, Uncertain, find, read_head, read_tip
from gitmem.store.locate import NotARepository, locate

REF = "refs/memory/facts"
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)


def plain(path: Path) -> Repository:
    return Repository(str(path), str(path / ".git"), str(path / ".git"))


def agrees(start: Path, expected: Repository | None) -> bool:
    """Git and the reader of files both say `expected`."""
    assert find(str(start)) == ask.find(str(start))
    return find(str(start)) == expected


def uncertain(start: Path) -> bool:
    with pytest.raises(Uncertain):
        find(str(start))
    return True


def test_a_repository_is_found_from_its_top_and_from_below(repo):
    (repo.path / "src" / "deep").mkdir()
    assert agrees(repo.path, plain(repo.path))
    assert agrees(repo.path / "src" / "deep", plain(repo.path))


def test_outside_any_repository_there_is_none(tmp_path):
    assert agrees(tmp_path, None)


def test_an_empty_dot_git_directory_is_no_repository(repo):
    (repo.path / "src" / ".git").mkdir()
    assert agrees(repo.path / "src", plain(repo.path))


def test_a_linked_worktree_shares_the_common_directory(repo, tmp_path):
    repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    common = str(repo.path / ".git")
    git_dir = os.path.join(common, "worktrees", "linked")
    assert agrees(
        tmp_path / "linked" / "src", Repository(str(tmp_path / "linked"), git_dir, common)
    )


def test_worktrees_of_a_bare_repository_share_it(repo, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    repo.git("clone", "-q", "--bare", str(repo.path), str(project / ".bare"))
    (project / ".git").write_text("gitdir: ./.bare\n")
    bare = str(project / ".bare")
    repo.git("-C", bare, "worktree", "add", "-q", str(project / "main"), "main")
    assert agrees(project, Repository(None, bare, bare))
    linked = Repository(str(project / "main"), f"{bare}/worktrees/main", bare)
    assert agrees(project / "main", linked)


def test_a_bare_repository_has_no_root(make_repo):
    bare = make_repo("bare.git", "--bare")
    assert agrees(bare.path, Repository(None, str(bare.path), str(bare.path)))
    assert agrees(bare.path / "refs", Repository(None, str(bare.path), str(bare.path)))


def test_a_submodule_is_its_own_repository(repo, make_repo):
    other = make_repo("other")
    other.commit("one", a="1")
    repo.git("submodule", "add", "-q", str(other.path), "sub")
    git_dir = str(repo.path / ".git" / "modules" / "sub")
    assert agrees(repo.path / "sub", Repository(str(repo.path / "sub"), git_dir, git_dir))


def test_a_separate_git_dir_is_followed(make_repo, tmp_path):
    repo = make_repo("work", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    elsewhere = str(tmp_path / "elsewhere")
    assert agrees(repo.path, Repository(str(repo.path), elsewhere, elsewhere))


def test_symbolic_links_are_resolved(repo, tmp_path):
    (tmp_path / "link").symlink_to(repo.path / "src")
    assert agrees(tmp_path / "link", plain(repo.path))


def test_sha256_and_repositories_inside_repositories(repo, make_repo):
    inner = make_repo("repo/vendor/inner", "--object-format=sha256")
    assert agrees(inner.path, plain(inner.path))
    assert agrees(repo.path / "vendor", plain(repo.path))


def test_harmless_configuration_is_read_like_git_reads_it(repo):
    with open(repo.path / ".git" / "config", "a") as config:
        config.write('[alias]\n\tx = "!f() { \\\n[core] ; \\\nworktree = /x; }; f"\n')
        config.write("[Extensions] partialClone = origin\n[include]\n\tpath = more\n")
    (repo.path / ".git" / "more").write_text("[core]\n\tworktree = /elsewhere\n")
    assert agrees(repo.path, plain(repo.path))


@pytest.mark.parametrize(
    "lines",
    [
        "[core]\n\tworktree = ../elsewhere\n",
        "[extensions]\n\tworktreeConfig = true\n",
        "[extensions]\n\tmystery = true\n",
        "[extensions] mystery\n",
        "[core]\n\trepositoryFormatVersion = 2\n",
        "[core] bare = perhaps\n",
    ],
)
def test_only_git_can_say_what_such_configuration_means(repo, lines):
    assert agrees(repo.path, plain(repo.path))
    with open(repo.path / ".git" / "config", "a") as config:
        config.write(lines)
    assert uncertain(repo.path)


def test_only_git_can_say_what_a_broken_gitfile_or_a_git_directory_means(repo):
    assert uncertain(repo.path / ".git")
    assert uncertain(repo.path / ".git" / "refs")
    assert uncertain(repo.path / "no" / "such")
    for content in "", "nonsense", "gitdir: /nonexistent\n":
        (repo.path / "src" / ".git").write_text(content)
        assert uncertain(repo.path / "src")


@needs_root
def test_only_git_can_say_about_another_owner(repo, monkeypatch):
    assert agrees(repo.path, plain(repo.path))
    os.chown(repo.path, 12345, -1)
    assert uncertain(repo.path)
    with pytest.raises(process.GitFailed) as caught:
        locate(str(repo.path))
    assert "dubious ownership" in caught.value.message
    assert any("safe.directory" in hint for hint in caught.value.hints)
    monkeypatch.setenv("SUDO_UID", "12345")
    assert agrees(repo.path, plain(repo.path))
    monkeypatch.delenv("SUDO_UID")
    os.chown(repo.path, 0, -1)
    os.chown(repo.path / ".git", 12345, -1)
    assert uncertain(repo.path)


@pytest.mark.skipif(
    not os.path.isdir("/dev/shm") or os.stat("/dev/shm").st_dev == os.stat("/dev").st_dev,
    reason="needs a second file system",
)
def test_only_git_can_say_what_lies_beyond_a_file_system_boundary():
    assert uncertain(Path("/dev/shm"))
    assert ask.find("/dev/shm") is None


def test_where_there_are_no_owners_they_are_not_asked_for(repo, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    assert find(str(repo.path)) == plain(repo.path)


def head(repo: Repo) -> tuple[str | None, str | None]:
    found = find(str(repo.path))
    assert found is not None
    assert read_head(found) == ask.read_head(found)
    return read_head(found)


def test_head_on_a_branch_detached_unborn_and_in_a_worktree(repo, make_repo, tmp_path):
    main = repo.git("rev-parse", "main")
    assert head(repo) == ("refs/heads/main", main)
    repo.git("pack-refs", "--all")
    assert head(repo) == ("refs/heads/main", main)
    repo.git("worktree", "add", "-q", "-b", "feat/x", str(tmp_path / "linked"), "main~1")
    assert head(Repo(tmp_path / "linked")) == ("refs/heads/feat/x", repo.git("rev-parse", "main~1"))
    repo.git("checkout", "-q", "--detach")
    assert head(repo) == (None, main)
    assert head(make_repo("unborn")) == ("refs/heads/main", None)


def test_a_head_that_is_odd_is_for_git(repo):
    found = find(str(repo.path))
    assert found is not None
    path = repo.path / ".git" / "HEAD"
    for content in "", "ref: refs/other/x\n", "main\n":
        path.write_text(content)
        with pytest.raises(Uncertain):
            read_head(found)
    path.unlink()
    path.symlink_to("refs/heads/main")
    with pytest.raises(Uncertain):
        read_head(found)


def test_a_tip_is_missing_loose_or_packed(repo):
    git_dir = str(repo.path / ".git")
    assert read_tip(git_dir, REF) is None
    one, two = repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")
    repo.git("update-ref", REF, one)
    assert read_tip(git_dir, REF) == ask.read_tip(git_dir, REF) == one
    repo.git("tag", "-a", "-m", "peeled", "v1")
    repo.git("update-ref", f"{REF}-longer", two)
    repo.git("pack-refs", "--all", "--prune")
    assert not (repo.path / ".git" / REF).exists()
    assert read_tip(git_dir, REF) == ask.read_tip(git_dir, REF) == one
    assert read_tip(git_dir, "memory/facts") is None
    assert read_tip(git_dir, "refs/memory") is ask.read_tip(git_dir, "refs/memory") is None
    repo.git("update-ref", REF, two)
    assert read_tip(git_dir, REF) == two


def test_a_tip_among_fifty_thousand_packed_refs(repo):
    oid = repo.git("rev-parse", "HEAD")
    names = [REF, *(f"refs/tags/t{n}" for n in range(50_000))]
    lines = "".join(f"{oid} {name}\n" for name in sorted(names))
    packed = repo.path / ".git" / "packed-refs"
    packed.write_text(f"# pack-refs with: peeled fully-peeled sorted \n{lines}")
    git_dir = str(repo.path / ".git")
    assert read_tip(git_dir, REF) == ask.read_tip(git_dir, REF) == oid
    assert read_tip(git_dir, "refs/memory/state") is None


@pytest.mark.parametrize("content", ["", "ref: refs/heads/main\n", "abc\n", "Z" * 40, "\0" * 41])
def test_a_torn_or_symbolic_tip_is_for_git(repo, content):
    path = repo.path / ".git" / REF
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(Uncertain):
        read_tip(str(repo.path / ".git"), REF)


def test_reftable_is_for_git(repo):
    git_dir = repo.path / ".git"
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.refStorage", "reftable")
    (git_dir / "reftable").mkdir()
    found = find(str(repo.path))
    assert found == plain(repo.path)
    with pytest.raises(Uncertain):
        read_tip(str(git_dir), REF)
    with pytest.raises(Uncertain):
        read_head(found)


def test_git_honours_the_environment_only_when_asked(repo, make_repo, monkeypatch):
    other = make_repo("other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    start = str(repo.path / "src")
    assert locate(start) == find(start) == plain(repo.path)
    assert locate(start, environ=True) == plain(other.path)


def test_git_says_what_is_no_repository(tmp_path):
    for start in tmp_path, tmp_path / "no" / "such":
        with pytest.raises(NotARepository) as caught:
            locate(str(start))
        assert caught.value.kind == "not-a-repository"
        assert caught.value.message.startswith(str(start))


def test_the_hot_modules_import_nothing_but_os_and_zlib():
    code = (
        "import os; before = set(sys.modules)\n"
        "import gitmem.store.discover, gitmem.store.odb\n"
        "print(sorted(set(sys.modules) - before))"
    )
    root = str(Path(__file__).parents[2])
    out = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {root!r})\n{code}"],
        capture_output=True,
        text=True,
    ).stdout
    expected = ["gitmem", "gitmem.store", "gitmem.store.discover", "gitmem.store.odb", "zlib"]
    assert out == f"{expected}\n"
