"""`git mem stats`: what was delivered in this clone, and which notes never were."""

import time

import click

from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.memory import Memory
from gitmem.overview import Statistics, statistics

SHOWN = 10


@click.command("stats")
@json_option
def command(*, as_json: bool) -> int:
    """Say what hooks and recall delivered here, which notes never fired, and what it saved.

    Counted on this machine only; nothing of it is ever shared.
    """
    found = statistics(Memory.open(environ=True))
    if as_json:
        output.print_json(_document(found))
    else:
        output.page(_lines(found))
    return 0


def _document(found: Statistics) -> dict[str, object]:
    return {
        "since": _utc(found.usage.since) if found.usage.since else None,
        "deliveries": found.usage.deliveries,
        "events": found.usage.events,
        "sessions": found.usage.sessions,
        "bytes": found.usage.size,
        "dump_bytes": found.dump,
        "notes": [
            {
                "id": note_id,
                "recall_count": found.usage.recalls.get(note_id, (0, 0.0))[0],
                "last_recalled": _utc(found.usage.recalls[note_id][1])
                if note_id in found.usage.recalls
                else None,
            }
            for note_id in found.notes
        ],
        "never_fired": list(found.never_fired),
    }


def _lines(found: Statistics) -> list[str]:
    usage = found.usage
    if not usage.deliveries:
        return [f"nothing was delivered here yet; notes seen here: {len(found.notes)}"]
    notes, events = output.counted(usage.deliveries, "note"), output.counted(usage.events, "event")
    sessions = output.counted(usage.sessions, "session")
    lines = [f"since {_utc(usage.since)[:10]}: {notes} delivered by {events} in {sessions}"]
    dump = _size(found.dump)
    lines += [f"that was {_size(usage.size)}; all notes at the start of each session: {dump}"]
    often = sorted(found.notes, key=lambda name: (-usage.recalls.get(name, (0, 0.0))[0], name))
    often = [name for name in often if name in usage.recalls]
    if often:
        lines += ["", "most often:"]
    for name in often[:SHOWN]:
        count, last = usage.recalls[name]
        lines.append(f"  {count:>5}  {name}, last {_utc(last)[:10]}")
    if found.never_fired:
        lines += ["", f"{output.counted(len(found.never_fired), 'note')} never fired:"]
        lines += [f"  {name}" for name in found.never_fired[:SHOWN]]
        if len(found.never_fired) > SHOWN:
            lines.append(f"  … {len(found.never_fired) - SHOWN} more; see: git mem stats --json")
    return lines


def _size(characters: int) -> str:
    return f"{characters / 1000:.1f} kB" if characters >= 1000 else f"{characters} bytes"


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
