"""Moving a memory ref: nothing half written, nothing lost."""

import multiprocessing
import os
import subprocess
import tempfile
import time

import pytest

from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.backend import Identity
from gitmem.store.git_backend import GitBackend
from gitmem.store.identity import Identities, identities
from gitmem.store.layer import Layer
from gitmem.store.layout import NewerFormat
from gitmem.store.pygit2_backend import Pygit2Backend
from gitmem.store.transaction import Busy, Change, Outcome, Snapshot, Timing, move, transact

REF = "refs/memory/facts"
ADA = Identity("Ada", "ada@example.com", 1_700_000_000)
WHO = Identities(ADA, ADA)


def shared(repo) -> Layer:
    return Layer("shared", str(repo.path / ".git"))


def adding(**files: str):
    def build(_: Snapshot) -> Change:
        content = {path: text.encode() for path, text in files.items()}
        return Change(content, f"add {' '.join(files)}\n\nwhy")

    return build


def paths(repo) -> list[str]:
    return repo.git("ls-tree", "-r", "--name-only", REF).split("\n")


def no_waiting() -> Timing:
    """A clock that moves only while sleeping, and then by a second more."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds + 1

    return Timing(lambda: now[0], sleep)


def test_the_first_write_brings_the_format_and_later_ones_build_on_it(repo):
    first = transact(shared(repo), adding(a="1"), identity=WHO)
    assert first == Outcome(repo.git("rev-parse", REF), None, True)
    assert paths(repo) == ["FORMAT", "a"]
    assert repo.git("show", f"{REF}:FORMAT") == "gitmem 1"
    second = transact(shared(repo), adding(b="2"), identity=WHO)
    assert second == Outcome(repo.git("rev-parse", REF), first.commit, True)
    assert paths(repo) == ["FORMAT", "a", "b"]
    assert repo.git("reflog", "--format=%gs", REF) == "add b\nadd a"
    assert repo.git("log", "--format=%B", "-1", REF) == "add b\n\nwhy\n"


def test_nothing_to_do_moves_nothing(repo):
    nothing = transact(shared(repo), lambda _: None, identity=WHO)
    assert nothing == Outcome(None, None, False)
    assert repo.git("for-each-ref", "refs/memory") == ""
    tip = transact(shared(repo), adding(a="1"), identity=WHO).commit
    assert transact(shared(repo), lambda _: None, identity=WHO) == Outcome(tip, tip, False)


def test_neither_index_nor_work_tree_nor_head_is_touched(repo):
    repo.write("src/a.py", "edited\n")
    repo.git("add", "src/a.py")
    index = (repo.path / ".git" / "index").read_bytes()
    before = repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD")
    transact(shared(repo), adding(a="1"), identity=WHO)
    assert (repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD")) == before
    assert before[0] == "M  src/a.py"
    assert (repo.path / ".git" / "index").read_bytes() == index


def test_another_writer_in_between_makes_it_build_again_on_the_new_tip(repo):
    seen = []

    def build(snapshot: Snapshot) -> Change:
        seen.append((snapshot.tip, [entry.path for entry in snapshot.entries()]))
        if len(seen) == 1:
            transact(shared(repo), adding(other="o"), identity=WHO, timing=no_waiting())
        return Change({"mine": b"m"}, "add mine")

    done = transact(shared(repo), build, identity=WHO, timing=no_waiting())
    assert seen == [(None, []), (done.tip_before, ["FORMAT", "other"])]
    assert paths(repo) == ["FORMAT", "mine", "other"]


def test_move_takes_any_commit_and_forgets_nothing_on_the_way(repo):
    transact(shared(repo), adding(a="1"), identity=WHO)

    def new_root(snapshot: Snapshot) -> tuple[str, str]:
        files = {"a.gone": b""}
        commit = snapshot.backend.commit(
            parents=(), changes=files, message="purge", author=ADA, committer=ADA
        )
        return commit, "purge a"

    assert move(shared(repo), new_root).changed
    assert paths(repo) == ["a.gone"]
    assert not move(shared(repo), new_root).changed
    assert repo.git("reflog", "--format=%gs", REF) == "purge a\nadd a"


def test_a_newer_format_is_refused_and_an_absent_one_is_not(repo):
    layer = shared(repo)
    repo.git("update-ref", REF, "HEAD")
    assert transact(layer, adding(a="1"), identity=WHO).changed
    for packed in False, True:
        newer = lambda _: Change({"FORMAT": b"gitmem 2\n"}, "from the future")  # noqa: E731
        older = repo.git("rev-parse", REF)
        assert transact(layer, newer, identity=WHO).changed
        if packed:
            repo.git("gc", "-q")
        tip = repo.git("rev-parse", REF)
        with pytest.raises(NewerFormat) as caught:
            transact(layer, adding(b="2"), identity=WHO)
        assert caught.value.hints == ("upgrade git mem",)
        assert repo.git("rev-parse", REF) == tip
        repo.git("update-ref", REF, older)


def test_a_stale_lock_file_is_named_after_bounded_retries(repo):
    transact(shared(repo), adding(a="1"), identity=WHO)
    lock = repo.path / ".git" / f"{REF}.lock"
    lock.touch()
    built = []

    def build(_: Snapshot) -> Change:
        built.append(1)
        return Change({"b": b"2"}, "add b")

    with pytest.raises(Busy) as caught:
        transact(shared(repo), build, identity=WHO, timing=no_waiting())
    assert caught.value.kind == "store"
    assert caught.value.message == f"cannot lock {REF}: {lock} exists"
    assert caught.value.hints == (f"if no git command is running here, remove it: rm '{lock}'",)
    assert built == [1]
    lock.unlink()
    assert transact(shared(repo), build, identity=WHO).changed


def test_a_broken_tip_is_an_error_not_an_empty_memory(repo):
    path = repo.path / ".git" / REF
    path.parent.mkdir()
    for content in "1" * 40, repo.git("rev-parse", "HEAD:README.md"), "":
        path.write_text(content + "\n")
        with pytest.raises(GitMemError, match=REF) as caught:
            transact(shared(repo), adding(a="1"), identity=WHO)
        assert caught.value.kind == "store"
        assert path.read_text() == content + "\n"


def test_a_lock_file_that_cannot_be_made_does_not_stop_a_write(repo):
    (repo.path / ".git" / "gitmem").write_text("in the way")
    assert transact(shared(repo), adding(a="1"), identity=WHO).changed


def test_a_lock_that_hangs_does_not_stop_a_write(repo):
    transact(shared(repo), adding(a="1"), identity=WHO)
    fcntl = pytest.importorskip("fcntl")
    with open(repo.path / ".git" / "gitmem" / "lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert transact(shared(repo), adding(b="2"), identity=WHO, timing=no_waiting()).changed


def test_git_failing_to_write_once_is_tried_again(repo):
    class Flaky(GitBackend):
        failures = 2

        def commit(self, **given) -> str:
            if self.failures:
                self.failures -= 1
                raise process.GitFailed(("fast-import",), 128, b"fatal: unable to write")
            return super().commit(**given)

    flaky = Flaky(str(repo.path / ".git"))
    done = transact(shared(repo), adding(a="1"), identity=WHO, backend=flaky, timing=no_waiting())
    assert done.changed
    flaky.failures = 3
    with pytest.raises(process.GitFailed, match="git fast-import: unable to write"):
        transact(shared(repo), adding(b="1"), identity=WHO, backend=flaky, timing=no_waiting())


def as_nobody(layer: Layer, said: "multiprocessing.SimpleQueue[tuple[str, str]]") -> None:
    os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
    os.setgid(12345)
    os.setuid(12345)
    try:
        transact(layer, adding(a="1"), identity=WHO, timing=no_waiting())
    except GitMemError as error:
        said.put((error.kind, error.message))


@pytest.mark.skipif(not hasattr(os, "setuid") or os.geteuid() != 0, reason="needs root")
def test_a_git_directory_that_cannot_be_written_is_named(repo):
    for parent in repo.path.parents:
        if parent.is_relative_to(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o055)
    context = multiprocessing.get_context("fork")
    said = context.SimpleQueue()
    child = context.Process(target=as_nobody, args=(shared(repo), said))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert said.get() == ("store", f"cannot write to {repo.path}/.git: Permission denied")


def write_one(git_dir: str, number: int, bulk: bool) -> None:
    backend = Pygit2Backend(git_dir) if bulk else None
    change = Change({f"{number:02x}/note-{number}": b"%d" % number}, f"add {number}")
    transact(
        Layer("shared", git_dir), lambda _: change, identity=identities(git_dir), backend=backend
    )


def in_parallel(git_dir: str, numbers: range, bulk: bool) -> None:
    context = multiprocessing.get_context("fork")
    children = [
        context.Process(target=write_one, args=(git_dir, number, bulk)) for number in numbers
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * len(children)


def expected(numbers: range) -> set[str]:
    return {f"{number:02x}/note-{number}" for number in numbers}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("bulk", [False, True], ids=["git", "pygit2"])
def test_twenty_parallel_writers_keep_twenty_notes(repo, bulk):
    in_parallel(str(repo.path / ".git"), range(20), bulk)
    assert set(paths(repo)) == expected(range(20)) | {"FORMAT"}
    assert len(repo.git("rev-list", REF).split()) == 20


OTHER_TOOL = """
n=0
while [ $n -lt 8 ]; do
    old=$(git rev-parse --verify refs/memory/facts 2>/dev/null) || continue
    blob=$(echo $n | git hash-object -w --stdin)
    tree=$({ git ls-tree $old; printf '100644 blob %s\\tother-%s\\n' $blob $n; } | git mktree)
    new=$(git commit-tree -p $old -m other $tree)
    git update-ref refs/memory/facts $new $old 2>/dev/null && n=$((n + 1))
