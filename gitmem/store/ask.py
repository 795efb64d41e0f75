"""The same questions as `discover` and `odb`, answered by git. Cold.

For a caller on the hot path: try the reader of files, and when it raises Uncertain (or a blob is
None) import this module and ask again.

    try:
        tip = discover.read_tip(common_dir, ref)
    except discover.Uncertain:
        from gitmem.store import ask
        tip = ask.read_tip(common_dir, ref)
"""

import os

from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.discover import Repository
from gitmem.store.locate import NotARepository, locate


class BrokenRef(GitMemError):
    """A ref that exists and leads to nothing usable."""

    kind = "store"

    def __init__(self, ref: str, problem: str) -> None:
        super().__init__(
            f"{ref} {problem}",
            f"its last line in logs/{ref}, in the git directory, says where it was",
            f"set it back with: git update-ref {ref} <commit>",
        )


def find(start: str) -> Repository | None:
    """The repository of directory `start`; None when git says there is none.

    Raises GitFailed when git refuses it (for example for its owner).
    """
    try:
        return locate(start)
    except NotARepository:
        return None


def read_tip(git_dir: str, ref: str) -> str | None:
    """The object id `ref` points to, None when there is no such ref. Raises BrokenRef."""
    args = ("for-each-ref", "--format=%(objectname) %(refname)", ref)
    code, out, err = process.attempt(args, git_dir=git_dir)
    if code or "ignoring" in err:
        raise BrokenRef(ref, "is broken: it holds no object id")
    for line in os.fsdecode(out).splitlines():
        oid, _, name = line.partition(" ")
        if name == ref:
            return oid
    return None


def read_refs(git_dir: str, prefix: str) -> dict[str, str]:
    """Every ref below `prefix` with the object id it points to."""
    args = ("for-each-ref", "--format=%(objectname) %(refname)", prefix.rstrip("/"))
    lines = os.fsdecode(process.attempt(args, git_dir=git_dir)[1]).splitlines()
    return {ref: oid for oid, _, ref in (line.partition(" ") for line in lines)}


def read_head(repository: Repository) -> tuple[str | None, str | None]:
    """HEAD as (full name of the branch or None when detached, commit id or None when unborn)."""
    git_dir = repository.git_dir
    code, out, _ = process.attempt(("symbolic-ref", "--quiet", "HEAD"), git_dir=git_dir)
    branch = os.fsdecode(out).strip() if code == 0 else None
    args = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    code, out, _ = process.attempt(args, git_dir=git_dir)
    return branch, out.decode("ascii").strip() if code == 0 else None


def read_blob(git_dir: str, oid: str) -> bytes | None:
    """The content of blob `oid`; None when it is missing."""
    code, out, _ = process.attempt(("cat-file", "blob", oid), git_dir=git_dir)
    return out if code == 0 else None


def read_file(git_dir: str, commit: str, path: str) -> bytes | None:
    """The content of `path` in the tree of `commit`; None when there is no such file."""
    return read_blob(git_dir, f"{commit}:{path}")


def read_kind(git_dir: str, oid: str) -> str | None:
    """One of "commit", "tree", "blob" and "tag"; None when the object is missing."""
    code, out, _ = process.attempt(("cat-file", "-t", oid), git_dir=git_dir)
    return out.decode("ascii").strip() if code == 0 else None
