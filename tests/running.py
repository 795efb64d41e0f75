"""Run the real `git mem` as a person, a script or an agent does, and read what it said.

`git` finds the program through PATH: the one that was installed beside this interpreter, or, where
that is none or an older one, a copy of `gitmem/git-mem` that starts this interpreter.
"""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forking
import pytest
from conftest import GITCONFIG, Repo, seal

SCRIPT = Path(__file__).resolve().parent.parent / "gitmem" / "git-mem"
STARTS = ("PYTHON", "LC_", "PATH")  # what an interpreter reads when it starts
AUTHOR = "Ada Tester <ada@example.com>"
OPENING = (
    "<git-memory>\n"
    "Notes kept with this repository, relevant to this step. They are background data and may be "
    "out of date; the code decides.\n"
)
CLOSING = "</git-memory>"
ANCHOR = "anchor:\n  commit: <commit>\n  tree: <oid>\n  branch: main\n"
SEEN = "on main and every branch with <commit>"  # where a note that is anchored on main is seen
SEEN_LINE = f"  seen {SEEN}\n"


def program_directory(aside: Path) -> str:
    """The directory to put on PATH; what is made for it is made in `aside`."""
    installed = Path(sys.executable).parent / "git-mem"
    text = SCRIPT.read_text()
    if installed.is_file() and installed.read_text().split("\n", 1)[1] == text.split("\n", 1)[1]:
        return str(installed.parent)
    program = aside / "git-mem"
    program.write_text(text.replace("#!python", f"#!{sys.executable}", 1))
    program.chmod(0o755)
    return str(aside)


@dataclass(frozen=True)
class Done:
    """How a command ended. Times, revisions and anchors in its output are scrubbed."""

    code: int
    out: str
    err: str


class Mem:
    """`git mem` in a repository."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo

    def start(
        self,
        *args: str,
        cwd: Path | str | None = None,
        env: dict[str, str | None] | None = None,
        stdin: int | None = subprocess.PIPE,
        **options: Any,
    ) -> subprocess.Popen[bytes]:
        """Start `git mem ARGS`, its three streams piped. None in `env` takes a variable away."""
        changed = os.environ | (env or {})
        return subprocess.Popen(
            ["git", "mem", *args],
            cwd=cwd or self.repo.path,
            env={name: value for name, value in changed.items() if value is not None},
            stdin=stdin,
            **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options),
        )

    def run(self, *args: str, stdin: str | bytes = b"", **where: Any) -> Done:
        """Run `git mem ARGS` to its end, which comes soon.

        In a fork where only the repository matters, else the program itself, through git.
        """
        data = stdin.encode() if isinstance(stdin, str) else stdin
        changed = where.get("env") or {}
        if args[:1] not in ((), ("hook",), ("demo",)) and not (
            where.keys() - {"cwd", "env"} or any(name.startswith(STARTS) for name in changed)
        ):
            env = {
                name: value for name, value in (os.environ | changed).items() if value is not None
            }
            cwd = str(where.get("cwd") or self.repo.path)
            code, out, err = forking.run(list(args), cwd, env, data)
            return Done(code, scrubbed(out), scrubbed(err))
        with self.start(*args, **where) as child:
            try:
                out, err = child.communicate(data, timeout=60)
            except BaseException:
                child.kill()
                raise
        return Done(child.returncode, scrubbed(out), scrubbed(err))

    def __call__(self, *args: str, **where: Any) -> str:
        """What `git mem ARGS` prints when it succeeds without a word on stderr."""
        done = self.run(*args, **where)
        assert (done.code, done.err) == (0, ""), (args, done)
        return done.out

    def json(self, *args: str, **where: Any) -> Any:
        """The one document that `git mem ARGS --json` prints, whatever the exit code."""
        done = self.run(*args, "--json", **where)
        assert "Traceback" not in done.err
        return json.loads(done.out)

    def store(self, *notes: str, layer: str = "shared") -> None:
        """Store whole notes (front matter and text) in one call."""
        files = []
        for number, text in enumerate(notes):
            file = self.repo.git_dir / f"note-{number}.md"
            file.write_text(text)
            files += ["-F", str(file)]
        done = self.run("add", *files, "--layer", layer)
        assert done.code == 0, done

    def hook(self, event: object, **where: Any) -> str:
        """What `git mem hook claude` prints for an event (a value, or the bytes of stdin)."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        done = self.run("hook", "claude", stdin=data, **where)
        assert (done.code, done.err) == (0, ""), done
        return done.out

    def shown(self, event: object, **where: Any) -> str:
        """The text that the agent is shown for an event; '' for nothing."""
        out = self.hook(event, **where)
        return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""

    def touch(self, path: str, tool: str = "Edit", **fields: object) -> dict[str, object]:
        """The event of a tool that is about to touch a file."""
        return {
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": {"file_path": path},
            "cwd": str(self.repo.path),
            **fields,
        }

    def bash(self, command: str, **fields: object) -> dict[str, object]:
        """The event of a command that is about to run."""
        return {**self.touch("", "Bash"), "tool_input": {"command": command}, **fields}

    def refs(self) -> str:
        """Every ref of the project and of its local layer."""
        local = self.repo.git_dir / "gitmem" / "local.git"
        there = self.repo.git("--git-dir", str(local), "for-each-ref") if local.exists() else ""
        return self.repo.git("for-each-ref") + "\n" + there


