"""The history of a layer as a stream: order, each revision once, broken ones, and an early end."""

import subprocess
from collections.abc import Iterator
from itertools import islice

import pytest
from conftest import Repo
from running import AUTHOR
from travelling import REF, TRACKING, commit

from gitmem.codec import encode, encode_gone, revision_name
from gitmem.core.note import Anchor, Note, Triggers
from gitmem.store import process
from gitmem.store.git_backend import GitBackend
from gitmem.store.layer import Layer
from gitmem.store.layout import FORMAT, FORMAT_PATH, path_of
from gitmem.store.revision_log import Logged, Shelf, revisions
from gitmem.store.revisions import Broken
from gitmem.store.united import united

Files = dict[str, bytes | None]


def revision(
    note_id: str, minute: int, *replaces: str, anchor: Anchor | None = None
) -> tuple[str, Files]:
    """(rev, files) of a revision written at a minute."""
    note = Note(
        note_id,
        f"{note_id} at {minute}.\n",
        Triggers(paths=("src/a.py",)),
        written=f"2023-11-14T10:{minute:02}:00Z",
        author=AUTHOR,
        anchor=anchor,
        replaces=replaces,
    )
    data = encode(note)
    rev = revision_name(data)
    return rev, {path_of(note_id, rev): data}


def found(repo: Repo, **only: object) -> Iterator[Logged | Broken]:
    layer = Layer("shared", str(repo.git_dir))
    content = united(layer)
    shelf = Shelf([content], only.get("key"))  # type: ignore[arg-type]
    for batch in revisions(layer, content, shelf, **only):  # type: ignore[arg-type]
        yield from batch


def told(repo: Repo, **only: object) -> list[str]:
    """The first line of every text, newest first."""
    return [
        item.message
        if isinstance(item, Broken)
        else item.revision.note.body.strip()
        if item.revision.note
        else f"{item.id} purged by {item.who} {item.when}"
        for item in found(repo, **only)
    ]


@pytest.fixture
def backend(repo: Repo) -> GitBackend:
    return GitBackend(str(repo.git_dir))


def test_no_memory_is_no_revision(repo):
    assert told(repo) == []


def test_the_newest_commit_comes_first_and_one_note_can_be_asked_for(repo, backend):
    tip = commit(backend, {FORMAT_PATH: FORMAT, "foreign/file": b"x"} | revision("a", 1)[1])
    for minute, name in enumerate(("b", "A", "c"), 2):
        tip = commit(backend, revision(name, minute)[1], tip, when=60 * minute)
    repo.git("update-ref", REF, tip)
    assert told(repo) == ["c at 4.", "A at 3.", "b at 2.", "a at 1."]
    assert told(repo, key="a") == ["A at 3.", "a at 1."]
    assert told(repo, key="nothing") == []
    assert told(repo, since=1_700_000_000 + 150) == ["c at 4.", "A at 3."]


def test_what_one_commit_brought_is_in_the_order_it_was_written(repo, backend):
    files: Files = {FORMAT_PATH: FORMAT}
    for minute in (3, 1, 5, 2, 4):
        files |= revision(f"note-{minute}", minute)[1]
    first, one = revision("chain", 9)
    second, two = revision("chain", 9, first)
    third, three = revision("chain", 9, second)
    repo.git("update-ref", REF, commit(backend, files | two | one | three))
    chain = [item.revision.rev for item in islice(found(repo), 3)]
    assert chain == [third, second, first]
    assert told(repo)[3:] == [f"note-{minute} at {minute}." for minute in (5, 4, 3, 2, 1)]


def test_a_revision_that_several_commits_carry_comes_once(repo, backend):
    root = commit(backend, {FORMAT_PATH: FORMAT} | revision("a", 1)[1])
    both = revision("both", 2)[1]
    ours = commit(backend, both | revision("ours", 3)[1], root, when=60)
    theirs = commit(backend, both | revision("theirs", 4)[1], root, when=120)
    merged = commit(backend, both | revision("theirs", 4)[1], ours, theirs, when=120)
    repo.git("update-ref", REF, merged)
    later = commit(backend, revision("later", 6)[1], theirs, when=180)
    repo.git("update-ref", TRACKING, later)
    assert told(repo) == ["later at 6.", "theirs at 4.", "both at 2.", "ours at 3.", "a at 1."]


def test_what_a_merge_itself_adds_is_there(repo, backend):
    root = commit(backend, {FORMAT_PATH: FORMAT} | revision("a", 1)[1])
    sides = [commit(backend, revision(name, 2)[1], root, when=60) for name in ("b", "c")]
    files = revision("c", 2)[1] | revision("evil", 3)[1]
    repo.git("update-ref", REF, commit(backend, files, *sides, when=120))
    assert told(repo) == ["evil at 3.", "b at 2.", "c at 2.", "a at 1."]


