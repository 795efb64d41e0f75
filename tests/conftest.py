"""A sealed world for every test, and real git repositories to work in.

Each test gets its own HOME, no system configuration, no GIT_* from outside and an editor that
fails when nobody expected one. Until a test starts, HOME is a place that cannot exist: nothing
at import or collection time can read or write the real one.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ("running",)  # the fixtures of tests that run the program

GITCONFIG = """\
[user]
	name = Ada Tester
	email = ada@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
"""
FOREIGN = ("GIT_", "XDG_", "GITMEM_", "CLAUDE", "CODEX", "GEMINI", "LC_", "LANG")
FIRST_COMMIT = 1_700_000_000  # seconds since 1970; each further commit is a minute later


def seal(home: str) -> dict[str, str]:
    """The environment of a sealed world whose HOME is `home`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
    for name in ("PAGER", "NO_COLOR", "EMAIL", "SUDO_UID"):
        kept.pop(name, None)
    return kept | {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CONFIG_HOME": os.path.join(home, ".config"),
        "XDG_DATA_HOME": os.path.join(home, ".local", "share"),
        "XDG_STATE_HOME": os.path.join(home, ".local", "state"),
        "XDG_CACHE_HOME": os.path.join(home, ".cache"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
        "EDITOR": "false",
        "VISUAL": "false",
        "TZ": "UTC",
    }


def _enter(env: dict[str, str]) -> None:
    for name in set(os.environ) - set(env):
        del os.environ[name]
    os.environ.update(env)


_enter(seal(os.path.join(os.devnull, "no-home-outside-tests")))


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This test's HOME, with a `.gitconfig` that names a user."""
    path = tmp_path_factory.mktemp("home")
    (path / ".gitconfig").write_text(GITCONFIG)
    for name, value in seal(str(path)).items():
        monkeypatch.setenv(name, value)
    return path


class Repo:
    """A real git repository. Its commits have fixed, growing dates, so their ids are the same."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FIRST_COMMIT

    @property
    def git_dir(self) -> Path:
        return Path(self.git("rev-parse", "--absolute-git-dir"))

    def git(self, *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> str:
        """Standard output of git without the last newline; a failure shows git's words."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env=os.environ | (env or {}),
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace")
            raise AssertionError(f"git {' '.join(args)}: exit code {done.returncode}\n{said}")
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def write(self, path: str, text: str) -> Path:
        """Write one work tree file, with the directories it needs."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commit(self, message: str = "change", /, **files: str) -> str:
        """Write `files`, commit everything in the work tree, return the commit id."""
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "--all")
        self.clock += 60
        date = {
            "GIT_AUTHOR_DATE": f"{self.clock} +0000",
            "GIT_COMMITTER_DATE": f"{self.clock} +0000",
        }
        self.git("commit", "--quiet", "--allow-empty", "--message", message, env=date)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """`make_repo("name", "--bare", …)` makes an empty repository in a directory of its own."""

    def make(name: str = "other", *options: str) -> Repo:
        path = tmp_path / name
        path.mkdir(parents=True)
        repo = Repo(path)
        repo.git("init", "--quiet", *options)
        return repo

    return make


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    """A repository with three commits on main; the current directory stays where it was."""
    made = make_repo("repo")
    made.commit("start", **{"README.md": "# Acme\n", "package.json": "{}\n"})
    made.commit("add sources", **{"src/a.py": "A = 1\n", "src/b.py": "B = 2\n"})
    made.commit("add scripts", **{"scripts/run.js": "require('fs')\n"})
    return made
