"""Let the index follow HEAD where nothing that it knows depends on the move. Hot: only os.

Most commits are no note's anchor. One git process lists the commits between two HEADs; when none of
them is an anchor, and none changes files that the work of another branch changed (it may have
landed), the view is the same and one field of the top is written anew. Everything else is for
`refresh.py`.
"""

import os
import time

from gitmem.index.read import Index
from gitmem.index.schema import ANCHOR, MAGIC, OUTSIDE, PENDING, WORK, check
from gitmem.store.discover import HEX, Repository

MANY = 1000  # commits; more than these are a job for `refresh.py`
FAR = 50_000  # commits between two HEADs; beyond these every anchor is in doubt


def follow(
    repository: Repository, index: Index, path: str, head: "str | None", deadline: float
) -> bool:
    """Whether the index, whose top is at `path`, speaks for the commit `head` too; then it says so
    from now on. Else it knows which of its rows are in doubt there, should it have to answer; with
    an empty `path` that is all that is asked. `deadline` is an instant of `time.monotonic`."""
    index.doubtful = None
    old = index.header.get("head", "")
    if head is None or len(old) != len(head) or old.strip(HEX):
        return False
    if not hasattr(os, "posix_spawnp"):
        return False
    span = f"{old}...{head}"
    outside = bool(path and index.filed(OUTSIDE))
    listed = _commits(repository, span, paths=outside, deadline=deadline)
    if listed is None or len(listed[0]) > MANY:
        listed = _commits(repository, span, paths=False, most=FAR, deadline=deadline)
        index.doubtful = set(listed[0]) if listed and len(listed[0]) <= FAR else None
        return False
    commits, paths = listed
    index.doubtful = set(commits)
    if not path or index.filed(PENDING) or any(index.filed(ANCHOR + commit) for commit in commits):
        return False
    if any(index.filed(WORK + name) for name in paths):
        return False
    index.doubtful = set()
    return _write(path, old, head, index)


def _commits(
    repository: Repository, span: str, *, paths: bool, deadline: float, most: int = MANY
) -> "tuple[list[str], set[str]] | None":
    """The commits of a range and, if asked for, the paths they change; None when git fails."""
    args = ["rev-list", f"--max-count={most + 1}", span, "--"]
    if paths:
        args = ["log", f"--max-count={most + 1}", "--format=%x00%H", "--name-only", "-z"]
        args += ["--no-renames", "--diff-merges=first-parent", span, "--"]
    data = _git(repository, args, deadline)
    if data is None:
        return None
    if not paths:
        return data.decode("ascii").split(), set()
    commits: list[str] = []
    names: set[str] = set()
    is_commit_next = False
    for record in data.split(b"\0"):
        if is_commit_next:
            commits.append(record.decode("ascii"))
            is_commit_next = False
        elif not record:
            is_commit_next = True
        else:
            names.add(os.fsdecode(record.removeprefix(b"\n")))
    return commits, names


def _git(repository: Repository, args: "list[str]", deadline: float) -> "bytes | None":
    """Standard output of git; None when it fails or is not done in time."""
    from select import select

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    argv = ["git", "--no-pager", f"--git-dir={repository.git_dir}", "-c", "color.ui=false"]
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, writing, 1)]
    actions.append((os.POSIX_SPAWN_DUP2, null, 2))
    try:
        child = os.posix_spawnp("git", [*argv, *args], env, file_actions=actions)
    except OSError:
        os.close(reading)
        return None
    finally:
        os.close(writing)
        os.close(null)
    chunks = []
    is_late = False
    try:
        while not is_late:
            left = deadline - time.monotonic()
            is_late = left <= 0 or not select([reading], [], [], left)[0]
            chunk = b"" if is_late else os.read(reading, 1 << 16)
            if not chunk:
                break
            chunks.append(chunk)
    finally:
        os.close(reading)
        if is_late:
            os.kill(child, 9)
        code = os.waitpid(child, 0)[1]
    return None if is_late or code else b"".join(chunks)


def _write(path: str, old: str, head: str, index: Index) -> bool:
    """Name `head` in the header of the top; both names are of one length, so nothing moves."""
    start = len(MAGIC) + 8
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[start - 4 : start], "little")
    header = data[start + 4 : start + 4 + size]
    before = b"head\t%s\n" % old.encode("ascii")
    at = header.find(before)
    if at < 0 or (at > 0 and header[at - 1 : at] != b"\n"):
        return False
    header = header.replace(before, b"head\t%s\n" % head.encode("ascii"), 1)
    block = check(header, 0).to_bytes(4, "little") + header
    aside = f"{path}.{os.getpid():x}.tmp"
    try:
        with open(aside, "wb") as file:
            file.write(data[:start] + block + data[start + 4 + size :])
        os.replace(aside, path)
    except OSError:
        return False  # it stays as it was, and the next one looks again
    index.header["head"] = head
    return True
