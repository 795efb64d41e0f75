"""HEAD moved: the index follows by one git process, or knows which of its rows are in doubt."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
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


def test_without_time_it_answers_as_it_is(repo, memory, index):
    repo.commit("more", **{"other.txt": "x\n"})
    assert not moved(memory, index, seconds=-1)
    assert hits(index, "src/a.py") == ["about-a"]


def test_an_unborn_branch_is_not_followed(repo, memory, index):
    repo.git("switch", "-q", "--orphan", "island")
    assert not moved(memory, index)


def test_past_anchors_of_notes_with_one_revision_it_follows_and_the_next_one_knows(
    repo, memory, index
):
    index.close()
    for name in ("b", "c"):
        repo.commit(name, **{f"src/{name}.py": f"{name} = 5\n"})
        add(memory, f"about-{name}", f"src/{name}.py")
    index = refresh(memory.repository)
    before = Path(index.directory, TOP).read_bytes()
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert moved(memory, index)
    assert [hits(index, f"src/{name}.py") for name in "abc"] == [["about-a"], ["about-b"], []]
    again = Index(index.directory)
    assert moved(memory, again, seconds=-1)  # without asking git
    assert [hits(again, f"src/{name}.py") for name in "abc"] == [["about-a"], ["about-b"], []]
    again.close()
    repo.git("reset", "-q", "--hard", "HEAD~1")
    index = reopened(index)
    assert moved(memory, index)
    assert [hits(index, f"src/{name}.py") for name in "abc"] == [["about-a"], [], []]
    hidden = [hit.row.id for hit in index.query(Event(("src/c.py",)), hidden=True)]
    assert hidden == ["about-c"]
    assert Path(index.directory, TOP).read_bytes() == before
    index.close()


def reopened(index: Index) -> Index:
    index.close()
    return Index(index.directory)


def test_forward_past_an_anchor_its_note_is_gained(repo, memory, index):
    index.close()
    tip = repo.commit("b", **{"src/b.py": "b = 5\n"})
    add(memory, "about-b", "src/b.py")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    index = refresh(memory.repository)
    assert hits(index, "src/b.py") == []
    repo.git("reset", "-q", "--hard", tip)
    assert moved(memory, index)
    assert hits(index, "src/b.py") == ["about-b"]
    index.close()


def test_a_note_with_more_revisions_is_for_the_fold(repo, memory, index):
    index.close()
    repo.commit("b", **{"src/b.py": "b = 5\n"})
    memory.edit("about-a", lambda note: replace(note, body="Now so.\n"))
    index = refresh(memory.repository)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert not moved(memory, index)
    index.close()


def test_what_is_lost_from_sight_may_have_landed_as_what_is_gained(repo, memory, index):
    index.close()
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("topic", **{"src/b.py": "B = 5\n"})
    add(memory, "about-b", "src/b.py")
    index = refresh(memory.repository)
    repo.git("switch", "-q", "main")
    assert moved(memory, index)
    index = reopened(index)
    repo.commit("squash", **{"src/b.py": "B = 5\n"})
    assert not moved(memory, index)
    index.close()


def test_a_top_that_was_written_anew_is_not_read_by_what_an_older_one_left(repo, memory, index):
    index.close()
    repo.commit("b", **{"src/b.py": "b = 5\n"})
    add(memory, "about-b", "src/b.py")
    index = refresh(memory.repository)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert moved(memory, index)
    repo.git("reset", "-q", "--hard", "HEAD@{1}")
    add(memory, "also-b", "src/b.py")
    index = reopened(index)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert not moved(memory, index, seconds=-1)
    assert moved(memory, index)
    assert hits(index, "src/b.py") == []
    index.close()
