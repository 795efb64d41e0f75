"""Show a note from its revisions: what they come to here, one of them, or all."""

from gitmem.cli import note_output, output
from gitmem.codec import encode
from gitmem.core.ids import id_key
from gitmem.core.merge import Graph
from gitmem.core.note import Note, Revision
from gitmem.explain import not_here
from gitmem.memory import Memory
from gitmem.naming import UnknownNote


def show(memory: Memory, name: str, *, raw: bool, as_json: bool) -> None:
    """The note called `name`, and what is odd about it."""
    shown = memory.note(name)
    if as_json:
        output.print_json(note_output.shown_json(shown))
        return
    if shown.folded.is_conflict:
        output.warn(f"note {shown.note.id} is in conflict: its sides are shown merged")
        output.hint(f"settle it with: git mem edit {shown.note.id}")
    if not shown.is_visible:
        output.warn(f"note {shown.note.id} is {not_here(shown)} and not seen here")
    note = shown.folded.note  # of the nearest layer alone; merged when it is in conflict
    assert note is not None
    if raw and not shown.folded.is_conflict:
        _print_raw(memory, note.id, shown.folded.revision or "")
    else:
        _print_note(note)


def _print_note(note: Note) -> None:
    output.page(encode(note).decode().splitlines())


def _print_raw(memory: Memory, note_id: str, rev: str) -> None:
    data = next(
        notes.sources[rev][1] for notes in memory.load([id_key(note_id)]) if rev in notes.sources
    )
    output.write(data)


def show_one(memory: Memory, name: str, rev: str, *, raw: bool, as_json: bool) -> None:
    """One revision, by the start of its name. UnknownNote."""
    layer, folded = memory.held(name, forgotten=None)
    found = [item for key, item in folded.graph.revisions.items() if key.startswith(rev)]
    if len(found) != 1 or found[0].note is None:
        raise UnknownNote(
            f"note '{name}' has no revision '{rev}'", f"see: git mem show {name} --history"
        )
    note = found[0].note
    if as_json:
        output.print_json(note_output.note_json(note, layer=layer, revision=found[0].rev))
    elif raw:
        _print_raw(memory, folded.id, found[0].rev)
    else:
        _print_note(note)


def show_history(memory: Memory, name: str, *, as_json: bool) -> None:
    """A line for each revision, newest first."""
    layer, folded = memory.held(name, forgotten=None)
    graph = folded.graph
    revisions = [graph.revisions[rev] for rev in _newest_first(graph)]
    if as_json:
        entries = [_entry(layer, revision) for revision in revisions]
        output.print_json({"id": folded.id, "revisions": entries})
        return
    for revision in revisions:
        note = revision.note
        if note is None:
            output.say(f"{revision.rev[:10]} purged")
            continue
        said = f"forgotten: {note.reason or 'no reason given'}" if note.forgotten else ""
        output.say(
            f"{revision.rev[:10]} {note.written or '-'} {note.author or '-'}: "
            f"{said or output.summary(note.body)}"
        )


def _newest_first(graph: Graph) -> list[str]:
    """By date, but never below what it replaces: several revisions may be of one second."""
    dates = {rev: (item.note and item.note.written) or "" for rev, item in graph.revisions.items()}

    def age(rev: str) -> tuple[str, int, str]:
        past = graph.past(rev)
        return max(dates[before] for before in past), len(past), rev

    return sorted(graph.revisions, key=age, reverse=True)


def _entry(layer: str, revision: Revision) -> dict[str, object]:
    if revision.note is None:
        return {"revision": revision.rev, "op": "purged", "replaces": list(revision.replaces)}
    note = note_output.note_json(revision.note, layer=layer, revision=revision.rev)
    op = "forget" if revision.forgotten else "edit" if revision.replaces else "add"
    return {**note, "op": op, "reason": revision.note.reason, "replaces": list(revision.replaces)}
