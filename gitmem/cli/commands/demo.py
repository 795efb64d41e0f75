"""`git mem demo`: the whole thing on a scratch repository, with real commits and real events."""

import json
import os
import subprocess
import sys
import tempfile

import click

from gitmem.cli import output

FILES = {
    "README.md": "# Shop\n",
    "package.json": '{"name": "shop", "scripts": {"publish": "make publish"}}\n',
    "Makefile": "publish:\n\t./scripts/publish.js\n",
    "scripts/publish.js": "const fs = require('fs')\n",
    "src/api/events.py": "def events():\n    return {'event': {'items': []}}\n",
    "src/api/users.py": "def users():\n    return []\n",
    "src/pay.py": "def total(items):\n    return sum(item.cents for item in items)\n",
}
BRANCH = {"src/search.py": "def search(query):\n    return []\n"}
CURRENCY = """\
CURRENCIES = {"eur": 2, "jpy": 0, "kwd": 3}


def digits(currency):
    return CURRENCIES[currency.lower()]
"""
NOTE = """\
---
id: scripts-are-commonjs
kind: gotcha
triggers:
  paths: [package.json, "scripts/**"]
  errors: ["Unexpected token 'export'"]
confidence: verified
verified: 2026-08-23
strength: 4
---
Scripts under `scripts/` use CommonJS `require()`.

**Why it matters:** two of them run from live CI. Adding `"type": "module"` breaks that silently.

**Instead:** name new ESM config files `.mjs`.
"""
SESSION = "demo"


@click.command("demo")
@click.option("--dir", "directory", type=click.Path(), help="Where to make the repository.")
def command(*, directory: str | None) -> int:
    """Make a scratch repository, add notes, and show what arrives when, and why.

    Everything is real: commits, branches, and the hook that an agent would run.
    """
    place = directory or tempfile.mkdtemp(prefix="git-mem-demo-")
    demo = Demo(os.path.abspath(place))
    demo.build()
    demo.add_notes()
    demo.show_events()
    demo.show_branches()
    output.say("\nThe repository stays in " + demo.path)
    output.say("Try there: git mem list, git mem log, git mem diff main...feature, git mem doctor")
    return 0


