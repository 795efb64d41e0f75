"""Whatever is broken: the hook ends soon with 0, other notes still arrive, doctor says why."""

import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import pytest
from conftest import GITCONFIG, Repo
from running import SCRIPT, SEEN_LINE, Mem, note, store_blob

from gitmem.agents import AGENTS
from gitmem.store.layout import path_of

SOON = 8  # seconds; the machine that runs this may be busy


@pytest.fixture
def good(mem):
    """A shared note about src/a.py and a local one about src/b.py."""
    mem.store(note("about-a", paths=["src/a.py"]))
    mem.store(note("about-b", paths=["src/b.py"]), layer="local")
    return mem


def problems(mem, **where):
    """What doctor says is wrong, it exits with 1; a slow machine is not what is tested here."""
    done = mem.run("doctor", **where)
    assert (done.code, done.err) == (1, "")
    return [
        line.removeprefix("PROBLEM ").strip()
        for line in done.out.splitlines()
        if not line.startswith("ok      ") and "could not be caught up in time" not in line
    ]


# --- stdin ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"tool_name": "Edit", ', "ValueError: the input is not a JSON document"),
        (b"not JSON at all", "ValueError: the input is not a JSON document"),
        (b"\xff\xfe\x00", "ValueError: the input is not a JSON document"),
        (b"[" * 100_000, "ValueError: the input is not a JSON document"),
    ],
)
def test_malformed_input_is_answered_by_silence_and_the_reason_is_kept(good, data, reason):
    assert good.shown(good.touch("src/a.py")) != ""
    assert good.hook(data) == ""
    assert problems(good) == [f"hooks: a hook had trouble at <time>: {reason}"]
    done = good.run("doctor")
    assert (done.code, "hooks: a hook" in done.out) == (0, False)


def test_empty_input_and_json_that_is_no_event_are_no_trouble_at_all(good):
    for data in (b"", b" \n\t ", b"{}", b"[]", b"null", b"true", b"12", b'"text"', b"[[1]]"):
        assert good.hook(data) == ""
    assert good.run("doctor").code == 0


def test_odd_shapes_of_every_field_are_answered_by_silence(good):
    shapes = [None, 5, [], {}, [{"a": 1}], "\ud800", "a\0b", "../" * 40, True]
    for shape in shapes:
        event = dict.fromkeys(
            ("hook_event_name", "tool_name", "tool_input", "session_id", "cwd", "prompt"), shape
        )
        assert good.hook(event) == ""
        assert good.hook(good.touch("x") | {"tool_input": {"file_path": shape}}) == ""
    assert good.shown(good.touch("src/a.py", tool="Edit", session_id=["odd"])) != ""


def test_input_that_is_never_closed_is_read_to_the_end_of_its_document(good):
    started = time.monotonic()
    with good.start("hook", "claude") as child:
        child.stdin.write(good_event(good) + b"\n")
        child.stdin.flush()
        out = child.stdout.read()
        assert child.wait(timeout=SOON) == 0
        assert time.monotonic() - started < SOON
    assert b"What about-a says." in out


def test_input_that_stays_silent_is_given_up_soon(good):
    started = time.monotonic()
    with good.start("hook", "claude") as child:
        assert child.stdout.read() == b""
        assert child.wait(timeout=SOON) == 0
    assert time.monotonic() - started < SOON


def test_three_megabytes_of_input_are_read_whole(good):
    event = good.touch("src/a.py", tool="Write")
    event["tool_input"]["content"] = "ö{}[]\n" * 400_000
    started = time.monotonic()
    assert "What about-a says." in good.shown(event)
    assert time.monotonic() - started < SOON


def test_a_document_in_pieces_is_put_together(good):
    event = good_event(good)
    with good.start("hook", "claude") as child:
        for at in range(0, len(event), 40):
            child.stdin.write(event[at : at + 40])
            child.stdin.flush()
            time.sleep(0.02)
        out = child.stdout.read()
        assert child.wait(timeout=SOON) == 0
    assert b"What about-a says." in out


def good_event(mem):
    return (
        b'{"tool_name":"Edit","tool_input":{"file_path":"src/a.py"},"cwd":"%s"}'
        % str(mem.repo.path).encode()
    )


