"""Who writes: the user's identity as git knows it, and one of our own when git knows none.

`git var -l` prints author and committer at once and never refuses, where `git commit` would: a
note must be storable without any configuration, HOME or host name (`user.useConfigOnly` too).
What git merely guesses from the host name is not used, for it would publish the host's name.
"""

import os
from typing import NamedTuple

from gitmem.store import process
from gitmem.store.backend import Identity, parse_identity
from gitmem.store.questions import IDENTITY

FALLBACK_EMAIL = "unknown@localhost"
CONFIGURED = {
    "author": ("user.email", "author.email"),
    "committer": ("user.email", "committer.email"),
}


class Identities(NamedTuple):
    """The author and the committer of what is about to be written."""

    author: Identity
    committer: Identity

    def at(self, now: float) -> "Identities":
        """The same people at another time, unless the environment fixes the date."""
        author, committer = self.author, self.committer
        if not os.environ.get("GIT_AUTHOR_DATE"):
            author = author._replace(when=int(now))
        if not os.environ.get("GIT_COMMITTER_DATE"):
            committer = committer._replace(when=int(now))
        return Identities(author, committer)


def identities(git_dir: str) -> Identities:
    """As git would use them now in `git_dir`, GIT_AUTHOR_NAME, _EMAIL and _DATE and the like
    included. One process. Raises GitFailed for an impossible date."""
    out = process.run(IDENTITY, git_dir=git_dir).decode("utf-8", "replace")
    values = dict(line.partition("=")[::2] for line in out.splitlines())
    return Identities(_identity(values, "author"), _identity(values, "committer"))


def _identity(values: dict[str, str], role: str) -> Identity:
    found = parse_identity(values[f"GIT_{role.upper()}_IDENT"])
    known = any(values.get(name) for name in CONFIGURED[role])
    if known or os.environ.get(f"GIT_{role.upper()}_EMAIL") or os.environ.get("EMAIL"):
        return found
    return Identity(found.name, FALLBACK_EMAIL, found.when, found.offset)
