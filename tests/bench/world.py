"""A repository with files and notes of a realistic size, the same in every run."""

import json
import random
import subprocess
import sys
from pathlib import Path

TEXT = (
    "the parser keeps tokens in order because clients read them lazily and a reordered stream "
    "breaks the cache of every worker that has already seen it so never sort before the flush"
)
WORDS = TEXT.split()
FILES = 1000


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
        ("init", "--quiet"),
        ("config", "user.name", "Bench"),
        ("config", "user.email", "bench@example.com"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Start"),
        ("gc", "--quiet"),
    ):
        subprocess.run(["git", *args], cwd=repo, check=True)
    if notes:
        add_files(repo, note_files(place, notes), per_call=2500)
    return repo


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
