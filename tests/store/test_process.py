"""Running git: nothing from outside leads it astray, and what it says reaches the user."""

import os
import time

import pytest

from gitmem.store import process
from gitmem.store.environment import clean_env


def test_variables_that_name_a_repository_are_dropped_and_settings_stay(monkeypatch, repo):
    local = repo.git("rev-parse", "--local-env-vars").split("\n")
    settings = {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}  # from `git -c`, meant for us too
    for name in local:
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada")
    env = clean_env()
    kept = {name for name in local if name in env}
    assert kept == settings | {"GIT_NO_REPLACE_OBJECTS"}
    assert (env["LC_ALL"], env["GIT_TERMINAL_PROMPT"], env["GIT_NO_LAZY_FETCH"]) == ("C", "0", "1")
    assert env["GIT_AUTHOR_NAME"] == "Ada"


def test_a_failure_carries_gits_own_words_and_advice(repo):
    with pytest.raises(process.GitFailed) as caught:
        process.run(("cat-file", "blob", "no-such"), git_dir=str(repo.path / ".git"))
    error = caught.value
    assert error.message == "git cat-file: Not a valid object name no-such"
    assert (error.kind, error.code) == ("git", 128)
    assert error.argv == ("cat-file", "blob", "no-such")
    repo.git("branch", "topic")
    with pytest.raises(process.GitFailed) as caught:
        process.run(("checkout", "nowhere/topic"), cwd=str(repo.path))
    said = "git checkout: pathspec 'nowhere/topic' did not match any file(s) known to git"
    assert caught.value.message == said


def test_an_attempt_returns_the_failure(repo):
    git_dir = str(repo.path / ".git")
    code, out, said = process.attempt(("cat-file", "-e", "no-such"), git_dir=git_dir)
    assert (code, out) == (128, b"")
    assert said.startswith("fatal: Not a valid object name no-such")


def test_input_output_directory_and_environment_reach_git(repo):
    git_dir = str(repo.path / ".git")
    text = b"x" * 200_000
    oid = process.run(("hash-object", "-w", "--stdin"), git_dir=git_dir, stdin=text).decode()
    assert process.run(("cat-file", "blob", oid.strip()), git_dir=git_dir) == text
    prefix = process.run(("rev-parse", "--show-prefix"), cwd=str(repo.path / "src"))
    assert prefix == b"src/\n"
    who = process.run(("var", "GIT_AUTHOR_IDENT"), cwd=git_dir, env={"GIT_AUTHOR_NAME": "Eve"})
    assert who.startswith(b"Eve <ada@example.com> ")


def test_git_that_does_not_answer_is_ended(repo):
    begin = time.monotonic()
    with pytest.raises(process.GitFailed, match=r"no answer within 0\.2 s"):
        process.run(("-c", "alias.w=!exec sleep 9", "w"), cwd=str(repo.path), timeout=0.2)
    assert time.monotonic() - begin < 5


def test_without_git_the_error_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(process.GitFailed, match="git version: cannot run git: "):
        process.run(("version",))