# --- the repository -----------------------------------------------------------------------------


def test_outside_of_a_repository_the_hook_is_silent_and_doctor_says_so(good, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    assert good.hook(good.touch("src/a.py") | {"cwd": str(away)}, cwd=away) == ""
    assert problems(good, cwd=away) == [
        f"repository: {away} is not in a git repository",
        "run 'git init' to make one here",
    ]


def test_a_directory_that_is_gone_is_answered_by_silence(good):
    assert good.hook(good.touch("src/a.py") | {"cwd": "/nowhere/at/all"}) == ""


def test_inherited_git_variables_do_not_lead_the_hook_to_another_repository(good, make_repo):
    other = make_repo("elsewhere")
    misled = {"GIT_DIR": str(other.git_dir), "GIT_WORK_TREE": str(other.path)}
    assert "What about-a says." in good.shown(good.touch("src/a.py"), env=misled)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda file: file.write_bytes(b""), id="empty"),
        pytest.param(lambda file: file.write_bytes(b"something else\n" * 99), id="foreign"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:-7]), id="truncated"),
        pytest.param(
            lambda file: file.write_bytes(file.read_bytes()[:-200] + b"\xff" * 200),
            id="overwritten",
        ),
    ],
)
@pytest.mark.parametrize("part", ["top", "base-*"])
def test_a_damaged_index_is_never_trusted_and_notes_still_arrive(good, damage, part):
    assert good.shown(good.touch("src/a.py")) != ""
    index = good.repo.git_dir / "gitmem" / "index"
    (file,) = index.glob(part)
    damage(file)
    damaged = [line for line in problems(good) if line.startswith("index: ")]
    assert len(damaged) == 1 and (str(file) in damaged[0] or "damaged" in damaged[0])
    assert "What about-a says." in good.shown(good.touch("src/a.py"))
    assert "What about-b says." in good.shown(good.touch("src/b.py"))


def test_reindex_repairs_the_index_and_doctor_is_content_again(good):
    top = good.repo.git_dir / "gitmem" / "index" / "top"
    top.write_bytes(b"junk")
    assert problems(good) == [
        f"index: {top} is not an index of this version",
        "rebuild it with: git mem reindex",
    ]
    assert good("reindex") == "indexed 2 notes\n"
    assert good.run("doctor").code == 0


def test_a_deleted_index_is_built_again_by_the_next_use(good):
    shutil.rmtree(good.repo.git_dir / "gitmem" / "index")
    assert "What about-a says." in good.shown(good.touch("src/a.py"))


def test_a_note_that_does_not_parse_is_named_and_stops_no_other(good):
    path = path_of("bad", "0" * 20)
    store_blob(good.repo, path, "---\nid: bad\ntriggers: {{what}}\n---\nx\n")
    assert "What about-a says." in good.shown(good.touch("src/a.py"))
    good.run("doctor")
    message = f"{path}: the content is not what its name promises"
    assert problems(good) == [
        f"layer shared: broken note: {message}",
        "other notes are not affected; write it anew with: git mem add --id bad …",
    ]
    done = good.run("list", "--ids")
    assert (done.code, done.out, done.err) == (
        0,
        "about-a\nabout-b\n",
        f"warning: shared: {message}\n",
    )
    listed = good.run("list", "--json")
    assert listed.err == f"warning: shared: {message}\n"
    assert [item["id"] for item in good.json("list")["notes"]] == ["about-a", "about-b"]
    assert good.json("status")["broken"] == 1
    assert "1 broken; see: git mem doctor" in good("status").splitlines()
    assert good.json("reindex")["broken"] == [path]
    assert good("recall", "--path", "src/a.py", "--ids") == "about-a\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("12" * 20, "points to 1212121212121212121212121212121212121212, which is missing"),
        ("torn", "is broken: it holds no object id"),
        ("", "is broken: it holds no object id"),
    ],
)
def test_a_ref_that_leads_nowhere_silences_no_other_layer(good, content, problem):
    assert good.shown(good.touch("src/a.py")) != ""
    ref = good.repo.git_dir / "refs" / "memory" / "facts"
    oid = ref.read_text()
    ref.write_text(f"{content}\n")
    assert "What about-a says." in good.shown(good.touch("src/a.py"))
    assert "What about-b says." in good.shown(good.touch("src/b.py"))
    found = problems(good)
    assert found[:3] == [
        f"layer shared: refs/memory/facts {problem}",
        "its last line in logs/refs/memory/facts, in the git directory, says where it was",
        "set it back with: git update-ref refs/memory/facts <commit>",
    ]
    assert good.run("list").err.splitlines()[0] == f"error: refs/memory/facts {problem}"
    ref.write_text(oid)
    assert good("list", "--ids") == "about-a\nabout-b\n"


