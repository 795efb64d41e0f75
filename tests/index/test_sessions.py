"""What a session has been shown, where that is kept, and the log of what went wrong."""

import os
import subprocess
import sys
import time

import pytest

from gitmem.index import errorlog, place
from gitmem.index.place import ERRORS, INDEX, MAX_ERRORS, SESSIONS, index_homes, writable_home
from gitmem.index.sessions import KEEP_SECONDS, Session, drop_old

CLAIM = """
import sys
from gitmem.index.sessions import Session
directory, keys = sys.argv[1], sys.argv[2].split(",")
session = Session(directory, "busy")
sys.stdin.readline()
print(",".join(session.claim(keys)))
"""


def test_a_note_is_claimed_once_per_session(tmp_path):
    first, again, other = (Session(str(tmp_path), name) for name in ("s", "s", "t"))
    assert first.claim(["a", "b"]) == ["a", "b"]
    assert again.claim(["b", "c"]) == ["c"]
    assert other.claim(["a"]) == ["a"]
    assert again.seen() == {"a", "b", "c"}


def test_a_cleared_context_may_be_shown_everything_again(tmp_path):
    session = Session(str(tmp_path), "s")
    assert session.claim(["a"]) == ["a"]
    assert session.claim(["a"]) == ["a"]  # still ours: this very call showed it
    session.clear()
    assert session.seen() == set()
    assert Session(str(tmp_path), "s").claim(["a"]) == ["a"]
    assert Session(str(tmp_path), "s").claim(["a"]) == []


def test_claiming_nothing_gives_nothing(tmp_path):
    assert Session(str(tmp_path), "s").claim([]) == []
    assert Session(str(tmp_path), "never written").seen() == set()


def test_parallel_claims_have_exactly_one_winner_each(tmp_path):
    keys = [f"{number:020x}" for number in range(60)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIM, str(tmp_path), ",".join(keys[turn:] + keys[:turn])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for turn in range(0, 60, 10)
    ]
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    won = [process.communicate(timeout=60)[0].strip().split(",") for process in running]
    winners = [key for keys_of_one in won for key in keys_of_one if key]
    assert sorted(winners) == keys


@pytest.mark.parametrize("name", ["../../../tmp/x", "a/b", "\0", "\ud800", "x" * 5000, ""])
def test_any_session_id_makes_one_file_in_its_directory(tmp_path, name):
    Session(str(tmp_path), name).claim(["a"])
    (made,) = (tmp_path / SESSIONS).iterdir()
    assert len(made.name) == 33 and made.name[1:].isalnum()
    assert [path.name for path in tmp_path.iterdir()] == [SESSIONS]


def test_a_torn_or_foreign_line_is_no_claim(tmp_path):
    session = Session(str(tmp_path), "s")
    session.claim(["a"])
    (file,) = (tmp_path / SESSIONS).iterdir()
    file.write_bytes(file.read_bytes() + b"\xff\xfe\nhalf")
    assert session.seen() == {"a"}


def test_records_of_old_sessions_go(tmp_path):
    for name in ("old", "new"):
        Session(str(tmp_path), name).claim(["a"])
    now = time.time()
    for file in (tmp_path / SESSIONS).iterdir():
        os.utime(file, (now - KEEP_SECONDS + 50,) * 2)
    drop_old(str(tmp_path), now)
    assert len(list((tmp_path / SESSIONS).iterdir())) == 2
    Session(str(tmp_path), "new").claim(["b"])
    drop_old(str(tmp_path), now + 100)
    assert Session(str(tmp_path), "new").seen() == {"a", "b"}
    assert Session(str(tmp_path), "old").seen() == set()
    drop_old(str(tmp_path / "not there"), now)


# --- place --------------------------------------------------------------------------------------


def test_the_home_of_a_repository_is_in_its_common_directory(tmp_path):
    assert writable_home(str(tmp_path)) == str(tmp_path / "gitmem")
    assert (tmp_path / "gitmem").is_dir()
    assert index_homes(str(tmp_path)) == [str(tmp_path / "gitmem" / INDEX)]


def test_an_unwritable_home_gives_way_to_a_private_directory(tmp_path, home):
    (tmp_path / "gitmem").write_text("in the way")
    private = writable_home(str(tmp_path))
    assert os.path.dirname(private) == str(home / ".cache" / "git-mem")
    assert os.stat(private).st_mode & 0o777 == 0o700
    assert writable_home(str(tmp_path)) == private
    assert writable_home(str(tmp_path / "another")) != private
    assert index_homes(str(tmp_path)) == [
        os.path.join(str(tmp_path), "gitmem", INDEX),
        os.path.join(private, INDEX),
    ]


def test_a_private_directory_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "gitmem").write_text("in the way")
    assert writable_home(str(tmp_path)) is not None
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert writable_home(str(tmp_path)) is None
    assert index_homes(str(tmp_path)) == [os.path.join(str(tmp_path), "gitmem", INDEX)]
    assert place.user_home() is None


def test_without_a_home_the_temporary_directory_serves(tmp_path, monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "gitmem").write_text("in the way")
    private = writable_home(str(tmp_path))
    assert private.startswith(str(tmp_path / "tmp" / f"git-mem-{os.geteuid()}") + "/")
    monkeypatch.setenv("HOME", os.path.join(os.devnull, "nowhere"))
    assert writable_home(str(tmp_path)) == private


# --- the error log ------------------------------------------------------------------------------


def test_reasons_are_read_back_oldest_first_until_acknowledged(tmp_path):
    errorlog.append(str(tmp_path), ["first", "second"], 100.7)
    errorlog.append(str(tmp_path), ["third é \udcff"], 101)
    directory = str(tmp_path / "gitmem")
    assert errorlog.read(directory) == [(100, "first"), (100, "second"), (101, "third é ?")]
    errorlog.acknowledge(directory)
    assert errorlog.read(directory) == []
    errorlog.acknowledge(directory)


def test_the_log_is_bounded(tmp_path):
    for number in range(400):
        errorlog.append(str(tmp_path), ["x" * 500], number)
    sizes = [path.stat().st_size for path in (tmp_path / "gitmem").iterdir()]
    assert len(sizes) == 2 and max(sizes) < MAX_ERRORS + 1000
    assert errorlog.read(str(tmp_path / "gitmem"))[-1] == (399, "x" * 500)


def test_without_a_repository_the_log_is_the_users(home):
    errorlog.append(None, ["no repository"], 5)
    assert errorlog.read(str(home / ".cache" / "git-mem")) == [(5, "no repository")]


def test_a_log_that_is_not_ours_is_read_as_far_as_it_goes(tmp_path):
    (tmp_path / ERRORS).write_bytes(b"\xff\xfe\n12 good\nx y\n\n")
    assert errorlog.read(str(tmp_path)) == [(12, "good")]
