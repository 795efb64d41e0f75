"""What a history of notes asks about the code: which commits a range holds, how they are titled,
and when a date is. Git reads ranges and dates, so that they mean what they mean to `git log`.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.backend import is_oid

Headline = tuple[str, str]  # the abbreviated id of a commit, and its subject


@dataclass(frozen=True, slots=True)
class Changed:
    """A commit, its committer time in seconds, and the files it changes (none for a merge)."""

    oid: str
    when: int
    paths: tuple[str, ...]


class BadRange(GitMemError):
    kind = "not-found"


def is_commit(git_dir: str, name: str) -> bool:
    """Whether git finds a commit by this name."""
    args = ("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    return process.attempt(args, git_dir=git_dir)[0] == 0


def changed_files(git_dir: str, *revisions: str, timeout: float) -> Iterator[Changed]:
    """What `git log` lists for `revisions`, in its order, until `timeout` seconds are over."""
    args = ("log", "--format=%x00%H %ct", "--name-only", "-z", "--no-renames", *revisions, "--")
    head = ""
    paths: list[str] = []
    is_head_next = False
    for record in process.records(args, git_dir=git_dir, timeout=timeout):
        if is_head_next:
            if head:
                yield _changed(head, paths)
            head, paths, is_head_next = record.decode("ascii"), [], False
        elif not record:
            is_head_next = True
        else:
            paths.append(os.fsdecode(record.removeprefix(b"\n")))
    if head:
        yield _changed(head, paths)


def _changed(head: str, paths: Iterable[str]) -> Changed:
    oid, _, when = head.partition(" ")
    return Changed(oid, int(when), tuple(paths))


def commits_in(git_dir: str, text: str) -> frozenset[str]:
    """The commits that git names by `text`, a range or a commit with all before it. BadRange."""
    args = ("rev-list", "--end-of-options", text, "--")
    code, out, _ = process.attempt(args, git_dir=git_dir)
    if code:
        raise BadRange(f"bad revision '{text}'", "ranges are as in git log, for example main..HEAD")
    return frozenset(out.decode("ascii").split())


def headlines(git_dir: str, oids: Iterable[str]) -> dict[str, Headline]:
    """The titles of those of `oids` that are commits and here."""
    stdin = "".join(f"{oid}\n" for oid in sorted(set(oids)) if is_oid(oid)).encode("ascii")
    if not stdin:
        return {}
    args = ("log", "--no-walk=unsorted", "--ignore-missing", "--format=%H %h %s", "--stdin")
    _, out, _ = process.attempt(args, git_dir=git_dir, stdin=stdin)
    lines = out.decode("utf-8", "replace").split("\n")[:-1]
    return {oid: (short, subject) for oid, short, subject in (line.split(" ", 2) for line in lines)}


def moment(git_dir: str, text: str) -> int:
    """The time that git reads in `text`, such as `2.weeks.ago`, in seconds since 1970."""
    out = process.run(("rev-parse", f"--since={text}"), git_dir=git_dir)
    return int(out.decode("ascii").strip().removeprefix("--max-age="))