@pytest.mark.parametrize("content", ["12" * 20, "torn"])
def test_a_ref_that_leads_nowhere_silences_no_other_layer_without_an_index_either(good, content):
    (good.repo.git_dir / "refs" / "memory" / "facts").write_text(f"{content}\n")
    shutil.rmtree(good.repo.git_dir / "gitmem" / "index")
    assert "What about-b says." in good.shown(good.touch("src/b.py"))


def test_a_lost_object_database_costs_no_more_than_its_notes(good):
    local = good.repo.git_dir / "gitmem" / "local.git" / "objects"
    shutil.rmtree(local)
    local.mkdir()
    assert "What about-a says." in good.shown(good.touch("src/a.py"))
    assert good.hook(good.touch("src/b.py")) == ""
    assert problems(good) != []


# --- the environment ----------------------------------------------------------------------------


def test_without_a_home_notes_arrive_and_doctor_says_what_is_missing(good):
    bare = dict.fromkeys(
        ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), None
    )
    assert "What about-a says." in good.shown(good.touch("src/a.py", session_id="s"), env=bare)
    assert good.hook(good.touch("src/a.py", session_id="s"), env=bare) == ""
    assert problems(good, env=bare) == [
        "environment: HOME is not set: your git configuration and settings are not found"
    ]
    added = good.run("add", "Stored without a home", "-p", "README.md", env=bare)
    assert (added.code, added.err) == (0, "")


