"""Tell what an agent's rule files already say: such a note need not be said again. Pure. Hot.

A note is said when each sentence of its first paragraph, which is the fact, stands in the files as
a sentence of its own. Compared are words, without case, Markdown marks, and the punctuation around
them; what changes the meaning stays: digits, signs, and the names of files and options. Better to
say something twice than never: what a file lists as wrong, or has struck out, is not said there.
"""

from gitmem.core.prose import HEADING, ITEM, Sentence, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FEWEST = 4  # words; one sentence of a note at least must have them: "Use tabs." may mean anything
# Relative to the top of the work tree. Of what lies in a directory an agent may read a part only.
RULE_FILES = (
    *("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    *("GEMINI.md", "QWEN.md", "CONVENTIONS.md", ".github/copilot-instructions.md", ".goosehints"),
    *(".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".kiro/steering/tech.md"),
)
RULE_DIRECTORIES = (
    *(".cursor/rules", ".claude/rules", ".clinerules", ".windsurf/rules", ".kiro/steering"),
    *(".github/instructions", ".agents/rules", ".devin/rules"),
)
# What stands under a heading or after a colon with one of these in it is what not to do.
AGAINST = frozenset(
    [
        *("not", "no", "never", "avoid", "don't", "dont", "can't", "cannot", "mustn't", "without"),
        *("wrong", "bad", "incorrect", "forbidden", "prohibited", "banned", "disallowed", "stop"),
        *("anti-pattern", "anti-patterns", "antipattern", "antipatterns", "mistakes", "mistake"),
        *("pitfalls", "instead", "deprecated", "obsolete", "removed", "rejected", "myth", "myths"),
        *("unless", "except", "exceptions", "old", "before", "legacy", "false", "example"),
        *("examples", "don'ts", "donts", "nie", "nicht", "nunca", "jamais"),
    ]
)
CROSSES = "❌✗✘🚫⛔👎✖"
EDGES = "\"'“”‘’‚„«»`*_()[]{}.,;:!?…。，：；！？（）「」"
SIGNS = "<>=≤≥≠+%&|/\\$@#^~→"


class Said:
    """What the files of `texts` say."""

    def __init__(self, texts: "Iterable[str]") -> None:
        self._places: dict[str, tuple[int, int]] = {}
        for number, text in enumerate(texts):
            for line, key in _stated(text):
                self._places.setdefault(key, (number, line))

    def has(self, body: str) -> bool:
        """Whether the files say what the first paragraph of `body` says."""
        return self.place(body) is not None

    def place(self, body: str) -> "tuple[int, int] | None":
        """(which of the texts, the 1-based line) where the fact of `body` is said first."""
        found = [item for item in sentences(_first_paragraph(body)) if _key(item.text)]
        keys = [_key(item.text) for item in found]
        if not any(key.count(" ") + 1 >= FEWEST for key in keys):
            return None
        if any(
            _is_against(item) or key not in self._places
            for item, key in zip(found, keys, strict=True)
        ):
            return None
        return self._places[keys[0]]


def _first_paragraph(body: str) -> str:
    return body.strip().replace("\r\n", "\n").partition("\n\n")[0]


def _stated(text: str) -> "Iterable[tuple[int, str]]":
    """(line, key) of what a file says is so."""
    is_under = is_led = False
    for item in sentences(_without_asides(text)):
        key = _key(item.text)
        if item.kind == HEADING:
            is_under, is_led = _has_against(key), False
        if item.kind != ITEM:
            is_led = False
        if key and not is_under and not is_led and not _is_against(item):
            yield item.line, key
        if item.text.rstrip(EDGES.replace(":", "")).endswith((":", "：")):
            is_led = _has_against(key)


def _is_against(item: Sentence) -> bool:
    return any(char in CROSSES for char in item.text)


def _has_against(key: str) -> bool:
    return not AGAINST.isdisjoint(key.split(" "))


def _without_asides(text: str) -> str:
    """`text` without comments and what is struck out; its lines stay where they are."""
    for start, end in (("<!--", "-->"), ("~~", "~~")):
        parts = text.split(start)
        if len(parts) == 1:
            continue
        if start == end:
            kept, struck = parts[::2], parts[1::2]
        else:
            kept = [parts[0], *(part.partition(end)[2] for part in parts[1:])]
            struck = [part.partition(end)[0] for part in parts[1:]]
        lines = ["\0" + "\n" * part.count("\n") for part in struck] + [""]
        text = "".join(part + gap for part, gap in zip(kept, lines, strict=False))
    return text


def _key(sentence: str) -> str:
    """A sentence as it is compared."""
    if not sentence.isascii():
        import unicodedata  # here: only text that is not ASCII needs the tables

        sentence = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    words = []
    for word in _linkless(sentence).casefold().split():
        core = word.rstrip(EDGES).lstrip(_OPENING)
        if any(char.isalnum() or char in SIGNS for char in core):
            words.append(core)
        elif "\0" in word:
            words.append("\0")
    return " ".join(words)


_OPENING = EDGES.translate({ord(char): None for char in ".!"})  # `.env` and `!src` mean something


def _linkless(text: str) -> str:
    """`text` with links as what they show: `[text](address)`."""
    if "](" not in text:
        return text
    parts = text.split("](")
    return parts[0] + "".join("]" + part.partition(")")[2] for part in parts[1:])
