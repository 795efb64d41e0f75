"""Check everything a note passes on its way to an agent: repository, refs, notes, index, hooks.

Reads, and puts the hook's error log aside once it has been shown. A check never stops the next one.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from gitmem.agents.settings_file import Place
from gitmem.errors import GitMemError
from gitmem.githooks import health
from gitmem.githooks.git_hooks import are_installed
from gitmem.index import errorlog
from gitmem.index.place import home, index_homes, user_home, writable_home
from gitmem.index.read import Index
from gitmem.index.schema import BadIndex
from gitmem.memory import Memory
from gitmem.sharing import chosen
from gitmem.store import process
from gitmem.store.layer import check_usable
from gitmem.store.remotes import NoRemote, read_remotes
from gitmem.store.united import united
from gitmem.wiring import overwrites

SWITCH = "GIT_MEM_HOOK"  # as hook.py spells it, which nothing may import
OLDEST_GIT = (2, 31)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked. `is_problem`: something does not work as it should."""

    check: str
    message: str
    is_problem: bool = False
    hints: tuple[str, ...] = ()


def examine(path: str, environ: Mapping[str, str], encodings: Mapping[str, str]) -> list[Finding]:
    """Every check, in the order in which a note travels. `encodings`: of the standard streams."""
    found = [*_environment(environ, encodings), *_git()]
    try:
        memory = Memory.open(path, environ=True)
    except GitMemError as error:
        found.append(_problem("repository", error.message, *error.hints))
        return [*found, *_log(user_home(), "hooks")]
    found.append(Finding("repository", memory.repository.root or memory.repository.git_dir))
    for check in (_writable, _layers, _index, _travel, _hooks):
        try:
            found += check(memory)
        except (GitMemError, OSError) as error:
            found.append(_problem(check.__name__.strip("_"), str(error)))
    found += _log(writable_home(memory.repository.common_dir), "hooks")
    return [*found, *_log(user_home(), "hooks")]


def _problem(check: str, message: str, *hints: str) -> Finding:
    return Finding(check, message, True, hints)


def _environment(environ: Mapping[str, str], encodings: Mapping[str, str]) -> Iterator[Finding]:
    if not environ.get("HOME") and not environ.get("USERPROFILE"):
        yield _problem(
            "environment", "HOME is not set: your git configuration and settings are not found"
        )
    for stream, encoding in encodings.items():
        if encoding.lower().replace("-", "").replace("_", "") not in ("utf8", ""):
            yield _problem(
                "environment",
                f"{stream} has the encoding {encoding}; git mem uses UTF-8 all the same",
                "set a UTF-8 locale, for example LC_ALL=C.UTF-8",
            )


def _git() -> Iterator[Finding]:
    try:
        text = process.run(["--version"]).decode("utf-8", "replace").strip()
    except GitMemError as error:
        yield _problem("git", error.message, *error.hints)
        return
    version = tuple(int(part) for part in text.split()[2].split(".")[:2] if part.isdigit())
    if version < OLDEST_GIT:
        yield _problem("git", f"{text} is older than 2.31", "upgrade git")
    else:
        yield Finding("git", text)


def _writable(memory: Memory) -> Iterator[Finding]:
    directory = home(memory.repository.common_dir)
    place = writable_home(memory.repository.common_dir)
    if place != directory:
        instead = f"derived files go to {place}" if place else "no derived file can be written"
        yield _problem("store", f"{directory} cannot be written; {instead}")


def _layers(memory: Memory) -> Iterator[Finding]:
    for layer in memory.layers:
        try:
            check_usable(layer)
            if not layer.exists:
                continue
            left_out = united(layer).left_out if layer.is_outer else []
            notes = memory.load_layer(layer)
        except GitMemError as error:
            yield _problem(f"layer {layer.name}", error.message, *error.hints)
            continue
        if left_out:
            yield _problem(f"layer {layer.name}", f"{layer.git_dir}: {left_out[0]}")
            continue
        live = sum(folded.note is not None for folded in notes.folded.values())
        yield Finding(f"layer {layer.name}", f"{live} note{'' if live == 1 else 's'}")
        for broken in notes.broken:
            yield _problem(
                f"layer {layer.name}",
                f"broken note: {broken.message}",
                f"other notes are not affected; write it anew with: git mem add --id {broken.id} …",
            )


def _index(memory: Memory) -> Iterator[Finding]:
    for directory in index_homes(memory.repository.common_dir):
        try:
            index = Index(directory)
            rows = len(index.rows())
            for segment in (index.top, index.base):
                if segment is not None:
                    segment.all_postings()  # every block is read, and checked by its sum
            index.close()
        except FileNotFoundError:
            continue
        except (OSError, BadIndex, ValueError) as error:
            yield _problem("index", f"{error}", "rebuild it with: git mem reindex")
            return
        yield Finding("index", f"{rows} row{'' if rows == 1 else 's'} in {directory}")
        return
    yield Finding("index", "none yet; the next use builds it")


def _travel(memory: Memory) -> Iterator[Finding]:
    """Whether notes go along with plain fetch, pull and push."""
    try:
        name = chosen(memory.repository, None).name
    except NoRemote as error:
        yield Finding("remote", f"{error.message}; notes stay in this clone")
        return
    remotes = read_remotes(memory.repository.common_dir, memory.repository.root)
    for spec in filter(overwrites, remotes.fetches(name)):
        yield _problem("remote", f"'git fetch {name}' overwrites your notes, by {spec}")
    if remotes.is_tracked(name):
        yield Finding("remote", f"'git fetch {name}' brings memory")
    else:
        yield Finding("remote", f"'git fetch {name}' brings no memory; to change: git mem init")
    there = are_installed(memory.repository)
    yield Finding("hooks git", "installed" if there else "not installed; to do it: git mem init")


def _hooks(memory: Memory) -> Iterator[Finding]:
    if not memory.config.hook:
        yield _problem(
            "hooks",
            "mem.hook is false, so hooks say nothing",
            "switch them on with: git config --unset mem.hook",
        )
    if os.environ.get(SWITCH, "").lower() in ("0", "off", "false", "no"):
        yield _problem("hooks", f"{SWITCH} switches the hooks off in this environment")
    place = Place(memory.repository.root, os.environ.get("HOME", ""), os.environ)
    found = list(health.examine(place))
    for each in found:
        check = f"hooks {each.agent}".strip()
        yield Finding(check, each.message, each.is_problem, each.hints)
    if not found:
        yield Finding("hooks agents", "none installed; to do it: git mem install claude")


def _log(directory: str | None, check: str) -> Iterator[Finding]:
    """What hooks left in the log since it was last shown; repeated reasons once."""
    if directory is None:
        return
    counted: dict[str, tuple[int, int]] = {}
    for when, reason in errorlog.read(directory):
        counted[reason] = (counted.get(reason, (0, 0))[0] + 1, when)
    for reason, (times, when) in counted.items():
        stamp = datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        often = f", {times} times" if times > 1 else ""
        yield _problem(check, f"a hook had trouble at {stamp}{often}: {reason}")
    if counted:
        errorlog.acknowledge(directory)
