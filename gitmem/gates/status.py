"""Refuse the state of the work where facts go: tomorrow it is wrong, and nothing says so.

A note is read by the sentence; a sentence is status when it has one of the forms in
`status_forms.py`. Only English is known. What is in a fence, in code ticks or in quotes is talked
about and not said. Pure, and quick: a note in which none of the forms' words stands costs a look.
"""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from gitmem.core.prose import HEADING, ITEM, Sentence, sentences
from gitmem.errors import GitMemError
from gitmem.gates import secrets
from gitmem.gates.status_forms import BLOCKER, FOCUS, FORMS, NEXT, TODO, Form

MAX_TEXT = 160  # characters of a proposed item
MAX_EXCERPT = 72
MAX_HINTS = 3
REACH = 60  # characters from where a sentence or a part begins, in which an opening word stands
COMMANDS = {
    NEXT: "git mem state set next",
    FOCUS: "git mem state set focus",
    BLOCKER: "git mem state set blocker",
    TODO: "git mem todo add",
}
# What makes a sentence general: it then says how things are and not where they stand.
_GENERAL = (
    r"\b(?:if|when(?:ever)?|while|until|unless|once|whether|as (?:long|soon) as|in case|where|that"
    r"|which|who|you|because|since|so that|due to|every|each|any|must|should|shall|never|always"
    r"|do not|don['’]t|cannot|can|can['’]t|may|might|would|could|e\.g|for example|mark(?:s|ed)?"
    r"|returns?|throws?|raises?|prints?|shows?|logs?|says?|means?|requires?|by design)\b"
)
_OPENING = (
    r"(?:(?:as of|since|on) [^,:;]{1,30}[,:]|\[?\d{4}-\d\d-\d\d\]?[:,]?|(?:today|so far|for now"
    r"|right now|at the moment|as of now|update|note|reminder|fyi|also|and|but|then)\b[,:]?)\s*"
)
_PART = r"[;:,]\s+(?:and |but |then )?|\s[-–—]\s+|\s(?:and|but)\s+"
_MARKS = r"\*+|(?<!\w)_+|_+(?!\w)|~~"
_ASIDE = r"`+[^`]*`+|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)"
_WHY = "**why"


class Status(NamedTuple):
    """One finding: the part of the state it belongs to, its 1-based line, the sentence as it
    stands there, and what remains to be said of it in that place."""

    place: str
    line: int
    sentence: str
    text: str

    @property
    def command(self) -> str:
        """What to type to keep it."""
        ends_options = "-- " if self.text.startswith("-") else ""
        return f"{COMMANDS[self.place]} {ends_options}{_quoted(self.text)}"


class StatusRefused(GitMemError):
    """A note says where the work stands. `findings` are what says so; `what` names the note."""

    kind = "refused"

    def __init__(self, what: str, line: int, findings: list[Status]) -> None:
        said = _shortened(findings[0].sentence, MAX_EXCERPT)
        super().__init__(
            f"{what}:{line}: this is where the work stands and no lasting fact: {said}",
            *(f"keep it with: {command}" for command in _commands(findings)[:MAX_HINTS]),
        )
        self.findings = tuple(findings)


def check(body: str, kind: str | None, what: str, source: str = "") -> None:
    """Raise StatusRefused where `body` says where the work stands.

    `source` is what was typed, `what` its name: the message counts lines there.
    """
    found = find(body, kind)
    if found and not secrets.find(body):  # which refuses it as well, and repeats none of it
        at = source.find(body.strip()[:40])
        offset = source.count("\n", 0, at) if at > 0 else 0
        raise StatusRefused(what, found[0].line + offset, found)


