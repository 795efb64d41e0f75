"""Match the words of an event: commands, errors and prompts. Hot, for the events that have some."""

from gitmem.core import text
from gitmem.core.event import Event
from gitmem.core.ranking import TEXT_SPECIFICITY
from gitmem.index.schema import GRAM, WORD, grams, text_key
from gitmem.index.segment import number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.read import Found, Index


def match(index: "Index", event: Event, found: "Found") -> None:
    """Add to `found` what the words of `event` reach."""
    for kind, values in (("commands", event.commands), ("errors", event.errors)):
        for value in values:
            _match_text(index, kind, value, found)
    for prompt in event.prompts:
        _match_prompt(index, prompt, found)


def _match_text(index: "Index", kind: str, value: str, found: "Found") -> None:
    folded = text.fold(value)
    fragments = grams(folded) if len(folded) >= GRAM else set()
    for segment in index.segments():
        keys = [text_key(kind, "")]
        keys += [text_key(kind, gram) for gram in segment.present(kind, fragments)]
        for key in keys:
            for fields in segment.postings(key):
                number = number_of(fields[0])
                if segment is index.base and number in index.dead:
                    continue
                if fields[1] and fields[1] in folded:
                    shown = _line_with(fields[1], value)
                    found.add(segment, number, kind, shown, fields[2], TEXT_SPECIFICITY)


def _match_prompt(index: "Index", prompt: str, found: "Found") -> None:
    from gitmem.core.mention import Prompt  # commands and errors need none of it

    said = Prompt(prompt)
    for key, starts in said.keys().items():
        for segment, number, (kind, spelling, loose, trigger) in index.postings(WORD + key):
            if said.has(spelling, bool(loose), starts):
                found.add(segment, number, kind, trigger, trigger, TEXT_SPECIFICITY)


def match_names(index: "Index", paths: "tuple[str, ...]", found: "Found") -> None:
    """Add the notes whose entity or alias a path names."""
    from gitmem.core.mention import Prompt  # few notes have a name

    for path in paths:
        said = Prompt(path.replace("/", " / "))
        for key, starts in said.keys().items():
            for segment, number, (kind, spelling, loose, trigger) in index.postings(WORD + key):
                if kind == "entity" and said.has(spelling, bool(loose), starts):
                    found.add(segment, number, "paths", path, trigger, 0)


def _line_with(needle: str, value: str) -> str:
    """The line of `value` that shows `needle`, to say why a note arrived."""
    for line in text.strip_ansi(value).splitlines():
        if needle in text.fold(line):
            return " ".join(line.split())
    return " ".join(text.strip_ansi(value).split())
