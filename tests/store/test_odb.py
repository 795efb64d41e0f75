"""Reading objects without git gives git's bytes, or nothing."""

import os
import random
import zlib
from pathlib import Path

import pytest
from conftest import Repo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.store import ask, odb


def everything(repo: Repo) -> dict[str, tuple[str, int]]:
    """All objects of a repository: id → (kind, size)."""
    out = repo.git("cat-file", "--batch-all-objects", "--batch-check")
    lines = (line.split() for line in out.split("\n"))
    return {oid: (kind, int(size)) for oid, kind, size in lines}


def same_as_git(repo: Repo) -> int:
    """Compare all objects with what git reads; return how many there were."""
    git_dir = str(repo.git_dir)
    objects = everything(repo)
    for oid, (kind, size) in objects.items():
        found = odb.read_object(git_dir, oid)
        assert found is not None, (oid, kind)
        assert (found[0], len(found[1])) == (kind, size)
        if kind == "blob":
            assert odb.read_blob(git_dir, oid) == found[1] == ask.read_blob(git_dir, oid)
        else:
            assert odb.read_blob(git_dir, oid) is None
    return len(objects)


def grow(repo: Repo, commits: int = 8) -> None:
    """Commits whose blobs make long delta chains, and some that do not compress."""
    dice = random.Random(7)
    lines = [f"line {n} {dice.random()}\n" for n in range(400)]
    for n in range(commits):
        lines[dice.randrange(400)] = f"changed {n}\n"
        lines.insert(dice.randrange(400), f"inserted {n} {dice.random()}\n" * dice.randrange(9))
        repo.write("big.txt", "".join(lines))
        (repo.path / "noise").write_bytes(dice.randbytes(3000))
        (repo.path / "zeros").write_bytes(b"\0" * (70_000 + n))
        repo.commit(f"grow {n}", empty="")


@pytest.fixture(params=["sha1", "sha256"])
def grown(request, make_repo) -> Repo:
    repo = make_repo("grown", f"--object-format={request.param}")
    grow(repo)
    repo.git("tag", "-a", "-m", "a tag", "v1")
    return repo


def test_loose_objects_are_read(grown):
    assert same_as_git(grown) > 25


def test_packs_with_deltas_are_read(grown):
    count = same_as_git(grown)
    grown.git("gc", "-q", "--aggressive", "--prune=now")
    assert list((grown.path / ".git" / "objects").glob("[0-9a-f][0-9a-f]")) == []
    pack = next((grown.path / ".git" / "objects" / "pack").glob("*.idx"))
    assert "chain length = " in grown.git("verify-pack", "-v", str(pack))
    assert same_as_git(grown) == count


def test_reference_deltas_and_several_packs_are_read(grown):
    grown.git("config", "repack.useDeltaBaseOffset", "false")
    grown.git("repack", "-qadf")
    grow(grown, 3)
    grown.git("repack", "-q")
    grow(grown, 1)
    assert len(list((grown.path / ".git" / "objects" / "pack").glob("*.idx"))) == 2
    same_as_git(grown)


def test_alternates_are_followed(grown, tmp_path):
    blob = grown.git("rev-parse", "HEAD:big.txt")
    grown.git("repack", "-qad")
    shared = Repo(tmp_path / "shared")
    grown.git("clone", "-q", "--shared", "--bare", str(grown.path), str(shared.path))
    again = Repo(tmp_path / "again")
    grown.git("clone", "-q", "--shared", "--bare", str(shared.path), str(again.path))
    assert odb.read_blob(str(again.path), blob) is not None
    assert same_as_git(again) > 25
    relative = "# a comment\n\n../../grown/.git/objects\n"
    (shared.path / "objects" / "info" / "alternates").write_text(relative)
    assert odb.read_blob(str(again.path), blob) is not None


def test_alternates_in_a_circle_end(repo):
    objects = repo.path / ".git" / "objects"
    (objects / "info" / "alternates").write_text(f"{objects}\n{objects}\n")
    assert odb.read_blob(str(repo.path / ".git"), "1" * 40) is None


def test_offsets_beyond_two_gigabytes_are_read(grown):
    """An index that puts all offsets but the first into its 8-byte table, as in a huge pack."""
    grown.git("repack", "-qad")
    pack = next((grown.path / ".git" / "objects" / "pack").glob("*.pack"))
    index = pack.with_suffix(".idx")
    index.chmod(0o644)
    index.unlink()
    grown.git("index-pack", "--index-version=2,0x40", str(pack))
    assert os.path.getsize(index) > 1072 + 32 * len(everything(grown))
    same_as_git(grown)


