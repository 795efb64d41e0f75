"""Bring the index up to the tips: incrementally where a base exists, else from scratch.

Cold: runs git. Decides what has to be done and what is left to a later process; `write.py` does it.
Nothing here is precious: a failure leaves the last good index, and a deleted directory is rebuilt
at the next use.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping

from gitmem.config import Config, read_config
from gitmem.core.event import Event
from gitmem.errors import GitMemError
from gitmem.index import errorlog
from gitmem.index.current import tips_of
from gitmem.index.freshness import MAP, config_stamp, is_fresh, pack_tips, unpack_tips
from gitmem.index.place import INDEX, unsettled_path, writable_home
from gitmem.index.provisional import provisional as provisional_index
from gitmem.index.read import TOP, Index, is_top, top_name
from gitmem.index.scanned import is_settled
from gitmem.index.schema import BadIndex
from gitmem.index.stale import fetched_text, is_counted, path_of
from gitmem.index.write import LATER, LayerTips, State, Writer
from gitmem.refs import FACTS
from gitmem.store.ancestry import Viewpoint
from gitmem.store.choose import backend_for
from gitmem.store.discover import Repository, worktree_of
from gitmem.store.environment import clean_env
from gitmem.store.landed import read_landed
from gitmem.store.layer import Layer, layers_of, note_use, outer_layers
from gitmem.store.outer import seen
from gitmem.store.place import Place, place_of
from gitmem.store.process import GitFailed
from gitmem.store.united import United, united

UNREADABLE = "?"
LATER_SECONDS = 10
FEW = 1500  # revisions that are read and filed in the time of a hook


def refresh(
    repository: Repository, *, deadline: float | None = None, rebuild: bool = False
) -> Index:
    """Bring the index up to date and open it, after publishing what is no longer pending and
    recognising what landed since.

    `deadline` is a `time.monotonic()` instant; TooLate when it passes before there is an index.
    GitMemError when a layer cannot be read, OSError when the index cannot be written anywhere.
    """
    home = writable_home(repository.common_dir)
    if home is None:
        raise PermissionError(f"no directory for the index of {repository.common_dir}")
    directory = os.path.join(home, INDEX)
    os.makedirs(directory, exist_ok=True)
    index = _brought_up(repository, directory, deadline, rebuild=rebuild)
    unsettled = unsettled_path(directory, worktree_of(repository))
    try:
        if _settled(repository, index, deadline) or not _is_still_fresh(repository, index):
            newer = _brought_up(repository, directory, deadline, rebuild=False)
            index.close()
            index = newer
        _drop(unsettled)
        if deadline is None:
            _count_stale(repository, index)
    except TimeoutError:
        with open(unsettled, "wb"):
            pass  # hooks try again until somebody had the time
        refresh_later(repository)
    except GitMemError as error:  # nothing is lost: the next use tries again
        _drop(unsettled)  # time is not what it lacks, so no hook need wait for it
        errorlog.append(repository.common_dir, [f"catching up: {error.message}"], time.time())
    return index


def _is_still_fresh(repository: Repository, index: Index) -> bool:
    """Whether nobody else published or recorded anything while we looked for it."""
    tips, stamp = tips_of(repository.common_dir), config_stamp(repository)
    return is_fresh(index.header, tips, stamp, place_of(repository).head)


def _drop(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass  # it is not there, or cannot be had away here


def _settled(repository: Repository, index: Index, deadline: float | None) -> bool:
    """Whether something was published or recorded."""
    place = place_of(repository)
    if is_settled(index, place.worktree, place.head):
        return False
    from gitmem.index.settle import settle  # large, and rarely has anything to do

    return settle(repository, index, deadline)


def _count_stale(repository: Repository, index: Index) -> None:
    place = place_of(repository)
    path = path_of(index.directory, place.worktree)
    if not is_counted(path, place.head, fetched_text(index.header)):
        from gitmem.index.staleness import count  # as above

        count(repository, index, index.directory)


def provisional(repository: Repository, event: Event, deadline: float) -> Index | None:
    """An index for `event` alone, where there is none at all and too many notes to make one in the
    time of a hook; None where there are few. TooLate; GitMemError, OSError."""
    tips = tips_of(repository.common_dir)
    config, stamp = read_config(repository.common_dir), config_stamp(repository)
    layers = _layers(repository, tips, config)
    if sum(len(layer.united.entries()) for layer in layers) <= FEW:
        return None
    home = writable_home(repository.common_dir) or tempfile.gettempdir()
    state = _state(place_of(repository), layers, tips[MAP], config, stamp)
    return provisional_index(state, home, event, deadline)


def _brought_up(
    repository: Repository, directory: str, deadline: float | None, *, rebuild: bool
) -> Index:
    """The index of this moment."""
    stamp = config_stamp(repository)
    place = place_of(repository)
    top = top_name(place.worktree)
    old = None if rebuild else open_index(directory, top)
    if old is None and (partial := _partial(repository)):
        config = read_config(repository.common_dir)
        partial += _outer(repository, config)
        state = _state(place, partial, "", config, stamp)
        return _rebuilt(Writer(directory, state, deadline), directory, top)
    try:
        tips = tips_of(repository.common_dir)
        if old is not None and is_fresh(old.header, tips, stamp, place.head):
            fresh, old = old, None
            return fresh
        if old is not None and _kept(repository, old.header, tips):
            tips = tips_of(repository.common_dir)
        config = read_config(repository.common_dir)
        layers = _layers(repository, tips, config)
        state = _state(place, layers, tips[MAP], config, stamp)
        writer = Writer(directory, state, deadline)
        if old is None and not rebuild:
            old = _of_another_worktree(directory)
        if old is None or not _updated(writer, old):
            writer.rebuild()
    finally:
        if old is not None:
            old.close()
    return open_index(directory, top) or _rebuilt(writer, directory, top)


def _state(place: Place, layers: list[LayerTips], landed: str, config: Config, stamp: str) -> State:
    repository = place.repository
    viewpoint = Viewpoint(
        repository, place.head, read_landed(repository.common_dir), place.worktree
    )
    return State(layers, viewpoint, landed, config, stamp)


def _of_another_worktree(directory: str) -> Index | None:
    """An index to start from, where this work tree has none yet."""
    tops = (open_index(directory, name) for name in os.listdir(directory) if is_top(name))
    return next((index for index in tops if index is not None), None)


def _partial(repository: Repository) -> list[LayerTips]:
    """The layers, when one of them cannot be read: that one empty, with the reason. Else none.

    For a start without an index. Its text is never that of real tips, so it never counts as fresh.
    """
    found = []
    is_partial = False
    for layer in layers_of(repository):
        try:
            content = united(layer)
        except GitMemError as error:
            is_partial = True
            content = United(backend_for(layer.git_dir), (), [error.message])
        found.append(LayerTips(layer.name, layer.git_dir, content, UNREADABLE))
    return found if is_partial else []


def _rebuilt(writer: Writer, directory: str, top: str) -> Index:
    """The index anew."""
    writer.rebuild()
    return Index(directory, top)


def _updated(writer: Writer, old: Index) -> bool:
    try:
        return writer.update(old)
    except (GitFailed, FileNotFoundError):
        return False  # an old tip of a remote that rewrote its history may be gone, or a layer


def keep_dropped(repository: Repository) -> dict[str, int]:
    """Keep what a plain fetch or prune dropped since the index was last brought up to date.

    Tracking ref → how many revisions. `refresh` does the same by itself.
    """
    home = writable_home(repository.common_dir)
    top = top_name(worktree_of(repository))
    old = open_index(os.path.join(home, INDEX), top) if home is not None else None
    if old is None:
        return {}
    old.close()
    return _kept(repository, old.header, tips_of(repository.common_dir))


def _kept(
    repository: Repository, header: Mapping[str, str], tips: Mapping[str, str]
) -> dict[str, int]:
    """What the tracking refs had when the index was written is known, so it must not get lost."""
    seen, now = (unpack_tips(text) for text in (header.get("tip.shared", ""), tips["shared"]))
    before = {ref: oid for ref, oid in seen.items() if ref != FACTS and now.get(ref) != oid}
    if not before:
        return {}
    from gitmem.store.sync import keep_dropped  # only where a tracking ref moved

    kept = keep_dropped(repository.common_dir, FACTS, before, now)
    reasons = [f"{ref} dropped {count} notes; they are kept here" for ref, count in kept.items()]
    if kept:
        errorlog.append(repository.common_dir, reasons, time.time())
    return kept


def refresh_later(repository: Repository) -> None:
    """Bring the index up to date in a process of its own, and do not wait for it.

    One is enough for all the hooks that are late at once. `-I`: what lies in the work tree is never
    imported.
    """
    home = writable_home(repository.common_dir)
    if home is None or not _is_first(os.path.join(home, INDEX, LATER)):
        return
    subprocess.Popen(
        [sys.executable, "-I", "-m", "gitmem", "reindex", "--quiet"],
        cwd=repository.root or repository.git_dir,
        env=clean_env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def refreshed(index: Index) -> None:
    """The process behind the hooks is done: the next late one may start another."""
    _drop(os.path.join(index.directory, LATER))


def _is_first(path: str) -> bool:
    """Whether nobody has started one in the last LATER_SECONDS; then this is noted in `path`."""
    try:
        if time.time() - os.stat(path).st_mtime < LATER_SECONDS:
            return False
    except OSError:
        pass
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb"):
            return True
    except OSError:
        return False


def open_index(directory: str, top: str = TOP) -> Index | None:
    """The index in `directory`, None when there is none that can be trusted."""
    try:
        return Index(directory, top)
    except (OSError, BadIndex, ValueError):
        return None


def has_outer(repository: Repository) -> bool:
    """Whether notes from outside of the project reach it."""
    config = read_config(repository.common_dir)
    return any(layer.united.tips for layer in _outer(repository, config))


def _outer(repository: Repository, config: Config) -> list[LayerTips]:
    """The layers outside of the project, nearest first; what cannot be read is left out of them."""
    found = []
    for layer in outer_layers(repository, config.workspace, config.own):
        look = seen(layer.git_dir)  # before it is read, so that a write in between is noticed
        content = united(layer)
        tip = content.tips[0] if content.tips else None
        found.append(LayerTips(layer.name, layer.git_dir, content, pack_tips(tip, {}), look))
        if tip is not None:
            _note_use(layer)
    return found


def _note_use(layer: Layer) -> None:
    try:
        note_use(layer)
    except OSError:
        pass  # then only hooks of projects without notes of their own miss it


def _layers(repository: Repository, tips: Mapping[str, str], config: Config) -> list[LayerTips]:
    """The layers, nearest first, at these tips or newer ones, to which their text is then true.

    GitMemError when an own ref leads nowhere.
    """
    while True:
        layers = [
            LayerTips(layer.name, layer.git_dir, united(layer), tips[layer.name])
            for layer in layers_of(repository)
        ]
        known = {oid for text in tips.values() for oid in unpack_tips(text).values()}
        if all(known.issuperset(layer.united.tips) for layer in layers):
            return layers + _outer(repository, config)
        tips = tips_of(repository.common_dir)  # a ref moved in between
