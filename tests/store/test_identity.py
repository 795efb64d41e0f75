"""Who writes a note, with and without a configured git."""

import pytest

from gitmem.store.backend import Identity
from gitmem.store.identity import identities
from gitmem.store.process import GitFailed


def test_the_configured_user_writes_unless_the_environment_says_otherwise(repo, monkeypatch):
    git_dir = str(repo.path / ".git")
    found = identities(git_dir)
    assert (found.author.name, found.author.email) == ("Ada Tester", "ada@example.com")
    assert (found.committer.name, found.committer.email) == ("Ada Tester", "ada@example.com")
    assert found.author.offset == "+0000"
    assert found.author.when > 1_700_000_000
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace Ħ")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "grace@example.com")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2020-02-03T04:05:06+0530")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@1600000000 -0100")
    found = identities(git_dir)
    assert found.author == Identity("Grace Ħ", "grace@example.com", 1580682906, "+0530")
    assert found.committer == Identity("Ada Tester", "ada@example.com", 1600000000, "-0100")


def test_the_repository_may_name_another_author(repo):
    repo.git("config", "author.name", "Pair")
    repo.git("config", "author.email", "pair@example.com")
    found = identities(str(repo.path / ".git"))
    assert (found.author.name, found.committer.name) == ("Pair", "Ada Tester")


@pytest.mark.parametrize("only", ["true", "false"])
def test_without_any_configuration_a_note_is_still_written(repo, home, monkeypatch, only):
    repo.git("config", "user.useConfigOnly", only)
    (home / ".gitconfig").unlink()
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    found = identities(str(repo.path / ".git"))
    assert found.author.name
    assert found.author.email == found.committer.email == "unknown@localhost"


def test_an_email_in_the_environment_is_configuration(repo, home, monkeypatch):
    (home / ".gitconfig").unlink()
    monkeypatch.setenv("EMAIL", "env@example.com")
    assert identities(str(repo.path / ".git")).author.email == "env@example.com"


def test_an_impossible_date_is_named(repo, monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_DATE", "whenever")
    with pytest.raises(GitFailed, match="git var: invalid date format: whenever"):
        identities(str(repo.path / ".git"))
