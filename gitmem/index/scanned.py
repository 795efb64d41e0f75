"""How far `settle` has looked, and whether it has anything to do. Hot: only os.

A small text file, derived: `name oid` lines, a name being a ref, `HEAD.<work tree>` or `anchor`.
Without it everything is looked at again.
"""

import os

from gitmem.index.schema import OUTSIDE, PENDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.read import Index

NAME = "scanned"
HEAD = "HEAD."
ANCHOR, UNBORN = "anchor", "-"


class Scanned:
    """A ref or `HEAD.<work tree>` → its tip when it was looked at; and for which anchors."""

    def __init__(self, directory: str) -> None:
        """As the file in the index's `directory` has it; empty without one."""
        self.tips: dict[str, str] = {}
        self.anchors: set[str] = set()
        self._path = os.path.join(directory, NAME)
        try:
            with open(self._path, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        except OSError:
            return
        for line in lines:
            name, _, oid = line.rpartition(" ")
            if name == ANCHOR:
                self.anchors.add(oid)
            elif name:
                self.tips[name] = "" if oid == UNBORN else oid

    def write(self) -> None:
        """Replace the file; where that cannot be, the same is looked at again."""
        lines = [f"{name} {oid or UNBORN}\n" for name, oid in self.tips.items()]
        lines += [f"{ANCHOR} {oid}\n" for oid in sorted(self.anchors)]
        aside = f"{self._path}.{os.getpid():x}.tmp"
        try:
            with open(aside, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.writelines(lines)
            os.replace(aside, self._path)
        except OSError:
            return


def here(worktree: str) -> str:
    """What HEAD of a work tree is called."""
    return HEAD + worktree


def is_settled(index: "Index", worktree: str, head: "str | None") -> bool:
    """Whether nothing waits for a commit or may have landed that was not looked at yet."""
    outside = {fields[1] for fields in index.filed(OUTSIDE)}
    if not outside and not index.filed(PENDING):
        return True
    scanned = Scanned(index.directory)
    is_moved = scanned.tips.get(here(worktree)) != (head or "")
    return not is_moved and scanned.anchors.issuperset(outside)
