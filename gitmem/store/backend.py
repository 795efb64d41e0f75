"""What the store asks of a git repository, and the values that answer.

Two back ends keep this contract: `git_backend` (plumbing, for one-shot commands and everything
libgit2 cannot open) and `pygit2_backend` (in process, for much work or long life). The same
commit made by either has the same id; what decides that, the bytes of identities and messages,
is spelled here once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

# More objects than this in one commit stay one pack; fewer become loose objects.
UNPACK_LIMIT = 100
GITLINK = "160000"  # the mode of a submodule, which is no file


Changes = Mapping[str, bytes | str | None]


class TreeEntry(NamedTuple):
    """A file in a tree: its whole path and the id of its blob."""

    path: str
    oid: str


class Identity(NamedTuple):
    """Who and when: `when` in seconds since 1970, `offset` like `+0200`."""

    name: str
    email: str
    when: int
    offset: str = "+0000"

    def header(self) -> bytes:
        """As it stands in a commit, without what git could not read back."""
        name, email = _plain(self.name), _plain(self.email)
        line = f"{name or email or 'unknown'} <{email}> {self.when} {self.offset}"
        return line.encode("utf-8", "replace")


class Commit(NamedTuple):
    """A commit as history tells it."""

    oid: str
    parents: tuple[str, ...]
    author: Identity
    message: str


class Backend(Protocol):
    """One repository, seen through the few questions the store has."""

    @property
    def object_format(self) -> str:
        """Which hash names objects: "sha1" or "sha256"."""
        ...

    def tip(self, ref: str) -> str | None:
        """The commit `ref` points to, None when there is no such ref.

        Raises GitMemError of kind "store" when the ref is torn or its object is missing or no
        commit.
        """
        ...

    def entries(self, commit: str, *buckets: str) -> list[TreeEntry]:
        """All files of the commit's tree in path order; with `buckets`, of these directories."""
        ...

    def changes(self, old: str | None, new: str) -> tuple[list[TreeEntry], list[TreeEntry]]:
        """What differs between two commits: (added or modified, as in `new`; removed)."""
        ...

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Each id with the content of its blob, in order; None when there is no such blob."""
        ...

    def commit(
        self,
        *,
        parents: Sequence[str],
        changes: Changes,
        message: str,
        author: Identity,
        committer: Identity,
    ) -> str:
        """Write a commit and return its id; no ref moves.

        Its tree is that of `parents[0]` (or empty) with `changes`: path → content, or the id of a
        blob that is there, or None to delete.
        Everything else in that tree stays as it was.
        """
        ...

    def swap(self, ref: str, new: str, old: str | None, reason: str) -> bool:
        """Move `ref` from `old` (None: it must not exist) to `new`, and log `reason`.

        False when the ref is not at `old` or somebody holds its lock. Raises GitMemError when
        trying again cannot help.
        """
        ...

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether commit `old` is `new` or an ancestor of it."""
        ...

    def roots(self, commit: str) -> list[str]:
        """The commits without parents in the history of `commit`."""
        ...

    def history(self, commit: str, limit: int | None = None) -> Iterator[Commit]:
        """`commit` and its ancestors, newest first, children before parents."""
        ...


def message_bytes(message: str) -> bytes:
    """A commit message as both back ends store it: UTF-8, no NUL, ends with a newline."""
    data = message.replace("\0", "").encode("utf-8", "replace")
    return data if data.endswith(b"\n") else data + b"\n"


def is_oid(oid: str) -> bool:
    """Whether `oid` is spelled like a whole object id."""
    return len(oid) in (40, 64) and not oid.strip("0123456789abcdef")


def parse_identity(line: str) -> Identity:
    """`Name <email> seconds +hhmm`, as git prints it."""
    name, _, rest = line.partition("<")
    email, _, date = rest.rpartition(">")
    when, _, offset = date.strip().partition(" ")
    return Identity(name.strip(), email, int(when or 0), offset or "+0000")


def _plain(text: str) -> str:
    kept = "".join(" " if char in "\n\r\0" else char for char in text if char not in "<>")
    return kept.strip()
