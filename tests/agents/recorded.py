"""The recorded calls of every agent, and the hook that answers them.

A file of `payloads/<agent>/` has `in` and `out` (null: nothing; text: printed as it is), and where
it matters `env` and the further `arguments` of the command. In it `{root}` is the repository,
`{session}` a session of its own, `{opening}`, `{closing}` and `{held}` the words around notes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import GITCONFIG, Repo, seal

import gitmem
from gitmem.agents.base import HELD_BACK
from gitmem.core.note import Note, Triggers
from gitmem.core.render import CLOSING, OPENING
from gitmem.drafting import Draft
from gitmem.index.refresh import refresh
from gitmem.memory import Memory

HOOK = str(Path(gitmem.__file__).parent / "hook.py")
PAYLOADS = Path(__file__).parent / "payloads"
FILES = {f"{file.parent.name}/{file.stem}": file for file in sorted(PAYLOADS.glob("*/*.json"))}
NOTES = [
    Note("src-is-typed", "All of `src` is typed.\n", Triggers(paths=("src/**",))),
    Note("publish-by-ci", "CI publishes.\n", Triggers(commands=("npm publish",)), kind="rule"),
    Note(
        "port-in-use",
        "Stop the old server: `make down`.\n",
        Triggers(errors=("port 5432 in use",)),
        confidence="verified",
        verified="2026-08-23",
    ),
    Note("release-days", "Tuesdays.\n", Triggers(prompts=("release day",)), entity="Billing API"),
    Note("house-style", "Say what is.\n", Triggers(always=True)),
    Note("plots", "Keep cells small.\n", Triggers(paths=("*.ipynb",))),
]
WORDS = {"{opening}": OPENING, "{closing}": CLOSING, "{held}": HELD_BACK}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """The top of a repository with NOTES, which all calls of this file are about."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(GITCONFIG)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in seal(str(home)).items():
            patch.setenv(name, value)
        repo = Repo(tmp_path_factory.mktemp("project"))
        repo.git("init", "--quiet")
        repo.commit("start", **{"src/a.py": "A = 1\n", "scripts/run.js": "", "README.md": "# A\n"})
        for _ in range(5):  # nothing is being worked on
            repo.git("commit", "--quiet", "--allow-empty", "-m", "later")
        memory = Memory.open(str(repo.path), clock=lambda: 1_800_000_000.0)
        memory.add([Draft(note, note.id) for note in NOTES])
        refresh(memory.repository).close()
    return str(repo.path)


def filled(value, words):
    """`value` with the `words` of a payload file put in."""
    if isinstance(value, dict):
        return {name: filled(item, words) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, words) for item in value]
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(word, text)
    return value


def recorded(name, root="/w", session="s"):
    """A payload file, filled in."""
    words = {"{root}": root, "{session}": session, **WORDS}
    return filled(json.loads(FILES[name].read_text()), words)


def run(agent, data, *arguments, env=None, cwd=None):
    """What the hook of `agent` prints, run as an installed one is; it always succeeds."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, agent, *arguments],
        input=json.dumps(data).encode(),
        capture_output=True,
        env=os.environ | (env or {}),
        cwd=cwd,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def printed(out):
    """The bytes of an answer."""
    if out is None:
        return b""
    text = out if isinstance(out, str) else json.dumps(out, separators=(",", ":"))
    return text.encode() + b"\n"


def says(name):
    """Whether the agent is shown something."""
    return json.loads(FILES[name].read_text())["out"] is not None
