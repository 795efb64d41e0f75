"""Which files a note is about: what its path triggers match and the paths its text names. Pure."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from gitmem.core.derive import Tracked, derive_paths
from gitmem.core.gitignore import literal, match_list, matches, split
from gitmem.core.note import Note


def subject_files(note: Note, tracked: Tracked) -> frozenset[str]:
    """The subject files of `note` among the files of `tracked`."""
    found = set(matching_files(note.triggers.paths, tracked))
    for pattern in derive_paths(note.body, tracked):
        found.update(path for path in _candidates(pattern, tracked) if matches(pattern, path))
    return frozenset(found)


def matching_files(patterns: tuple[str, ...], tracked: Tracked) -> Iterator[str]:
    """The files that path triggers match, some of them twice; found without trying them all."""
    for pattern in patterns:
        if not pattern.startswith("!"):
            for path in _candidates(pattern, tracked):
                if match_list(patterns, path) is not None:
                    yield path


def _candidates(pattern: str, tracked: Tracked) -> Iterable[str]:
    """Files among which are all that a positive pattern matches."""
    whole = pattern.removeprefix("/")
    exact = [whole] if whole in tracked.files else []
    segments, anchored, _ = split(pattern)
    if not segments:
        return exact
    start = literal(segments[0])
    if anchored:
        prefix = []
        for segment in segments:
            if segment == "**" or (text := literal(segment)) is None:
                break
            prefix.append(text)
        return [*exact, *_below("/".join(prefix), tracked)]
    if start is None:
        return tracked.files
    below = [path for place in tracked.places(start) for path in _below(place, tracked)]
    return [*exact, *tracked.names.get(start, ()), *below]


def _below(place: str, tracked: Tracked) -> Iterable[str]:
    """The file or all files of the directory `place`; every file for the root."""
    if not place:
        return tracked.files
    if place not in tracked.counts:
        return [place] if place in tracked.files else []
    first = bisect_left(tracked.ordered, place + "/")
    last = bisect_left(tracked.ordered, place + "0")  # "0" follows "/"
    return tracked.ordered[first:last]
