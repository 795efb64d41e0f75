"""Let a person finish a note in the editor that git would open."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import click

from gitmem.cli import output
from gitmem.codec import encode, parse
from gitmem.core.note import Note
from gitmem.errors import GitMemError
from gitmem.store.process import run

TEMPLATE = """\
---
id:
triggers:
  paths: []
  commands: []
  errors: []
  prompts: []
---
"""


class EditorFailed(GitMemError):
    kind = "editor"


@contextmanager
def edited(note: Note, template: str = "") -> Iterator[Note | None]:
    """The note as the editor leaves it, for the block to store; None for an empty file.

    What the editor, the parser or the block fails on is kept in a file that the error names:
    nothing typed is lost. `template` is opened in place of an empty note.
    """
    before = template.encode() if template and note == Note(id="") else encode(note)
    handle, path = tempfile.mkstemp(prefix="git-mem-", suffix=".md")
    with os.fdopen(handle, "wb") as file:
        file.write(before)
    kept = f"what you wrote is kept in {path}"
    try:
        _run_editor(path)
        after = _typed(path)
        yield note if after == before else parse(after, path) if after.strip() else None
    except GitMemError as error:
        if _typed(path) not in (before, b""):
            raise GitMemError(error.message, *error.hints, kept, kind=error.kind) from error
        _remove(path)
        raise
    except click.Abort:
        output.hint(kept)
        raise
    _remove(path)


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def _typed(path: str) -> bytes:
    """What is in the file; nothing when the editor removed it."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _run_editor(path: str) -> None:
    editor = os.fsdecode(run(["var", "GIT_EDITOR"])).strip()
    if os.name == "nt":
        done = subprocess.run(f'{editor} "{path}"', shell=True)
    else:
        done = subprocess.run(["sh", "-c", f'{editor} "$@"', editor, path])
    if done.returncode:
        raise EditorFailed(f"the editor '{editor}' failed; nothing was changed")
