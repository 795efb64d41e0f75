"""From hits to the text that an agent is shown. Hot, for the events that have hits.

What this session has not seen, as much as the budget holds, best first; what was shown is recorded
in the session and in the ledger.
"""

import os
import time

from gitmem.core.event import Event
from gitmem.core.render import DEFAULT_BUDGET, Card, pack
from gitmem.index import ledger, stale
from gitmem.index.bodies import body
from gitmem.index.place import writable_home
from gitmem.index.read import Hit, Index
from gitmem.index.schema import CONFLICT, UNKNOWN, WAITING, Row
from gitmem.index.sessions import Session, drop_old
from gitmem.store.discover import Repository, worktree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.base import Call
    from gitmem.trouble import Trouble


def show(
    hits: "list[Hit]",
    event: Event,
    repository: Repository,
    index: Index,
    trouble: "Trouble",
    call: "Call",
) -> str:
    """The text for the agent, '' where the session has seen all of `hits`.

    Where it stops the call, those that are left out count as shown as well, and there is none where
    nothing can be recorded: else the same call would be stopped again. What is only offered does
    not count as shown.
    """
    once = call.denies
    directory = writable_home(repository.common_dir)
    session = Session(directory, event.session) if event.session and directory else None
    if session is not None:
        seen = session.seen()
        hits = [hit for hit in hits if _key(hit.row) not in seen]
    if not hits:
        return ""
    budget = int(index.header.get("budget") or DEFAULT_BUDGET)
    changed = _stale(hits, index, repository)
    cards, left_out = _cards(hits, repository.common_dir, budget, trouble, changed)
    text, shown = pack(cards, budget, _more(event), left_out)
    if once and session is None:
        return ""
    if directory is None or not shown or call.offers:
        return text
    delivered = [hit for hit in hits if hit.row.id in shown]
    if session is not None:
        try:
            ours = session.claim([_key(hit.row) for hit in (hits if once else delivered)])
        except OSError as error:
            trouble.note(error)
            return "" if once else text
        mine = [hit for hit in delivered if _key(hit.row) in ours]
        if len(mine) < len(delivered):  # a hook that runs beside this one shows the others
            delivered = mine
            shown = [hit.row.id for hit in delivered]
            cards = [card for card in cards if card.id in shown]
            text, _ = pack(cards, budget, _more(event), left_out)
    _record(directory, delivered, cards, event, call.agent, trouble)
    return text


def _record(
    directory: str,
    delivered: "list[Hit]",
    cards: "list[Card]",
    event: Event,
    agent: str,
    trouble: "Trouble",
) -> None:
    sizes = {card.id: len(card.head) + len(card.why) + len(card.body) for card in cards}
    notes = [
        (hit.row.layer, hit.row.id, hit.row.rev, sizes[hit.row.id], why_of(hit))
        for hit in delivered
    ]
    stamp = f"{time.time_ns()}.{os.getpid():x}"
    try:
        if notes:
            ledger.record(directory, stamp, (event.session or "", agent, event.name), notes)
        if event.start:
            drop_old(directory, time.time())
            if ledger.is_full(directory):
                from gitmem.index.usage import put_aside  # once in thousands of deliveries

                put_aside(directory)
    except OSError as error:
        trouble.note(error)


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
