"""What a rule about credentials is, and how a credential is told from a stand-in for one.

A rule finds a candidate by its shape; a check then judges it: `xxxx`, `your-token`, `$TOKEN` and
`user:password` are no secrets, and a gate that refuses them would be switched off. Pure.
"""

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

Check = Callable[[str], bool]
SHORTEST_TOKEN = 13  # characters


class Rule(NamedTuple):
    """One kind of credential. `is_real` says whether a candidate is more than a stand-in.

    `words` are literal parts of a match, in lower case where the pattern ignores case.
    """

    name: str
    words: tuple[str, ...]
    expression: str
    is_real: Check
    ignores_case: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled at its first use, then from re's cache: most notes need none of them."""
        return re.compile(self.expression, re.IGNORECASE if self.ignores_case else 0)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values()) if size else 0.0


_STAND_IN = re.compile(
    r"x{4}|\*{3}|\.{3}|…|#{4}|0{8}|_{4}|example|placeholder|redacted|dummy|changeme|"
    r"your[-_ ]?|my[-_](?:api|secret|token|key|pass)|abcdefgh|insert|replace|put[-_]",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"[$%<>{}()\[\]]|^@|process\.env|os\.environ")


def is_no_sample(value: str) -> bool:
    """No `xxxx`, `…`, `your-token` or `EXAMPLE` in it."""
    return _STAND_IN.search(value) is None


def is_no_stand_in(value: str) -> bool:
    """No sample, and more than a few characters over and over."""
    return is_no_sample(value) and len(set(value)) > 4


def is_no_filler(value: str) -> bool:
    """Not one character over and over; for shapes in which words may stand."""
    return re.search(r"(.)\1{5}", value) is None


def is_mixed(value: str) -> bool:
    """Capitals, small letters and digits, as drawn by chance and not by a person naming things."""
    return is_no_stand_in(value) and all(
        re.search(kind, value) for kind in ("[A-Z]", "[a-z]", "[0-9]")
    )


def is_random(value: str) -> bool:
    """Has the entropy of a token: three bits a character, two digits, no version."""
    return (
        is_no_stand_in(value)
        and not _VARIABLE.search(value)
        and entropy(value) >= 3
        and sum(char.isdigit() for char in value) >= 2
        and not re.search(r"\d\.\d+\.\d", value)
    )


_COMMON = re.compile(
    r"(?:user|pass|name|word|admin|root|test|secret|token|guest|postgres|mysql|redis|mongo|local"
    r"|host|demo|foo|bar|baz|key|my|your|the|db|pw|pwd|api|login|dev|prod|app|me|id|some|any|new|old"
    r"|passwd|hunter|changeit|change|qwerty|letmein|minio|rabbitmq|rabbit|example|hello|world"
    r"|oauth2|x|git|basic|auth|client|service|account|[-_.\d])+",
    re.IGNORECASE,
)


def is_password(value: str) -> bool:
    """Not a variable, not a stand-in, and not put together from the words that examples use."""
    return (
        len(value) >= 4
        and not _VARIABLE.search(value)
        and is_no_sample(value)
        and not _COMMON.fullmatch(value)
    )


def is_login(value: str) -> bool:
    """`user:password`, where a key may stand as the user of an empty password."""
    user, _, password = value.replace("'", "").replace('"', "").partition(":")
    return is_password(password) if password else is_strong_password(user)


def is_strong_password(value: str) -> bool:
    """A password that no example would have: letters and digits, and a capital or a sign."""
    return (
        is_password(value)
        and re.search(r"[A-Za-z]", value) is not None
        and re.search(r"\d", value) is not None
        and (re.search(r"[A-Z]", value) is not None or re.search(r"[^\w.]", value) is not None)
        and entropy(value) >= 2.5
    )


def is_jwt(value: str) -> bool:
    """The first part decodes to a JSON object that names an algorithm or a type."""
    head = value.partition(".")[0]
    try:
        decoded = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError):
        return False
    return isinstance(decoded, dict) and not decoded.keys().isdisjoint({"alg", "typ", "kid"})


def is_no_word(value: str) -> bool:
    """Has a digit, or no vowel: neither a name in capitals nor one in camel case."""
    return re.search(r"\d|^[^aeiouyAEIOUY]*$", value[3:]) is not None


def anything(value: str) -> bool:
    """The shape alone is proof enough."""
    return bool(value)


def token(name: str, pattern: str, *words: str, is_real: Check = is_no_stand_in) -> Rule:
    """A token that stands by itself: no letter, digit or `_` touches it."""
    whole = rf"(?<![A-Za-z0-9_])(?:{pattern})(?![A-Za-z0-9_])"
    return Rule(name, words, whole, is_real)


def context(name: str, pattern: str, *words: str, is_real: Check) -> Rule:
    """What gives a credential away is what stands around it."""
    return Rule(name, words, pattern, is_real, ignores_case=True)
