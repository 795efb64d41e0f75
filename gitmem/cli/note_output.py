"""What commands say of a note: its fields as JSON, its triggers, what is odd about it."""

from collections.abc import Sequence
from typing import Any

from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH, TRIGGER_KINDS, Anchor, Note
from gitmem.core.view import Shown
from gitmem.explain import not_here
from gitmem.index.read import Hit


def note_json(
    note: Note,
    *,
    layer: str,
    revision: str | None,
    conflict: bool = False,
    visible: bool = True,
    anchor: Anchor | None = None,
) -> dict[str, Any]:
    """A note as the JSON contract has it. Defaults that the note leaves out are filled in; `anchor`
    is that of the revision, where the note is merged from several."""
    anchor = anchor or note.anchor
    return {
        "id": note.id,
        "namespace": "facts",
        "layer": layer,
        "kind": note.kind or DEFAULT_KIND,
        "body": note.body,
        "triggers": {
            "always": note.triggers.always,
            **{kind: list(getattr(note.triggers, kind)) for kind in TRIGGER_KINDS},
        },
        "confidence": note.confidence,
        "verified": note.verified,
        "strength": note.strength or DEFAULT_STRENGTH,
        "tags": list(note.tags),
        "entity": note.entity,
        "aliases": list(note.aliases),
        "pinned": note.pinned,
        "links": list(note.links),
        "supersedes": list(note.supersedes),
        "created": note.created,
        "written": note.written,
        "author": note.author,
        "anchor": anchor.commit if anchor else None,
        "branch": anchor.branch if anchor else None,
        "revision": revision,
        "conflict": conflict,
        "pending": bool(anchor and anchor.pending),
        "visible": visible,
    }


def shown_json(shown: Shown) -> dict[str, Any]:
    return {
        **note_json(
            shown.note,
            layer=shown.layer,
            revision=shown.folded.revision,
            conflict=shown.folded.is_conflict,
            visible=shown.is_visible,
            anchor=shown.folded.live[-1].anchor if shown.folded.live else None,
        ),
        "layers": list(shown.layers),
    }


def marks(shown: Shown) -> str:
    """What has to be said of a note beside its text: ` (conflict)`, ` (on feature/x)`, …"""
    said = ["conflict"] if shown.folded.is_conflict else []
    if not shown.is_visible:
        said.append(not_here(shown))
    elif shown.folded.is_pending:
        said.append("pending")
    if shown.folded.is_unknown:
        said.append("may not apply here")
    return f" ({', '.join(said)})" if said else ""


def hit_json(shown: Shown, hit: Hit) -> dict[str, Any]:
    reasons = [
        {"kind": kind, "value": value, "trigger": trigger} for kind, value, trigger in hit.matched
    ]
    return {**shown_json(shown), "matched": reasons, "score": hit.score}


def trigger_lines(note: Note, derived: Sequence[str] = ()) -> list[str]:
    """One line for each kind of trigger, derived ones marked."""
    lines = ["  always: at the start of every session"] if note.triggers.always else []
    for kind in TRIGGER_KINDS:
        values = getattr(note.triggers, kind)
        given = [value for value in values if kind != "paths" or value not in derived]
        if given:
            lines.append(f"  {kind}: {', '.join(given)}")
    if derived:
        lines.append(f"  paths: {', '.join(derived)} (derived from the text)")
    if note.names:
        lines.append(f"  entity: {', '.join(note.names)}")
    return lines