def test_what_is_missing_or_no_id_is_none(repo):
    git_dir = str(repo.path / ".git")
    blob = repo.git("rev-parse", "HEAD:README.md")
    assert odb.read_blob(git_dir, blob) == b"# Acme\n"
    repo.git("repack", "-q")
    for oid in "", "x", "1" * 40, "1" * 64, blob[:39], blob.upper(), f" {blob[1:]}", "é" * 40, "\0":
        assert odb.read_blob(git_dir, oid) is None
    assert odb.read_blob(git_dir, None) is None  # type: ignore[arg-type]
    assert odb.read_blob("/nonexistent", blob) is None
    assert odb.read_blob("\0", blob) is None


def test_an_index_of_version_1_is_for_git(repo):
    blob = repo.git("rev-parse", "HEAD:README.md")
    repo.git("-c", "pack.indexVersion=1", "repack", "-qad")
    assert odb.read_blob(str(repo.path / ".git"), blob) is None
    assert ask.read_blob(str(repo.path / ".git"), blob) == b"# Acme\n"


def test_a_blob_over_the_limit_is_for_git(repo):
    big = repo.git("hash-object", "-w", "--stdin", stdin=b"\0" * (odb.LIMIT + 1))
    most = repo.git("hash-object", "-w", "--stdin", stdin=b"\0" * odb.LIMIT)
    git_dir = str(repo.path / ".git")
    assert odb.read_blob(git_dir, most) == b"\0" * odb.LIMIT
    assert odb.read_blob(git_dir, big) is None
    assert len(ask.read_blob(git_dir, big) or b"") == odb.LIMIT + 1


def place(repo: Repo, oid: str, content: bytes) -> None:
    path = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not zlib",
        zlib.compress(b"blob 3\0hi"),
        zlib.compress(b"blob 1\0hi"),
        zlib.compress(b"blob -1\0hi"),
        zlib.compress(b"blob 2hi"),
        zlib.compress(b"blob two\0hi"),
        zlib.compress(b"blip 2\0hi"),
        zlib.compress(b"x" * 100_000),
        zlib.compress(b"blob 2\0hi")[:-4],
        zlib.compress(b"blob 2\0hi")[:-1] + b"x",
        zlib.compress(b"blob 4000000\0" + b"\0" * 30_000_000),
    ],
)
def test_a_damaged_loose_object_is_none(repo, content):
    oid = "ab" * 20
    place(repo, oid, zlib.compress(b"blob 2\0hi"))
    assert odb.read_blob(str(repo.path / ".git"), oid) == b"hi"
    place(repo, oid, content)
    assert odb.read_blob(str(repo.path / ".git"), oid) is None


@pytest.fixture(scope="module")
def pack_bytes(tmp_path_factory) -> tuple[Path, bytes, bytes, dict[str, bytes]]:
    """A packed repository to damage: pack file, its bytes, its index, and the true blobs."""
    repo = Repo(tmp_path_factory.mktemp("damaged"))
    repo.git("init", "-q")
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "a@b")
    grow(repo, 4)
    repo.git("repack", "-qadf")
    repo.git("prune-packed")
    pack = next((repo.path / ".git" / "objects" / "pack").glob("*.pack"))
    index = pack.with_suffix(".idx")
    blobs = {
        oid: ask.read_blob(str(repo.path / ".git"), oid) or b""
        for oid, (kind, _) in everything(repo).items()
        if kind == "blob"
    }
    for file in pack, index:
        file.chmod(0o644)
    return pack, pack.read_bytes(), index.read_bytes(), blobs


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_pack_never_gives_wrong_bytes(pack_bytes, data):
    pack, good, _, blobs = pack_bytes
    broken = bytearray(good)
    for _ in range(data.draw(st.integers(0, 3))):
        broken[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    pack.write_bytes(broken[: data.draw(st.sampled_from([len(good), len(good) // 2, 0]))])
    for oid, content in blobs.items():
        assert odb.read_blob(str(pack.parents[2]), oid) in (content, None)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_index_never_raises(pack_bytes, data):
    pack, good_pack, good, blobs = pack_bytes
    pack.write_bytes(good_pack)
    broken = bytearray(good)
    for _ in range(data.draw(st.integers(0, 5))):
        broken[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    index = pack.with_suffix(".idx")
    index.write_bytes(broken[: data.draw(st.integers(0, len(good)))])
    for oid in blobs:
        odb.read_blob(str(pack.parents[2]), oid)
    index.write_bytes(good)
