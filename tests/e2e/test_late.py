"""What a hook had no time for is not forgotten: the next one, or a process behind it, does it."""

import os
import shutil
import time

import pytest
from running import Mem, note

from gitmem.errors import GitMemError
from gitmem.index import refresh as refreshing
from gitmem.store.discover import find

SLOW = """#!/bin/sh
case "$*" in *for-each-ref*|*init.defaultBranch*) test -e {flag} && sleep 0.6;; esac
exec {git} "$@"
"""


@pytest.fixture
def slow(mem: Mem, tmp_path, monkeypatch):
    """Makes some of git slow while the file it gives exists."""
    flag, program = tmp_path / "slow", tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(SLOW.format(flag=flag, git=shutil.which("git")))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return flag


def said(mem: Mem) -> set[str]:
    text = mem.shown(mem.touch("src/a.py"))
    return {word for word in ("old text", "new text", "gone") if word in text}


def amended(mem: Mem, message: str) -> None:
    mem.repo.git("commit", "-q", "--amend", "-m", message)


@pytest.fixture
def edited(mem: Mem) -> Mem:
    """One note edited and one forgotten on a commit that is about to be amended."""
    mem.store(note("a", "old text", paths=["src/a.py"]), note("g", "gone", paths=["src/a.py"]))
    mem.repo.commit("work", **{"src/a.py": "A = 7\n"})
    mem("edit", "a", "new text")
    mem("forget", "g")
    assert said(mem) == {"new text"}
    return mem


def test_a_view_that_was_not_settled_in_time_is_settled_soon(edited: Mem, slow) -> None:
    slow.touch()
    amended(edited, "again")
    said(edited)
    slow.unlink()
    for _ in range(40):
        if said(edited) == {"new text"}:
            break
        time.sleep(0.25)
    assert said(edited) == {"new text"}
    home = edited.repo.git_dir / "gitmem"
    assert [path.name for path in home.glob("unsettled*")] == []


@pytest.mark.parametrize(
    ("error", "left"), [(TimeoutError(), ["unsettled."]), (GitMemError("no room"), [])]
)
def test_hooks_wait_only_for_what_time_may_mend(edited: Mem, monkeypatch, error, left) -> None:
    def fail(*_: object) -> bool:
        raise error

    monkeypatch.setattr(refreshing, "_settled", fail)
    monkeypatch.setattr(refreshing, "refresh_later", lambda _: None)
    home = edited.repo.git_dir / "gitmem"
    (home / "unsettled.").touch()
    refreshing.refresh(find(str(edited.repo.path))).close()
    assert [path.name for path in home.glob("unsettled*")] == left


def test_a_commit_may_be_amended_again_and_again(edited: Mem) -> None:
    for number in range(3):
        edited.repo.write("src/a.py", f"A = {number}\nB = {number}\nC = {number}\n")
        edited.repo.git("add", "-A")
        amended(edited, f"take {number}")
        assert "new text" in edited("list")
        assert "gone" not in edited("list")
