"""What commands print: text in git's manner, or one JSON document."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitmem.core.note import DEFAULT_KIND, DEFAULT_STRENGTH, TRIGGER_KINDS, Anchor, Note
from gitmem.core.view import Shown
from gitmem.explain import not_here
from gitmem.index.read import Hit

VERSION = 1
BOLD, YELLOW, DIM, RESET = "\x1b[1m", "\x1b[33m", "\x1b[2m", "\x1b[m"


_found_encodings: dict[str, str] = {}


def use_utf8() -> None:
    """Text is UTF-8 whatever the locale says, as git's is."""
    for name, stream in (("stdin", sys.stdin), ("stdout", sys.stdout), ("stderr", sys.stderr)):
        if hasattr(stream, "reconfigure"):
            _found_encodings.setdefault(name, stream.encoding)
            stream.reconfigure(encoding="utf-8", errors="replace")


def encodings() -> dict[str, str]:
    """What the standard streams were set to before `use_utf8`."""
    return dict(_found_encodings)


def say(text: str = "") -> None:
    sys.stdout.write(text + "\n")


def warn(text: str) -> None:
    sys.stderr.write(f"warning: {text}\n")


def error(text: str) -> None:
    sys.stderr.write(f"error: {text}\n")


def hint(text: str) -> None:
    sys.stderr.write(f"hint: {text}\n")


def counted(number: int, what: str) -> str:
    """`1 note`, `2 notes`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def print_json(document: Mapping[str, Any]) -> None:
    """One document, `version` first."""
    say(json.dumps({"version": VERSION, **document}, indent=2, ensure_ascii=False))


def is_terminal() -> bool:
    return sys.stdout.isatty()


def has_colour() -> bool:
    """As git decides for `color.ui`: only on a terminal, and never with NO_COLOR."""
    if not is_terminal() or os.environ.get("NO_COLOR"):
        return False
    code = subprocess.run(
        ["git", "config", "--get-colorbool", "color.ui", "true"], capture_output=True, text=True
    )
    return code.stdout.strip() == "true"


def page(lines: Iterable[str], *, live: bool = False) -> None:
    """Print lines, through git's pager when stdout is a terminal; `live`: each at once."""
    pager = _pager() if is_terminal() else ""
    if not pager:
        for line in lines:
            say(line)
            if live:
                sys.stdout.flush()
        return
    env = {"LESS": "FRX", "LV": "-c", **os.environ}
    child = subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=env)
    assert child.stdin is not None
    try:
        for line in lines:
            child.stdin.write((line + "\n").encode("utf-8", "replace"))
            if live:
                child.stdin.flush()
    except BrokenPipeError:
        pass
    finally:
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
        child.wait()


def _pager() -> str:
    found = subprocess.run(["git", "var", "GIT_PAGER"], capture_output=True, text=True)
    pager = found.stdout.strip()
    return "" if pager == "cat" else pager


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


def summary(note: Note, width: int = 60) -> str:
    """The first line of the text, cut to `width`."""
    text = next((line.strip() for line in note.body.splitlines() if line.strip()), "")
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
