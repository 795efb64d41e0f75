"""Refuse credentials: a note travels with every push, and history does not forget.

Finds what `secret_tokens.py` and `secret_forms.py` describe and says where, never what: an excerpt
is masked, so that a log or a terminal does not become the next leak. There is no way around a
finding but naming the exact string in the configuration.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from gitmem.errors import GitMemError
from gitmem.gates.secret_forms import FORMS
from gitmem.gates.secret_rule import SHORTEST_TOKEN, Rule
from gitmem.gates.secret_tokens import TOKENS

RULES: tuple[Rule, ...] = (*TOKENS, *FORMS)

_EXACT = [(w, i) for i, rule in enumerate(RULES) if not rule.ignores_case for w in rule.words]
_FOLDED = [(w, i) for i, rule in enumerate(RULES) if rule.ignores_case for w in rule.words]


class Secret(NamedTuple):
    """One finding: the kind of credential, its 1-based line, and a masked excerpt of it."""

    rule: str
    line: int
    excerpt: str


class SecretRefused(GitMemError):
    """A note holds credentials. `secrets` are the findings; `what` names the note or file."""

    kind = "refused"

    def __init__(self, what: str, secrets: Sequence[Secret]) -> None:
        first, *more = secrets
        others = f", and {len(more)} more" if more else ""
        super().__init__(
            f"{what}:{first.line}: this looks like a credential ({first.rule}): "
            f"{first.excerpt}{others}",
            "take it out, and say where it is kept instead",
            "if it is none: git config --add mem.allowSecret '<the exact string>'",
        )
        self.secrets = tuple(secrets)


def find(text: str, allowed: Collection[str] = ()) -> list[Secret]:
    """The credentials in `text`, in its order. `allowed` holds exact strings that are none."""
    excused = [(at, at + len(known)) for known in allowed for at in _places(text, known)]
    taken: list[tuple[int, int, str]] = []
    for rule in _candidates(text):
        for found in rule.pattern.finditer(text):
            start, end = _place(found)
            if any(first <= start and end <= last for first, last in excused):
                continue
            if any(first < end and start < last for first, last, _ in taken):
                continue
            if rule.is_real(text[start:end]):
                taken.append((start, end, rule.name))
    return [
        Secret(rule, text.count("\n", 0, start) + 1, _masked(text[start:end]))
        for start, end, rule in sorted(taken)
    ]


def _candidates(text: str) -> list[Rule]:
    """The rules of which a word occurs, in their order: one finding takes its place from others.

    A token has no blanks in it, so that its rule's words are looked for among long words only.
    """
    long = "\n".join(["", *(word for word in text.split() if len(word) >= SHORTEST_TOKEN)])
    lowered = text.lower()
    near = {index for word, index in _EXACT if word in long}
    near.update(index for word, index in _FOLDED if word in lowered)
    return [RULES[index] for index in sorted(near)]


def _places(text: str, known: str) -> Iterator[int]:
    at = text.find(known) if known else -1
    while at >= 0:
        yield at
        at = text.find(known, at + 1)


def _place(found: re.Match[str]) -> tuple[int, int]:
    """Where the credential itself stands: the group `value`, or else the whole match."""
    return found.span("value") if "value" in found.re.groupindex else found.span()


def _masked(value: str) -> str:
    """At most four characters of it, never more than a fifth."""
    return f"{value[: min(4, len(value) // 5)]}…"
