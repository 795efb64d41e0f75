"""Let the index follow HEAD where nothing that it knows depends on the move. Hot: only os.

One git process lists the commits between two HEADs. Most are no note's anchor: when none is, and
none changes files that the work of another branch changed (it may have landed), the view is the
same and one field of the top is written anew. Past anchors it follows where their notes have no
other revision: those of the commits that were lost are hidden, those of the commits that were
gained are shown. Everything else is for `refresh.py`.
"""

import os

from gitmem.index.read import Index
from gitmem.index.schema import ALONE, ANCHOR, MAGIC, OUTSIDE, PENDING, WORK, check
from gitmem.store.discover import HEX, Repository
from gitmem.store.spawn import output

MANY = 1000  # commits; more than these are a job for `refresh.py`
FEW = 200  # commits on either side of an anchor; a far move is worth an index of its own
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
    if path and _knows(index, path, head):
        return True
    span = f"{old}...{head}"
    outside = bool(path and index.filed(OUTSIDE))
    listed = _commits(repository, span, paths=outside, deadline=deadline)
    if listed is None or len(listed[0]) + len(listed[1]) > MANY:
        listed = _commits(repository, span, paths=False, most=FAR, deadline=deadline)
        commits = listed[0] + listed[1] if listed else []
        index.doubtful = set(commits) if len(commits) <= FAR else None
        return False  # where git was late, the index answers as it is
    lost, gained, paths = listed
    anchors = [commit for commit in (*lost, *gained) if index.filed(ANCHOR + commit)]
    index.doubtful = {*lost, *gained}
    if not path or index.filed(PENDING) or any(index.filed(WORK + name) for name in paths):
        return False
    if not anchors:
        index.doubtful = set()
        return _write(path, old, head, index)
    if gained and not {*anchors}.isdisjoint(lost):
        return False  # what is lost from sight may have landed as one of these
    if len(lost) + len(gained) > FEW or not all(_is_alone(index, commit) for commit in anchors):
        return False
    index.doubtful = set()
    index.lost, index.gained = set(lost), set(gained)
    return _keep(path, old, head, index)


def _is_alone(index: Index, commit: str) -> bool:
    """Whether every note that is anchored at a commit is seen exactly where that commit is."""
    for name in {fields[0] for fields in index.filed(ANCHOR + commit)}:
        rows = index.named(name)
        if not rows or not all(row.flags & ALONE for row in rows):
            return False
    return True


def _knows(index: Index, path: str, head: str) -> bool:
    """Whether an earlier hook left what changes at `head`; then the index goes by that."""
    try:
        with open(_beside(path), encoding="utf-8") as file:
            which, old, then, lost, gained = file.read().split("\n")[:5]
    except (OSError, ValueError):
        return False
    if (which, old, then) != (_name_of(path), index.header.get("head"), head):
        return False
    index.doubtful = set()
    index.lost, index.gained = set(lost.split()), set(gained.split())
    index.header["head"] = head
    return True


def _beside(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f"moved.{name}")


def _name_of(path: str) -> str:
    """What tells one top from all that come after it at the same path."""
    stat = os.stat(path)
    return f"{stat.st_ino:x}.{stat.st_mtime_ns:x}.{stat.st_size:x}"


def _keep(path: str, old: str, head: str, index: Index) -> bool:
    """Leave beside the top at `path` what changes at `head`, for the next one to know."""
    lines = [
        _name_of(path),
        old,
        head,
        " ".join(sorted(index.lost)),
        " ".join(sorted(index.gained)),
    ]
    aside = f"{path}.{os.getpid():x}.tmp"
    try:
        with open(aside, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        os.replace(aside, _beside(path))
    except OSError:
        pass  # then the next one asks git again
    index.header["head"] = head
    return True


def _commits(
    repository: Repository, span: str, *, paths: bool, deadline: float, most: int = MANY
) -> "tuple[list[str], list[str], set[str]] | None":
    """The commits that only the left end of a symmetric range contains, those that only the right
    end does and, if asked for, the paths they change; None when git fails."""
    args = ["rev-list", "--left-right", f"--max-count={most + 1}", span, "--"]
    if paths:
        args = ["log", f"--max-count={most + 1}", "--format=%x00%m%H", "--name-only", "-z"]
        args += ["--no-renames", "--diff-merges=first-parent", span, "--"]
    data = output(repository, args, deadline)
    if data is None:
        return None
    commits: list[str] = []
    names: set[str] = set()
    if not paths:
        commits = data.decode("ascii").split()
    is_commit_next = False
    for record in data.split(b"\0") if paths else ():
        if is_commit_next:
            commits.append(record.decode("ascii"))
            is_commit_next = False
        elif not record:
            is_commit_next = True
        else:
            names.add(os.fsdecode(record.removeprefix(b"\n")))
    left = [commit[1:] for commit in commits if commit[0] == "<"]
    return left, [commit[1:] for commit in commits if commit[0] == ">"], names


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