def caught_up(mem: Mem, event: object, *texts: str, without: str = "\0") -> None:
    """What an event is shown holds some texts and not another one: at once, or, on a machine that
    is busy, where one more event may be answered as before, soon."""
    patience = time.monotonic() + 20
    shown = mem.shown(event)
    while without in shown or not all(text in shown for text in texts):
        assert time.monotonic() < patience, shown
        shown = mem.shown(event)


def note(note_id: str, text: str = "", *, more: str = "", **triggers: list[str]) -> str:
    """A whole note; `more` are lines of front matter."""
    lines = "".join(f"  {kind}: {json.dumps(values)}\n" for kind, values in triggers.items())
    head = f"triggers:\n{lines}" if triggers else ""
    return f"---\nid: {note_id}\n{more}{head}---\n{text or f'What {note_id} says.'}\n"


def card(note_id: str, facts: str, why: str, text: str) -> str:
    """One note as an agent is shown it."""
    return f"\n## {note_id} ({facts}; by Ada Tester, <date>)\nWhy: {why}\n\n{text}\n"


def shown(*cards: str) -> str:
    """All that an agent is shown."""
    return OPENING + "".join(cards) + CLOSING


def scrubbed(data: bytes) -> str:
    """UTF-8 text in which the times, revisions and anchors of a run are replaced by their names.

    Commit ids in JSON stay: those of a test are the same in every run.
    """
    text = data.decode()
    text = re.sub(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>", text)
    text = re.sub(r"by Ada Tester, 20\d\d-\d\d-\d\d", "by Ada Tester, <date>", text)
    text = re.sub(r"at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ", "at <time>", text)
    text = re.sub(r"(?<![\w-])[0-9a-f]{20}(?![\w.])", "<rev>", text)
    text = re.sub(r"(?<=tree: )\"?[0-9a-f]{40,64}\"?", "<oid>", text)
    text = re.sub(r"(?<=commit: )\"?[0-9a-f]{40,64}\"?", "<commit>", text)
    text = re.sub(r"(?<=with )[0-9a-f]{10}\b|\b[0-9a-f]{10}(?= lands there)", "<commit>", text)
    text = re.sub(r"replaces: \[.*\]", lambda found: found[0].replace('"', ""), text)
    return re.sub(r"(?m)^[0-9a-f]{10} (?=<time>|purged)", "<rev> ", text)


def editor(tmp_path: Path, name: str, script: str) -> dict[str, str]:
    """The environment with an editor that runs a shell script on the file `$1`."""
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"GIT_EDITOR": str(path), "TMPDIR": str(tmp_path)}


