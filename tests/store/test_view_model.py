"""The view at every commit of any history is that of a naive model, in the refs and in the index.

Random commits with random parents, adds, edits and forgets at random commits in two clones that
merge their memory now and then, and random landings, cycles among them.
"""

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.codec import encode, revision_name
from gitmem.core.ids import id_key
from gitmem.core.note import Anchor, Note, Triggers
from gitmem.index.refresh import refresh
from gitmem.index.schema import CONFLICT, HIDDEN
from gitmem.memory import Memory
from gitmem.store.backend import Identity
from gitmem.store.git_backend import GitBackend
from gitmem.store.identity import Identities
from gitmem.store.landed import record
from gitmem.store.layout import FORMAT, FORMAT_PATH, path_of

ADA = Identity("Ada", "ada@example.com", 1_700_000_000)
IDS = ("one", "two", "three")
TRACKING = "refs/memory-remotes/origin/facts"


@dataclass
class History:
    """Parents by commit number; operations in order; (old, new) landings, all as numbers."""

    parents: list[tuple[int, ...]]
    operations: list[tuple[str, int, int, str]]
    landings: list[tuple[int, int]]


@st.composite
def histories(draw: st.DrawFn) -> History:
    count = draw(st.integers(2, 9))
    parents: list[tuple[int, ...]] = [()]
    for number in range(1, count):
        some = st.lists(st.integers(0, number - 1), min_size=0, max_size=2, unique=True)
        parents.append(tuple(draw(some)))
    commits = st.integers(0, count - 1)
    verbs = st.sampled_from(["write", "write", "write", "forget", "merge", "everywhere"])
    operation = st.tuples(verbs, st.integers(0, 1), commits, st.sampled_from(IDS))
    return History(
        parents,
        draw(st.lists(operation, min_size=1, max_size=12)),
        draw(st.lists(st.tuples(commits, commits), max_size=3)),
    )


@dataclass(frozen=True)
class Rev:
    """A revision as the model knows it; `anchor` is a commit number, None for everywhere."""

    id: str
    anchor: int | None
    replaces: frozenset[str]
    forgotten: bool


@dataclass
class Model:
    """Ancestors by enumeration, replacing by enumeration: slow, and plainly right."""

    history: History
    revisions: dict[str, Rev] = field(default_factory=dict)

    def ancestors(self, commit: int) -> set[int]:
        return {commit}.union(*(self.ancestors(up) for up in self.history.parents[commit]))

    def landed_as(self, commit: int) -> set[int]:
        found = {commit}
        while more := {new for old, new in self.history.landings if old in found} - found:
            found |= more
        return found

    def covers(self, rev: str, known: set[str]) -> set[str]:
        """All that a revision replaces, directly or through others that are known."""
        found: set[str] = set()
        todo = [rev]
        while todo:
            now = todo.pop()
            for name in self.revisions[now].replaces & known:
                if name not in found:
                    found.add(name)
                    todo.append(name)
        return found

    def heads(self, known: set[str], commit: int, note_id: str) -> set[str]:
        there = self.ancestors(commit)
        visible = {
            rev
            for rev in known
            if (item := self.revisions[rev]).id == note_id
            and (item.anchor is None or self.landed_as(item.anchor) & there)
        }
        covered = set().union(*(self.covers(rev, known) for rev in visible))
        return visible - covered

    def view(self, known: set[str], commit: int) -> dict[str, tuple[frozenset[str], bool]]:
        """Id → (its live heads, whether it is in conflict)."""
        found = {}
        for note_id in IDS:
            heads = self.heads(known, commit, note_id)
            live = frozenset(rev for rev in heads if not self.revisions[rev].forgotten)
            if live:
                found[note_id] = live, len(heads) > 1
        return found


