"""What a session starts with, under one budget. Hot, but only once in a session.

In this order: where the work on this branch stands; the `always` and pinned notes, the strongest
first; a line each for the strongest notes about what is being worked on, whose text comes with
their files; one line for what is left out or wants attention. What the agent's rule files say
already is skipped. A resumed session has all that in its context and gets one line.
"""

import os
import time

from gitmem.core.event import Event
from gitmem.core.render import (
    CLOSING,
    DEFAULT_BUDGET,
    HARD_CAP,
    OPENING,
    Card,
    card_text,
    clean,
    clip,
    one_line,
    size,
)
from gitmem.core.said import Said
from gitmem.index.bodies import body
from gitmem.index.freshness import layer_dirs
from gitmem.index.place import writable_home
from gitmem.index.schema import ANCHOR, CONFLICTED, OUTSIDE, Row
from gitmem.index.sessions import Session
from gitmem.index.wording import head_of, why_of
from gitmem.refs import FACTS, LANDED, STATE, TRACKING
from gitmem.showing import key_of, record, short_of
from gitmem.store.discover import Repository, Uncertain, read_refs, read_tip
from gitmem.store.rule_files import rule_files
from gitmem.store.spawn import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.base import Call
    from gitmem.index.read import Hit, Index
    from gitmem.trouble import Trouble

STATE_ROOM = 1000
TAIL_ROOM = 500
LINES = 6  # notes about what is being worked on
LINE_ROOM = 200
RECENT, FEW = 20, 5  # commits of a branch, and of the default one, that count as being worked on
MOST = 200  # files
RULES_ROOM = 200_000
HOOK_FILES = (
    *(".claude/settings.json", ".codex/hooks.json", ".github/hooks/git-mem.json", "AGENTS.md"),
    *(".gemini/settings.json", ".cursor/hooks.json", ".factory/hooks.json"),
)
SECONDS = 0.3  # for each question to git


def opening(
    call: "Call", event: Event, repository: Repository, index: "Index | None", trouble: "Trouble"
) -> str:
    """The text a session starts with; '' for nothing."""
    header = {} if index is None else index.header
    extent = header.get("start") or "full"
    if extent == "off":
        return ""
    if event.start == "resume" or extent == "line":
        return _line(repository, index)
    room = min(int(header.get("budget") or DEFAULT_BUDGET), HARD_CAP)
    room -= size(OPENING + CLOSING) + TAIL_ROOM
    parts: list[str] = []
    state = _state(repository, trouble)
    if state:
        parts.append(f"\n## Where the work stands\n\n{clip(clean(state), STATE_ROOM).rstrip()}\n")
        room -= size(parts[0])
    wants: list[str] = []
    if index is not None:
        room = _ambient(call, event, repository, index, room, parts, wants, trouble)
        _working(repository, index, room, parts, wants)
    wants += _attention(repository, index)
    if wants:
        parts.append(f"\n{one_line('; '.join(wants), TAIL_ROOM - 2)}\n")
    return OPENING + "".join(parts) + CLOSING if parts else ""


def _ambient(
    call: "Call",
    event: Event,
    repository: Repository,
    index: "Index",
    room: int,
    parts: "list[str]",
    wants: "list[str]",
    trouble: "Trouble",
) -> int:
    """Add the notes that every session starts with; what is left of the room.

    All of them whole where they fit, else all of them in a line, which does not count as shown.
    """
    directory = writable_home(repository.common_dir)
    session = Session(directory, event.session) if event.session and directory else None
    seen = session.seen() if session is not None else set()
    said = _said(repository)
    cards: list[tuple[Hit, Card]] = []
    for hit in index.first():
        text = None if key_of(hit.row) in seen else body(hit.row, repository.common_dir)
        if text is not None and not said(text):
            card = Card(hit.row.id, head_of(hit.row), why_of(hit), short_of(hit.row, text))
            cards.append((hit, card))
    if sum(size(card_text(card)) for _, card in cards) > room - LINE_ROOM:
        parts.append(_in_lines(cards, room, wants))
        return room - size(parts[-1])
    if session is not None:
        try:
            ours = session.claim([key_of(hit.row) for hit, _ in cards])
            cards = [item for item in cards if key_of(item[0].row) in ours]
        except OSError as error:
            trouble.note(error)
    if directory is not None:
        hits, shown = [hit for hit, _ in cards], [card for _, card in cards]
        record(directory, hits, shown, event, call.agent, trouble)
    texts = [card_text(card) for _, card in cards]
    parts += texts
    return room - sum(map(size, texts))


