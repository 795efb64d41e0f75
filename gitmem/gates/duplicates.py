"""Warn of a note that is near to one there is: two of them go out of date at different times. Pure.

Near is what says its fact in nearly the same words. That is no evidence that one replaces the
other, so nothing more is done than to name it.
"""

from collections.abc import Iterable

NEAR = 0.6  # of the words of both
FEWEST = 4  # words; below that, many facts are near to many
_FUNCTION_WORDS = frozenset(
    [
        *("a", "an", "the", "is", "are", "be", "to", "of", "in", "on", "for", "and", "or", "it"),
        *("its", "this", "that", "with", "by", "as", "at", "from", "so", "we", "has", "have"),
    ]
)


def near(body: str, others: Iterable[tuple[str, str]]) -> list[str]:
    """The ids of those `others` (id, body) whose first paragraph is near to that of `body`."""
    words = _words(body)
    if len(words) < FEWEST:
        return []
    return [note_id for note_id, text in others if _likeness(words, _words(text)) >= NEAR]


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _words(body: str) -> frozenset[str]:
    """The words that carry the fact of a note."""
    said = body.strip().partition("\n\n")[0].casefold().split()
    return frozenset(word.strip("`*_.,;:!?()[]\"'") for word in said) - _FUNCTION_WORDS - {""}
