"""The files of a layer's state, listed with one git process for each tip and read with one for all.
No back end is loaded: a session starts with this. What it cannot be sure of it leaves to `united`.
"""

import os

from gitmem import refs
from gitmem.store import odb, process, trees
from gitmem.store.batch import read_blobs
from gitmem.store.discover import Uncertain, read_refs, read_tip
from gitmem.store.layout import FORMAT, FORMAT_PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class StateTree:
    """The layer whose repository is `git_dir`: its own tip, and where `is_shared` those that were
    fetched."""

    def __init__(self, git_dir: str, *, is_shared: bool) -> None:
        self._git_dir = git_dir
        self.tips = tips(git_dir, is_shared=is_shared)

    def entries(self) -> list[tuple[str, str]]:
        """(path, blob id) of all files, each path once. Uncertain, GitFailed."""
        found: dict[str, str] = {}
        for tip in self.tips:
            args = ("ls-tree", "-r", "-z", "--full-tree", tip)
            out = os.fsdecode(process.run(args, git_dir=self._git_dir))
            listed = dict(_entry(record) for record in out.split("\0")[:-1])
            said = listed.pop(FORMAT_PATH, "")
            if odb.read_blob(self._git_dir, said) != FORMAT:
                raise Uncertain(f"the format of {tip}")
            found.update(listed)
        return list(found.items())

    def read(self, oids: "Iterable[str]") -> "Iterator[tuple[str, bytes | None]]":
        """(blob id, content) in order; None for what is missing. GitFailed."""
        wanted = list(oids)
        contents = trees.blobs(self._git_dir, wanted)
        contents |= read_blobs(self._git_dir, [oid for oid in wanted if oid not in contents])
        return ((oid, contents.get(oid)) for oid in wanted)


def tips(git_dir: str, *, is_shared: bool) -> list[str]:
    """The tips that a layer's state is read from, each once. Uncertain where only git knows."""
    if not os.path.isdir(git_dir):
        return []
    own = read_tip(git_dir, refs.STATE)
    fetched = read_refs(git_dir, refs.TRACKING + "/") if is_shared else {}
    ending = "/" + refs.short(refs.STATE)
    found = [own] if own else []
    found += [fetched[ref] for ref in sorted(fetched) if ref.endswith(ending)]
    return list(dict.fromkeys(found))


def _entry(record: str) -> tuple[str, str]:
    head, _, path = record.partition("\t")
    return path, head.rpartition(" ")[2]
