"""A repository through git's plumbing: works wherever git does.

One process per question, fed in batches; a commit is one `fast-import`. Porcelain is never used,
so signing, editors and the hooks of `git commit` never run. This module must not touch the index,
the work tree, HEAD or branches.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from gitmem.store import ask, odb, process, trees
from gitmem.store.backend import (
    GITLINK,
    UNPACK_LIMIT,
    Changes,
    Commit,
    Identity,
    TreeEntry,
    is_oid,
    message_bytes,
    parse_identity,
)
from gitmem.store.batch import read_blobs
from gitmem.store.discover import Uncertain, read_tip

BATCH = 1000  # blobs asked for at once: bounds memory, a process each
SCRATCH = "refs/gitmem/scratch"  # known to fast-import only; no such ref is ever written

# What git says when another writer was first, or holds the lock. Anything else is final.
BUSY = (
    "File exists",
    "but expected",
    "already exists",
    "is locked",
    "concurrently modified",
    "unable to resolve reference",
    "reference is missing",
)


class GitBackend:
    """The `Backend` of the repository at `git_dir` (its common directory, absolute)."""

    def __init__(self, git_dir: str) -> None:
        self.git_dir = git_dir

    @cached_property
    def object_format(self) -> str:
        return self._git("rev-parse", "--show-object-format").decode("ascii").strip()

    def tip(self, ref: str) -> str | None:
        try:
            oid = read_tip(self.git_dir, ref)
        except Uncertain:
            oid = ask.read_tip(self.git_dir, ref)
        if oid is None:
            return None
        found = odb.read_object(self.git_dir, oid)
        kind = found[0] if found else ask.read_kind(self.git_dir, oid)
        if kind == "commit":
            return oid
        raise ask.BrokenRef(ref, f"points to {oid}, which is {f'a {kind}' if kind else 'missing'}")

    def entries(self, commit: str, *buckets: str) -> list[TreeEntry]:
        if buckets and (known := trees.files_in(self.git_dir, commit, buckets)) is not None:
            return known
        only = ("--", *(f"{bucket}/" for bucket in buckets)) if buckets else ()
        out = self._git("ls-tree", "-r", "-z", "--full-tree", commit, *only)
        entries = []
        for record in os.fsdecode(out).split("\0")[:-1]:
            head, _, path = record.partition("\t")
            mode, _, oid = head.split(" ")
            if mode != GITLINK:
                entries.append(TreeEntry(path, oid))
        return entries

    def changes(self, old: str | None, new: str) -> tuple[list[TreeEntry], list[TreeEntry]]:
        if old is None:
            return self.entries(new), []
        if (known := trees.changes_between(self.git_dir, old, new)) is not None:
            return known
        out = self._git("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new)
        present: list[TreeEntry] = []
        removed: list[TreeEntry] = []
        fields = os.fsdecode(out).split("\0")[:-1]
        for head, path in zip(fields[::2], fields[1::2], strict=True):
            old_mode, mode, old_oid, oid, status = head.removeprefix(":").split(" ")
            if status == "D" and old_mode != GITLINK:
                removed.append(TreeEntry(path, old_oid))
            elif status != "D" and mode != GITLINK:
                present.append(TreeEntry(path, oid))
        return present, removed

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        batch: list[str] = []
        for oid in oids:
            batch.append(oid)
            if len(batch) == BATCH:
                yield from self._read(batch)
                batch = []
        if batch:
            yield from self._read(batch)

    def commit(
        self,
        *,
        parents: Sequence[str],
        changes: Changes,
        message: str,
        author: Identity,
        committer: Identity,
    ) -> str:
        stream = _stream(parents, changes, message, author, committer)
        settings = (f"fastimport.unpackLimit={UNPACK_LIMIT}", "core.ignoreCase=false")
        args = [part for setting in settings for part in ("-c", setting)]
        try:
            out = self._git(*args, "fast-import", "--quiet", "--done", stdin=stream)
        except process.GitFailed as error:
            _remove(os.path.join(self.git_dir, f"fast_import_crash_{error.pid}"))
            raise
        return out.decode("ascii").strip()

    def swap(self, ref: str, new: str, old: str | None, reason: str) -> bool:
        args = ("update-ref", "--create-reflog", "-m", reason or "git mem", ref, new, old or "")
        logged = ("-c", "core.logAllRefUpdates=always", *args)
        code, _, said = process.attempt(logged, git_dir=self.git_dir)
        if code and not any(word in said for word in BUSY):
            raise process.GitFailed(args, code, said.encode())
        return code == 0

    def is_ancestor(self, old: str, new: str) -> bool:
        args = ("merge-base", "--is-ancestor", old, new)
        code, _, said = process.attempt(args, git_dir=self.git_dir)
        if code not in (0, 1):
            raise process.GitFailed(args, code, said.encode())
        return code == 0

    def roots(self, commit: str) -> list[str]:
        return self._git("rev-list", "--max-parents=0", commit).decode("ascii").split()

    def history(self, commit: str, limit: int | None = None) -> Iterator[Commit]:
        only = () if limit is None else (f"--max-count={limit}",)
        shape = "--format=%H%x00%P%x00%an <%ae> %ad%x00%B%x00"
        out = self._git("log", "--date-order", "--date=raw", shape, *only, commit)
        fields = out.decode("utf-8", "replace").split("\0")
        for at in range(0, len(fields) - 4, 4):
            oid, parents, author, message = fields[at : at + 4]
            yield Commit(oid.strip(), tuple(parents.split()), parse_identity(author), message)

    def _git(self, *args: str, stdin: bytes = b"") -> bytes:
        return process.run(args, git_dir=self.git_dir, stdin=stdin)

    def _read(self, oids: list[str]) -> Iterator[tuple[str, bytes | None]]:
        known = [oid for oid in dict.fromkeys(oids) if is_oid(oid)]
        contents = trees.blobs(self.git_dir, known)
        rest = [oid for oid in known if oid not in contents]
        try:
            contents |= read_blobs(self.git_dir, rest)
        except process.GitFailed:  # a partial clone: git stops at the first blob it would fetch
            contents |= read_blobs(self.git_dir, self._present(rest))
        for oid in oids:
            yield oid, contents.get(oid)

    def _present(self, oids: Iterable[str]) -> list[str]:
        """Those of `oids` that are here, without fetching any."""
        args = ("--no-walk", "--objects", "--ignore-missing", "--missing=allow-any", "--stdin")
        stdin = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        lines = self._git("rev-list", *args, stdin=stdin).decode("utf-8", "replace").split("\n")
        return [line.split(" ")[0] for line in lines if line]


def _stream(
    parents: Sequence[str],
    changes: Changes,
    message: str,
    author: Identity,
    committer: Identity,
) -> bytes:
    """One commit for `git fast-import`, which prints its id.

    The empty `reset` makes fast-import forget its branch, so that no ref is updated at the end.
    """
    text = message_bytes(message)
    parts = [
        b"commit %s\nmark :1\n" % SCRATCH.encode(),
        b"author %s\ncommitter %s\n" % (author.header(), committer.header()),
        b"data %d\n%s" % (len(text), text),
    ]
    parts += (
        b"%s %s\n" % (word, parent.encode())
        for word, parent in zip([b"from", *[b"merge"] * len(parents)], parents, strict=False)
    )
    for path, content in changes.items():
        if content is None:
            parts.append(b"D %s\n" % _quoted(path))
        elif isinstance(content, str):
            parts.append(b"M 100644 %s %s\n" % (content.encode("ascii"), _quoted(path)))
        else:
            parts.append(b"M 100644 inline %s\ndata %d\n" % (_quoted(path), len(content)))
            parts += (content, b"\n")
    parts.append(b"get-mark :1\nreset %s\n\ndone\n" % SCRATCH.encode())
    return b"".join(parts)


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path)
    if not raw.startswith(b'"') and b"\n" not in raw:
        return raw
    for char, escape in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n")):
        raw = raw.replace(char, escape)
    return b'"%s"' % raw


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
