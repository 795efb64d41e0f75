"""Which remotes there are, and which one memory travels through. One git process."""

from dataclasses import dataclass, field
from hashlib import sha256

from gitmem import refs
from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.remote import Remote

KEYS = (
    r"^(remote\..*|branch\..*\.remote|mem\.(remote|transport)"
    r"|core\.sshcommand|extensions\.partialclone)$"
)


class NoRemote(GitMemError):
    kind = "remote"


@dataclass(frozen=True)
class Remotes:
    """The remotes of a repository, as configured now."""

    git_dir: str
    cwd: str
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Every remote that has an address, in the order of the configuration."""
        found = dict.fromkeys(
            key[len("remote.") : -len(".url")]
            for key in self.values
            if key.startswith("remote.") and key.endswith(".url")
        )
        return list(found)

    def last(self, key: str) -> str:
        return self.values.get(key, [""])[-1]

    def chosen(self, name: str | None = None, branch: str | None = None) -> Remote:
        """The remote `name`, or else `mem.remote`, the branch's, `origin`, the only one; NoRemote.

        `branch` is the full name of the current branch.
        """
        names = self.names
        wanted = name or self.last("mem.remote")
        if wanted:
            if wanted not in names and not _is_address(wanted):
                raise NoRemote(f"there is no remote '{wanted}'", f"remotes: {', '.join(names)}")
            return self.remote(wanted)
        short = (branch or "").removeprefix("refs/heads/")
        for candidate in (self.last(f"branch.{short}.remote"), "origin"):
            if candidate in names:
                return self.remote(candidate)
        if len(names) == 1:
            return self.remote(names[0])
        if not names:
            raise NoRemote("there is no remote to share memory with", "git remote add origin <url>")
        raise NoRemote(
            f"there are several remotes: {', '.join(names)}",
            "name one, or choose it for good: git config mem.remote <name>",
        )

    def remote(self, name: str) -> Remote:
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return Remote(
            name,
            self.git_dir,
            self.cwd,
            label=name if name in self.names else f"address-{digest[:12]}",
            transport="branch" if self.last("mem.transport") == "branch" else "refs",
            ssh_command=self.last("core.sshcommand"),
            is_partial=bool(self.last("extensions.partialclone"))
            or self.last(f"remote.{name}.promisor") == "true",
        )

    def fetches(self, name: str) -> list[str]:
        """The fetch refspecs of a remote."""
        return self.values.get(f"remote.{name}.fetch", [])

    def is_tracked(self, name: str) -> bool:
        """Whether plain `git fetch` brings the remote's memory."""
        return set(refs.fetch_refspecs(name, self.remote(name).transport)) <= set(
            self.fetches(name)
        )

    def is_mirror(self, name: str) -> bool:
        return self.last(f"remote.{name}.mirror") == "true"


def read_remotes(git_dir: str, root: str | None = None) -> Remotes:
    """The remotes of the repository at `git_dir`; relative addresses count from `root`, its top."""
    args = ("config", "--null", "--get-regexp", KEYS)
    _, out, _ = process.attempt(args, git_dir=git_dir)
    values: dict[str, list[str]] = {}
    for entry in out.decode("utf-8", "replace").split("\0"):
        key, mark, value = entry.partition("\n")
        if key:
            values.setdefault(key, []).append(value if mark else "true")
    return Remotes(git_dir, root or git_dir, values)


def _is_address(text: str) -> bool:
    return "/" in text or ":" in text
