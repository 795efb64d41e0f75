"""From one hook call to the text an agent is shown. Hot: imports what hook.py may.

Repository → index → hits → what this session has not seen → as much as the budget holds. The index
is read as it is when it is fresh; a stale one is caught up before the deadline, else it answers as
the last good one.
"""

import os
import time

from gitmem.core.event import Event
from gitmem.core.render import DEFAULT_BUDGET, Card, pack
from gitmem.core.text import without_heredocs
from gitmem.index import freshness
from gitmem.index.bodies import body
from gitmem.index.place import index_homes, writable_home
from gitmem.index.read import Hit, Index, top_name
from gitmem.index.schema import CONFLICT, UNKNOWN, WAITING, BadIndex, Row
from gitmem.index.sessions import Session, drop_old
from gitmem.store.discover import Repository, Uncertain, find, read_head, worktree_of
from gitmem.store.worktree import relative_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.base import Call
    from gitmem.trouble import Trouble

RESET = ("clear", "compact")
REBUILD = 0.5  # more seconds for the index where there is no last good one to answer


def deliver(call: "Call", trouble: "Trouble", deadline: float) -> str:
    """What the agent is shown for `call`; '' for nothing. `deadline` is monotonic time."""
    repository = _repository(call.cwd)
    if repository is None:
        return ""
    trouble.common_dir = repository.common_dir
    event = _event(call, repository)
    if event is None:
        return ""
    index = _index(repository, trouble, deadline)
    if index is None or index.header.get("hook") == "false":
        return ""
    try:
        hits = index.always() if event.start else index.query(event)
    except BadIndex as error:
        trouble.note(f"the index was damaged: {error}")
        index = _caught_up(repository, trouble, deadline + REBUILD, rebuild=True)
        if index is None:
            return ""
        hits = index.always() if event.start else index.query(event)
    return _show(hits, event, repository, index, trouble)


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
        if call.start in RESET and call.session:
            directory = writable_home(repository.common_dir)
            if directory:
                _clear(Session(directory, call.session))
        if call.start == "resume":
            return None
        return Event(start=call.start, session=call.session, name=call.event)
    paths: list[str] = []
    for given in call.paths:
        paths += relative_paths(given, call.cwd, repository)
    commands = tuple(without_heredocs(command) for command in call.commands)
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


def _clear(session: Session) -> None:
    try:
        session.clear()
    except OSError:
        pass  # nothing can be recorded here, so nothing was


def _named_files(command: str, cwd: str, repository: Repository) -> "list[str]":
    """The files of the work tree that a shell command names."""
    found: list[str] = []
    for word in _shell_words(command):
        if word.startswith("-"):
            word = word.partition("=")[2]
        if ("/" not in word and "." not in word) or len(word) > 4000:
            continue
        if os.path.isfile(os.path.join(cwd, word)):
            found += relative_paths(word, cwd, repository)
    return found


def _shell_words(command: str) -> "list[str]":
    for mark in ";|&<>()\n\t=,'\"`":
        command = command.replace(mark, " ")
    return list(dict.fromkeys(command.split(" ")))[:500]


# --- the index ----------------------------------------------------------------------------------


def _index(repository: Repository, trouble: "Trouble", deadline: float) -> "Index | None":
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
        if index.header.get("head") != freshness.head_text(head):
            path = os.path.join(directory, top) if is_current else ""
            is_current = _follows(repository, index, path, head, deadline)
        if is_current:
            return index
        good = good or index
    if good is None and not is_damaged and now is not None and not any(now.values()):
        return None
    if good is None:
        deadline += REBUILD
    return _caught_up(repository, trouble, deadline) or good


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


def _allow_packages() -> None:
    """Let a process started with -S import what is installed: the slow path may need YAML."""
    import sys

    if "site" not in sys.modules:
        import site

        site.main()


# --- what is shown ------------------------------------------------------------------------------


