"""List and compare a few trees by reading their objects: for one change, where a git process costs
more than it has to read. None where that is not certain, or where there is much: then git is asked.
"""

import os

from gitmem.store import odb
from gitmem.store.backend import GITLINK, TreeEntry

FEW = 8  # trees, or blobs, that are read one by one
TREE = "40000"

Entries = dict[str, tuple[str, str]]  # name or path → (mode, id)


class _Unsure(Exception):
    pass


def files_in(git_dir: str, commit: str, buckets: tuple[str, ...]) -> list[TreeEntry] | None:
    """The files of some directories of a commit's tree, as `git ls-tree -r` lists them."""
    if len(buckets) > FEW:
        return None
    reader = _Reader(git_dir)
    try:
        top = reader.top(commit)
        found: Entries = {}
        for name in sorted(set(buckets)):
            if name in top and top[name][0] == TREE:
                found.update(reader.below(top, name))
    except _Unsure:
        return None
    return [TreeEntry(path, oid) for path, (mode, oid) in found.items() if mode != GITLINK]


def changes_between(
    git_dir: str, old: str, new: str
) -> tuple[list[TreeEntry], list[TreeEntry]] | None:
    """What differs between two commits' trees: (added or modified, as in `new`; removed)."""
    reader = _Reader(git_dir)
    try:
        before, now = reader.top(old), reader.top(new)
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if len(names) > FEW:
            return None
        were = {path: at for name in names for path, at in reader.below(before, name).items()}
        are = {path: at for name in names for path, at in reader.below(now, name).items()}
    except _Unsure:
        return None
    present = [path for path in are if are[path] != were.get(path) and are[path][0] != GITLINK]
    removed = [path for path in were if path not in are and were[path][0] != GITLINK]
    return (
        [TreeEntry(path, are[path][1]) for path in present],
        [TreeEntry(path, were[path][1]) for path in removed],
    )


def blobs(git_dir: str, oids: list[str]) -> dict[str, bytes]:
    """Those of a few blobs that can be read; none of many."""
    if len(oids) > FEW:
        return {}
    found = ((oid, odb.read_blob(git_dir, oid)) for oid in oids)
    return {oid: data for oid, data in found if data is not None}


class _Reader:
    """Reads trees of one repository, and not too many."""

    def __init__(self, git_dir: str) -> None:
        self._git_dir = git_dir
        self._left = 4 * FEW

    def top(self, commit: str) -> Entries:
        """The tree of a commit."""
        data = self._read(commit, "commit")
        if not data.startswith(b"tree "):
            raise _Unsure
        return self._tree(data[5 : 5 + len(commit)].decode("ascii"))

    def below(self, tree: Entries, name: str) -> Entries:
        """What an entry of a tree comes to: itself, or all files below it."""
        if name not in tree:
            return {}
        mode, oid = tree[name]
        if mode != TREE:
            return {name: (mode, oid)}
        inside = self._tree(oid)
        return {
            f"{name}/{path}": at
            for inner in inside
            for path, at in self.below(inside, inner).items()
        }

    def _tree(self, oid: str) -> Entries:
        """The entries of a tree: `<mode> <name>\\0<id in bytes>`, one after the other."""
        data, width = self._read(oid, "tree"), len(oid) // 2
        found, at = {}, 0
        while at < len(data):
            end = data.find(b"\0", at)
            mode, blank, name = data[at:end].partition(b" ")
            at = end + 1 + width
            if end < 0 or not blank or at > len(data):
                raise _Unsure
            found[os.fsdecode(name)] = (mode.decode("ascii", "replace"), data[end + 1 : at].hex())
        return found

    def _read(self, oid: str, kind: str) -> bytes:
        self._left -= 1
        found = odb.read_object(self._git_dir, oid) if self._left >= 0 else None
        if found is None or found[0] != kind:
            raise _Unsure
        return found[1]
