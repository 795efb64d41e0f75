"""By how many commits a note's files changed since it was true, as the index knows it. Hot.

A small text file beside the top: the commit it was counted at and what was fetched then, then
`rev\\tcount` lines, only for notes whose files changed. The files of a revision that is not there
did not change, or it was written since.
"""

import os

from gitmem.index.freshness import unpack_tips
from gitmem.refs import FACTS

NAME = "stale"


def stale_name(worktree: str) -> str:
    """The file of a work tree: each has a HEAD of its own."""
    return f"{NAME}.{worktree}" if worktree else NAME


def counts(path: str, revs: "list[str]") -> "dict[str, int]":
    """rev → commits, for those of `revs` whose files changed. OSError when there is no file."""
    with open(path, "rb") as file:
        data = file.read()
    found = {}
    for rev in revs:
        at = data.find(b"\n" + rev.encode("ascii", "replace") + b"\t")
        if rev and at >= 0:
            start = at + 2 + len(rev)
            number = data[start : data.find(b"\n", start)]
            if number.isdigit():
                found[rev] = int(number)
    return found


def is_counted(path: str, head: "str | None", fetched: str) -> bool:
    """Whether the file speaks for the commit `head` and for what was `fetched`."""
    if head is None:
        return True  # there is nothing to count
    try:
        with open(path, "rb") as file:
            return file.readline().rstrip(b"\n") == f"{head} {fetched}".encode("ascii", "replace")
    except OSError:
        return False


def fetched_text(header: "dict[str, str]") -> str:
    """What stands for the tips that were fetched: their notes were never counted before."""
    tips = unpack_tips(header.get("tip.shared", ""))
    return ",".join(oid for ref, oid in sorted(tips.items()) if ref != FACTS)


def said(count: int) -> str:
    """How a hit says it."""
    commits = "1 commit" if count == 1 else f"{count} commits"
    return f"may be stale: {commits} changed its files since"


def path_of(directory: str, worktree: str) -> str:
    """Where the file of a work tree is."""
    return os.path.join(directory, stale_name(worktree))
