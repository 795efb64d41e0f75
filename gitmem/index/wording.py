"""What is said of a hit: its head, why it came, how to get the rest. Hot."""

from gitmem.core.event import Event
from gitmem.index.read import Hit
from gitmem.index.schema import CONFLICT, UNKNOWN, WAITING, Row


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
        if kind in ("always", "pinned"):
            reasons.append(f"{kind} shown at session start")
        elif kind in ("prompts", "entity"):
            reasons.append(f"the prompt names '{trigger}'")
        else:
            reasons.append(f"{kind[:-1]} '{value}' matches '{trigger}'")
    return "Why: " + "; ".join(reasons)


def more_of(event: Event) -> str:
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
