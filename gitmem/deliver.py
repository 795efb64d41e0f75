"""From one hook call to the text an agent is shown. Hot: imports what hook.py may.

Repository → event → index → hits; then `showing.py`, and `capture.py` for what a session does
besides. The index is read as it is when it is fresh; a stale one is caught up before the deadline,
else it answers as the last good one.
"""

import os

from gitmem import nested, quick
from gitmem.core.event import Event
from gitmem.index import freshness
from gitmem.index.place import index_homes, unsettled_path, writable_home
from gitmem.index.read import Index, top_name
from gitmem.index.schema import BadIndex
from gitmem.store.discover import Repository, Uncertain, find, read_head, worktree_of
from gitmem.store.outer import data_home
from gitmem.store.worktree import relative_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.base import Call
    from gitmem.index.read import Hit
    from gitmem.trouble import Trouble

RESET = ("clear", "compact")
REBUILD = 1.2  # more seconds for the index where there is no last good one to answer


def deliver(call: "Call", trouble: "Trouble", deadline: float) -> str:
    """What the agent is shown for `call`; '' for nothing. `deadline` is monotonic time."""
    repository = _repository(call.cwd)
    if repository is None:
        return ""
    text = _delivered(call, repository, trouble, deadline)
    if not call.paths:
        return text
    texts = [text]
    for other in nested.inner(call, repository):
        within = _repository(other.cwd)
        if within is not None and within != repository:
            texts.insert(0, _delivered(other, within, trouble, deadline))
    for other in nested.outer(call, repository):
        around = _repository(other.cwd)
        if around is not None:
            texts.append(_delivered(other, around, trouble, deadline))
    return "\n".join(text for text in texts if text)


def _delivered(call: "Call", repository: Repository, trouble: "Trouble", deadline: float) -> str:
    """What one repository has to say."""
    trouble.common_dir = repository.common_dir
    if call.forgets:
        _forget_shown(call, repository.common_dir)
    event = _event(call, repository)
    tells = call.failed is not None or bool(call.session and (call.writes or call.ending))
    if event is None and not tells:
        return ""
    index = _index(repository, event, trouble, deadline)
    if index is not None and index.header.get("hook") == "false":
        return ""
    if event is not None and event.start:
        return _opening(call, event, repository, index, trouble, deadline)
    text = ""
    hits: list[Hit] = []
    if event is not None and index is not None:
        index, hits = _hits(event, index, repository, trouble, deadline)
    if event is not None and index is not None and hits:
        quick.load(quick.HIT)  # most events have no hit
        from gitmem.showing import show

        text = show(hits, event, repository, index, trouble, call)
    if tells:
        from gitmem.capture import hint  # most events tell nothing to keep

        text = text or hint(call, repository, index, bool(hits))
    return text


def _opening(
    call: "Call",
    event: Event,
    repository: Repository,
    index: "Index | None",
    trouble: "Trouble",
    deadline: float,
) -> str:
    """What a session starts with."""
    quick.load(quick.HIT + quick.START)  # once in a session
    from gitmem.opening import opening

    try:
        return opening(call, event, repository, index, trouble)
    except BadIndex as error:
        trouble.note(f"the index was damaged: {error}")
    index = _caught_up(repository, trouble, deadline + REBUILD, rebuild=True)
    return opening(call, event, repository, index, trouble)


def _hits(
    event: Event, index: Index, repository: Repository, trouble: "Trouble", deadline: float
) -> "tuple[Index | None, list[Hit]]":
    """What the event reaches, and the index that says so: a damaged one is made anew."""
    try:
        return index, index.query(event)
    except BadIndex as error:
        trouble.note(f"the index was damaged: {error}")
    made = _caught_up(repository, trouble, deadline + REBUILD, rebuild=True)
    if made is None:
        return None, []
    return made, made.query(event)


def _repository(cwd: str) -> "Repository | None":
    try:
        return find(cwd)
    except Uncertain:
        _allow_packages()
        from gitmem.store import ask

        return ask.find(cwd)


def _event(call: "Call", repository: Repository) -> "Event | None":
    """The call as an event; None when nothing can answer it."""
    if call.start:
        if call.start in RESET:
            _forget_shown(call, repository.common_dir)
        return Event(start=call.start, session=call.session, name=call.event)
    paths: list[str] = []
    for given in call.paths:
        paths += relative_paths(given, call.cwd, repository)
    if call.commands or call.errors or call.prompts:
        quick.load(quick.WORDS)
    commands = tuple(map(_without_heredocs, call.commands))
    for command in commands:
        paths += _named_files(command, call.cwd, repository)
    event = Event(
        tuple(dict.fromkeys(paths)),
        commands,
        tuple(call.errors),
        tuple(call.prompts),
        delivers=call.delivers,
        session=call.session,
        name=call.event,
    )
    said = (event.paths, event.commands, event.errors, event.prompts)
    kinds = ("paths", "commands", "errors", "prompts")
    is_empty = not any(
        values for kind, values in zip(kinds, said, strict=True) if kind in event.delivers
    )
    return None if is_empty else event