def store_blob(repo: Repo, path: str, data: str) -> None:
    """Put a file into the tree of the shared layer by hand, as no tool of ours would."""
    index = {"GIT_INDEX_FILE": str(repo.git_dir / "by-hand")}
    oid = repo.git("hash-object", "-w", "--stdin", stdin=data)
    repo.git("read-tree", "refs/memory/facts", env=index)
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}", env=index)
    tree = repo.git("write-tree", env=index)
    commit = repo.git("commit-tree", "-p", "refs/memory/facts", "-m", "by hand", tree)
    repo.git("update-ref", "refs/memory/facts", commit)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The directory of the program."""
    return program_directory(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def path(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PATH with the program first."""
    monkeypatch.setenv("PATH", program + os.pathsep + os.environ["PATH"])


@pytest.fixture
def mem(repo: Repo, path: None) -> Mem:
    """`git mem` in the repository of the test."""
    return Mem(repo)


LIBRARY = (
    """---
id: scripts-are-commonjs
kind: gotcha
triggers:
  paths: [package.json, "scripts/**"]
  errors: ["Unexpected token 'export'"]
confidence: verified
verified: 2026-08-23
strength: 4
tags: [node, ci]
---
Scripts under `scripts/` use CommonJS `require()`.
""",
    """---
id: releases
kind: rule
triggers:
  commands: [npm publish]
strength: 5
tags: [ci]
---
Releases go through make publish.
""",
    """---
id: stripe
entity: Stripe
aliases: [payments gateway]
---
Stripe needs the test key.
""",
    note("house-rule", "Never push to main.", more="triggers:\n  always: true\n"),
    note("legacy", "The old tree.", paths=["legacy/**"]),
    note("old-way", "Call it twice.", paths=["src/**"]),
    note("new-way", "Call it once.", more="supersedes: [old-way]\n", paths=["src/**"]),
    note("obsolete", "It was slow.", paths=["src/a.py"]),
)


@pytest.fixture(scope="session")
def _library(program: str, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    place = tmp_path_factory.mktemp("library")
    (place / "home").mkdir()
    (place / "home" / ".gitconfig").write_text(GITCONFIG)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in seal(str(place / "home")).items():
            patch.setenv(name, value)
        patch.setenv("PATH", program + os.pathsep + os.environ["PATH"])
        (place / "repo").mkdir()
        mem = Mem(Repo(place / "repo"))
        mem.repo.git("init", "--quiet")
        files = ("README.md", "package.json", "src/a.py", "src/b.py", "scripts/run.js")
        mem.repo.commit(**dict.fromkeys(files, ""))
        mem.store(*LIBRARY)
        mem.store(note("amounts", "Amounts are cents.", paths=["src/b.py"]), layer="local")
        mem("forget", "obsolete", "--reason", "it is fast now")
    return mem.repo


@pytest.fixture
def library(_library: Repo, path: None) -> Mem:
    """`git mem` in a repository with LIBRARY and a local note `amounts`; for reading only."""
    return Mem(_library)


def note_json(note_id: str, body: str, **changes: Any) -> dict[str, Any]:
    """A note as every `--json` document has it; `paths` and the like are triggers. Its anchor, a
    commit id, is for the test to give."""
    kinds = ("paths", "commands", "errors", "prompts")
    triggers = {kind: changes.pop(kind, []) for kind in kinds}
    return {
        "id": note_id,
        "namespace": "facts",
        "layer": "shared",
        "kind": "fact",
        "body": f"{body}\n",
        "triggers": {"always": changes.pop("always", False), **triggers},
        "confidence": None,
        "verified": None,
        "strength": 3,
        "tags": [],
        "entity": None,
        "aliases": [],
        "pinned": False,
        "links": [],
        "supersedes": [],
        "created": "<time>",
        "written": "<time>",
        "author": AUTHOR,
        "anchor": None,
        "branch": "main",
        "revision": "<rev>",
        "conflict": False,
        "pending": False,
        "visible": True,
        **changes,
    }


COMMONJS_JSON = note_json(
    "scripts-are-commonjs",
    "Scripts under `scripts/` use CommonJS `require()`.",
    kind="gotcha",
    paths=["package.json", "scripts/**"],
    errors=["Unexpected token 'export'"],
    confidence="verified",
    verified="2026-08-23",
    strength=4,
    tags=["node", "ci"],
)
