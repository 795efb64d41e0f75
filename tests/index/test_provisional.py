"""Without an index: what is looked through as it lies misses nothing that an index would find."""

import time
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_lookup import EVENTS, NOTES, naive

from gitmem.codec import encode
from gitmem.core.event import Event
from gitmem.core.note import Note, Triggers
from gitmem.drafting import Draft
from gitmem.index import refresh as refreshing
from gitmem.index.provisional import Reach
from gitmem.index.refresh import provisional, refresh
from gitmem.index.write import TooLate
from gitmem.memory import Memory

LONG = tuple(f"some/quite/long/directory/number/{number}/**" for number in range(40))


def note(**triggers):
    return Note("n", "Text.\n", Triggers(**triggers))


@settings(max_examples=400, deadline=None)
@given(NOTES, EVENTS, st.booleans())
@example(note(paths=("a,b.py", 'say "x".py')), Event(("dir/a,b.py",)), False)
@example(note(paths=("back\\*slash.py",)), Event(("back*slash.py",)), False)
@example(note(paths=(*LONG, "x, y/*.c")), Event(("x, y/z.c",)), False)
@example(note(errors=("a, b", "c: d")), Event(errors=("it said c: d",)), False)
@example(note(commands=("tab\there", "x")), Event(commands=("tab here",)), False)
def test_whatever_an_event_reaches_may_be_reached(given_note, event, folds_case):
    hits = naive([("shared", replace(given_note, supersedes=()))], event, folds_case)
    if hits:
        assert Reach(event, folds_case=folds_case).may_reach(encode(given_note))


def test_what_a_session_starts_with_may_be_reached_at_its_start():
    start = Reach(Event(start="startup"), folds_case=False)
    assert start.may_reach(encode(note(always=True)))
    assert not start.may_reach(encode(note(paths=("a.py",))))


def test_what_cannot_be_reached_is_passed_over():
    reach = Reach(Event(("src/a.py",), ("make all",)), folds_case=False)
    assert not reach.may_reach(encode(note(paths=("b.py", "src/b/**", "*.c"), commands=("npm",))))
    assert not reach.may_reach(encode(note(errors=("make all",))))


@pytest.fixture
def memory(repo, monkeypatch):
    monkeypatch.setattr(refreshing, "FEW", 0)
    memory = Memory.open(str(repo.path))
    drafts = [
        note(paths=("src/**",)),
        note(paths=("src/a.py",), commands=("npm publish",)),
        note(errors=("port in use",)),
        note(always=True),
    ]
    memory.add([Draft(replace(one, id=f"n{at}"), f"n{at}") for at, one in enumerate(drafts)])
    return memory


@pytest.mark.parametrize(
    "event",
    [
        Event(("src/a.py",)),
        Event(("other.py",), ("npm publish",)),
        Event(errors=("the port in use",)),
        Event(("nothing",)),
    ],
)
def test_it_answers_as_the_index_does(memory, repo, event):
    memory.edit("n0", lambda old: replace(old, triggers=Triggers(paths=("other.py",))))
    repo.git("switch", "-q", "-c", "topic")
    index = refresh(memory.repository)
    wanted = [(hit.row.id, hit.row.rev, hit.matched) for hit in index.query(event)]
    index.close()
    some = provisional(memory.repository, event, time.monotonic() + 10)
    assert [(hit.row.id, hit.row.rev, hit.matched) for hit in some.query(event)] == wanted
    some.close()
    home = repo.path / ".git" / "gitmem"
    assert [path.name for path in home.iterdir() if path.name.startswith("provisional")] == []


def test_few_notes_are_for_an_index(memory, monkeypatch):
    monkeypatch.setattr(refreshing, "FEW", 10)
    assert provisional(memory.repository, Event(("a",)), time.monotonic() + 10) is None


def test_without_time_it_stops(memory):
    with pytest.raises(TooLate):
        provisional(memory.repository, Event(("src/a.py",)), time.monotonic() - 1)
