"""HEAD moved: the index follows by one git process, or knows which of its rows are in doubt."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Repo

from gitmem.core.event import Event
from gitmem.core.note import Note, Triggers
from gitmem.drafting import Draft
from gitmem.index.moved import follow
from gitmem.index.read import TOP, Index
from gitmem.index.refresh import refresh
from gitmem.memory import Memory


@pytest.fixture
def memory(repo: Repo) -> Memory:
    return Memory.open(str(repo.path))


def add(memory: Memory, note_id: str, path: str) -> None:
    note = Note(note_id, body=f"{note_id}.\n", triggers=Triggers(paths=(path,)))
    memory.add([Draft(note, note_id)])


@pytest.fixture
def index(memory: Memory) -> Iterator[Index]:
    add(memory, "about-a", "src/a.py")
    index = refresh(memory.repository)
    yield index
    index.close()


def moved(memory: Memory, index: Index, *, seconds: float = 10) -> bool:
    path = os.path.join(index.directory, TOP)
    head = memory.place().head
    return follow(memory.repository, index, path, head, time.monotonic() + seconds)


def hits(index: Index, path: str) -> list[str]:
    return [hit.row.id for hit in index.query(Event((path,)))]


def test_past_commits_that_are_no_anchor_it_follows_and_says_so(repo, memory, index):
    for number in range(3):
        head = repo.commit("more", **{"other.txt": f"{number}\n"})
    assert moved(memory, index)
    again = Index(index.directory)
    assert again.header == {**index.header, "head": head}
    assert hits(again, "src/a.py") == ["about-a"]
    again.close()
    repo.git("reset", "-q", "--hard", "HEAD~2")
    assert moved(memory, index)


def test_past_an_anchor_it_does_not_and_keeps_back_what_may_be_of_the_other_branch(
    repo, memory, index
):
    index.close()
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("topic", **{"src/b.py": "B = 5\n"})
    add(memory, "about-b", "src/b.py")
    index = refresh(memory.repository)
    assert (hits(index, "src/a.py"), hits(index, "src/b.py")) == (["about-a"], ["about-b"])
    repo.git("switch", "-q", "main")
    before = Path(index.directory, TOP).read_bytes()
    assert not moved(memory, index)
    assert (hits(index, "src/a.py"), hits(index, "src/b.py")) == (["about-a"], [])
    assert Path(index.directory, TOP).read_bytes() == before
    index.close()


def test_a_commit_to_files_that_another_branch_worked_on_may_be_a_landing(repo, memory, index):
    index.close()
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("topic", **{"src/b.py": "B = 5\n"})
    add(memory, "about-b", "src/b.py")
    repo.git("switch", "-q", "main")
    index = refresh(memory.repository)
    repo.commit("elsewhere", **{"other.txt": "x\n"})
    assert moved(memory, index)
    repo.commit("the same file", **{"src/b.py": "B = 6\n"})
    assert not moved(memory, index)
    index.close()


def test_without_time_every_anchored_note_is_in_doubt(repo, memory, index):
    repo.commit("more", **{"other.txt": "x\n"})
    assert not moved(memory, index, seconds=-1)
    assert hits(index, "src/a.py") == []


def test_an_unborn_branch_is_not_followed(repo, memory, index):
    repo.git("switch", "-q", "--orphan", "island")
    assert not moved(memory, index)
