"""What was delivered: when, to whom, which note and why. Hot: only appends, and counts at a tie.

One line for each delivered note; the lines of one delivery share their stamp. Local to this clone,
never shared. Two files: when `ledger` is full it becomes `ledger.old`, whose counts were added to
`uses` before (`usage.py`).
"""

import os

from gitmem.index.place import append_to

LEDGER = "ledger"
OLD = "ledger.old"
USES = "uses"
LIMIT = 500_000
FIELDS = ("stamp", "session", "agent", "event", "layer", "id", "rev", "size", "why")


def record(
    directory: str,
    stamp: str,
    event: "tuple[str, str, str]",
    notes: "list[tuple[str, str, str, int, str]]",
) -> None:
    """Add what one delivery held. OSError.

    `stamp` begins with the nanoseconds since 1970; `event` is (session, agent, the agent's name of
    the event), each of `notes` (layer, id, rev, characters, why).
    """
    head = "\t".join((stamp, *map(_field, event)))
    lines = [
        f"{head}\t{layer}\t#{_field(note_id)}\t{rev}\t{size}\t{_field(why)}\n"
        for layer, note_id, rev, size, why in notes
    ]
    append_to(os.path.join(directory, LEDGER), "".join(lines))


def is_full(directory: str) -> bool:
    """Whether the ledger has grown so much that it should be put aside."""
    try:
        return os.stat(os.path.join(directory, LEDGER)).st_size > LIMIT
    except OSError:
        return False


def count(directory: str, note_ids: "list[str]") -> "dict[str, int]":
    """note id → how often it was delivered in this clone, as far as that is known."""
    found = dict.fromkeys(note_ids, 0)
    for name in (LEDGER, OLD, USES):
        try:
            with open(os.path.join(directory, name), "rb") as file:
                data = file.read()
        except OSError:
            continue
        for note_id in found:
            mark = b"\t#" + note_id.encode("utf-8", "surrogatepass") + b"\t"
            if name != USES:
                found[note_id] += data.count(mark)
            elif (at := data.find(mark)) >= 0:
                number = data[at + len(mark) :].split(b"\t", 1)[0]
                found[note_id] += int(number) if number.isdigit() else 0
    return found


def _field(text: str) -> str:
    """Text as one field of a line."""
    return " ".join(text.split())
