"""Choose the anchor of a revision: the commit since which it is true.

A note is true since the last commit that changed the files it is about. While one of them is
changed in the work tree the note is *pending*: about work that no commit holds yet. An edit or a
forget of a note whose files are clean is true since HEAD: dated back, it would change every branch
at once. With the anchor is kept what recognises the work later, under another commit id.
"""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from gitmem.core.derive import Tracked
from gitmem.core.note import Anchor, Note
from gitmem.core.subject import subject_files
from gitmem.core.view import Folded, is_pending
from gitmem.store import process
from gitmem.store.outer import OUTER
from gitmem.store.place import Place
from gitmem.store.recognisable import recognisable
from gitmem.store.tracked import unsaved_files

DEADLINE = 2.0  # seconds for finding the newest commits; after them HEAD will do
MANY = 50  # subject files; more than these are about the project, so HEAD will do
BATCH = 8  # notes; for more than these one walk answers for all


class Scope(NamedTuple):
    """Where a writer wants its notes seen: `here`: since HEAD; `everywhere`: without an anchor."""

    here: bool = False
    everywhere: bool = False


@dataclass
class Anchoring:
    """Anchors for one command's notes. Asks git as little as it can, and keeps what it was told.

    `default` is the branch that work lands on, as a ref.
    """

    place: Place
    tracked: Callable[[], Tracked]
    default: Callable[[], str | None]
    scope: Scope = field(default_factory=Scope)
    _recognisable: dict[str, Anchor] = field(default_factory=dict, repr=False)

    def additions(self, notes: Sequence[Note], layer: str) -> list[Anchor | None]:
        """The anchor of each new note."""
        if not self._is_anchored(layer):
            return [None for _ in notes]
        if self.scope.here or not notes:
            return [self._at(self.place.head, layer) for _ in notes]
        subjects = [subject_files(note, self._files) for note in notes]
        clean = [subject for subject in subjects if not subject & self._changed]
        since = newest_commits(self.place, clean)
        return [
            self._pending(subject, layer)
            if subject & self._changed
            else self._at(since[subject], layer)
            for subject in subjects
        ]

    def removal(self, note: Note, read: Folded, layer: str) -> Anchor | None:
        """The anchor of a forget, `note` being what is forgotten: where only pending revisions were
        ever written it is as pending as they are."""
        if all(is_pending(revision) for revision in read.graph.revisions.values()):
            return read.heads[-1].anchor
        return self.change(note, read, layer)

    def change(self, note: Note, read: Folded, layer: str) -> Anchor | None:
        """The anchor of an edit of what was read, `note` being what it says now."""
        if not self._is_anchored(layer):
            heads = [head.anchor for head in read.heads]
            return heads[0] if self.scope.everywhere and len(heads) == 1 else None
        subject = frozenset() if self.scope.here else subject_files(note, self._files)
        if subject & self._changed:
            return self._pending(subject, layer)
        return self._at(self.place.head, layer)

    def _is_anchored(self, layer: str) -> bool:
        return layer not in OUTER and not self.scope.everywhere

    def _at(self, commit: str | None, layer: str) -> Anchor:
        if commit is None:
            return self._pending(frozenset(), layer)
        if commit not in self._recognisable:
            self._recognisable[commit] = recognisable(
                self.place.repository.git_dir,
                commit,
                branch=self.place.short_branch,
                default=self.default(),
                within=self.place.head,
            )
        return self._recognisable[commit]

    def _pending(self, subject: Collection[str], layer: str) -> Anchor:
        """The anchor of a note about work that is not committed, with what that looks like."""
        changed = sorted(set(subject) & self._changed)
        paths = [*changed, *sorted(set(subject) - self._changed)][:MANY]
        extra: list[tuple[str, Any]] = [("pending", layer)]
        if self.place.worktree:
            extra.append(("worktree", self.place.worktree))
        if blobs := _blobs(self.place, changed[:MANY]):
            extra.append(("blobs", blobs))
        if beyond := _beyond(self.place):
            extra.append(("beyond", " ".join(beyond)))
        return Anchor(
            commit=self.place.head,
            branch=self.place.short_branch,
            paths=tuple(paths),
            extra=tuple(extra),
        )

    @cached_property
    def _changed(self) -> frozenset[str]:
        return unsaved_files(self.place.repository)

    @cached_property
    def _files(self) -> Tracked:
        tracked = self.tracked()
        return Tracked(tracked.files | self._changed) if self._changed - tracked.files else tracked


def newest_commits(
    place: Place, subjects: Iterable[frozenset[str]]
) -> dict[frozenset[str], str | None]:
    """For each set of subject files the newest commit reachable from HEAD that changed one of them.

    HEAD where there is none, where there are too many files or where it takes too long.
    """
    wanted = {subject for subject in subjects if 0 < len(subject) <= MANY}
    found: dict[frozenset[str], str | None] = {}
    if place.head is not None:
        if len(wanted) > BATCH:
            found.update(_by_one_walk(place, wanted))
        else:
            found.update({subject: _newest(place, subject) for subject in wanted})
    return {subject: found.get(subject) or place.head for subject in subjects}


def _newest(place: Place, subject: frozenset[str]) -> str | None:
    paths = [f":(literal){path}" for path in sorted(subject)]
    args = ("log", "-1", "--format=%H", str(place.head), "--", *paths)
    try:
        out = process.run(args, git_dir=place.repository.git_dir, timeout=DEADLINE)
    except process.GitFailed:
        return None
    return out.decode("ascii").strip()


def _by_one_walk(place: Place, wanted: Collection[frozenset[str]]) -> dict[frozenset[str], str]:
    """The same for many sets: the first commit of a log that touches one of the files."""
    of_path: dict[str, list[frozenset[str]]] = {}
    for subject in wanted:
        for path in subject:
            of_path.setdefault(path, []).append(subject)
    left = set(wanted)
    found: dict[frozenset[str], str] = {}
    from gitmem.store.commits import changed_files  # only where many notes are added at once

    git_dir = place.repository.git_dir
    for commit in changed_files(git_dir, str(place.head), timeout=DEADLINE):
        for path in commit.paths:
            for subject in left.intersection(of_path.get(path, ())):
                found[subject] = commit.oid
                left.remove(subject)
        if not left:
            break
    return found


def _beyond(place: Place) -> list[str]:
    """The branches that have commits on top of HEAD already (all, before the first commit): what is
    there by now is not the work that a note waits for."""
    contains = (f"--contains={place.head}",) if place.head else ()
    args = ("for-each-ref", "--format=%(objectname)", *contains, "refs/heads")
    code, out, _ = process.attempt(args, git_dir=place.repository.git_dir)
    return sorted(set(out.decode("ascii").split()) - {place.head})[:MANY] if code == 0 else []


def _blobs(place: Place, paths: Iterable[str]) -> dict[str, str]:
    """What the changed files are as blobs, by path; those that are gone or odd are left out."""
    root = place.repository.root
    if root is None:
        return {}
    there = [
        path for path in paths if "\n" not in path and os.path.isfile(os.path.join(root, path))
    ]
    if not there:
        return {}
    stdin = os.fsencode("".join(f"{path}\n" for path in there))
    code, out, _ = process.attempt(("hash-object", "--stdin-paths"), cwd=root, stdin=stdin)
    return dict(zip(there, out.decode("ascii").split(), strict=True)) if code == 0 else {}