def _show(
    hits: "list[Hit]", event: Event, repository: Repository, index: Index, trouble: "Trouble"
) -> str:
    if not hits:
        return ""
    directory = writable_home(repository.common_dir)
    session = Session(directory, event.session) if event.session and directory else None
    if session is not None:
        seen = session.seen()
        hits = [hit for hit in hits if _key(hit.row) not in seen]
    budget = int(index.header.get("budget") or DEFAULT_BUDGET)
    changed = _stale(hits, index, repository)
    cards, left_out = _cards(hits, repository.common_dir, budget, trouble, changed)
    text, shown = pack(cards, budget, _more(event), left_out)
    if session is None or not shown:
        return text
    if event.start and directory:
        drop_old(directory, time.time())
    try:
        ours = session.claim([_key(hit.row) for hit in hits if hit.row.id in shown])
    except OSError as error:
        trouble.note(error)
        return text
    if len(ours) == len(shown):
        return text
    keep = {hit.row.id for hit in hits if _key(hit.row) in ours}
    return pack([card for card in cards if card.id in keep], budget, _more(event), left_out)[0]


def _cards(
    hits: "list[Hit]",
    common_dir: str,
    budget: int,
    trouble: "Trouble",
    changed: "dict[str, str]",
) -> "tuple[list[Card], int]":
    """Cards of as many hits as could fit, and how many hits were left without one."""
    cards: list[Card] = []
    used = 0
    for number, hit in enumerate(hits):
        if used > budget:
            return cards, len(hits) - number
        text = body(hit.row, common_dir)
        if text is None:
            trouble.note(f"the text of note {hit.row.id} cannot be read")
            continue
        head = head_of(hit.row, changed.get(hit.row.rev, ""))
        cards.append(Card(hit.row.id, head, why_of(hit), text))
        used += len(text)
    return cards, 0


def _key(row: Row) -> str:
    """What a session remembers of a note: this revision of it."""
    return row.rev or row.id


def _stale(hits: "list[Hit]", index: Index, repository: Repository) -> "dict[str, str]":
    """rev → that the files of a hit changed since it was true, where that is known."""
    from gitmem.index import stale  # only where there is a hit

    try:
        path = stale.path_of(index.directory, worktree_of(repository))
        found = stale.counts(path, [hit.row.rev for hit in hits])
    except OSError:
        return {}
    return {rev: stale.said(count) for rev, count in found.items()}


def head_of(row: Row, stale: str = "") -> str:
    """`id (kind, verified 2026-08-23, local; Ann, 2026-08-23)`."""
    facts = [row.kind]
    if row.confidence:
        facts.append(f"{row.confidence} {row.verified}".strip())
    elif row.verified:
        facts.append(f"verified {row.verified}")
    facts.append(f"{row.layer} note")
    if row.flags & CONFLICT:
        facts.append("conflict: both sides shown")
    if row.flags & UNKNOWN:
        facts.append("may not apply here")
    if row.flags & WAITING:
        facts.append("about work not committed yet")
    if stale:
        facts.append(stale)
    name = row.author.partition(" <")[0]
    source = ", ".join(text for text in (f"by {name}" if name else "", row.written[:10]) if text)
    return f"{row.id} ({', '.join(facts)}{'; ' if source else ''}{source})"


def why_of(hit: Hit) -> str:
    """One line that says which value matched which trigger."""
    reasons = []
    for kind, value, trigger in hit.matched[:3]:
        value = " ".join(value.split())
        value = value if len(value) <= 100 else value[:99] + "…"
        if kind == "always":
            reasons.append("always shown at session start")
        elif kind in ("prompts", "entity"):
            reasons.append(f"the prompt names '{trigger}'")
        else:
            reasons.append(f"{kind[:-1]} '{value}' matches '{trigger}'")
    return "Why: " + "; ".join(reasons)


def _more(event: Event) -> str:
    """The command that shows all notes of the event."""
    if event.start:
        return "git mem list"
    for option, values in (
        ("path", event.paths),
        ("command", event.commands),
        ("error", event.errors),
        ("prompt", event.prompts),
    ):
        if values and (option != "command" or len(values[0]) < 200):
            value = values[0] if len(values[0]) <= 80 else values[0][:80]
            return f"git mem recall --{option} {_quoted(value)}"
    return "git mem list"


def _quoted(value: str) -> str:
    plain = value.replace("_", "").replace("-", "").replace("/", "").replace(".", "").isalnum()
    return value if plain else "'" + value.replace("'", "'\\''").replace("\n", " ") + "'"
