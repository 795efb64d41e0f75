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
from gitmem.index.schema import Row
from gitmem.index.sessions import Session, drop_old
from gitmem.index.wording import head_of, more_of, why_of
from gitmem.store.discover import Repository, worktree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.base import Call
    from gitmem.trouble import Trouble


MOST_FOR_A_PROMPT = 3


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
    if event.prompts:
        hits = hits[:MOST_FOR_A_PROMPT]
    directory = writable_home(repository.common_dir)
    session = Session(directory, event.session) if event.session and directory else None
    if session is not None:
        seen = session.seen()
        hits = [hit for hit in hits if key_of(hit.row) not in seen]
    if not hits:
        return ""
    budget = int(index.header.get("budget") or DEFAULT_BUDGET)
    changed = _stale(hits, index, repository)
    cards, left_out = _cards(hits, repository.common_dir, budget, trouble, changed)
    text, shown = pack(cards, budget, more_of(event), left_out)
    if once and session is None:
        return ""
    if directory is None or not shown or call.offers:
        return text
    delivered = [hit for hit in hits if hit.row.id in shown]
    if session is not None:
        try:
            ours = session.claim([key_of(hit.row) for hit in (hits if once else delivered)])
        except OSError as error:
            trouble.note(error)
            return "" if once else text
        mine = [hit for hit in delivered if key_of(hit.row) in ours]
        if len(mine) < len(delivered):  # a hook that runs beside this one shows the others
            delivered = mine
            shown = [hit.row.id for hit in delivered]
            cards = [card for card in cards if card.id in shown]
            text, _ = pack(cards, budget, more_of(event), left_out)
    record(directory, delivered, cards, event, call.agent, trouble)
    return text


def record(
    directory: str,
    delivered: "list[Hit]",
    cards: "list[Card]",
    event: Event,
    agent: str,
    trouble: "Trouble",
) -> None:
    """Write to the ledger what was delivered, and now and then put old records away."""
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
        cards.append(Card(hit.row.id, head, why_of(hit), short_of(hit.row, text)))
        used += len(text)
    return cards, 0


def short_of(row: Row, text: str) -> str:
    """What an agent is shown of a note's text: of a decision what was decided and why, the story
    of it is for those who ask."""
    first, _, rest = text.strip().partition("\n\n")
    if row.kind != "decision" or not rest.strip():
        return text
    return f"{first}\n\n[the whole decision: git mem show {row.id}]"


def key_of(row: Row) -> str:
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
