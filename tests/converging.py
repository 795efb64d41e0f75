"""Clones that write, sync, crash and tidy up at random, and what must be true in the end."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from conftest import Repo
from travelling import GITMEM, REF, Team, draft, make_team, memory, paths, tip

from gitmem.core.note import Note, Triggers
from gitmem.errors import GitMemError
from gitmem.index.schema import HIDDEN, Row
from gitmem.memory import Memory
from gitmem.reading import hidden, unite
from gitmem.store.layout import path_of

ACTS = {  # what is done, and how often
    "add": 26,
    "edit": 14,
    "retrigger": 10,
    "forget": 8,
    "restore": 5,
    "sync": 14,
    "fetch": 6,
    "merge": 5,
    "switch": 5,
    "crash": 5,
    "gc": 2,
}
CRASH_WITHIN = 0.6  # seconds that a command lives at most before it is killed


@dataclass
class World:
    """A team under a seed.

    `kept` holds (place of the layer, path) of all that was reported done, `ids` (place, id).
    """

    seed: int
    place: Path
    clones: int = 5
    team: Team = field(init=False)
    kept: set[tuple[Path, str]] = field(default_factory=set)
    ids: set[tuple[Path, str]] = field(default_factory=set)
    did: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.number = 0
        self.team = make_team(self.place, *(f"c{at}" for at in range(self.clones)))
        self.repos = list(self.team.clones.values())
        # Both back ends write: a process that lives long has another than a command has.
        self.memories = [
            memory(repo, bulk=at % 2 == 1, clock=self._clock) for at, repo in enumerate(self.repos)
        ]

    def _clock(self) -> float:
        return 1_700_000_000.0 + self.number

    def step(self, at: int) -> None:
        """One random thing in one clone."""
        self.number += 1
        act: Callable[[int], None] = self.random.choices(
            [getattr(self, name) for name in ACTS], list(ACTS.values())
        )[0]
        try:
            act(at)
        except GitMemError as error:
            self.did[f"{act.__name__} refused: {type(error).__name__}"] += 1
        else:
            self.did[act.__name__] += 1

    # --- what is done ----------------------------------------------------------------------------

    def add(self, at: int) -> None:
        name = f"n{self.number}" if self.random.random() < 0.8 else f"same{self.number % 5}"
        text = f"Words {self.number} of {name}."
        layer = self.random.choice(["shared", "shared", "shared", "local"])
        done = self.memories[at].add([draft(name, text, f"src/{name}.py")], layer)
        self._record(at, done.notes)

    def edit(self, at: int) -> None:
        line = f"\nLine {self.number}.\n"
        self._change(at, lambda note: note.edited(body=note.body + line))

    def retrigger(self, at: int) -> None:
        pattern = f"lib/{self.random.randrange(4)}/**"

        def change(note: Note) -> Note:
            kept = tuple(path for path in note.triggers.paths if path != pattern)
            more = () if len(kept) < len(note.triggers.paths) and kept else (pattern,)
            return note.edited(triggers=Triggers(paths=kept + more))

        self._change(at, change)

    def _change(self, at: int, change: Callable[[Note], Note]) -> None:
        if name := self._some_note(self.memories[at]):
            self._record(at, self.memories[at].edit(name, change).notes)

    def forget(self, at: int) -> None:
        if name := self._some_note(self.memories[at]):
            self._record(at, self.memories[at].forget([name]).notes)

    def restore(self, at: int) -> None:
        found = self.memories[at].load()
        gone = sorted(
            (layer.layer, key)
            for layer in found
            for key, folded in layer.folded.items()
            if folded.heads and folded.note is None
        )
        if gone:
            layer, key = self.random.choice(gone)
            self._record(at, self.memories[at].restore(key, layer=layer).notes)

    def sync(self, at: int) -> None:
        self.memories[at].sync()

    def merge(self, at: int) -> None:
        self.memories[at].merge()

    def fetch(self, at: int) -> None:
        self.repos[at].git("fetch", "--quiet", *self.random.choice([[], ["--prune"]]))

    def switch(self, at: int) -> None:
        repo = self.repos[at]
        repo.git("checkout", "--quiet", "-B", f"topic{self.random.randrange(3)}")
        repo.commit(f"work {self.number}", code=str(self.number))

    def gc(self, at: int) -> None:
        local = Repo(self.repos[at].git_dir / "gitmem" / "local.git")
        for repo in (self.repos[at], self.team.hub, *([local] if local.path.exists() else [])):
            repo.git("gc", "--quiet")

    def crash(self, at: int) -> None:
        """Start a command and kill it, and all it started, at a random moment."""
        name = f"crash{self.number}"
        command = self.random.choice(
            [("add", f"Words of {name}.", "--id", name, "-p", "src/a.py"), ("sync",), ("merge",)]
        )
        child = subprocess.Popen(
            [*GITMEM, *command],
            cwd=self.repos[at].path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            child.wait(timeout=self.random.uniform(0.1, CRASH_WITHIN))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            self.did["killed"] += 1
        if child.returncode == 0 and command[0] == "add":
            self.ids.add((self.team.hub.path, name))
        self._remove_locks(self.repos[at].git_dir)

    def _remove_locks(self, git_dir: Path) -> None:
        """What git tells a person to do after a crash; what still runs is waited for."""
        deadline = time.monotonic() + 3
        while locks := [*git_dir.glob("refs/**/*.lock"), *git_dir.glob("*.lock")]:
            if time.monotonic() > deadline:
                for lock in locks:
                    lock.unlink(missing_ok=True)
                    self.did["lock removed"] += 1
                return
            time.sleep(0.02)

    def _some_note(self, memory: Memory) -> str | None:
        keys = sorted(memory.notes())
        return self.random.choice(keys) if keys else None

    def _record(self, at: int, stored: list) -> None:
        for item in stored:
            is_local = item.layer == "local"
            place = self.repos[at].git_dir / "gitmem" / "local.git" if is_local else None
            self.kept.add((place or self.team.hub.path, path_of(item.note.id, item.rev)))

    # --- what must be true ------------------------------------------------------------------------

    def settle(self) -> int:
        """Sync every clone until all have one tip; how many rounds that took."""
        for rounds in range(1, 4):
            for at in self.random.sample(range(self.clones), self.clones):
                self.memories[at].sync()
            if len(self.tips()) == 1:
                return rounds
        raise AssertionError(f"seed {self.seed}: {self.tips()}")

    def tips(self) -> set[str]:
        return {tip(repo) for repo in (*self.repos, self.team.hub)}

    def check(self) -> None:
        """All that was reported done is there, and every note can be read, everywhere alike."""
        there = {self.team.hub.path: set(paths(self.team.hub))}
        for repo in self.repos:
            local = Repo(repo.git_dir / "gitmem" / "local.git")
            if local.path.exists() and tip(local):
                there[local.path] = set(paths(local))
        missing = {(place, path) for place, path in self.kept if path not in there[place]}
        assert not missing, f"seed {self.seed}: {missing}"
        names = {path.rpartition("/")[2].partition("@")[0] for path in there[self.team.hub.path]}
        assert {name for _, name in self.ids} <= names
        views = []
        for repo in self.repos:
            start = repo.git("rev-parse", "origin/main")  # a commit that all have
            layers = {layer.layer: layer for layer in memory(repo).load_at(start)}
            assert [layer.broken for layer in layers.values()] == [()] * len(layers)
            views.append(
                {
                    key: (folded.note, [head.rev for head in folded.heads])
                    for key, folded in layers["shared"].folded.items()
                }
            )
            here = memory(repo).load()
            with closing(memory(repo).index()) as index:
                rows = index.rows()
            assert _ids(rows, hidden=False) == {item.note.id for item in unite(here).values()}
            assert _ids(rows, hidden=True) == {item.note.id for item in hidden(here).values()}
        assert all(view == views[0] for view in views)
        assert views[0] or not self.kept
        assert REF in self.team.hub.git("for-each-ref")


def _ids(rows: list[Row], *, hidden: bool) -> set[str]:
    return {row.id for row in rows if bool(row.flags & HIDDEN) == hidden}


def run(seed: int, place: Path, steps: int, clones: int = 5) -> World:
    """A world after `steps` random things in each clone, checked."""
    world = World(seed, place, clones)
    for _ in range(steps):
        for at in world.random.sample(range(clones), clones):
            world.step(at)
    world.did["rounds"] = world.settle()
    world.check()
    return world
