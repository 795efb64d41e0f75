"""A layer as it is read: its own tip and what was fetched from every remote, united. No write.

A tip that cannot be read (its objects are missing, its format is newer) never hides the others: it
is left out and named. Only the layer's own tip must be sound.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from gitmem import refs
from gitmem.errors import GitMemError
from gitmem.store import ask, odb
from gitmem.store.backend import Backend, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.discover import Uncertain, read_refs
from gitmem.store.layer import Layer, check_usable
from gitmem.store.layout import check_format
from gitmem.store.transaction import stored_format


@dataclass(frozen=True)
class United:
    """Several tips of one layer. `left_out` says which fetched tips cannot be read, and why."""

    backend: Backend
    tips: tuple[str, ...]
    left_out: list[str] = field(default_factory=list)
    _read: dict[tuple[str, ...], list[TreeEntry]] = field(default_factory=dict, repr=False)

    def entries(self, *buckets: str) -> list[TreeEntry]:
        """The files of all tips, each path once, or those of some buckets."""
        if buckets not in self._read:
            found: dict[str, TreeEntry] = {}
            for tip in self.tips:
                for item in self.backend.entries(tip, *buckets):
                    found.setdefault(item.path, item)
            self._read[buckets] = list(found.values())
        return self._read[buckets]


def united(layer: Layer, backend: Backend | None = None) -> United:
    """The layer at this moment. GitMemError when its own ref leads nowhere; of an outer layer,
    which must not silence the project's own, that is among what is left out."""
    backend = backend or backend_for(layer.git_dir)
    if layer.is_outer:
        return _outer(layer, backend)
    return united_with(layer, backend, backend.tip(layer.ref) if layer.exists else None)


def united_with(layer: Layer, backend: Backend, tip: str | None) -> United:
    """The layer with its own ref at `tip`: what a writer sees that has read its tip once."""
    left_out: list[str] = []
    found = [] if tip is None else [tip]
    for ref, fetched in sorted(tracked(layer).items()):
        if fetched not in found:
            problem = _problem(layer, ref, fetched)
            if problem:
                left_out.append(problem)
            else:
                found.append(fetched)
    return United(backend, tuple(found), left_out)


def _outer(layer: Layer, backend: Backend) -> United:
    """Unlike others it may be anything: so what it holds is listed at once, and not when somebody
    needs it."""
    try:
        check_usable(layer)
        found = united_with(layer, backend, backend.tip(layer.ref) if layer.exists else None)
        found.entries()
    except (GitMemError, OSError) as error:
        return United(backend, (), [str(error)])
    return found


def tracked(layer: Layer) -> dict[str, str]:
    """What was last fetched of the layer's ref from each remote: tracking ref → tip.

    Only the shared layer travels.
    """
    return tracked_tips(layer.git_dir, layer.ref) if layer.name == "shared" else {}


def tracked_tips(git_dir: str, ref: str = refs.FACTS) -> dict[str, str]:
    """What was last fetched of `ref` from each remote: tracking ref → tip."""
    try:
        found = read_refs(git_dir, refs.TRACKING + "/")
    except Uncertain:
        found = ask.read_refs(git_dir, refs.TRACKING + "/")
    return dict(_named(found.items(), "/" + refs.short(ref)))


def _named(found: Iterable[tuple[str, str]], ending: str) -> Iterable[tuple[str, str]]:
    return ((name, oid) for name, oid in found if name.endswith(ending))


def _problem(layer: Layer, ref: str, tip: str) -> str:
    """Why a fetched tip cannot be read; '' when it can."""
    try:
        if (kind := _kind(layer.git_dir, tip)) != "commit":
            return f"{ref} points to {tip}, which is {kind or 'missing'}"
        check_format(stored_format(layer.git_dir, tip), ref)
    except GitMemError as error:
        return error.message
    return ""


def _kind(git_dir: str, oid: str) -> str | None:
    """The type of an object, read from files where that is certain."""
    found = odb.read_object(git_dir, oid)
    return found[0] if found else ask.read_kind(git_dir, oid)
