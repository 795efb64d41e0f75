"""`refs/memory/landed`: which commit landed as which other, shared with everyone.

Empty files `<hh>/<old>/<new>`, `hh` being the first two hex digits of `old`; `<new>.gone` takes
`<new>` away again. Other paths are foreign: not read, and kept by every write.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache

from gitmem import refs
from gitmem.store import ask, discover
from gitmem.store.backend import is_oid
from gitmem.store.choose import backend_for
from gitmem.store.discover import Uncertain
from gitmem.store.identity import Identities
from gitmem.store.layer import Layer
from gitmem.store.transaction import Change, Snapshot, transact
from gitmem.store.united import united

GONE = ".gone"

Landing = tuple[str, str]  # the old commit and the new one


def read_landed(git_dir: str) -> dict[str, frozenset[str]]:
    """What landed as what: our own map united with what was fetched from every remote.

    `git_dir` is the common directory. No process when nothing was ever recorded.
    """
    if not _is_there(git_dir):
        return {}
    return _map_at(git_dir, united(_layer(git_dir)).tips)


@lru_cache(maxsize=4)
def _map_at(git_dir: str, tips: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The map that commits hold: they never change, and one command asks several times."""
    backend = backend_for(git_dir)
    found: dict[str, set[str]] = {}
    for old, new in _standing(entry.path for tip in tips for entry in backend.entries(tip)):
        found.setdefault(old, set()).add(new)
    return {old: frozenset(news) for old, news in found.items()}


def record(
    layer_git_dir: str, pairs: Collection[Landing], *, identity: Identities, gone: bool = False
) -> int:
    """Write those of `pairs` that are not recorded yet, in one commit; return how many these are.

    `gone` takes them away instead. What was taken away by hand is not recorded again. Raises as
    `transact` does.
    """
    wanted = sorted({pair for pair in pairs if _is_landing(*pair)})
    if not wanted:
        return 0
    new: list[Landing] = []

    def build(snapshot: Snapshot) -> Change | None:
        there = {entry.path for entry in snapshot.entries()}
        new[:] = [
            pair
            for pair in wanted
            if _path(pair) + GONE not in there and (gone or _path(pair) not in there)
        ]
        if not new:
            return None
        ending = GONE if gone else ""
        return Change(dict.fromkeys((_path(pair) + ending for pair in new), b""), _said(new, gone))

    transact(_layer(layer_git_dir), build, identity=identity)
    return len(new)


def _is_there(git_dir: str) -> bool:
    try:
        if discover.read_tip(git_dir, refs.LANDED):
            return True
        tracked = discover.read_refs(git_dir, refs.TRACKING + "/")
    except Uncertain:
        if ask.read_tip(git_dir, refs.LANDED):
            return True
        tracked = ask.read_refs(git_dir, refs.TRACKING + "/")
    return any(ref.endswith("/" + refs.short(refs.LANDED)) for ref in tracked)


def _layer(git_dir: str) -> Layer:
    return Layer("shared", git_dir, refs.LANDED)


def _path(pair: Landing) -> str:
    old, new = pair
    return f"{old[:2]}/{old}/{new}"


def _standing(paths: Iterable[str]) -> set[Landing]:
    """The landings that `paths` record and do not take away."""
    found: set[Landing] = set()
    gone: set[Landing] = set()
    for path in paths:
        directory, _, rest = path.partition("/")
        old, _, name = rest.partition("/")
        new = name.removesuffix(GONE)
        if _is_landing(old, new) and directory == old[:2]:
            (found if new == name else gone).add((old, new))
    return found - gone


def _is_landing(old: str, new: str) -> bool:
    return old != new and is_oid(old) and is_oid(new)


def _said(pairs: Collection[Landing], gone: bool) -> str:
    lines = "".join(f"{old} {new}\n" for old, new in pairs)
    count = f"{len(pairs)} landing{'s' if len(pairs) != 1 else ''}"
    return f"{'take back' if gone else 'record'} {count}\n\n{lines}"
