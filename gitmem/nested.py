"""A repository within a repository: whose notes an event concerns besides those of its directory.

A file may lie in a submodule, or in another repository below the work tree; then that one's notes
come first. In a submodule the notes of the superproject about it come too. Hot.
"""

import os

from gitmem.agents.base import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.store.discover import Repository

MOST = 3  # repositories besides the event's own
MODULES = "/.git/modules/"


def inner(call: Call, repository: "Repository") -> "list[Call]":
    """The call as it concerns repositories within `repository`, with their own directory."""
    found: dict[str, list[str]] = {}
    for given in call.paths if repository.root else ():
        path = os.path.normpath(os.path.join(call.cwd, given))
        top = _top(os.path.dirname(path), repository.root or "")
        if top:
            found.setdefault(top, []).append(path)
    return [_within(call, top, paths) for top, paths in list(found.items())[:MOST]]


def outer(call: Call, repository: "Repository") -> "list[Call]":
    """The call as it concerns the repository that `repository` is a submodule of."""
    if repository.root is None or MODULES not in repository.common_dir.replace(os.sep, "/"):
        return []
    paths = [os.path.normpath(os.path.join(call.cwd, given)) for given in call.paths]
    return [_within(call, os.path.dirname(repository.root), paths)] if paths else []


def _top(directory: str, root: str) -> str:
    """The innermost directory between `directory` and `root` that is a repository's top, or ''."""
    while directory.startswith(root + os.sep):
        if os.path.lexists(os.path.join(directory, ".git")):
            return directory
        directory = os.path.dirname(directory)
    return ""


def _within(call: Call, cwd: str, paths: "list[str]") -> Call:
    made = Call(call.event, cwd, call.session)
    made.agent, made.delivers = call.agent, call.delivers
    made.denies, made.offers = call.denies, call.offers
    made.paths = paths
    return made
