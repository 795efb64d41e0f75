"""`git mem merge-driver`: what git runs for `*.md merge=gitmem` in .gitattributes."""

import click

from gitmem.cli import output
from gitmem.note_merge import merge_note_files
from gitmem.store import process

LABELS = ("ours", "base", "theirs")


@click.command("merge-driver", context_settings={"ignore_unknown_options": True})
@click.argument("base", type=click.Path())
@click.argument("ours", type=click.Path())
@click.argument("theirs", type=click.Path())
@click.argument("path", required=False)
def command(*, base: str, ours: str, theirs: str, path: str | None) -> int:
    """Merge a note that is kept as a file: OURS becomes the merge of OURS and THEIRS.

    Git runs this for files that .gitattributes gives to it: *.md merge=gitmem. Fields, tags and
    triggers are merged by their meaning. Text is merged by lines; where both sides changed the
    same lines it gets conflict markers and the exit code is 1. Other files are merged as
    'git merge-file' does.
    """
    name = path or ours
    data = [_read(file) for file in (base, ours, theirs)]
    merged = merge_note_files(data[0], data[1], data[2], name)
    if merged is None:
        return _merge_plain(base, ours, theirs, name)
    for clash in merged.clashes:
        output.warn(f"{name}: {clash}")
    _write(ours, merged.data)
    return 1 if merged.has_markers else 0


def _merge_plain(base: str, ours: str, theirs: str, name: str) -> int:
    labels = [part for label in LABELS for part in ("-L", label)]
    code, out, said = process.attempt(("merge-file", "-p", *labels, "--", ours, base, theirs))
    if not 0 <= code < 128:
        output.error(f"{name}: {said.strip() or f'git merge-file ended with {code}'}")
        return 1
    _write(ours, out)
    return 1 if code else 0


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