done
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_writers_beside_a_tool_that_does_not_take_our_lock_lose_nothing(repo):
    other = subprocess.Popen(["sh", "-c", OTHER_TOOL], cwd=repo.path)
    try:
        in_parallel(str(repo.path / ".git"), range(20), False)
        assert other.wait(60) == 0
    finally:
        other.kill()
        other.wait()
    others = {f"other-{n}" for n in range(8)}
    assert set(paths(repo)) == expected(range(20)) | others | {"FORMAT"}


def test_a_single_write_costs_few_processes(repo, tmp_path, monkeypatch):
    transact(shared(repo), adding(a="1"), identity=WHO)
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))

    def build(snapshot: Snapshot) -> Change:
        snapshot.entries("ab")
        snapshot.entries("ab")
        return Change({"ab/x": b"2"}, "add x")

    transact(shared(repo), build, identity=identities(str(repo.path / ".git")))
    names = [
        line.split('"name":"')[1].split('"')[0]
        for line in trace.read_text().splitlines()
        if '"event":"cmd_name"' in line
    ]
    assert names == ["var", "fast-import", "unpack-objects", "update-ref"]


def test_upkeep_runs_after_a_big_write_unless_turned_off(repo, monkeypatch):
    started = []
    monkeypatch.setattr(process, "start", lambda args, git_dir: started.append((args, git_dir)))
    layer = shared(repo)
    many = {f"{n:02x}/n{n}": b"x" for n in range(150)}
    transact(layer, lambda _: Change(many, "many"), identity=WHO)
    assert started == []
    repo.git("config", "maintenance.auto", "true")
    more = {f"{n:02x}/m{n}": b"x" for n in range(150)}
    transact(layer, lambda _: Change(more, "more"), identity=WHO)
    assert started == [(("maintenance", "run", "--auto", "--quiet"), layer.git_dir)]


def test_a_process_that_is_started_is_not_waited_for(repo):
    begin = time.monotonic()
    process.start(("-c", "alias.wait=!sleep 2", "wait"), git_dir=str(repo.path / ".git"))
    assert time.monotonic() - begin < 1.5
