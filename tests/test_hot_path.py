"""What `git mem hook` loads: a module too many costs every tool call of every session.

The hook is run as an agent runs it, on a real event with a hit, and says itself at the end which
modules it has.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Repo

import gitmem

HOOK = Path(gitmem.__file__).parent / "hook.py"

# What CPython has loaded with `os` is asked for: it differs by version and platform. On top of it
# only these, and our own files that test_layering.py holds to be hot.
STANDARD = {"time", "marshal", "zlib", "select", "_json", "_blake2"}
OURS = {
    "gitmem",
    "gitmem.agents",
    "gitmem.agents.base",
    "gitmem.agents.claude",
    "gitmem.core",
    "gitmem.core.event",
    "gitmem.core.gitignore",
    "gitmem.core.ids",
    "gitmem.core.ranking",
    "gitmem.core.render",
    "gitmem.core.text",
    "gitmem.deliver",
    "gitmem.hook",
    "gitmem.trouble",
    "gitmem.index",
    "gitmem.index.bodies",
    "gitmem.index.errorlog",
    "gitmem.index.freshness",
    "gitmem.index.place",
    "gitmem.index.read",
    "gitmem.index.schema",
    "gitmem.index.sessions",
    "gitmem.index.stale",
    "gitmem.refs",
    "gitmem.store",
    "gitmem.store.discover",
    "gitmem.store.odb",
    "gitmem.store.worktree",
}

# The hook ends with os._exit, so the list is written from there.
SPY = """
import os, sys
leave = os._exit
def spy(code):
    os.write(2, "\\n".join(sorted(sys.modules)).encode())
    leave(code)
os._exit = spy
script = sys.argv[1]
sys.argv[:] = [script, *sys.argv[2:]]
names = {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__}
exec(compile(open(script).read(), script, "exec"), names)
"""


def run(code: str, *args: str, cwd: Path | None = None, stdin: str = "") -> tuple[str, set[str]]:
    """The standard output, and the words of standard error."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *args],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, set(done.stderr.split())


def bare() -> set[str]:
    _, modules = run("import os, sys; sys.stderr.write('\\n'.join(sys.modules))")
    return modules


@pytest.fixture
def noted(repo: Repo) -> Repo:
    """A repository with a note about package.json and a fresh index."""
    text = "package.json must stay without a type: scripts/ are CommonJS."
    for command in (["add", text, "-p", "package.json"], ["recall", "--path", "package.json"]):
        subprocess.run([sys.executable, "-m", "gitmem", *command], cwd=repo.path, check=True)
    return repo


@pytest.mark.parametrize(
    ("file", "is_hit"), [("package.json", True), ("my-package.json.bak", False)]
)
def test_a_hook_loads_only_what_is_on_the_list(noted: Repo, file: str, is_hit: bool) -> None:
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Edit",
        "cwd": str(noted.path),
        "tool_input": {"file_path": file},
    }
    answer, modules = run(SPY, str(HOOK), "claude", cwd=noted.path, stdin=json.dumps(event))
    assert ("CommonJS" in answer) is is_hit
    assert "gitmem.index.read" in modules
    assert modules - bare() - STANDARD - OURS == set()


def test_the_off_switch_is_read_before_anything_is_imported(noted: Repo) -> None:
    code = SPY.replace("leave = os._exit", "os.environ['GIT_MEM_HOOK'] = '0'; leave = os._exit")
    answer, modules = run(code, str(HOOK), "claude", cwd=noted.path, stdin="{}")
    assert answer == ""
    assert modules - bare() - STANDARD == set()
