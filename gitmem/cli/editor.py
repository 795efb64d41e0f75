"""Let a person finish a note in the editor that git would open."""

import os
import subprocess
import tempfile

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


def edit_text(note: Note, template: str = "") -> Note | None:
    """The note as the editor leaves it; None when the file came back empty or as it was.

    What cannot be parsed is kept in a file that the error names: nothing typed is lost.
    """
    before = template.encode() if template and note == Note(id="") else encode(note)
    handle, path = tempfile.mkstemp(prefix="git-mem-", suffix=".md")
    with os.fdopen(handle, "wb") as file:
        file.write(before)
    _run_editor(path)
    with open(path, "rb") as file:
        after = file.read()
    if after == before or not after.strip():
        os.remove(path)
        return None
    try:
        edited = parse(after, path)
    except GitMemError as error:
        raise GitMemError(
            error.message, *error.hints, f"what you wrote is kept in {path}", kind=error.kind
        ) from error
    os.remove(path)
    return edited


def _run_editor(path: str) -> None:
    editor = os.fsdecode(run(["var", "GIT_EDITOR"])).strip()
    if os.name == "nt":
        done = subprocess.run(f'{editor} "{path}"', shell=True)
    else:
        done = subprocess.run(["sh", "-c", f'{editor} "$@"', editor, path])
    if done.returncode:
        raise EditorFailed(f"the editor '{editor}' failed; nothing was changed")