def _forget_shown(call: "Call", common_dir: str) -> None:
    """The context of the session is empty again: what it was shown is gone from it."""
    directory = writable_home(common_dir)
    if not directory or not call.session:
        return
    from gitmem.index.sessions import Session  # only for hits, and here

    try:
        Session(directory, call.session).clear()
    except OSError:
        pass  # nothing can be recorded here, so nothing was


def _without_heredocs(command: str) -> str:
    if "<<" not in command:
        return command
    from gitmem.core.text import without_heredocs  # few commands have one

    return without_heredocs(command)


def _named_files(command: str, cwd: str, repository: Repository) -> "list[str]":
    """The files of the work tree that a shell command names."""
    from gitmem.core import shell  # most events have no command

    where = [cwd, *(os.path.join(cwd, name) for name in shell.directories(command)[:3])]
    found: list[str] = []
    for word in shell.words(command):
        for name in [word, *shell.parts(word)]:
            there = [place for place in where if _is_file(os.path.join(place, name))]
            for place in there:
                found += relative_paths(name, place, repository)
            if there:
                break
    return found


def _is_file(path: str) -> bool:
    return len(path) < 4000 and "\0" not in path and os.path.isfile(path)


# --- the index ----------------------------------------------------------------------------------


def _index(
    repository: Repository, event: "Event | None", trouble: "Trouble", deadline: float
) -> "Index | None":
    """The index, fresh where that can be had in time; None when there are no notes."""
    now = _tips(repository, trouble)
    head = _head(repository)
    stamp = freshness.config_stamp(repository)
    top = top_name(worktree_of(repository))
    good = None
    is_damaged = False
    for directory in index_homes(repository.common_dir):
        try:
            index = Index(directory, top)
        except FileNotFoundError:
            continue
        except (OSError, BadIndex, ValueError) as error:
            is_damaged = True
            trouble.note(f"the index was damaged: {error}")
            continue
        is_current = now is not None and freshness.speaks_for(index.header, now, stamp)
        if os.path.exists(unsettled_path(directory, worktree_of(repository))):
            is_current = False
        if index.header.get("head") != freshness.head_text(head):
            path = os.path.join(directory, top) if is_current else ""
            is_current = _follows(repository, index, path, head, deadline)
        if is_current:
            return index
        good = good or index
    is_empty = good is None and not is_damaged and now is not None and not any(now.values())
    if is_empty and not _has_outer(repository, trouble):
        return None
    if good is not None:
        return _caught_up(repository, trouble, deadline) or good
    if event is None:
        return None
    deadline += REBUILD
    return _provisional(repository, event, deadline) or _caught_up(repository, trouble, deadline)


def _has_outer(repository: Repository, trouble: "Trouble") -> bool:
    """Whether notes from outside reach a project that has no memory of its own."""
    if not os.path.isdir(data_home()):
        return False  # this person has none
    _allow_packages()
    from gitmem.errors import GitMemError
    from gitmem.index.refresh import has_outer

    try:
        return has_outer(repository)
    except (GitMemError, OSError) as error:
        trouble.note(error)
        return False


def _follows(
    repository: Repository, index: Index, path: str, head: "str | None", deadline: float
) -> bool:
    from gitmem.index.moved import follow  # only where HEAD moved

    try:
        return follow(repository, index, path, head, deadline)
    except (OSError, ValueError):
        index.doubtful = None
        return False  # then it is brought up to date


def _head(repository: Repository) -> "str | None":
    try:
        return read_head(repository)[1]
    except Uncertain:
        _allow_packages()
    from gitmem.store import ask

    return ask.read_head(repository)[1]


def _tips(repository: Repository, trouble: "Trouble") -> "dict[str, str] | None":
    """The tip of each layer; None when one cannot be read, which must not silence the others."""
    try:
        return freshness.tips(repository.common_dir)
    except Uncertain:
        _allow_packages()
    from gitmem.errors import GitMemError

    try:
        return freshness.ask_tips(repository.common_dir)
    except GitMemError as error:
        trouble.note(error)
        return None


def _caught_up(
    repository: Repository, trouble: "Trouble", deadline: float, *, rebuild: bool = False
) -> "Index | None":
    _allow_packages()
    from gitmem.errors import GitMemError
    from gitmem.index.refresh import refresh, refresh_later
    from gitmem.index.write import TooLate

    try:
        return refresh(repository, deadline=deadline, rebuild=rebuild)
    except TooLate:
        refresh_later(repository)
        trouble.note("the index could not be caught up in time")
    except (GitMemError, OSError, BadIndex) as error:
        trouble.note(error)
    return None


def _provisional(repository: Repository, event: Event, deadline: float) -> "Index | None":
    """What answers in place of an index that takes long to make; that is left to a process behind.

    None where it does not take long, or where this took too long as well.
    """
    _allow_packages()
    from gitmem.errors import GitMemError
    from gitmem.index.refresh import provisional, refresh_later
    from gitmem.index.write import TooLate

    try:
        index = provisional(repository, event, deadline)
    except (GitMemError, OSError, BadIndex, TooLate):
        return None
    if index is not None:
        refresh_later(repository)
    return index


def _allow_packages() -> None:
    """Let a process started with -S import what is installed: the slow path may need YAML."""
    import sys

    if "site" not in sys.modules:
        import site

        site.main()
