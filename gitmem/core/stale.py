"""Which notes may be stale: those whose subject files some commits changed. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitmem.core.derive import Tracked
from gitmem.core.subject import subject_files
from gitmem.core.view import Shown


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and the files that it changed. `date` is UTC text as notes store it."""

    oid: str
    subject: str
    author: str
    date: str
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class Stale:
    """A note that may be stale, for what each commit (newest first) changed of its files."""

    shown: Shown
    commits: tuple[Commit, ...]


def maybe_stale(
    notes: Iterable[Shown], commits: Sequence[Commit], files: Iterable[str]
) -> tuple[Stale, ...]:
    """Those of `notes` that one of `commits` (newest first) may have made untrue.

    `files` are those tracked afterwards; what the commits removed is a subject file too. A commit
    of a day before the note was verified counts for nothing.
    """
    touched = frozenset(path for commit in commits for path in commit.paths)
    if not touched:
        return ()
    tracked = Tracked(touched.union(files))
    found = []
    for shown in notes:
        subject = subject_files(shown.note, tracked) & touched
        verified = shown.note.verified or ""
        about = tuple(
            Commit(commit.oid, commit.subject, commit.author, commit.date, commit.paths & subject)
            for commit in commits
            if commit.date[:10] >= verified and not commit.paths.isdisjoint(subject)
        )
        if about:
            found.append(Stale(shown, about))
    return tuple(found)
