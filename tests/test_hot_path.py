"""What `git mem hook` loads: a module too many costs every tool call of every session.

The hook is run as an agent runs it, on real events, and says at the end which modules it has.
The lists stand in `quick.py`; what an event needs beyond them stands here.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Repo

import gitmem
from gitmem import quick

HOOK = Path(gitmem.__file__).parent / "hook.py"

# What CPython has loaded with `os` is asked for: it differs by version and platform. On top of it
# only these, and our own files that `quick.py` lists and test_layering.py holds to be hot.
STANDARD = {"gc", "_json"}
ZLIB = {"zlib"}
SESSION = "6e1c0c1e-1111-2222-3333-444444444444"

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
    mem(repo, "add", text, "-p", "package.json")
    mem(repo, "recall", "--path", "package.json")
    return repo


def mem(repo: Repo, *args: str) -> None:
    subprocess.run([sys.executable, "-m", "gitmem", *args], cwd=repo.path, check=True)


EDIT = {"hook_event_name": "PreToolUse", "tool_name": "Edit"}
BASH = {"tool_name": "Bash", "tool_input": {"command": "npm test"}}
FAILED = {**BASH, "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\nboom: it failed"}


def asked(noted: Repo, **fields: object) -> tuple[str, set[str]]:
    """The hook's answer, and what it had loaded beyond what every event needs."""
    event = {"session_id": SESSION, "cwd": str(noted.path), **fields}
    answer, modules = run(SPY, str(HOOK), "claude", cwd=noted.path, stdin=json.dumps(event))
    ours = {*quick.PACKAGES, *quick.EVENT, "gitmem.quick", "gitmem.agents.claude"}
    assert ours <= modules
    return answer, modules - bare() - STANDARD - ours


def test_an_event_without_a_hit_loads_what_every_event_needs(noted: Repo) -> None:
    file = {"file_path": "my-package.json.bak"}
    answer, more = asked(noted, hook_event_name="PreToolUse", tool_name="Read", tool_input=file)
    assert (answer, more) == ("", set())


def test_an_event_with_a_hit_loads_what_showing_it_needs(noted: Repo) -> None:
    answer, more = asked(noted, **EDIT, tool_input={"file_path": "package.json"})
    assert "CommonJS" in answer
    assert more == {*quick.HIT, *ZLIB, "gitmem.capture"}


def test_the_start_of_a_session_loads_what_showing_needs(noted: Repo) -> None:
    mem(noted, "add", "Say what is.", "--always")
    answer, more = asked(noted, hook_event_name="SessionStart", source="startup")
    assert "Say what is." in answer
    assert more == {*quick.HIT, *quick.START, *ZLIB, "select"}


def test_a_prompt_and_a_command_load_what_compares_words(noted: Repo) -> None:
    words = set(quick.WORDS)
    prompt = asked(noted, hook_event_name="UserPromptSubmit", prompt="hello")
    assert prompt[1] == {*words, "gitmem.core.mention"}
    assert asked(noted, hook_event_name="PreToolUse", **BASH)[1] == words


def test_a_command_that_failed_loads_what_keeps_its_error(noted: Repo) -> None:
    words = set(quick.WORDS)
    assert asked(noted, **FAILED)[1] == {*words, "gitmem.capture", "gitmem.core.telling"}
    assert asked(noted, **BASH, hook_event_name="PostToolUse", tool_response={})[1] <= {
        *words,
        "gitmem.capture",
    }


def test_the_off_switch_is_read_before_anything_is_imported(noted: Repo) -> None:
    code = SPY.replace("leave = os._exit", "os.environ['GIT_MEM_HOOK'] = '0'; leave = os._exit")
    answer, modules = run(code, str(HOOK), "claude", cwd=noted.path, stdin="{}")
    assert answer == ""
    assert modules - bare() == {"gc", "gitmem", "gitmem.quick"}
