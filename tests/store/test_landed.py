"""The map of landings: written once, read with what was fetched, taken back by `.gone`."""

import pytest
from conftest import Repo

from gitmem import refs
from gitmem.store import process
from gitmem.store.identity import identities
from gitmem.store.landed import read_landed, record
from gitmem.store.layer import Layer
from gitmem.store.transaction import Change, transact

A, B, C, D = (digit * 40 for digit in "abcd")
FETCHED = "refs/memory-remotes/origin/landed"


@pytest.fixture
def write(repo: Repo):
    """Record pairs; how many were new."""

    def write(*pairs: tuple[str, str], gone: bool = False) -> int:
        git_dir = str(repo.git_dir)
        return record(git_dir, pairs, identity=identities(git_dir), gone=gone)

    return write


def read(repo: Repo) -> dict[str, frozenset[str]]:
    return read_landed(str(repo.git_dir))


def test_what_is_recorded_is_read_and_recorded_once(repo, write):
    assert write((A, B), (A, C), (B, D)) == 3
    assert read(repo) == {A: frozenset({B, C}), B: frozenset({D})}
    tip = repo.git("rev-parse", refs.LANDED)
    assert repo.git("ls-tree", "-r", "--name-only", tip).split() == [
        "FORMAT",
        f"aa/{A}/{B}",
        f"aa/{A}/{C}",
        f"bb/{B}/{D}",
    ]
    assert repo.git("show", f"{tip}:aa/{A}/{B}") == ""
    assert repo.git("log", "-1", "--format=%B", tip).splitlines() == [
        "record 3 landings", "", f"{A} {B}", f"{A} {C}", f"{B} {D}"
    ]  # fmt: skip
    assert (write((A, B)), write(), repo.git("rev-parse", refs.LANDED)) == (0, 0, tip)
    assert (write((A, B), (C, D)), repo.git("rev-list", "--count", refs.LANDED)) == (1, "2")


def test_a_landing_that_was_taken_back_stays_away(repo, write):
    write((A, B), (A, C))
    assert write((A, B), gone=True) == 1
    assert read(repo) == {A: frozenset({C})}
    assert (write((A, B)), write((A, B), gone=True)) == (0, 0)
    assert read(repo) == {A: frozenset({C})}


def test_what_was_fetched_is_read_too_and_takes_away_as_well(repo, write):
    write((A, B))
    repo.git("update-ref", FETCHED, refs.LANDED)
    repo.git("update-ref", "-d", refs.LANDED)
    assert read(repo) == {A: frozenset({B})}
    write((C, D))
    assert read(repo) == {A: frozenset({B}), C: frozenset({D})}
    write((A, B), gone=True)
    assert read(repo) == {C: frozenset({D})}


def test_nothing_recorded_costs_no_process(repo, write, monkeypatch):
    git_dir = str(repo.git_dir)
    ran: list[object] = []
    call = process._call
    monkeypatch.setattr(process, "_call", lambda args, *rest: ran.append(args) or call(args, *rest))
    assert (read_landed(git_dir), ran) == ({}, [])
    write((A, B))
    ran.clear()
    assert read_landed(git_dir) == {A: frozenset({B})}
    assert len(ran) == 1


def test_what_is_no_landing_is_neither_written_nor_read_nor_lost(repo, write):
    assert write((A, A), (A, "main"), ("../x", B)) == 0
    assert read(repo) == {}
    foreign = {f"aa/{B}/{C}": b"", "README": b"hello\n", f"aa/{A}/{B}.txt": b"", f"aa/{A}/{A}": b""}
    layer = Layer("shared", str(repo.git_dir), refs.LANDED)
    who = identities(str(repo.git_dir))
    transact(layer, lambda _: Change(foreign, "foreign"), identity=who)
    assert read(repo) == {}
    assert write((A, B)) == 1
    assert read(repo) == {A: frozenset({B})}
    assert repo.git("show", f"{refs.LANDED}:README") == "hello"
