"""The sessions that the documentation shows: read them, run them, put the real output in.

A session is a fence marked `console`: `$ ` starts a command, `> ` goes on with it, the rest is what
it prints. All sessions of a page run in one shell, in the home directory of a person who has
nothing, or in a repository named `shop` for the pages of `docs/how-to`.

`python -m tests.doc_sessions` writes the output of this machine into the pages, `/home/ada` for
the home directory. What differs from run to run is compared by name only (`normalised`).
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
HOME = "/home/ada"
GITCONFIG = "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
SHOP = {
    "Makefile": "publish:\n\t./scripts/publish.js\n",
    "package.json": '{"name": "shop"}\n',
    "scripts/publish.js": "const fs = require('fs')\n",
    "src/api/events.py": "EVENTS = []\n",
    "src/api/users.py": "USERS = []\n",
    "src/pay.py": "TAX = 19\n",
}
MARK = "\x1e"  # between the outputs of two commands


@dataclass(frozen=True)
class Command:
    """A command that a page shows. Its output is in the lines `start` to `end` of the page."""

    text: str
    output: str
    start: int
    end: int


def commands_of(page: str) -> list[Command]:
    """The commands of all sessions of a page, in order."""
    found: list[Command] = []
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        if lines[at] != "```console":
            at += 1
            continue
        at += 1
        while lines[at] != "```":
            if not lines[at].startswith("$ "):
                raise ValueError(f"line {at + 1}: a session starts with '$ '")
            words = [lines[at][2:]]
            at += 1
            while lines[at].startswith("> "):
                words.append(lines[at][2:])
                at += 1
            start = at
            while lines[at] != "```" and not lines[at].startswith("$ "):
                at += 1
            found.append(Command("\n".join(words), "\n".join(lines[start:at]), start, at))
    return found


def run(commands: list[Command], home: Path, programs: str, *, has_shop: bool) -> list[str]:
    """What each command prints in one shell. `programs` is put first on PATH."""
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text(GITCONFIG)
    env = _environment(home, programs)
    here = home
    if has_shop:
        here = home / "shop"
        for name, text in SHOP.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(text)
        for line in ("init --quiet", "add .", "commit --quiet -m start"):
            subprocess.run(["git", *line.split()], cwd=here, env=env, check=True)
    script = "".join(f"{command.text}\nprintf '{MARK}'\n" for command in commands)
    done = subprocess.run(
        ["bash", "--norc", "-c", f"exec 2>&1\n{script}"],
        cwd=here,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=300,
    )
    text = done.stdout.decode().replace(str(home), HOME)
    return [output.rstrip("\n") for output in text.split(MARK)][: len(commands)]


def _environment(home: Path, programs: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
    }


def normalised(text: str) -> str:
    """`text` with dates, ids and the version of git by their names; white space at ends is gone."""
    for pattern, name in (
        (r"20\d\d-\d\d-\d\d([T ]\d\d:\d\d:\d\dZ)?", "<date>"),
        (r"\b[0-9a-f]{40}\b|\b[0-9a-f]{20}\b|\b[0-9a-f]{10}\b", "<id>"),
        (r'"<id>"', "<id>"),
        (r"git version \S+", "git version <version>"),
    ):
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def runs_in_shop(page: Path) -> bool:
    return page.parent.name == "how-to"


def outputs_of(page: Path, aside: Path, programs: str) -> list[tuple[Command, str]]:
    """(command, what it really prints) of a page; `aside` is an empty directory."""
    commands = commands_of(page.read_text(encoding="utf-8"))
    home = Path(os.path.realpath(aside)) / "ada"
    real = run(commands, home, programs, has_shop=runs_in_shop(page)) if commands else []
    return list(zip(commands, real, strict=True))


def rewrite(page: Path, programs: str) -> None:
    """Put real output into a page where it says something else."""
    with tempfile.TemporaryDirectory() as aside:
        found = outputs_of(page, Path(aside), programs)
    if any("Traceback (most recent call last)" in real for _, real in found):
        raise SystemExit(f"{page}: a command crashed, so nothing was written")
    lines = page.read_text(encoding="utf-8").splitlines()
    for command, real in reversed(found):
        if normalised(command.output) != normalised(real):
            lines[command.start : command.end] = real.splitlines()
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        rewrite(each, str(Path(sys.executable).parent))
