"""What a commit is recognised by under another id: marks of lines, paths, a hand. Pure.

The same function makes a mark when an anchor is written and when it is compared, maybe years later
in another clone: a change here makes stored anchors blind.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

SAMPLE = 32  # lines kept in an anchor
MARK_DIGITS = 6
MAX_PATHS = 200  # kept in an anchor
MIN_LINE = 4  # bytes of a distinctive line
SHORT_NAME = 4  # a branch name shorter than this may stand in a subject by chance

NUMBER = re.compile(r"\s*\([#!]\d+\)\s*$")  # what a forge appends to the subject of what it merges
CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True, slots=True)
class Hand:
    """Who made a commit, as far as it survives a move: author time (unix seconds), a mark of the
    author's address, and one of the subject.

    `numbered`: a forge merged it, and said so in the subject. `said` is the subject line itself,
    '' where it is not known.
    """

    authored: str | None = None
    by: str | None = None
    subject: str | None = None
    numbered: bool = False
    said: str = ""

    def is_same(self, other: "Hand") -> bool:
        """Whether both are certainly one piece of work: the same second, the same subject."""
        return self.is_same_second(other) and self.subject == other.subject

    def is_before(self, other: "Hand") -> bool:
        """Whether the same person made the other later."""
        if self.by is None or self.by != other.by:
            return False
        return int(self.authored or 0) <= int(other.authored or 0)

    def is_same_second(self, other: "Hand") -> bool:
        return self.authored is not None and self.authored == other.authored


def hand(authored: str, email: str, said: str) -> Hand:
    """The hand of a commit with this author time and address, and this subject line."""
    numbered = NUMBER.search(said) is not None
    return Hand(authored, email_mark(email), subject_mark(said), numbered, said)


def is_vouched(anchor: Hand, branch: str | None, landing: Hand) -> bool:
    """Whether something besides the change itself says that `landing` is the anchor's work.

    An equal subject is not enough: two people write "bump to 1.4" alike.
    """
    if anchor.is_same_second(landing) or has_title_of(anchor, landing):
        return True
    return branch is not None and _is_named(branch, landing.said)


def has_title_of(commit: Hand, landing: Hand) -> bool:
    """Whether a forge gave `landing` the subject of `commit`, as it does for a branch of one."""
    return landing.numbered and commit.subject == landing.subject


def _is_named(branch: str, subject: str) -> bool:
    """Whether a subject like `Merge branch 'fix-typo' into 'main'` names the branch."""
    if len(branch) < SHORT_NAME or not subject.startswith("Merge "):
        return False
    return re.search(rf"[\s'/:]{re.escape(branch)}(['\s]|$)", subject) is not None


def subject_mark(subject: str) -> str:
    """Eight hex digits for a subject line, whatever number a forge put behind it."""
    folded = " ".join(NUMBER.sub("", subject).split()).casefold()
    return sha256(folded.encode("utf-8", "replace")).hexdigest()[:8]


def email_mark(email: str) -> str:
    """Eight hex digits for the address of a person."""
    return sha256(email.strip().casefold().encode("utf-8", "replace")).hexdigest()[:8]


def is_distinctive(line: bytes) -> bool:
    """Whether a line, stripped, says enough to tell one change from another."""
    return len(line) >= MIN_LINE and any(byte >= 128 or chr(byte).isalnum() for byte in line)


def line_mark(path: bytes, line: bytes) -> str:
    """Six hex digits for a line that was added to `path`, whatever blanks are around it."""
    return sha256(path + b"\0" + line.strip()).hexdigest()[:MARK_DIGITS]


def text_mark(text: bytes) -> str:
    """Sixteen hex digits for a text."""
    return sha256(text).hexdigest()[:16]


def sampled(marks: Sequence[str]) -> tuple[str, ...]:
    """At most SAMPLE of `marks`, evenly spaced."""
    if len(marks) <= SAMPLE:
        return tuple(marks)
    return tuple(marks[at * len(marks) // SAMPLE] for at in range(SAMPLE))


def path_text(raw: bytes) -> str:
    """A path as an anchor keeps it: text, what is no text in it replaced."""
    return raw.decode("utf-8", "replace").translate(CONTROLS)


def path_set(paths: Collection[str]) -> tuple[str, ...]:
    """Changed paths as an anchor keeps them: sorted, and not too many."""
    return tuple(sorted(set(paths))[:MAX_PATHS])