def test_an_ascii_locale_changes_nothing_that_is_read_or_written(good):
    ascii_ = {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    text = "Grüße → 漢字 🎉 in src/a.py"
    assert good.run("add", text, "--id", "größe", env=ascii_).out == (
        f"added größe (shared)\n  paths: src/a.py (derived from the text)\n{SEEN_LINE}"
    )
    assert text in good.shown(good.touch("src/a.py"), env=ascii_)
    assert text in good("show", "größe", env=ascii_)
    assert text in good("recall", "--grep", "漢字", env=ascii_)
    found = [line for line in problems(good, env=ascii_) if "encoding" in line]
    assert [line.split(" has the encoding ")[0] for line in found] == [
        "environment: stdin",
        "environment: stdout",
        "environment: stderr",
    ]
    (name,) = {line.split(";")[0].split()[-1] for line in found}
    assert name in ("latin-1", "iso8859-1")


def test_paths_are_utf_8_even_where_the_locale_has_no_such_characters(mem):
    ascii_ = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    mem.repo.commit(**{"größe/ä.py": ""})
    assert mem("add", "größe/ä.py is generated", env=ascii_) == (
        "added größe-ä-py-is-generated (shared)\n"
        "  paths: größe/ä.py (derived from the text)\n"
        f"{SEEN_LINE}"
    )
    event = mem.touch("ä.py", cwd=str(mem.repo.path / "größe"))
    assert "größe/ä.py is generated" in mem.shown(event, env=ascii_)
    assert mem("recall", "--path", "größe/ä.py", "--ids", env=ascii_) == "größe-ä-py-is-generated\n"


def test_the_off_switches_silence_the_hook(good):
    event = good.touch("src/a.py")
    assert good.hook(event) != ""
    assert good.hook(event, env={"GIT_MEM_HOOK": "off"}) == ""
    good.repo.git("config", "mem.hook", "false")
    good("reindex", "--quiet")
    assert good.hook(event) == ""


def test_a_hook_for_an_agent_that_does_not_exist_ends_with_0_and_doctor_names_it(good):
    done = good.run("hook", "clod", stdin=b"{}")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert problems(good) == [
        "hooks: a hook had trouble at <time>: ValueError: there is no agent 'clod'; known: "
        + ", ".join(AGENTS)
    ]


# --- another user -------------------------------------------------------------------------------

NOBODY = 65534


def interpreter_for_all():
    """A Python that every user may run, with what `git mem` imports on its path; or None."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (sys.executable, shutil.which(version, path="/usr/local/bin:/usr/bin")):
        tried = program and subprocess.run(
            ["sh", "-c", f"exec '{program}' -c pass"],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
        )
        if tried and tried.returncode == 0:
            return program
    return None


@pytest.fixture
def as_nobody():
    """A Mem in root's repository, and how to run it as a user who owns and may write nothing."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    try:
        pwd.getpwuid(NOBODY)
    except KeyError:
        pytest.skip("there is no user nobody")
    program = interpreter_for_all()
    if program is None:
        pytest.skip("no Python here may be run by every user")
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="nobody-") as place:
        root = Path(place)
        root.chmod(0o755)
        for name in ("home", "bin", "repo"):
            (root / name).mkdir(mode=0o755)
        (root / "home" / ".gitconfig").write_text(GITCONFIG)
        os.chown(root / "home", NOBODY, NOBODY)
        script = root / "bin" / "git-mem"
        script.write_text(SCRIPT.read_text().replace("#!python", f"#!{program}", 1))
        script.chmod(0o755)
        repo = Repo(root / "repo")
        repo.git("init", "--quiet")
        repo.commit(**{"src/a.py": "", "src/b.py": ""})
        paths = (str(SCRIPT.parent.parent), sysconfig.get_path("purelib"))
        where = {
            "user": NOBODY,
            "group": NOBODY,
            "extra_groups": [],
            "env": {
                "HOME": str(root / "home"),
                "XDG_CACHE_HOME": None,
                "XDG_CONFIG_HOME": None,
                "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
        }
        yield Mem(repo), where, root / "home" / ".gitconfig"


def test_a_repository_of_another_user_is_silent_until_git_is_told_that_it_is_safe(path, as_nobody):
    mem, nobody, config = as_nobody
    mem.store(note("about-a", paths=["src/a.py"]), note("about-b", paths=["src/b.py"]))
    assert mem.shown(mem.touch("src/a.py")) != ""
    assert mem.hook(mem.touch("src/a.py"), **nobody) == ""
    refused = f"detected dubious ownership in repository at '{mem.repo.path}'"
    remedy = f"git config --global --add safe.directory {mem.repo.path}"
    found = problems(mem, **nobody)
    assert found[0] == f"repository: git rev-parse: {refused}"
    assert remedy in found[1:4]
    assert f"hooks: a hook had trouble at <time>: GitFailed: git rev-parse: {refused}" in found
    listed = mem.run("list", **nobody)
    assert (listed.code, listed.out) == (1, "")
    assert listed.err.splitlines()[0] == f"error: git rev-parse: {refused}"
    assert f"hint: {remedy}" in listed.err.splitlines()
    config.write_text(f"{GITCONFIG}[safe]\n\tdirectory = {mem.repo.path}\n")
    assert "What about-a says." in mem.shown(mem.touch("src/a.py"), **nobody)


def test_a_repository_that_cannot_be_written_still_brings_its_notes_once(path, as_nobody):
    mem, nobody, config = as_nobody
    mem.store(note("about-a", paths=["src/a.py"]))
    shutil.rmtree(mem.repo.git_dir / "gitmem" / "index")
    config.write_text(f"{GITCONFIG}[safe]\n\tdirectory = {mem.repo.path}\n")
    event = mem.touch("src/a.py", session_id="s")
    assert "What about-a says." in mem.shown(event, **nobody)
    assert mem.hook(event, **nobody) == ""
    home = mem.repo.git_dir / "gitmem"
    found = problems(mem, **nobody)
    assert [line.split(";")[0] for line in found] == [f"store: {home} cannot be written"]
    added = mem.run("add", "A note", "-p", "src/b.py", **nobody)
    assert (added.code, added.out) == (1, "")
    assert added.err == (f"error: cannot write to {mem.repo.git_dir}: Permission denied\n")
    assert sorted(os.listdir(home)) == sorted(set(os.listdir(home)) - {"index", "sessions"})
