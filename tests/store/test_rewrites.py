"""Rewrites as git recorded them: exact where they are found, silent about everything else."""

import pytest
from conftest import Repo

from gitmem.store.rewrites import parse_rewritten, rewrites

A, B = "a" * 40, "b" * 64


def told(repo: Repo, *wanted: str, branch: str | None = "main") -> set[tuple[str, str]]:
    return rewrites(str(repo.git_dir), str(repo.git_dir), branch, wanted)


def head(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD")


def test_amends_are_followed_from_what_is_wanted(repo):
    old = repo.commit("work", **{"new.py": "one\n"})
    repo.git("commit", "--quiet", "--amend", "--message", "better")
    middle = head(repo)
    repo.write("new.py", "two\n")
    repo.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    new = head(repo)
    assert told(repo, old) == {(old, middle), (middle, new)}
    assert told(repo, middle) == {(middle, new)}
    assert told(repo, old, branch=None) == {(old, middle), (middle, new)}
    assert (told(repo), told(repo, new), told(repo, A)) == (set(), set(), set())


def rebased(repo: Repo, *options: str, editor: str = "true") -> tuple[list[str], str]:
    """Two commits on a topic, rebased: (the old ones, the new tip)."""
    repo.git("checkout", "--quiet", "-b", "topic")
    old = [repo.commit(f"work {name}", **{f"{name}.py": f"{name}\n"}) for name in ("x", "y")]
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    repo.git("checkout", "--quiet", "topic")
    repo.git("rebase", "--quiet", *options, "main", env={"GIT_SEQUENCE_EDITOR": editor})
    return old, head(repo)


def test_a_rebase_takes_each_commit_to_the_one_of_the_same_author_and_second(repo):
    (first, second), new = rebased(repo)
    base = repo.git("merge-base", first, "main")
    wanted = (first, second, base)
    below = repo.git("rev-parse", f"{new}~1")
    assert told(repo, *wanted, branch="topic") == {(first, below), (second, new)}
    repo.git("commit", "--quiet", "--amend", "--message", "again")
    assert told(repo, second, branch="topic") == {(second, new), (new, head(repo))}


def test_a_rebase_with_a_conflict_that_was_settled_by_hand_is_followed(repo):
    repo.git("checkout", "--quiet", "-b", "topic")
    old = repo.commit("work", **{"README.md": "# Topic\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"README.md": "# Main\n"})
    repo.git("checkout", "--quiet", "topic")
    with pytest.raises(AssertionError):
        repo.git("rebase", "--quiet", "main")
    repo.write("README.md", "# Neither\n")
    repo.git("add", "README.md")
    repo.git("-c", "core.editor=true", "rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert told(repo, old, branch="topic") == {(old, head(repo))}


def test_a_rebase_that_squashed_lost_nothing(repo):
    (first, second), new = rebased(repo, "-i", editor="sed -i 2s/pick/fixup/")
    assert repo.git("rev-list", "--count", "main..topic") == "1"
    assert told(repo, first, second, branch="topic") >= {(first, new), (second, new)}


def test_a_rebase_that_dropped_a_commit_says_nothing_of_that(repo):
    (first, second), new = rebased(repo, "-i", editor="sed -i 1d")
    assert repo.git("rev-list", "--count", "main..topic") == "1"
    assert told(repo, first, second, branch="topic") == {(second, new)}


def test_a_moved_branch_is_no_rewrite_and_no_reflog_no_news(repo):
    old = repo.commit("work", **{"new.py": "one\n"})
    repo.git("reset", "--quiet", "--hard", "HEAD~1")
    repo.commit("other", **{"new.py": "one\n"})
    assert told(repo, old) == set()
    repo.git("commit", "--quiet", "--amend", "--message", "better")
    assert told(repo, repo.git("rev-parse", "HEAD@{1}")) != set()
    for path in ("logs/HEAD", "logs/refs/heads/main"):
        (repo.git_dir / path).unlink()
    assert told(repo, old) == set()


def test_the_lines_of_the_hook_are_checked():
    lines = f"{A} {B} extra words\n{A} {A}\n{A}\nmain {A}\n\n{A} {B[:40]}\n\xff {A}\n"
    assert parse_rewritten(lines.encode("latin-1")) == [(A, B), (A, B[:40])]
    assert parse_rewritten(b"") == []