def find(body: str, kind: str | None = None) -> list[Status]:
    """What `body` says of the state of the work, in its order.

    A task summary may say what was reached; a decision, after its first paragraph, how things were
    when it was made; and friction is about what is missing or in the way.
    """
    lowered = body.lower()
    forms = [form for form in FORMS if any(word in lowered for word in form.words)]
    if kind == "task_summary":
        forms = [form for form in forms if not form.tells_done]
    if kind == "friction":
        forms = [form for form in forms if form.place in (NEXT, FOCUS) and not form.loose]
    if kind == "decision":
        body = body.strip().partition("\n\n")[0]
    return [found for item in _said(body) if (found := _judged(item, forms))] if forms else []


def _commands(findings: list[Status]) -> list[str]:
    """What to type, in order: a branch has any number of blockers and items, but one next step."""
    found: dict[str, str] = {}
    for item in findings:
        key = item.place if item.place in (FOCUS, NEXT) else item.command
        found.setdefault(key, item.command)
    return list(found.values())


def _said(body: str) -> Iterator[Sentence]:
    """The sentences that tell a fact. What introduces others stands before each of them."""
    lead: Sentence | None = None
    why = -1
    for item in sentences(body):
        if item.text.lower().startswith(_WHY):
            why = item.block  # it tells what was, and may
        if item.block == why:
            continue
        if item.kind == HEADING or item.text.rstrip("*_ ").endswith(":"):
            lead = item
        elif lead is None:
            yield item
        else:
            colon = "" if lead.text.rstrip("*_ ").endswith(":") else ":"
            yield Sentence(item.line, item.block, item.kind, f"{lead.text}{colon} {item.text}")
            lead = lead if item.kind == ITEM else None


def _judged(item: Sentence, forms: list[Form]) -> Status | None:
    plain, places = _plain(item.text)
    lowered = plain.lower()
    begins = _beginnings(plain)
    for form in forms:
        for begin in begins if form.opens else [0]:
            reach = lowered[begin : begin + REACH] if form.opens else lowered
            if not any(word in reach for word in form.words):
                continue
            match = form.pattern.match if form.opens else form.pattern.search
            found = match(plain, begin)
            if found is None or (
                (form.loose or begin > begins[0]) and re.search(_GENERAL, plain, re.IGNORECASE)
            ):
                continue
            return Status(form.place, item.line, item.text, _item(item.text, places, found))
    return None


def _beginnings(plain: str) -> list[int]:
    """Where a sentence begins, after the date or word it opens with, and where its parts do."""
    start = 0
    while opening := re.compile(_OPENING, re.IGNORECASE).match(plain, start):
        start = opening.end()
    return [start, *(found.end() for found in re.compile(_PART).finditer(plain, start))] + (
        [0] if start else []
    )


def _plain(text: str) -> tuple[str, list[int]]:
    """`text` without marks, with `§` for each aside; and where each character of it stands."""
    masked = re.sub(_ASIDE, lambda found: "§" + "\0" * (len(found[0]) - 1), text)
    masked = re.sub(_MARKS, lambda found: "\0" * len(found[0]), masked)
    kept = [(char, at) for at, char in enumerate(masked) if char != "\0"]
    while kept and not (kept[0][0].isalnum() or kept[0][0] in "@#([§"):
        kept.pop(0)
    return "".join(char for char, _ in kept), [at for _, at in kept]


def _item(text: str, places: list[int], found: re.Match[str]) -> str:
    """What a sentence says of the work, as an item of the state: no marks around it, no period."""
    groups = found.groupdict()
    start = places[found.start("text")] if groups.get("text") else 0
    end = places[found.start("end")] if groups.get("end") else len(text)
    if not start and text.startswith("**"):
        text = text.replace("**", "  ", 2)  # a label in bold; the places stay
    item = text[start:end].strip("*_ ").lstrip(":>[]( ")
    is_sentence = item.endswith(".") and not item.endswith("..")
    item = " ".join(item.split())
    return _shortened(item[:-1] if is_sentence else item, MAX_TEXT)


def _quoted(text: str) -> str:
    """`text` as one word of a shell: in double quotes, which all shells have, if that will do."""
    return shlex.quote(text) if any(char in text for char in '"$`\\!%') else f'"{text}"'


def _shortened(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    head = text[: size - 1]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:") + "…"
