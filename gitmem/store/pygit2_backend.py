"""A repository through libgit2, in process: for a process that does much or lives long.

The only user of pygit2, whose import costs ten interpreter starts. A commit of many files and
every move of a ref go through git all the same: libgit2 writes one loose file per object, and it
keeps no reflog for refs outside refs/heads.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import pygit2
from pygit2.enums import DeltaStatus, DiffOption, FileMode, ObjectType, SortMode

from gitmem.errors import GitMemError
from gitmem.store.backend import (
    UNPACK_LIMIT,
    Changes,
    Commit,
    Identity,
    TreeEntry,
    is_oid,
    message_bytes,
    parse_identity,
)
from gitmem.store.git_backend import GitBackend

Nested = dict[str, "bytes | str | Nested | None"]


class CannotOpen(GitMemError):
    """libgit2 does not know this kind of repository, or does not trust its owner."""

    kind = "store"


class Pygit2Backend:
    """The `Backend` of the repository at `git_dir`. Raises CannotOpen."""

    object_format = "sha1"  # the wheels of pygit2 open nothing else

    def __init__(self, git_dir: str) -> None:
        self.git_dir = git_dir
        self._by_git = GitBackend(git_dir)
        try:
            self._repo = pygit2.Repository(git_dir)
        except (pygit2.GitError, ValueError, OSError) as error:
            raise CannotOpen(f"libgit2 cannot open {git_dir}: {error}") from error

    def tip(self, ref: str) -> str | None:
        return self._by_git.tip(ref)

    def entries(self, commit: str, *buckets: str) -> list[TreeEntry]:
        tree = self._tree(commit)
        if not buckets:
            return list(_files(tree, b""))
        inner = ((name, _child(tree, name)) for name in sorted(set(buckets)))
        return [
            entry
            for name, child in inner
            if isinstance(child, pygit2.Tree)
            for entry in _files(child, os.fsencode(name) + b"/")
        ]

    def changes(self, old: str | None, new: str) -> tuple[list[TreeEntry], list[TreeEntry]]:
        if old is None:
            return self.entries(new), []
        present: list[TreeEntry] = []
        removed: list[TreeEntry] = []
        flags = DiffOption.INCLUDE_TYPECHANGE
        for delta in self._tree(old).diff_to_tree(self._tree(new), flags=flags).deltas:
            gone = delta.status == DeltaStatus.DELETED
            file = delta.old_file if gone else delta.new_file
            if file.mode != FileMode.COMMIT:
                entry = TreeEntry(os.fsdecode(file.raw_path), str(file.id))
                (removed if gone else present).append(entry)
        return present, removed

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for oid in oids:
            found = self._object(oid)
            yield oid, found.data if isinstance(found, pygit2.Blob) else None

    def commit(
        self,
        *,
        parents: Sequence[str],
        changes: Changes,
        message: str,
        author: Identity,
        committer: Identity,
    ) -> str:
        if len(changes) > UNPACK_LIMIT:
            return self._by_git.commit(
                parents=parents,
                changes=changes,
                message=message,
                author=author,
                committer=committer,
            )
        base = self._tree(parents[0]) if parents else None
        tree = self._write_tree(base, _nested(changes)) or self._repo.TreeBuilder().write()
        lines = [f"tree {tree}", *(f"parent {self._commit(parent).id}" for parent in parents)]
        raw = b"%s\nauthor %s\ncommitter %s\n\n%s" % (
            "\n".join(lines).encode("ascii"),
            author.header(),
            committer.header(),
            message_bytes(message),
        )
        return str(self._repo.write(ObjectType.COMMIT, raw))

    def swap(self, ref: str, new: str, old: str | None, reason: str) -> bool:
        log = os.path.join(self.git_dir, "logs", *ref.split("/"))
        if old is not None and os.path.exists(log):  # else libgit2 would keep none
            try:
                found = self._repo.references[ref]  # set_target compares with what this has read
                if str(found.target) != old:
                    return False
                found.set_target(pygit2.Oid(hex=new), reason or "git mem")
                return True
            except (pygit2.GitError, KeyError, OSError, ValueError):
                pass  # git knows whether trying again can help
        return self._by_git.swap(ref, new, old, reason)

    def is_ancestor(self, old: str, new: str) -> bool:
        first, second = self._commit(old).id, self._commit(new).id
        return first == second or self._repo.descendant_of(second, first)

    def roots(self, commit: str) -> list[str]:
        return [item.oid for item in self.history(commit) if not item.parents]

    def history(self, commit: str, limit: int | None = None) -> Iterator[Commit]:
        order = SortMode.TOPOLOGICAL | SortMode.TIME
        for found in islice(self._repo.walk(self._commit(commit).id, order), limit):
            headers, _, message = found.read_raw().decode("utf-8", "replace").partition("\n\n")
            author = next(line for line in headers.split("\n") if line.startswith("author "))
            yield Commit(
                str(found.id),
                tuple(str(parent) for parent in found.parent_ids),
                parse_identity(author.removeprefix("author ")),
                message,
            )

    def _commit(self, oid: str) -> pygit2.Commit:
        found = self._object(oid)
        if not isinstance(found, pygit2.Commit):
            raise GitMemError(f"commit {oid} is not in {self.git_dir}", kind="store")
        return found

    def _object(self, oid: str) -> object:
        return self._repo.get(oid) if is_oid(oid) and len(oid) == 40 else None

    def _tree(self, commit: str) -> pygit2.Tree:
        return self._commit(commit).tree

    def _write_tree(self, base: pygit2.Tree | None, changes: Nested) -> pygit2.Oid | None:
        """The tree `base` with `changes`; None when nothing is left, as git keeps no such tree."""
        builder = self._repo.TreeBuilder(base) if base is not None else self._repo.TreeBuilder()
        for name, change in changes.items():
            if isinstance(change, (bytes, str)):
                blob = pygit2.Oid(hex=change) if isinstance(change, str) else None
                builder.insert(name, blob or self._repo.create_blob(change), FileMode.BLOB)
                continue
            inner = _child(base, name)
            oid = None
            if change is not None:
                below = inner if isinstance(inner, pygit2.Tree) else None
                oid = self._write_tree(below, change)
            if oid is not None:
                builder.insert(name, oid, FileMode.TREE)
            elif inner is not None:
                builder.remove(name)
        return builder.write() if len(builder) else None


def _child(tree: pygit2.Tree | None, name: str) -> pygit2.Object | None:
    try:
        return tree[name] if tree is not None else None
    except KeyError:
        return None


def _nested(changes: Changes) -> Nested:
    """`{"a/b": x}` → `{"a": {"b": x}}`."""
    nested: Nested = {}
    for path, content in changes.items():
        *directories, name = path.split("/")
        inner = nested
        for directory in directories:
            below = inner.setdefault(directory, {})
            assert isinstance(below, dict), path
            inner = below
        inner[name] = content
    return nested


def _files(tree: pygit2.Tree, prefix: bytes) -> Iterator[TreeEntry]:
    for entry in tree:
        path = prefix + (entry.raw_name or b"")
        if isinstance(entry, pygit2.Tree):
            yield from _files(entry, path + b"/")
        elif entry.filemode != FileMode.COMMIT:
            yield TreeEntry(os.fsdecode(path), str(entry.id))
