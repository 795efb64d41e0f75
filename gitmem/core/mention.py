"""Whether a prompt names something, however it is spelled. Hot: imports nothing at the top.

`payment gateway` is also PaymentGateway, payment_gateway, Payment-Gateways and the payment
gateway's. So what is compared are letters and digits written together, case- and accent-folded, and
where words begin and end: between blanks and signs (GAP), at a sign between two words without a
blank (JOINT), and inside of a name in camel or snake case (INNER). Writing without blanks has an
end after each character.

A phrase of several words may begin and end wherever a word does. One of a single word stands for
nothing else: it is no part of a longer name (`release` is not in `releaseLock`), and `not able`
does not spell `notable`.
"""

from gitmem.core.text import clip

INNER, JOINT, GAP = 1, 2, 3
JOINTS = "-.'’/:@+"
KEY = 5  # characters of a spelling that it is filed under
SHORTEST_LOOSE = 6  # characters of a name in camel case that counts as several words
FEWEST_PLURAL = 5  # characters of a word whose last `s` makes it a plural


class Prompt:
    """What somebody wrote: `text` is written together, `ends` are the kinds of its word ends."""

    __slots__ = ("text", "ends")

    def __init__(self, text: str) -> None:
        self.ends: dict[int, int] = {0: GAP}
        self.text = ""
        _write(self, _without_accents(clip(text)))

    def keys(self) -> "dict[str, list[int]]":
        """What spellings of something named here may be filed under: key → where it begins."""
        found: dict[str, list[int]] = {}
        starts = sorted(self.ends)
        for number, start in enumerate(starts):
            keys = {self.text[start : start + KEY]}
            for end in starts[number + 1 : number + KEY]:
                if end - start < KEY:
                    keys.add(self.text[start:end])
            for key in sorted(keys):
                if key:
                    found.setdefault(key, []).append(start)
        return found

    def has(self, spelling: str, is_loose: bool, starts: "list[int] | None" = None) -> bool:
        """Whether `spelling` stands here, at one of `starts` or anywhere."""
        return any(
            self.text.startswith(spelling, start)
            and self._is_whole(start, start + len(spelling), is_loose)
            for start in (self.ends if starts is None else starts)
        )

    def names(self, phrase: str) -> bool:
        """Whether `phrase` is named here."""
        spelled, is_loose = spellings(phrase)
        return any(self.has(spelling, is_loose) for spelling in spelled)

    def _is_whole(self, start: int, end: int, is_loose: bool) -> bool:
        if end not in self.ends:
            return False
        return is_loose or (
            min(self.ends[start], self.ends[end]) >= JOINT
            and all(self.ends.get(at, 0) < GAP for at in range(start + 1, end))
        )


def spellings(phrase: str) -> "tuple[tuple[str, ...], bool]":
    """(the ways to write `phrase` together, whether it is several words); none for no word."""
    said = Prompt(phrase)
    if not said.text:
        return (), False
    ends = [kind for at, kind in said.ends.items() if 0 < at < len(said.text)]
    is_long = len(said.text) >= SHORTEST_LOOSE or not said.text.isascii()
    is_loose = any(kind >= JOINT for kind in ends) or (bool(ends) and is_long)
    last = phrase.strip().rpartition(" ")[2]
    found = [said.text]
    if is_loose or not last[:1].isupper() or last.isupper():
        found.append(plural(said.text))  # there are no two of a name: `stripes` are not Stripe
    if last.islower() and len(last) >= FEWEST_PLURAL:
        found += _singulars(said.text)
    return tuple(dict.fromkeys(found)), is_loose


def is_same(phrase: str, name: str) -> bool:
    """Whether `name` is `phrase`, however it is spelled."""
    return Prompt(name).text in spellings(phrase)[0]


def plural(word: str) -> str:
    """The regular English plural; what is no Latin word stays as it is."""
    if not ("a" <= word[-1:] <= "z"):
        return word
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    return word + "s"


def _singulars(word: str) -> "list[str]":
    """The words of which `word` may be the plural."""
    found = [word[:-1], word[:-2], word[:-3] + "y"]
    return [item for item in found if len(item) > 2 and plural(item) == word]


def _write(prompt: Prompt, text: str) -> None:
    """Write the words of `text` into `prompt`."""
    parts: list[str] = []
    size = 0
    for word in text.split():
        prompt.ends[size] = GAP
        if word.isalpha() and word.isascii() and (word.islower() or word[1:].islower()):
            parts.append(word.lower())  # as most words of a prompt are
            size += len(word)
            continue
        size = _write_word(prompt.ends, parts, size, word)
    prompt.ends[size] = GAP
    prompt.text = "".join(parts)


def _write_word(ends: "dict[int, int]", parts: "list[str]", size: int, word: str) -> int:
    """Write what stands between two blanks; the size after it."""
    before = ""
    between = ""
    for at, char in enumerate(word):
        if char == "_":
            ends[size] = max(ends.get(size, 0), INNER)
            continue
        if not _is_letter(char) and not (before and _is_suffix(word[at:])):
            between += char
            before = ""
            continue
        if between:
            if between in ("'", "’") and char in "sS" and not _is_letter(word[at + 1 : at + 2]):
                between = ""  # whose it is does not change the name
                continue
            ends[size] = max(ends.get(size, 0), JOINT if between in JOINTS else GAP)
            between = ""
        elif before and (kind := _end_between(before, char, word[at + 1 : at + 3])):
            ends[size] = max(ends.get(size, 0), kind)
        folded = char.casefold()
        parts.append(folded)
        size += len(folded)
        before = char
    return size


def _is_letter(char: str) -> bool:
    return char.isalnum() or (char > "\u036f" and _is_mark(char))


def _is_suffix(rest: str) -> bool:
    """Whether a sign belongs to the name before it: C++, F#."""
    return rest[0] in "+#" and not _is_letter(rest.lstrip("+#")[:1])


def _is_mark(char: str) -> bool:
    import unicodedata  # here: only text that is not ASCII needs the tables

    return unicodedata.category(char)[0] == "M"


def _end_between(before: str, char: str, after: str) -> int:
    """The kind of word end between two characters of a name; 0 for none."""
    if char.isascii():
        if char.isupper():
            is_hump = before.islower() or before.isdigit()
            is_plural = after[:1] == "s" and not after[1:2].islower()
            is_last = before.isupper() and after[:1].islower() and not is_plural
            return INNER if is_hump or is_last else 0
        return JOINT if _is_blankless(before) else 0
    if _is_blankless(char) or _is_blankless(before):
        return JOINT
    if "\u1100" <= char <= "\u1112" or "\u0e01" <= char <= "\u0edf" or "\u1000" <= char <= "\u109f":
        return INNER  # a syllable of Hangul, a character of Thai, Lao, or Burmese
    return INNER if char.isupper() and before.islower() else 0


def _is_blankless(char: str) -> bool:
    """Whether a character is of a writing in which each may be a word: Chinese, Japanese."""
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    import unicodedata  # here: only text that is not ASCII needs the tables

    return "".join(
        char
        for char in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(char) and char not in "\xad\u200b\u200c\u200d\u2060\ufeff"
    )
