"""The index follows the refs: incrementally the same as anew, and never precious."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.core.event import Event
from gitmem.core.note import Note, Triggers
from gitmem.drafting import Draft
from gitmem.errors import GitMemError
from gitmem.index import write
from gitmem.index.place import INDEX, home
from gitmem.index.read import TOP
from gitmem.index.refresh import refresh
from gitmem.index.write import TooLate
from gitmem.memory import Memory
from gitmem.refs import FACTS

EVENTS = [
    Event(("src/a.py",)),
    Event(("docs/x", "SRC/A.py")),
    Event((), ("make all",), ("port in use",)),
    Event((), (), (), ("release day",)),
]
CONDITIONS = [
    Triggers(paths=("src/**",)),
    Triggers(paths=("src/*.py", "!src/a.py")),
    Triggers(paths=("Src/**",), always=True),
    Triggers(commands=("make",), errors=("in use",)),
    Triggers(prompts=("release",), always=True),
]


def draft(note_id, triggers=CONDITIONS[0], body="Text.\n", **fields):
    return Draft(Note(note_id, body, triggers, **fields), note_id)


def contents(index):
    """All that an index answers, and closes it."""
    rows = sorted(row.pack() for row in index.rows())
    found = [[(hit.row.pack(), sorted(hit.matched)) for hit in index.query(e)] for e in EVENTS]
    always = [hit.row.pack() for hit in index.always()]
    index.close()
    return rows, found, always, index.header["broken"]


def ids(index):
    found = sorted(row.id for row in index.rows())
    index.close()
    return found


@pytest.fixture
def memory(repo):
    return Memory.open(str(repo.path), clock=lambda: 1_800_000_000.0)


@pytest.fixture
def directory(memory):
    return Path(home(memory.repository.common_dir), INDEX)


def bases(directory):
    return sorted(path.name for path in directory.iterdir() if path.name.startswith("base-"))


def test_what_was_added_is_found_and_lies_in_a_top_over_the_old_base(memory, directory):
    memory.add([draft("one")])
    first = bases(directory)
    memory.add([draft("two", CONDITIONS[3])], layer="local")
    assert bases(directory) == first
    index = refresh(memory.repository)
    assert [row.id for row in index.rows()] == ["two", "one"]
    assert (index.top.rows, index.base.rows) == (1, 1)
    assert [hit.row.id for hit in index.query(EVENTS[2])] == ["two"]
    index.close()


def test_an_index_that_is_fresh_is_only_opened(memory, directory):
    memory.add([draft("one")])
    before = (directory / TOP).stat().st_mtime_ns
    refresh(memory.repository).close()
    assert (directory / TOP).stat().st_mtime_ns == before


def test_a_deleted_directory_is_built_again(memory, directory):
    memory.add([draft("one"), draft("two")])
    before = contents(refresh(memory.repository))
    shutil.rmtree(directory.parent / INDEX)
    assert contents(refresh(memory.repository)) == before
    assert len(bases(directory)) == 1


def test_a_damaged_index_is_built_again(memory, directory):
    memory.add([draft("one")])
    before = contents(refresh(memory.repository))
    for name in (TOP, *bases(directory)):
        (directory / name).write_bytes(b"torn")
        assert contents(refresh(memory.repository)) == before


def test_much_at_once_becomes_a_new_base(memory, directory, monkeypatch):
    monkeypatch.setattr(write, "IN_USE_SECONDS", -1)
    memory.add([draft("one")])
    first = bases(directory)
    memory.add([draft(f"many-{number}") for number in range(190)])
    assert bases(directory) == first
    memory.add([draft(f"more-{number}") for number in range(30)])
    assert len(bases(directory)) == 1 and bases(directory) != first
    index = refresh(memory.repository)
    assert (index.top.rows, index.base.rows, index.header["dead"]) == (0, 221, "")
    grown = contents(index)
    assert contents(refresh(memory.repository, rebuild=True)) == grown


def test_a_base_that_another_process_may_be_about_to_open_stays_a_while(memory, directory):
    memory.add([draft("one")])
    (old,) = bases(directory)
    (directory / "top.1-1.tmp").write_bytes(b"left by a crash")
    refresh(memory.repository, rebuild=True).close()
    assert old in bases(directory)
    long_ago = time.time() - 2 * write.IN_USE_SECONDS
    for name in os.listdir(directory):
        os.utime(directory / name, (long_ago, long_ago))
    refresh(memory.repository, rebuild=True).close()
    assert sorted(os.listdir(directory)) == [*bases(directory), "stale", TOP]
    assert len(bases(directory)) == 1 and old not in bases(directory)


def test_a_base_that_vanished_meanwhile_is_built_again(memory, directory, monkeypatch):
    memory.add([draft("one")])
    write_top = write.Writer._write_top

    def and_lose_the_base(writer, base, *args):
        write_top(writer, base, *args)
        monkeypatch.setattr(write.Writer, "_write_top", write_top)
        (directory / base).unlink()

    monkeypatch.setattr(write.Writer, "_write_top", and_lose_the_base)
    memory.add([draft("two")])
    assert ids(refresh(memory.repository)) == ["one", "two"]


def test_a_change_of_configuration_counts_at_once(memory, repo):
    memory.add([draft("one", CONDITIONS[2])])
    index = refresh(memory.repository)
    assert (index.query(EVENTS[0]), index.header["budget"]) == ([], "4000")
    index.close()
    repo.git("config", "core.ignorecase", "true")
    repo.git("config", "mem.budget", "5000")
    index = refresh(memory.repository)
    assert [hit.row.id for hit in index.query(EVENTS[0])] == ["one"]
    assert (index.header["budget"], index.header["hook"]) == ("5000", "true")
    index.close()
    repo.git("config", "mem.hook", "false")
    index = refresh(memory.repository)
    assert index.header["hook"] == "false"
    index.close()


def test_a_tip_that_went_back_takes_its_notes_along(memory, repo):
    memory.add([draft("one")])
    before = repo.git("rev-parse", FACTS)
    memory.add([draft("two"), draft("three")])
    assert ids(refresh(memory.repository)) == ["one", "three", "two"]
    repo.git("update-ref", FACTS, before)
    assert ids(refresh(memory.repository)) == ["one"]
    repo.git("update-ref", "-d", FACTS)
    assert ids(refresh(memory.repository)) == []


def test_an_old_tip_whose_objects_are_gone_is_no_obstacle(memory, repo):
    memory.add([draft("one"), draft("secret")])
    tree = repo.git("ls-tree", "-r", FACTS).splitlines()
    blobs = "\n".join(line for line in tree if "secret@" not in line)
    repo.git("update-index", "--index-info", stdin=blobs + "\n", env={"GIT_INDEX_FILE": "purged"})
    kept = repo.git("write-tree", env={"GIT_INDEX_FILE": "purged"})
    root = repo.git("commit-tree", kept, "-m", "purge")
    repo.git("update-ref", FACTS, root)
    repo.git("-c", "gc.reflogExpireUnreachable=now", "reflog", "expire", "--expire=now", "--all")
    (repo.path / "purged").unlink()
    repo.git("gc", "--quiet", "--prune=now")
    assert ids(refresh(memory.repository)) == ["one"]


def test_a_broken_note_is_named_until_it_is_gone_and_hides_no_other(memory, repo):
    memory.add([draft("good")])
    before = repo.git("rev-parse", FACTS)
    memory.add([draft("bad")])
    line = next(line for line in repo.git("ls-tree", "-r", FACTS).splitlines() if "bad@" in line)
    path = line.partition("\t")[2]
    blob = repo.git("hash-object", "-w", "--stdin", stdin="<<<<<<< ours\n")
    index_env = {"GIT_INDEX_FILE": str(repo.path / ".git" / "odd-index")}
    repo.git("read-tree", FACTS, env=index_env)
    repo.git("update-index", "--cacheinfo", f"100644,{blob},{path}", env=index_env)
    tree = repo.git("write-tree", env=index_env)
    broken = repo.git("commit-tree", tree, "-p", FACTS, "-m", "break")
    repo.git("update-ref", FACTS, broken)
    for rebuild in (False, True, False):
        index = refresh(memory.repository, rebuild=rebuild)
        assert index.header["broken"].startswith(f"shared\t{path}\t")
        assert ids(index) == ["good"]
    memory.add([draft("other")])
    assert path in contents(refresh(memory.repository))[3]
    repo.git("update-ref", FACTS, before)
    assert contents(refresh(memory.repository))[3] == ""


def test_a_ref_that_leads_nowhere_is_an_error_and_the_index_stays(memory, repo, directory):
    memory.add([draft("one")])
    blob = repo.git("hash-object", "-w", "--stdin", stdin="no commit")
    tip = repo.git("rev-parse", FACTS)
    (repo.git_dir / FACTS).write_text(blob + "\n")
    with pytest.raises(GitMemError):
        refresh(memory.repository)
    (repo.git_dir / FACTS).write_text(tip + "\n")
    assert ids(refresh(memory.repository)) == ["one"]


def test_too_late_leaves_the_last_good_index_and_no_temporary_file(memory, repo, directory):
    memory.add([draft("one")])
    tip = repo.git("rev-parse", FACTS)
    memory.add([draft("two")])
    good = (directory / TOP).read_bytes()
    repo.git("update-ref", FACTS, tip)
    with pytest.raises(TooLate):
        refresh(memory.repository, deadline=time.monotonic() - 1)
    assert (directory / TOP).read_bytes() == good
    assert [name for name in os.listdir(directory) if name.endswith(".tmp")] == []


def test_a_repository_without_notes_has_an_empty_index(memory):
    assert contents(refresh(memory.repository)) == ([], [[]] * len(EVENTS), [], "")


def test_many_processes_at_once_all_answer(memory, repo):
    memory.add([draft("one")])
    program = (
        "import sys; from gitmem.memory import Memory; from gitmem.index.refresh import refresh\n"
        "memory = Memory.open(sys.argv[1])\n"
        "for turn in range(12):\n"
        "    index = refresh(memory.repository, rebuild=turn % 3 == 0)\n"
        "    assert [row.id for row in index.rows()] == ['one'], index.rows()\n"
        "    index.close()\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(repo.path)], stderr=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=120)[1] for process in running]
    assert [(process.returncode, text) for process, text in zip(running, said, strict=True)] == [
        (0, "")
    ] * 4


# --- the law ------------------------------------------------------------------------------------

NAMES = ["one", "two", "Three", "four"]
STEP = st.tuples(
    st.sampled_from(["add", "add", "edit", "forget", "undo", "reset", "drop"]),
    st.sampled_from(NAMES),
    st.sampled_from(["shared", "local"]),
    st.sampled_from(CONDITIONS),
    st.sampled_from([(), ("one",), ("three",)]),
)


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(steps=st.lists(STEP, min_size=3, max_size=7))
def test_the_index_after_any_changes_is_the_one_built_anew(tmp_path_factory, make_repo, steps):
    path = tmp_path_factory.mktemp("law")
    subprocess.run(["git", "init", "-q", path], check=True)
    clock = iter(range(1_800_000_000, 1_900_000_000))
    memory = Memory.open(str(path), clock=lambda: float(next(clock)))
    tips = []
    for number, (how, name, layer, triggers, over) in enumerate(steps):
        body = f"Text {number}.\n"
        try:
            if how == "add":
                memory.add([draft(name, triggers, body, supersedes=over)], layer=layer)
            elif how == "edit":
                memory.edit(name, lambda note, t=triggers, b=body: note.edited(triggers=t, body=b))
            elif how == "forget":
                memory.forget([name])
            elif how == "undo":
                memory.undo(name)
            else:
                move_ref(path, tips, how)
        except GitMemError:
            continue
        tips.append(tip_of(path))
        grown = contents(refresh(memory.repository))
        if number == len(steps) - 1 or number % 3 == 2:
            shutil.copytree(home(memory.repository.common_dir) + "/" + INDEX, path / "kept")
            assert contents(refresh(memory.repository, rebuild=True)) == grown
            shutil.rmtree(home(memory.repository.common_dir) + "/" + INDEX)
            shutil.move(path / "kept", home(memory.repository.common_dir) + "/" + INDEX)


def tip_of(path):
    done = subprocess.run(
        ["git", "rev-parse", "-q", "--verify", FACTS], cwd=path, capture_output=True, text=True
    )
    return done.stdout.strip()


def move_ref(path, tips, how):
    """Put the shared ref back to an earlier tip, or away, behind the index's back."""
    target = next((tip for tip in tips if tip), "") if how == "reset" else ""
    if target:
        subprocess.run(["git", "update-ref", FACTS, target], cwd=path, check=True)
    elif tip_of(path):
        subprocess.run(["git", "update-ref", "-d", FACTS], cwd=path, check=True)