def play(model: Model, oids: list[str]) -> list[dict[str, bytes]]:
    """Run the operations: the files of the memory tree of each clone."""
    clones: list[dict[str, bytes]] = [{}, {}]
    known: list[set[str]] = [set(), set()]
    for number, (verb, clone, commit, note_id) in enumerate(model.history.operations):
        if verb == "merge":
            clones[clone].update(clones[1 - clone])
            known[clone] |= known[1 - clone]
            continue
        heads = model.heads(known[clone], commit, note_id)
        is_live = any(not model.revisions[rev].forgotten for rev in heads)
        if verb == "forget" and not is_live:
            continue
        anchor = None if verb == "everywhere" else commit
        note = Note(
            note_id,
            body="" if verb == "forget" else f"{note_id} {number}\n",
            triggers=Triggers() if verb == "forget" else Triggers(paths=(f"{note_id}.txt",)),
            written=f"2026-01-01T00:00:{number:02d}Z",
            anchor=None if anchor is None else Anchor(commit=oids[anchor]),
            replaces=tuple(sorted(heads)),
            forgotten=verb == "forget",
        )
        data = encode(note)
        rev = revision_name(data)
        clones[clone][path_of(note_id, rev)] = data
        known[clone].add(rev)
        model.revisions[rev] = Rev(note_id, anchor, frozenset(heads), note.forgotten)
    return clones


def make_commits(git_dir: str, history: History) -> list[str]:
    lines = []
    for number, parents in enumerate(history.parents):
        lines.append(f"commit refs/heads/c{number}\nmark :{number + 1}\n")
        when = 1_700_000_000 + 60 * number
        lines.append(f"committer A <a@b.c> {when} +0000\ndata 1\nx\n")
        if parents:
            lines.append(f"from :{parents[0] + 1}\n")
            lines += [f"merge :{parent + 1}\n" for parent in parents[1:]]
        lines.append(f"M 644 inline f{number}\ndata 1\nx\n")
    run(git_dir, "fast-import", "--quiet", stdin="".join(lines))
    return [run(git_dir, "rev-parse", f"c{n}") for n in range(len(history.parents))]


def run(git_dir: str, *args: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", f"--git-dir={git_dir}", *args],
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit_tree(git_dir: str, ref: str, files: Mapping[str, bytes]) -> None:
    backend = GitBackend(git_dir)
    changes = {FORMAT_PATH: FORMAT, **files}
    commit = backend.commit(
        parents=(), changes=changes, message="memory", author=ADA, committer=ADA
    )
    assert backend.swap(ref, commit, None, "test")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(histories())
def test_the_view_at_every_commit_is_that_of_a_naive_model(history: History) -> None:
    with tempfile.TemporaryDirectory() as place:
        git_dir = str(Path(place).resolve())
        run(git_dir, "init", "-q", "--bare", git_dir)
        oids = make_commits(git_dir, history)
        model = Model(history)
        ours, theirs = play(model, oids)
        for ref, files in (("refs/memory/facts", ours), (TRACKING, theirs)):
            if files:
                commit_tree(git_dir, ref, files)
        pairs = {(oids[old], oids[new]) for old, new in history.landings if old != new}
        if pairs:
            record(git_dir, pairs, identity=Identities(ADA, ADA))
        for number, oid in [*enumerate(oids), *reversed(list(enumerate(oids)))]:
            run(git_dir, "update-ref", "--no-deref", "HEAD", oid)
            expected = model.view(set(model.revisions), number)
            memory = Memory.open(git_dir)
            assert by_refs(memory, oid) == expected
            assert by_index(memory) == {
                note_id: (min(live) if len(live) == 1 else "", conflict)
                for note_id, (live, conflict) in expected.items()
            }


def by_refs(memory: Memory, oid: str) -> dict[str, tuple[frozenset[str], bool]]:
    return {
        key: (frozenset(head.rev for head in shown.folded.live), shown.folded.is_conflict)
        for key, shown in memory.notes_at(oid).items()
    }


def by_index(memory: Memory) -> dict[str, tuple[str, bool]]:
    """Id → (its revision when there is one, whether it is in conflict), as a hook reads it."""
    index = refresh(memory.repository)
    try:
        return {
            id_key(row.id): (row.rev if row.oid else "", bool(row.flags & CONFLICT))
            for row in index.rows()
            if not row.flags & HIDDEN
        }
    finally:
        index.close()
