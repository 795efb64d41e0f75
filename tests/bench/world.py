"""A repository with files and notes of a realistic size, the same in every run."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gitmem.codec import encode, revision_name
from gitmem.core.note import Anchor, Note, Triggers
from gitmem.store.layout import path_of

TEXT = (
    "the parser keeps tokens in order because clients read them lazily and a reordered stream "
    "breaks the cache of every worker that has already seen it so never sort before the flush"
)
WORDS = TEXT.split()
FILES = 1000
COMMITS = 1000
BUSY = "src/busy/all.py"


def file_name(number: int) -> str:
    return f"src/part{number % 20}/unit{number % 7}/file{number}.py"


def build(place: Path, notes: int) -> Path:
    """A repository of FILES files and as many notes."""
    repo = place / "repo"
    for number in range(FILES):
        path = repo / file_name(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {number}\n")
    for args in (
        ("init", "--quiet", "--initial-branch=main"),
        ("config", "user.name", "Bench"),
        ("config", "user.email", "bench@example.com"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Start"),
        ("gc", "--quiet"),
    ):
        _git(repo, *args)
    if notes:
        add_files(repo, note_files(place, notes), per_call=2500)
    return repo


def filled(place: Path, notes: int) -> Path:
    """A repository of COMMITS commits and `notes` notes, each about a file or an error of its own,
    anchored all over the history; ten more are about BUSY, eight more come at a session's start."""
    repo = build(place, 0)
    lines = [b"reset refs/heads/main\n"]
    for number in range(COMMITS):
        path = file_name(number).encode()
        lines.append(
            b"commit refs/heads/main\nmark :%d\ncommitter B <b@example.com> %d +0000\ndata 2\nc\n\n"
            b"M 644 inline %s\ndata %d\n%d\n"
            % (number + 1, 1_700_000_000 + number, path, len(str(number)), number)
        )
    marks = place / "marks"
    _import(repo, lines, f"--export-marks={marks}")
    oids = dict(line.split() for line in marks.read_text().splitlines())
    _git(repo, "reset", "--quiet", "--hard")
    lines = [
        b"commit refs/memory/facts\ncommitter B <b@example.com> 1700000000 +0000\ndata 2\nc\n\n"
    ]
    lines.append(b"M 644 inline FORMAT\ndata 9\ngitmem 1\n\n")
    for number, note in enumerate(notes_of(notes)):
        anchor = Anchor(commit=oids[f":{number % COMMITS + 1}"])
        data = encode(replace(note, anchor=anchor))
        path = path_of(note.id, revision_name(data)).encode()
        lines.append(b"M 644 inline %s\ndata %d\n%s\n" % (path, len(data), data))
    _import(repo, lines)
    _git(repo, "gc", "--quiet")
    return repo


def error(number: int) -> str:
    return f"Error {number}: the {WORDS[number % len(WORDS)]} failed"


def notes_of(count: int) -> Iterator[Note]:
    rng = random.Random(7)
    for number in range(count):
        triggers = Triggers(paths=(file_name(number),))
        if number % 5 == 3:
            triggers = Triggers(paths=(f"src/part{number % 20}/**/*{number}.py",))
        elif number % 5 == 4:
            triggers = Triggers(errors=(error(number - 3),))
        yield _note(f"note-{number}", triggers, rng)
    for number in range(10):
        yield _note(f"busy-{number}", Triggers(paths=(BUSY,)), rng)
    for number in range(8):
        yield _note(f"always-{number}", Triggers(always=True), rng)


def _note(note_id: str, triggers: Triggers, rng: random.Random) -> Note:
    text, why = (" ".join(rng.choices(WORDS, k=words)) for words in (30, 12))
    return Note(
        note_id,
        f"{text}.\n\n**Why it matters:** {why}.\n",
        triggers,
        kind="gotcha",
        confidence="verified",
        strength=rng.randint(1, 5),
        written="2026-01-01T00:00:00Z",
    )


def _import(repo: Path, lines: list[bytes], *options: str) -> None:
    command = ["git", "fast-import", "--quiet", "--force", *options]
    subprocess.run(command, input=b"".join(lines), cwd=repo, check=True)


def _git(repo: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=repo, check=True, stdout=subprocess.DEVNULL)


def note_files(place: Path, notes: int) -> list[Path]:
    """Note files: three in five about a file, one about a pattern, one about an error."""
    rng = random.Random(7)
    directory = place / "notes"
    directory.mkdir(exist_ok=True)
    files = []
    for number in range(notes):
        trigger = f'  paths: ["{file_name(number % FILES)}"]'
        if number % 5 == 3:
            trigger = f'  paths: ["src/part{number % 20}/**/*{number}.py"]'
        elif number % 5 == 4:
            trigger = f'  errors: ["Error {number}: {rng.choice(WORDS)} failed"]'
        text = " ".join(rng.choices(WORDS, k=30))
        why = " ".join(rng.choices(WORDS, k=12))
        path = directory / f"note{number}.md"
        path.write_text(
            f"---\nid: note-{number}\nkind: gotcha\ntriggers:\n{trigger}\nconfidence: verified\n"
            f"strength: {number % 5 + 1}\n---\n{text}.\n\n**Why it matters:** {why}.\n"
        )
        files.append(path)
    return files


def add_files(repo: Path, files: list[Path], *, per_call: int) -> None:
    for start in range(0, len(files), per_call):
        options = [part for path in files[start : start + per_call] for part in ("-F", str(path))]
        mem(repo, "add", *options)


def add_one(repo: Path, number: int) -> None:
    mem(repo, "add", f"{file_name(number)} is number {number}", "--id", f"single-{number}")


def mem(repo: Path, *args: str) -> None:
    command = [sys.executable, "-m", "gitmem", *args]
    subprocess.run(command, cwd=repo, check=True, stdout=subprocess.DEVNULL)


def warm(repo: Path) -> None:
    mem(repo, "reindex", "--quiet")


def event(repo: Path, path: str) -> bytes:
    """A hook event about `path`, without a session, so that every run is alike."""
    fields = {"cwd": str(repo), "tool_name": "Edit", "tool_input": {"file_path": str(repo / path)}}
    return json.dumps({"hook_event_name": "PreToolUse", **fields}).encode()


def disk(repo: Path) -> int:
    """Kilobytes of .git as `du` counts them."""
    done = subprocess.run(["du", "-sk", ".git"], cwd=repo, check=True, capture_output=True)
    return int(done.stdout.split()[0])