class Demo:
    """A repository at `path`, and the commands that are run and shown in it."""

    def __init__(self, path: str) -> None:
        self.path = path
        person = {"NAME": "Ada Demo", "EMAIL": "ada@example.com"}
        self._env = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
        for role in ("AUTHOR", "COMMITTER"):
            self._env |= {f"GIT_{role}_{key}": value for key, value in person.items()}

    def build(self) -> None:
        """A history with a merge and a branch that is still open."""
        _title("A project with some history")
        os.makedirs(self.path, exist_ok=True)
        self._git("init", "--quiet", "--initial-branch=main")
        for name, text in FILES.items():
            self._commit(name, text)
        self._git("switch", "--quiet", "--create", "feature")
        for name, text in BRANCH.items():
            self._commit(name, text)
        self._git("switch", "--quiet", "main")
        self._git("switch", "--quiet", "--create", "fix/rounding")
        self._commit("src/pay.py", FILES["src/pay.py"] + "\n\ndef tax(cents):\n    return cents\n")
        self._git("switch", "--quiet", "main")
        self._git("merge", "--quiet", "--no-ff", "-m", "Merge fix/rounding", "fix/rounding")
        output.say(self._git("log", "--oneline", "--graph", "--all", "--no-color").rstrip())

    def add_notes(self) -> None:
        """Notes with every kind of trigger, one of them derived, and one that is refused."""
        _title("What the team learned, as notes")
        with open(os.path.join(self.path, ".git", "note.md"), "w", encoding="utf-8") as file:
            file.write(NOTE)
        self._mem("add", "-F", ".git/note.md")
        self._mem("add", "src/api/events.py nests items inside event")
        self._mem("add", "Releases go through make publish", "-c", "npm publish", "--strength", "5")
        self._mem("add", "Amounts are integer cents", "-p", "src/pay.py", "--local")
        self._mem("add", "Stripe needs the test key in CI", "--entity", "Stripe")
        self._mem("add", "Never push to main; open a pull request", "--always")
        self._mem("add", "Be careful.")

    def show_events(self) -> None:
        """What an agent is told, event by event."""
        _title("A session starts: only the rules that govern all of it")
        self._event({"hook_event_name": "SessionStart", "source": "startup"})
        _title("The agent opens src/api/events.py")
        self._tool("Read", {"file_path": f"{self.path}/src/api/events.py"})
        _title("It opens the sibling src/api/users.py: silence")
        self._tool("Read", {"file_path": f"{self.path}/src/api/users.py"})
        _title("It is about to edit package.json")
        self._tool("Edit", {"file_path": f"{self.path}/package.json"})
        _title("It opens package.json again: shown once in this session, so silence")
        self._tool("Read", {"file_path": f"{self.path}/package.json"})
        _title("In another session, a script fails with an error that the same note knows")
        failed = {"tool_input": {"command": "node tools/new.js"}, "tool_name": "Bash"}
        error = "Exit code 1\nSyntaxError: Unexpected token 'export'"
        self._event(
            {"hook_event_name": "PostToolUseFailure", **failed, "error": error, "session_id": "2"}
        )
        _title("It is about to run npm publish")
        self._tool("Bash", {"command": "npm publish --access public"})
        _title("The user asks about an entity")
        self._event(
            {"hook_event_name": "UserPromptSubmit", "prompt": "why does Stripe fail in CI?"}
        )
        _title("And why, for a person")
        self._mem("why", "src/pay.py")

    def show_branches(self) -> None:
        """What a branch learns is seen there, and on main when the work lands, by a squash too."""
        _title("A branch learns something; main does not know it yet")
        self._show("switch", "--quiet", "--create", "fix/currency")
        self._commit("src/currency.py", CURRENCY)
        self._mem("add", "src/currency.py: yen have no minor unit, dinars have three digits")
        self._show("switch", "--quiet", "main")
        self._mem("recall", "--path", "src/currency.py")
        _title("Its work lands on main as one new commit: so does what it learned")
        self._show("merge", "--quiet", "--squash", "fix/currency")
        self._show("commit", "--quiet", "-m", "Know currencies (#7)")
        self._show("branch", "--quiet", "-D", "fix/currency")
        self._mem("recall", "--path", "src/currency.py")
        _title("What a reviewer sees of a branch that is still open")
        self._show("switch", "--quiet", "feature")
        self._show("merge", "--quiet", "-m", "Merge main into feature", "main")
        changed = FILES["src/api/events.py"].replace("[]", "search(None)")
        self._commit("src/api/events.py", "from src.search import search\n\n\n" + changed)
        self._mem("add", "src/search.py ranks by date, not by relevance", "--why", "users sort")
        self._mem("edit", "scripts-are-commonjs", "--strength", "5", "--tag", "node")
        self._mem("forget", "stripe", "--reason", "the test key is in the vault now")
        self._show("switch", "--quiet", "main")
        self._mem("diff", "main...feature")

    def _show(self, *args: str) -> None:
        output.say("$ git " + " ".join(arg if " " not in arg else f'"{arg}"' for arg in args))
        self._git(*args)

    def _tool(self, tool: str, given: dict[str, str]) -> None:
        self._event({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given})

    def _event(self, fields: dict[str, object]) -> None:
        event = json.dumps({"session_id": SESSION, "cwd": self.path, **fields})
        output.say(f"$ echo '{event}' | git mem hook claude")
        answer = self._run(["hook", "claude"], event)
        if not answer:
            output.say("(nothing)")
            return
        context = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
        output.say("\n".join(f"  | {line}".rstrip() for line in context.splitlines()))

    def _mem(self, *args: str) -> None:
        output.say("$ git mem " + " ".join(arg if " " not in arg else f'"{arg}"' for arg in args))
        output.say(self._run(list(args), "").rstrip())

    def _run(self, args: list[str], stdin: str) -> str:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "gitmem", *args],
            input=stdin.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.path,
            env=self._env,
        )
        return done.stdout.decode("utf-8", "replace")

    def _commit(self, name: str, text: str) -> None:
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self._git("add", name)
        self._git("commit", "--quiet", "-m", f"Add {name}")

    def _git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=", *args],
            capture_output=True,
            check=True,
            cwd=self.path,
            env=self._env,
        )
        return done.stdout.decode("utf-8", "replace")


def _title(text: str) -> None:
    output.say(f"\n== {text}")
