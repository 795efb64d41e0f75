"""Memory that goes along with the user's own push and pull.

What our git hooks ask: is there anything to do at all (no network, a few files read), and what was
fetched is taken where that needs no commit of its own.
"""

from gitmem import refs
from gitmem.githooks.pushing import names_memory
from gitmem.sharing import chosen
from gitmem.store import sync
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository
from gitmem.store.layer import Layer
from gitmem.store.remote import Remote
from gitmem.store.remotes import NoRemote, read_remotes
from gitmem.store.sync import tip_of


def has_something_for(repository: Repository, name: str | None) -> bool:
    """Whether a push to the remote `name` should carry notes: it is the one that memory travels
    through, and lacks some. NoRemote when nobody said which of several remotes that is."""
    if not any(tip_of(repository.common_dir, ref) for ref in refs.SHARED):
        return False
    try:
        place = chosen(repository, None)
    except NoRemote:
        if read_remotes(repository.common_dir, repository.root).names:
            raise
        return False  # a push to an address
    if name not in (None, place.name) or _is_sent_anyway(place):
        return False
    return any(_is_ahead(place, ref) for ref in refs.SHARED)


def catch_up(repository: Repository) -> None:
    """Take what was fetched into our own refs where that makes no merge commit. GitMemError."""
    try:
        place = chosen(repository, None)
    except NoRemote:
        return
    for ref in refs.SHARED:
        theirs = tip_of(place.git_dir, place.tracking(ref))
        if theirs is not None and theirs != tip_of(place.git_dir, ref):
            layer = Layer("shared", place.git_dir, ref)
            sync.take(layer, [theirs], publishing=False, committing=False)


def _is_sent_anyway(place: Remote) -> bool:
    """Whether a plain push to the remote sends our refs itself: two pushes of one ref collide."""
    remotes = read_remotes(place.git_dir, place.cwd)
    pushes = remotes.values.get(f"remote.{place.name}.push", [])
    return remotes.is_mirror(place.name) or any(map(names_memory, pushes))


def _is_ahead(place: Remote, ref: str) -> bool:
    mine, theirs = tip_of(place.git_dir, ref), tip_of(place.git_dir, place.tracking(ref))
    if mine is None or mine == theirs:
        return False
    return theirs is None or not backend_for(place.git_dir).is_ancestor(mine, theirs)
