"""What commits change, read in batches: a few processes for any number of commits.

What git prints here must not depend on configuration or work tree, because a patch id made in one
clone is compared in another: so every option that changes a diff is spelled out. Never fetches:
what a partial clone lacks is as if it did not change anything.
"""

import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gitmem.core.landing import Patch
from gitmem.core.marks import (
    MAX_PATHS,
    Hand,
    hand,
    is_distinctive,
    line_mark,
    path_text,
    text_mark,
)
from gitmem.store import process
from gitmem.store.choose import backend_for

MAX_FILES = 1000  # in one process, to bound memory; a change of more files is not read, only listed
EVERYWHERE = 3  # files that get the same line: a licence, an import, a version
MAX_PATCH = 2_000_000  # bytes of patch text beyond which its lines are not looked at
SAME_EVERYWHERE = (
    *("-c", "core.bigFileThreshold=1m", "-c", "core.attributesFile=", "-c", "core.quotePath=true"),
    *("-c", "diff.suppressBlankEmpty=false"),
)
TREE = ("diff-tree", "--stdin", "--always", "--root", "-r", "--no-renames")
RAW = (*SAME_EVERYWHERE, *TREE, "-z", "--raw", "--no-abbrev")
PATCH = (
    *(*SAME_EVERYWHERE, *TREE, "-p", "--full-index", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--diff-algorithm=myers", "--indent-heuristic", "--unified=3"),
    *("--inter-hunk-context=0", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--ignore-submodules=none", "--submodule=short"),
)
OID = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
SECTION = re.compile(rb"^(?:[0-9a-f]{40}|[0-9a-f]{64})\n", re.MULTILINE)
NO_BLOB = ("000000", "160000")
ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}

Pair = tuple[str, str | None]  # a commit and what it is compared with; None: with nothing


@dataclass(frozen=True, slots=True)
class Made:
    """A commit as `read_commits` finds it: ids, times (unix seconds), author's email, subject line.

    `names` are the commits that its message names in full.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    authored: str
    email: str
    committed: str
    subject: str
    names: frozenset[str]

    @property
    def hand(self) -> Hand:
        """Who made it, as far as that survives a move."""
        return hand(self.authored, self.email, self.subject)

    @property
    def change(self) -> Pair:
        """The commit against its first parent."""
        return self.oid, self.parents[0] if self.parents else None


@dataclass(frozen=True, slots=True)
class Listed:
    """The files that a change touches: raw paths and, of each, the blobs before and after.

    '' for none: no file, or a submodule.
    """

    paths: tuple[bytes, ...] = ()
    blobs: tuple[tuple[str, str], ...] = ()


class Git:
    """Git in one repository, until a deadline (an instant of time.monotonic; None: for ever)."""

    def __init__(self, git_dir: str, deadline: float | None = None) -> None:
        self.git_dir = git_dir
        self.deadline = deadline

    def run(self, *args: str, stdin: bytes = b"") -> bytes:
        """As process.run does. Raises TimeoutError when the deadline passed or passes."""
        left = None if self.deadline is None else self.deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        try:
            return process.run(args, git_dir=self.git_dir, stdin=stdin, timeout=left)
        except process.GitFailed as error:
            if error.code == -1 and self.deadline is not None and self.deadline <= time.monotonic():
                raise TimeoutError from error
            raise

    def holds(self, *args: str) -> bool:
        """Whether git says yes, with its exit code; what it cannot answer is a no."""
        try:
            self.run(*args)
        except process.GitFailed:
            return False
        return True


def read_commits(git: Git, *revisions: str, stdin: bytes = b"") -> list[Made]:
    """The commits that `git log` lists for `revisions`, in its order."""
    shape = "--format=%H%x00%T%x00%P%x00%at%x00%ae%x00%ct%x00%s%x00%b%x00"
    out = git.run("log", "--no-notes", "--no-show-signature", shape, *revisions, stdin=stdin)
    fields = out.decode("utf-8", "replace").split("\0")
    found = []
    for at in range(0, len(fields) - 8, 8):
        oid, tree, parents, authored, email, committed, subject, body = fields[at : at + 8]
        above, names = tuple(parents.split()), frozenset(OID.findall(body))
        found.append(Made(oid.strip(), tree, above, authored, email, committed, subject, names))
    return found


def list_changes(git: Git, pairs: Collection[Pair]) -> dict[Pair, Listed]:
    """The files that each of `pairs` touches."""
    asked = list(dict.fromkeys(pairs))
    if not asked:
        return {}
    fields = iter(git.run(*RAW, stdin=_asked(asked)).split(b"\0"))
    found: list[tuple[list[bytes], list[tuple[str, str]]]] = []
    for field in fields:
        if field.startswith(b":"):
            paths, blobs = found[-1]
            paths.append(next(fields))
            blobs.append(_blobs(field))
        elif field:
            found.append(([], []))
    return {
        pair: Listed(tuple(paths), tuple(blobs))
        for pair, (paths, blobs) in zip(asked, found, strict=True)
    }


def _blobs(field: bytes) -> tuple[str, str]:
    """The blobs that `:100644 100755 <old> <new> M` names."""
    old_mode, new_mode, old, new, _ = field[1:].decode("ascii").split(" ")
    return "" if old_mode in NO_BLOB else old, "" if new_mode in NO_BLOB else new


def read_patches(
    git: Git, listed: Mapping[Pair, Listed], *, fresh: bool = False
) -> dict[Pair, Patch]:
    """The patch of each pair; those that are too large, or not all here, are left out.

    `fresh` leaves out added lines that the file had already: `return None` says little.
    """
    found: dict[Pair, Patch] = {}
    for batch in _batches(listed):
        try:
            found.update(_read(git, batch, fresh))
        except process.GitFailed:  # a partial clone: git stops at the first blob it would fetch
            found.update(_read(git, _complete(git, batch), fresh))
    return found


def _batches(listed: Mapping[Pair, Listed]) -> Iterator[dict[Pair, Listed]]:
    """What is not too large to read, in portions of about MAX_FILES files."""
    batch: dict[Pair, Listed] = {}
    size = 0
    for pair, files in listed.items():
        if 0 < len(files.paths) <= MAX_FILES:
            batch[pair] = files
            size += len(files.paths)
        if size >= MAX_FILES:
            yield batch
            batch, size = {}, 0
    if batch:
        yield batch


def _read(git: Git, listed: Mapping[Pair, Listed], fresh: bool) -> dict[Pair, Patch]:
    pairs = list(listed)
    if not pairs:
        return {}
    old = _old_lines(git, listed) if fresh else {}
    texts = SECTION.split(git.run(*PATCH, stdin=_asked(pairs)))[1:]
    digits = len(pairs[0][0])
    numbered = b"".join(b"%0*x\n%b" % (digits, at + 1, text) for at, text in enumerate(texts))
    lines = git.run("patch-id", "--stable", stdin=numbered).decode("ascii").splitlines()
    ids = {int(number, 16) - 1: patch_id for patch_id, number in map(str.split, lines)}
    return {
        pair: _patch(ids.get(at), text, old.get(pair, {}))
        for at, (pair, text) in enumerate(zip(pairs, texts, strict=True))
    }


def _old_lines(git: Git, listed: Mapping[Pair, Listed]) -> dict[Pair, dict[bytes, set[bytes]]]:
    """The lines that the files of a change had before it, where these are not too many."""
    few = {pair: files for pair, files in listed.items() if len(files.paths) <= MAX_PATHS}
    wanted = {old for files in few.values() for old, _ in files.blobs if old}
    texts = dict(backend_for(git.git_dir).read(sorted(wanted)))
    lines = {oid: set(map(bytes.strip, (text or b"").split(b"\n"))) for oid, text in texts.items()}
    return {
        pair: {
            path: lines[old] for path, (old, _) in zip(files.paths, files.blobs, strict=True) if old
        }
        for pair, files in few.items()
    }


def _complete(git: Git, listed: Mapping[Pair, Listed]) -> dict[Pair, Listed]:
    """Those changes of which every blob is here."""
    blobs = {pair: {oid for both in files.blobs for oid in both} for pair, files in listed.items()}
    stdin = "".join(f"{oid}\n" for oid in set().union(*blobs.values()) if oid).encode("ascii")
    args = ("--no-walk", "--objects", "--ignore-missing", "--missing=allow-any", "--stdin")
    here = {line.split(b" ")[0] for line in git.run("rev-list", *args, stdin=stdin).splitlines()}
    known = {oid.decode("ascii") for oid in here} | {""}
    return {pair: files for pair, files in listed.items() if blobs[pair] <= known}


def _asked(pairs: Iterable[Pair]) -> bytes:
    return "".join(f"{new} {old}\n" if old else f"{new}\n" for new, old in pairs).encode("ascii")


def _patch(patch_id: str | None, text: bytes, old: Mapping[bytes, Collection[bytes]]) -> Patch:
    if len(text) > MAX_PATCH:  # its lines are not looked at
        return Patch(patch_id, weight=MAX_PATCH)
    prints: dict[str, list[bytes]] = {}
    texts: dict[bytes, dict[bytes, set[bytes]]] = {b"+": {}, b"-": {}}  # text → the files it is in
    for path, sign, line in _changed_lines(text):
        line = line.strip()
        prints.setdefault(path_text(path), []).append(sign + line)
        if is_distinctive(line):
            texts[sign].setdefault(line, set()).add(path)
    added = (
        line_mark(path, line)
        for line, paths in texts[b"+"].items()
        if len(paths) < EVERYWHERE
        for path in sorted(paths)
        if line not in old.get(path, ())
    )
    is_blank = bool(texts[b"+"]) and texts[b"+"] == texts[b"-"]  # of the same files
    return Patch(
        patch_id,
        tuple(dict.fromkeys(added)),
        0 if is_blank else max(map(len, texts.values())),
        {path: text_mark(b"\n".join(lines)) for path, lines in prints.items()},
        is_blank,
    )


def _changed_lines(text: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """(path, `+` or `-`, line) for each line that a patch adds or removes."""
    path, in_hunk = b"", False
    for line in text.split(b"\n"):
        sign = line[:1]
        if sign == b"d":
            path, in_hunk = b"", False
        elif sign == b"@":
            in_hunk = True
        elif in_hunk and sign in (b"+", b"-"):
            yield path, sign, line[1:]
        elif not in_hunk and line.startswith((b"--- ", b"+++ ")) and line[4:] != b"/dev/null":
            path = unquoted(line[4:].removesuffix(b"\t"))[2:]


def unquoted(name: bytes) -> bytes:
    """A path that git may have put in quotes."""
    if not name.startswith(b'"'):
        return name
    return re.sub(rb"\\([0-7]{3}|.)", _unescaped, name[1:-1])


def _unescaped(match: "re.Match[bytes]") -> bytes:
    code = match[1]
    return bytes([int(code, 8)]) if len(code) == 3 else ESCAPES.get(code, code)
