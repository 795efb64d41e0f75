"""Reading a layer: its own tip and what was fetched, with no write; the unreadable is named."""

import pytest
from conftest import Repo
from travelling import ADA, REF, commit, revision, tree

from gitmem.store.backend import Identity
from gitmem.store.choose import backend_for
from gitmem.store.git_backend import GitBackend
from gitmem.store.layer import Layer
from gitmem.store.united import tracked, tracked_tips, united, united_with

ORIGIN, FORK = "refs/memory-remotes/origin/facts", "refs/memory-remotes/fork/facts"


@pytest.fixture(params=["git", "pygit2"])
def backend(request, repo: Repo):
    return backend_for(str(repo.git_dir), bulk=request.param == "pygit2")


@pytest.fixture
def layer(repo: Repo) -> Layer:
    return Layer("shared", str(repo.git_dir))


def put(repo: Repo, ref: str, *ids: str) -> str:
    made = commit(GitBackend(str(repo.git_dir)), tree(*ids))
    repo.git("update-ref", ref, made)
    return made


def names(found) -> list[str]:
    return sorted(item.path for item in found.entries())


def test_a_layer_is_its_own_tip_and_every_fetched_one_each_path_once(repo, layer, backend):
    mine, theirs = put(repo, REF, "a", "b"), put(repo, ORIGIN, "b", "c")
    also = put(repo, FORK, "d")
    put(repo, "refs/memory-remotes/origin/state", "not-a-fact")
    before = repo.git("for-each-ref")
    found = united(layer, backend)
    assert (found.tips, found.left_out) == ((mine, also, theirs), [])
    assert names(found) == sorted(tree("a", "b", "c", "d"))
    bucket = revision("c")[0].partition("/")[0]
    assert [item.path for item in found.entries(bucket)] == [
        path for path in sorted(tree("a", "b", "c", "d")) if path.startswith(bucket)
    ]
    assert repo.git("for-each-ref") == before
    assert tracked(layer) == {ORIGIN: theirs, FORK: also}
    assert tracked_tips(layer.git_dir, "refs/memory/state").keys() == {
        "refs/memory-remotes/origin/state"
    }


def test_packed_refs_are_read_as_well(repo, layer):
    mine, theirs = put(repo, REF, "a"), put(repo, ORIGIN, "b")
    repo.git("pack-refs", "--all", "--prune")
    assert united(layer).tips == (mine, theirs)


def test_without_notes_of_its_own_what_was_fetched_is_all(repo, layer, backend):
    theirs = put(repo, ORIGIN, "a")
    assert united(layer, backend).tips == (theirs,)


def test_a_writer_sees_the_tip_it_has_read_and_no_newer_one(repo, layer, backend):
    mine = put(repo, REF, "a")
    put(repo, REF, "a", "b")
    theirs = put(repo, ORIGIN, "c")
    assert united_with(layer, backend, mine).tips == (mine, theirs)
    assert united_with(layer, backend, None).tips == (theirs,)


def test_only_the_shared_layer_is_united_with_what_was_fetched(repo, layer, backend):
    mine = put(repo, REF, "a")
    put(repo, ORIGIN, "b")
    assert len(united(layer, backend).tips) == 2
    local = Layer("local", layer.git_dir)
    assert (united(local, backend).tips, tracked(local)) == ((mine,), {})


def test_a_fetched_tip_that_cannot_be_read_is_named_and_hides_nothing(repo, layer, backend):
    mine = put(repo, REF, "a")
    who = Identity(ADA.name, ADA.email, ADA.when)
    newer = backend.commit(
        parents=(), changes={"FORMAT": b"gitmem 2\n"}, message="x", author=who, committer=who
    )
    blob = repo.git("hash-object", "-w", "--stdin", stdin="x")
    missing = "1" * 40
    for ref, oid in ((ORIGIN, newer), (FORK, blob)):
        repo.git("update-ref", ref, oid)
    broken = repo.git_dir / "refs" / "memory-remotes" / "gone" / "facts"
    broken.parent.mkdir()
    broken.write_text(missing + "\n")
    found = united(layer, backend)
    assert found.tips == (mine,)
    assert found.left_out == [
        f"{FORK} points to {blob}, which is blob",
        f"refs/memory-remotes/gone/facts points to {missing}, which is missing",
        f"{ORIGIN} has format 'gitmem 2', newer than this git mem understands",
    ]
    assert names(found) == sorted(tree("a"))