def _in_lines(cards: "list[tuple[Hit, Card]]", room: int, wants: "list[str]") -> str:
    """A line for each of the notes, as many as there is room for."""
    text = "\n## Always\n\n"
    share = max(80, (room - LINE_ROOM) // len(cards) - 1)
    for number, (hit, card) in enumerate(cards):
        line = _short(hit.row, card.body, share)
        if size(text + line) > room:
            wants.append(f"{len(cards) - number} more always notes: git mem list")
            break
        text += line
    return text


def _working(
    repository: Repository, index: "Index", room: int, parts: "list[str]", wants: "list[str]"
) -> None:
    """Add a line for each of the strongest notes about what is being worked on."""
    paths = _worked_on(repository)
    if not paths:
        return
    ambient = {hit.row.id for hit in index.first()}
    hits = [hit for hit in index.query(Event(tuple(paths))) if hit.row.id not in ambient]
    hits.sort(key=lambda hit: -hit.row.strength)
    head = "\n## About what is being worked on\n\nThe whole note comes when its file is touched.\n"
    lines: list[str] = []
    for hit in hits[:LINES]:
        text = body(hit.row, repository.common_dir)
        line = "" if text is None else _short(hit.row, text, LINE_ROOM)
        if line and size(head + "".join(lines) + line) <= room:
            lines.append(line)
    if lines:
        parts.append(head + "".join(lines))
    if len(hits) > len(lines):
        wants.append(f"{len(hits) - len(lines)} more notes about files being worked on")


def _short(row: Row, text: str, room: int) -> str:
    """A note in a line: its name and its first paragraph."""
    return "- " + one_line(f"{row.id}: {text.strip().partition(chr(10) * 2)[0]}", room) + "\n"


def _worked_on(repository: Repository) -> "list[str]":
    """The files that differ in the work tree, and those of the newest commits."""
    if repository.root is None:
        return []
    deadline = time.monotonic() + SECONDS
    changed = output(repository, ["status", "--porcelain", "-z", "--no-renames"], deadline) or b""
    paths = [entry[3:] for entry in changed.split(b"\0") if len(entry) > 3]
    log = ["log", "--no-merges", "--name-only", "--format=", "-z", "HEAD"]
    base = [oid for ref, oid in _remote_heads(repository) if ref.endswith(("/main", "/master"))]
    beyond = [f"-{RECENT}", "--not", *base] if base else []
    recent = output(repository, log + beyond, deadline + SECONDS) if base else b""
    if not recent:  # no branch beyond the default one
        recent = output(repository, [*log, f"-{FEW}"], deadline + SECONDS) or b""
    paths += [path.strip(b"\n") for path in recent.split(b"\0")]
    return [os.fsdecode(path) for path in dict.fromkeys(paths) if path][:MOST]


def _remote_heads(repository: Repository) -> "list[tuple[str, str]]":
    """(ref, tip) of the branches of remotes."""
    args = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes"]
    listed = output(repository, args, time.monotonic() + SECONDS) or b""
    lines = os.fsdecode(listed).splitlines()
    return [(ref, oid) for oid, _, ref in (line.partition(" ") for line in lines)]


def _state(repository: Repository, trouble: "Trouble") -> str:
    """Where the work stands, as `git mem state` says it."""
    if not _has(repository, STATE):
        return ""
    from gitmem.errors import GitMemError
    from gitmem.state import session_text  # only where there may be some

    try:
        return session_text(repository, time.monotonic() + 2 * SECONDS)
    except (GitMemError, OSError, TimeoutError) as error:
        trouble.note(error)
        return ""


def _has(repository: Repository, ref: str) -> bool:
    """Whether anything was written or fetched of a ref; yes where only git can say."""
    dirs = layer_dirs(repository.common_dir)
    try:
        own = any(read_tip(path, ref) for path in dirs.values() if os.path.isdir(path))
        return own or bool(_fetched(repository, ref))
    except Uncertain:
        return True


def _fetched(repository: Repository, ref: str) -> "dict[str, str]":
    """Remote → tip of a ref as last fetched. Uncertain."""
    ending = "/" + ref.rpartition("/")[2]
    found = read_refs(repository.common_dir, TRACKING + "/")
    return {
        name[len(TRACKING) + 1 : -len(ending)]: oid
        for name, oid in found.items()
        if name.endswith(ending)
    }


def _said(repository: Repository) -> "Callable[[str], bool]":
    """Whether the agent's rule files say a note already."""
    if repository.root is None:
        return lambda _: False
    return Said(text for _, text in rule_files(repository.root)).has


def _attention(repository: Repository, index: "Index | None") -> "list[str]":
    """What wants somebody's attention."""
    found = []
    if index is not None and (conflicts := len(index.filed(CONFLICTED))):
        found.append(f"{conflicts} in conflict: git mem list --conflicts")
    if index is not None and (stranded := _stranded(repository, index)):
        found.append(f"{stranded} stranded: git mem list --stranded")
    try:
        return found + _incoming(repository, index)
    except Uncertain:
        return found


def _stranded(repository: Repository, index: "Index") -> int:
    """How many notes have an anchor that no branch has any more and that landed nowhere."""
    ids = {commit: note_id for note_id, commit in index.filed(OUTSIDE) if commit}
    for commit in index.lost:
        ids.update((commit, fields[0]) for fields in index.filed(ANCHOR + commit))
    if not ids:
        return 0
    deadline = time.monotonic() + SECONDS
    lines = "".join(f"{commit}\n" for commit in list(ids)[:1000])
    args = ["rev-list", "--ignore-missing", "--stdin", "--not", "--branches", "--remotes"]
    lost = output(repository, args, deadline, lines.encode("ascii", "replace"))
    gone = set((lost or b"").decode("ascii").split()) & set(ids)
    if gone:
        args = ["ls-tree", "-r", "--name-only", LANDED]
        landed = (output(repository, args, deadline + SECONDS) or b"").decode("ascii", "replace")
        gone -= {path.split("/")[1] for path in landed.split() if path.count("/") == 2}
    return len({ids[commit] for commit in gone})


def _incoming(repository: Repository, index: "Index | None") -> "list[str]":
    """What was fetched and not taken in yet, or that nothing was ever fetched. Uncertain."""
    own = read_tip(repository.common_dir, FACTS)
    fetched = _fetched(repository, FACTS)
    found = []
    for remote, tip in fetched.items():
        span = [tip, *([f"^{own}"] if own else [])]
        deadline = time.monotonic() + SECONDS
        if tip != own and output(repository, ["rev-list", "-1", *span], deadline):
            found.append(f"fetched from {remote}, not reviewed: git mem diff --incoming {remote}")
    if not fetched and not own and index is None and _is_of_a_project(repository):
        found.append("this project's memory was never fetched here: git mem init, git mem sync")
    return found


def _is_of_a_project(repository: Repository) -> bool:
    """Whether a clone of a project that has our hooks committed, from some remote."""
    if repository.root is None or not _remote_heads(repository):
        return False
    for name in HOOK_FILES:
        try:
            with open(os.path.join(repository.root, name), "rb") as file:
                if b"git mem " in file.read(RULES_ROOM):
                    return True
        except OSError:
            continue
    return False


def _line(repository: Repository, index: "Index | None") -> str:
    """One line for a session that has the rest in its context."""
    if index is None and not _has(repository, STATE):
        return ""
    return (
        "Notes of this repository go on arriving with the files, commands and errors they are "
        "about. Where the work stands: git mem state"
    )