def test_of_what_was_purged_only_the_purge_is_told_wherever_it_still_is(repo, backend):
    rev, secret = revision("secret", 1)
    old = commit(backend, {FORMAT_PATH: FORMAT} | secret | revision("kept", 2)[1])
    repo.git("update-ref", REF, old)
    assert told(repo) == ["kept at 2.", "secret at 1."]
    clean: Files = {FORMAT_PATH: FORMAT, path_of("secret", rev, True): encode_gone((), None)}
    new = commit(backend, clean | revision("kept", 2)[1], when=60)
    purge = "secret purged by Ada <ada@example.com> 2023-11-14T22:14:20Z"
    repo.git("update-ref", REF, new)
    assert told(repo) == [purge, "kept at 2."]
    repo.git("update-ref", TRACKING, commit(backend, revision("theirs", 3)[1], old, when=120))
    assert told(repo) == ["theirs at 3.", purge, "kept at 2."]


def test_a_pending_revision_that_was_published_is_not_told_again(repo, backend):
    waiting = Anchor(branch="main", extra=(("pending", "shared"),))
    rev, pending = revision("a", 1, anchor=waiting)
    old = commit(backend, {FORMAT_PATH: FORMAT} | pending)
    repo.git("update-ref", REF, old)
    assert told(repo) == ["a at 1."]
    repo.git("update-ref", REF, commit(backend, revision("a", 1, rev)[1], old, when=60))
    (published,) = found(repo)
    assert isinstance(published, Logged) and published.revision.replaces == (rev,)


def test_what_is_replaced_is_read_with_it_and_what_is_not_here_is_left_out(repo, backend):
    rev, one = revision("a", 1)
    tip = commit(backend, {FORMAT_PATH: FORMAT} | one)
    tip = commit(backend, revision("a", 2, rev, "0" * 20)[1], tip, when=60)
    repo.git("update-ref", REF, tip)
    newest, oldest = found(repo)
    assert isinstance(newest, Logged) and isinstance(oldest, Logged)
    assert newest.replaced == (oldest.revision,)


def test_broken_revisions_are_reported_in_their_place(repo, backend):
    tip = commit(backend, {FORMAT_PATH: FORMAT} | revision("a", 1)[1])
    path = path_of("false", "0" * 20)
    tip = commit(backend, {path: b"---\nid: false\n---\nNo.\n"}, tip, when=60)
    tip = commit(backend, revision("b", 2)[1], tip, when=120)
    repo.git("update-ref", REF, tip)
    assert told(repo) == [
        "b at 2.",
        f"{path}: the content is not what its name promises",
        "a at 1.",
    ]


def test_a_history_that_cannot_be_read_is_an_error_after_what_could_be(repo, backend):
    root = commit(backend, {FORMAT_PATH: FORMAT} | revision("a", 1)[1])
    repo.git("update-ref", REF, commit(backend, revision("b", 2)[1], root, when=60))
    (repo.git_dir / "objects" / root[:2] / root[2:]).unlink()
    with pytest.raises(process.GitFailed) as failed:
        told(repo)
    assert root in failed.value.stderr


def test_git_is_ended_when_the_reader_wants_no_more(repo, backend, monkeypatch):
    children: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*args: object, **options: object) -> subprocess.Popen[bytes]:
        children.append(real(*args, **options))  # type: ignore[call-overload]
        return children[-1]

    tip = commit(backend, {FORMAT_PATH: FORMAT} | revision("a", 1)[1])
    repo.git("update-ref", REF, tip)
    git_dir = str(repo.git_dir)
    monkeypatch.setattr(subprocess, "Popen", popen)
    assert list(process.lines(("cat-file", "--batch-check"), git_dir=git_dir)) == []
    stream = process.lines(("rev-list", "--max-count=1", REF), git_dir=git_dir)
    assert next(stream) == tip
    stream.close()
    assert len(children) == 2 and all(child.returncode is not None for child in children)


def test_many_revisions_are_read_in_growing_batches(repo, backend):
    files: Files = {FORMAT_PATH: FORMAT}
    for number in range(1200):
        files |= revision(f"note-{number}", number % 3)[1]
    repo.git("update-ref", REF, commit(backend, files))
    layer = Layer("shared", str(repo.git_dir))
    content = united(layer)
    sizes = [len(batch) for batch in revisions(layer, content, Shelf([content]))]
    assert sizes == [1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 189]
    order = [text.rpartition(" ")[2] for text in told(repo)]
    assert order == ["2."] * 400 + ["1."] * 400 + ["0."] * 400
