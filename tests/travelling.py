"""A team that shares memory: a hub and its clones, and notes as bytes or through the library."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from conftest import Repo

from gitmem.codec import encode, encode_gone, revision_name
from gitmem.core.note import Note, Triggers
from gitmem.drafting import Draft
from gitmem.memory import Memory
from gitmem.store.backend import Backend, Identity
from gitmem.store.git_backend import GitBackend
from gitmem.store.layout import FORMAT, FORMAT_PATH, path_of

REF = "refs/memory/facts"
TRACKING = "refs/memory-remotes/origin/facts"
REFSPEC = "+refs/memory/*:refs/memory-remotes/origin/*"
ADA = Identity("Ada", "ada@example.com", 1_700_000_000)
GITMEM = [sys.executable, "-m", "gitmem"]  # the program without git in front of it


@dataclass
class Team:
    """A hub with one branch, and its clones by name."""

    place: Path
    hub: Repo
    clones: dict[str, Repo] = field(default_factory=dict)

    def clone(self, name: str, *options: str, refspec: bool = True) -> Repo:
        """A clone over file://, with the refspec that `git mem init` sets."""
        path = self.place / name
        self.hub.git("clone", "--quiet", *options, self.url, str(path))
        if refspec:
            Repo(path).git("config", "--add", "remote.origin.fetch", REFSPEC)
        self.clones[name] = Repo(path)
        return self.clones[name]

    @property
    def url(self) -> str:
        return f"file://{self.hub.path}"


def make_team(place: Path, *names: str, options: tuple[str, ...] = ()) -> Team:
    """A hub and clones of it."""
    place.mkdir(parents=True, exist_ok=True)
    first, bare = Repo(place / "first"), Repo(place / "hub.git")
    for repo, more in ((first, ()), (bare, ("--bare",))):
        repo.path.mkdir()
        repo.git("init", "--quiet", *more, *options)
    first.commit("start", **{"src/a.py": "A = 1\n", "README.md": "# Acme\n"})
    first.git("push", "--quiet", str(bare.path), "main")
    shutil.rmtree(first.path)
    team = Team(place, bare)
    for name in names:
        team.clone(name)
    return team


def memory(repo: Repo, **options: object) -> Memory:
    return Memory.open(str(repo.path), **options)


def draft(note_id: str, text: str = "", *paths: str) -> Draft:
    triggers = Triggers(paths=paths or ("src/a.py",))
    return Draft(Note(note_id, text or f"What {note_id} says.", triggers), note_id)


def add(repo: Repo, *ids: str, layer: str = "shared") -> None:
    """Store notes of these ids through the library."""
    done = memory(repo).add([draft(note_id) for note_id in ids], layer)
    assert not done.refused, done.refused


def ids(repo: Repo) -> list[str]:
    """The ids of all notes that are there, of every layer."""
    return sorted(shown.note.id for shown in memory(repo).notes().values())


def tip(repo: Repo, ref: str = REF) -> str:
    """The commit that a ref points to; '' when there is no such ref."""
    return repo.git("for-each-ref", "--format=%(objectname)", ref)


def paths(repo: Repo, commit: str = REF) -> list[str]:
    return sorted(repo.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1])


def texts(repo: Repo) -> str:
    """Everything in the object database, reachable or not, as one text."""
    listed = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    data = repo.git("cat-file", "--batch", stdin=listed)
    assert data
    return data


def collected(repo: Repo) -> str:
    """`texts` of what is left when nothing unreachable is kept."""
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    return texts(repo)


# --- by hand ------------------------------------------------------------------------------------


def revision(note_id: str, text: str = "", replaces: tuple[str, ...] = ()) -> tuple[str, bytes]:
    """(path, bytes) of one revision."""
    note = Note(note_id, text or f"What {note_id} says.", Triggers(paths=("src/a.py",)))
    data = encode(note.edited(replaces=replaces))
    return path_of(note_id, revision_name(data)), data


def tree(*ids: str) -> dict[str, bytes]:
    """The files of a memory of these notes."""
    return {FORMAT_PATH: FORMAT} | dict(revision(note_id) for note_id in ids)


def commit(
    backend: Backend, files: dict[str, bytes | None], *parents: str, when: int = 0, why: str = "x"
) -> str:
    """A commit of files on its first parent, which no ref names yet."""
    who = Identity(ADA.name, ADA.email, ADA.when + when)
    return backend.commit(parents=parents, changes=files, message=why, author=who, committer=who)


def purge(repo: Repo, *ids: str, when: int = 0) -> str:
    """Purge every revision of notes, as the format says: a new root that lists each `.gone`."""
    backend = GitBackend(str(repo.git_dir))
    old = backend.tip(REF)
    files: dict[str, bytes | None] = {}
    blobs = dict(backend.read(entry.oid for entry in backend.entries(old)))
    for entry in backend.entries(old):
        name = entry.path.rpartition("/")[2]
        if name.rpartition("@")[0] in ids and name.endswith(".md"):
            files[entry.path.removesuffix(".md") + ".gone"] = encode_gone((), None)
        else:
            files[entry.path] = blobs[entry.oid]
    new = commit(backend, files, when=when, why="purge")
    assert backend.swap(REF, new, old, "git mem: purge")
    return new


def program(path: Path, name: str, script: str) -> Path:
    """An executable shell script."""
    file = path / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def counted_git(path: Path) -> tuple[Path, Callable[[], list[str]]]:
    """A directory for PATH whose `git` notes each call; and what was called since the last look."""
    real = shutil.which("git")
    path.mkdir()
    log = path / "log"
    program(path, "git", f'echo "$@" >>{log}\nexec {real} "$@"')

    def calls() -> list[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        log.write_text("")
        return lines

    return path, calls


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, **changes}
