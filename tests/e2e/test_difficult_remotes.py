"""Remotes that refuse, hide, forget, rewrite or hang: nothing is lost, and the user is told."""

import http.server
import os
import subprocess
import threading
import time

import pytest
from conftest import Repo
from running import Mem
from travelling import (
    REF,
    TRACKING,
    add,
    commit,
    counted_git,
    draft,
    ids,
    make_team,
    memory,
    program,
    purge,
    texts,
    tip,
    tree,
)

from gitmem.drafting import Draft
from gitmem.store import remote, sync
from gitmem.store.git_backend import GitBackend
from gitmem.store.remote import RemoteFailed


@pytest.fixture
def team(tmp_path):
    return make_team(tmp_path / "team", "ann", "bob")


@pytest.fixture
def ann(team, path) -> Repo:
    return team.clones["ann"]


@pytest.fixture
def bob(team, path) -> Repo:
    return team.clones["bob"]


def share(*clones: Repo) -> None:
    for repo in clones:
        memory(repo).sync()


# --- refused ------------------------------------------------------------------------------------


def test_a_remote_that_hides_the_ref_is_one_clear_error_and_branches_still_go(team, ann):
    team.hub.git("config", "receive.hideRefs", "refs/memory")
    add(ann, "one")
    assert vars(Mem(ann).run("sync")) == {
        "code": 1,
        "out": "",
        "err": (
            "error: 'origin' refused refs/memory/facts: "
            "[remote rejected] (deny updating a hidden ref)\n"
            "hint: your notes are safe here; branches are pushed as ever\n"
            "hint: if the host takes only branches: git config mem.transport branch\n"
        ),
    }
    ann.commit("more", new="x")
    ann.git("push", "--quiet", "origin", "main")
    assert team.hub.git("rev-parse", "main") == ann.git("rev-parse", "main")
    assert ids(ann) == ["one"]


def test_an_update_hook_that_declines_says_why(team, ann):
    declines = 'case $1 in refs/memory/*) echo "no memory here" >&2; exit 1;; esac'
    program(team.hub.git_dir / "hooks", "update", declines)
    add(ann, "one")
    done = Mem(ann).json("sync")["error"]
    assert (done["kind"], done["message"]) == (
        "remote",
        "'origin' refused refs/memory/facts: [remote rejected] (hook declined)",
    )
    assert ids(ann) == ["one"]


def test_a_host_that_takes_only_branches_gets_a_branch(team, ann, bob):
    team.hub.git("config", "receive.hideRefs", "refs/memory")
    for repo in (ann, bob):
        repo.git("config", "mem.transport", "branch")
    add(ann, "one")
    assert memory(ann).sync().pushed == 1
    assert tip(team.hub, "refs/heads/git-mem/memory") == tip(ann)
    add(bob, "two")
    share(bob, ann)
    assert ids(ann) == ids(bob) == ["one", "two"]
    assert tip(ann) == tip(bob) == tip(ann, TRACKING)


def test_switching_to_branches_is_no_loss_and_is_not_called_one(team, ann, bob):
    add(ann, "one")
    share(ann, bob)
    ann.git("config", "mem.transport", "branch")
    done = memory(ann).sync()
    assert (done.pushed, done.kept, done.rewritten) == (1, 0, ())
    assert tip(team.hub, "refs/heads/git-mem/memory") == tip(team.hub) == tip(ann)
    add(ann, "two")
    share(ann)
    assert tip(team.hub, "refs/heads/git-mem/memory") == tip(ann) != tip(team.hub)
    bob.git("config", "mem.transport", "branch")
    share(bob)
    assert ids(bob) == ["one", "two"]


# --- away, or waiting for somebody --------------------------------------------------------------


def test_without_network_sync_fails_clearly_and_keeps_the_notes(ann):
    ann.git("remote", "set-url", "origin", "https://nowhere.invalid/x.git")
    add(ann, "one")
    done = Mem(ann).run("sync")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: cannot exchange memory with 'origin': ")
    assert done.err.count("\n") == 2
    assert ids(ann) == ["one"]


@pytest.mark.parametrize("where", ["GIT_SSH_COMMAND", "core.sshCommand"])
def test_an_ssh_that_asks_on_the_terminal_is_never_waited_for(ann, tmp_path, where, monkeypatch):
    asking = program(tmp_path, "ssh", "read answer </dev/tty || exit 7\nexit 0")
    if where == "GIT_SSH_COMMAND":
        monkeypatch.setenv(where, str(asking))
    else:
        ann.git("config", where, str(asking))
    ann.git("remote", "set-url", "origin", "ssh://host.invalid/x.git")
    add(ann, "one")
    terminal, other = os.openpty()
    start = time.monotonic()
    with Mem(ann).start("sync", stdin=other, start_new_session=False) as child:
        out, err = child.communicate(timeout=30)
    os.close(terminal)
    os.close(other)
    assert (child.returncode, out) == (1, b"")
    assert b"cannot exchange memory with 'origin'" in err
    assert time.monotonic() - start < 20


class Refusing(http.server.BaseHTTPRequestHandler):
    """A host that wants a password for everything."""

    def do_GET(self):
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


def test_a_password_prompt_that_nobody_answers_is_given_up(ann, tmp_path, monkeypatch):
    if not os.path.exists(f"{ann.git('--exec-path')}/git-remote-http"):
        pytest.skip("this git was built without http")
    asking = program(tmp_path, "askpass", "sleep 60")
    monkeypatch.setenv("GIT_ASKPASS", str(asking))
    monkeypatch.setattr(remote, "ASKING", 1.0)
    server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        ann.git("remote", "set-url", "origin", f"http://127.0.0.1:{server.server_port}/x.git")
        add(ann, "one")
        start = time.monotonic()
        with pytest.raises(RemoteFailed) as caught:
            memory(ann).sync()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert "no answer within 1 s" in caught.value.message
    assert time.monotonic() - start < 15


def test_a_push_killed_in_the_middle_is_published_by_the_next(team, ann, bob, tmp_path):
    slow = program(tmp_path, "receive", 'sleep 30; exec git receive-pack "$@"')
    ann.git("config", "remote.origin.receivepack", str(slow))
    add(ann, "one")
    child = Mem(ann).start("sync", start_new_session=True)
    deadline = time.monotonic() + 20
    while not _is_running(slow) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(child.pid, 9)
    child.communicate()
    _end(slow)
    ann.git("config", "--unset", "remote.origin.receivepack")
    assert tip(team.hub) == ""
    assert memory(ann).sync().pushed == 1
    share(bob)
    assert ids(bob) == ["one"]


def _running(script) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if os.fsencode(script) in words:
            found.append(int(name))
    return found


def _is_running(script) -> bool:
    return bool(_running(script))


def _end(script) -> None:
    for pid in _running(script):
        os.kill(pid, 9)


# --- settings of the user -----------------------------------------------------------------------


def test_a_pre_push_hook_that_fails_does_not_stop_memory(team, ann):
    program(ann.git_dir / "hooks", "pre-push", "exit 1")
    add(ann, "one")
    assert memory(ann).sync().pushed == 1
    assert tip(team.hub) == tip(ann)


def test_mirror_remotes_and_push_default_nothing_change_nothing(team, ann):
    ann.git("config", "remote.origin.mirror", "true")
    ann.git("config", "push.default", "nothing")
    ann.git("config", "remote.origin.push", "refs/heads/main:refs/heads/elsewhere")
    add(ann, "one")
    assert memory(ann).sync().pushed == 1
    assert team.hub.git("for-each-ref", "--format=%(refname)").split("\n") == [
        "refs/heads/main",
        REF,
    ]


def test_hostile_configuration_changes_nothing(team, ann, bob, home):
    with (home / ".gitconfig").open("a") as file:
        file.write(
            "[color]\n\tui = always\n[core]\n\tpager = false\n\tabbrev = 4\n\tquotePath = true\n"
            "[commit]\n\tgpgSign = true\n[push]\n\tgpgSign = true\n\tfollowTags = true\n"
            "[gpg]\n\tprogram = false\n[fetch]\n\tprune = true\n\tpruneTags = true\n"
            "\tfsckObjects = true\n[transfer]\n\tfsckObjects = true\n[log]\n\tdate = human\n"
            "\tshowSignature = true\n[i18n]\n\tcommitEncoding = UTF-16\n\tlogOutputEncoding = "
            "ISO-8859-1\n[diff]\n\trenames = copies\n\texternal = false\n[receive]\n"
            "\tfsckObjects = true\n[user]\n\tuseConfigOnly = true\n[pull]\n\trebase = true\n"
        )
    ann.git("tag", "-m", "x", "--no-sign", "v1")
    add(ann, "één", "one")
    purged = ids(ann)
    add(bob, "two")
    share(ann, bob, ann)
    assert tip(ann) == tip(bob) == tip(team.hub)
    assert ids(bob) == ["one", "two", "één"] == sorted([*purged, "two"])
    assert team.hub.git("tag") == ""
    purge(ann, "one")
    share(ann, bob)
    assert ids(bob) == ["two", "één"]


@pytest.mark.parametrize("locale", ["de_DE.UTF-8", "tr_TR.UTF-8"])
def test_another_language_changes_no_word(ann, locale):
    add(ann, "one")
    env = {"LC_ALL": locale, "LANGUAGE": locale[:2], "LANG": locale}
    assert Mem(ann)("sync", env=env) == "origin: 1 pushed\n"


def test_the_remote_is_the_chosen_one(team, ann, bob):
    fork = Repo(team.place / "fork")
    team.hub.git("init", "--quiet", "--bare", str(fork.path))
    for repo in (ann, bob):
        repo.git("remote", "add", "fork", str(fork.path))
        repo.git("config", "mem.remote", "fork")
    add(ann, "one")
    share(ann, bob)
    assert (tip(team.hub), tip(fork)) == ("", tip(ann))
    assert ids(bob) == ["one"]
    ann.git("remote", "rename", "origin", "upstream")
    ann.git("config", "--unset", "mem.remote")
    ann.git("config", "--unset", "branch.main.remote")
    assert Mem(ann).run("sync").err == (
        "error: there are several remotes: upstream, fork\n"
        "hint: name one, or choose it for good: git config mem.remote <name>\n"
    )
    assert Mem(ann)("sync", "upstream") == "upstream: 1 pushed\n"


def test_an_address_serves_as_a_remote(team, ann, tmp_path):
    other = Repo(tmp_path / "a=b c.git")
    team.hub.git("init", "--quiet", "--bare", str(other.path))
    add(ann, "one")
    assert memory(ann).sync(str(other.path)).pushed == 1
    assert memory(ann).sync(str(other.path)).pushed == 0
    assert tip(other) == tip(ann)


# --- a remote that forgets ----------------------------------------------------------------------

BROKEN_PROMISE = (
    "warning: 'origin' rewrote or deleted its facts; {} notes it had are kept here\n"
    "hint: to give them back: git mem push origin\n"
    "hint: to follow it and drop them: git mem fetch --follow origin\n"
)


def rewrite(hub: Repo, *kept: str) -> str:
    """Let the remote's memory hold only some notes, as if the others had never been."""
    made = commit(GitBackend(str(hub.git_dir)), tree(*kept), when=9, why="rewritten")
    hub.git("update-ref", REF, made)
    return made


@pytest.mark.parametrize("fate", ["rewritten", "deleted"])
@pytest.mark.parametrize("who_fetched", ["git mem sync", "git fetch --prune"])
def test_what_a_remote_drops_stays_known_and_can_be_given_back_or_dropped(
    team, ann, bob, fate, who_fetched
):
    add(ann, "one", "two")
    share(ann)
    # Bob never took it into a ref of his own: he only fetched and read.
    bob.git("fetch", "--quiet")
    assert ids(bob) == ["one", "two"]
    memory(bob).index().close()
    if fate == "rewritten":
        rewrite(team.hub, "three")
    else:
        team.hub.git("update-ref", "-d", REF)
    left = ["three"] if fate == "rewritten" else []
    if who_fetched == "git fetch --prune":
        bob.git("fetch", "--quiet", "--prune")
        assert tip(bob) == ""
        bob.git("-c", "gc.auto=0", "pack-refs", "--all")
    done = Mem(bob).run("sync")
    assert (done.code, done.err) == (1, BROKEN_PROMISE.format(2))
    assert ids(bob) == sorted(["one", "two", *left])
    assert tip(team.hub) == (tip(bob, TRACKING) if left else "")
    ann_done = Mem(ann).run("sync")
    assert (ann_done.code, ann_done.err) == (1, BROKEN_PROMISE.format(2))

    assert Mem(ann)("fetch", "--follow") != ""
    assert ids(ann) == left
    assert Mem(ann)("recall", "--path", "src/a.py", "--ids") == "".join(f"{x}\n" for x in left)
    assert ids(ann) == left

    assert Mem(bob).run("push").code == 0
    assert sorted(["one", "two", *left]) == ids(bob)
    share(ann)
    assert ids(ann) == ids(bob)
    assert tip(ann) == tip(bob) == tip(team.hub)


def test_a_hook_that_runs_first_after_a_forced_fetch_loses_nothing(team, ann, bob):
    add(ann, "one")
    share(ann)
    bob.git("fetch", "--quiet")
    assert "What one says." in Mem(bob).shown(Mem(bob).touch("src/a.py"))
    rewrite(team.hub, "two")
    bob.git("fetch", "--quiet")
    for _ in range(20):  # the last good index answers where catching up takes too long
        said = Mem(bob).shown(Mem(bob).touch("src/a.py"))
        assert "What one says." in said
        if "What two says." in said:
            break
    assert "What two says." in said
    log = (bob.git_dir / "gitmem" / "errors.log").read_text()
    assert f"{TRACKING} dropped 1 notes; they are kept here\n" in log


def test_following_can_be_taken_back(team, ann):
    add(ann, "one")
    share(ann)
    rewrite(team.hub, "two")
    memory(ann).follow()
    assert ids(ann) == ["two"]
    ann.git("update-ref", REF, f"{REF}@{{1}}")
    assert ids(ann) == ["one", "two"]


def test_a_purge_at_the_remote_is_not_called_a_loss(team, ann, bob):
    add(ann, "one", "two")
    share(ann, bob)
    purge(ann, "one")
    share(ann)
    bob.git("fetch", "--quiet")
    assert ids(bob) == ["two"]
    assert Mem(bob).run("sync").err == ""
    assert tip(bob) == tip(ann)


# --- other kinds of clones ----------------------------------------------------------------------


def test_a_shallow_clone_has_the_memory_whole(team, ann, path):
    for number in range(3):
        ann.commit(f"c{number}")
        add(ann, f"n{number}")
    ann.git("push", "--quiet", "origin", "main")
    share(ann)
    shallow = team.clone("shallow", "--depth", "1")
    add(shallow, "mine")
    done = memory(shallow).sync()
    assert (done.fetched, done.pushed) == (3, 1)
    assert shallow.git("rev-list", "--count", "HEAD") == "1"
    assert tip(ann) in shallow.git("rev-list", TRACKING).split()
    assert shallow.git("rev-list", "--count", tip(ann)) == ann.git("rev-list", "--count", REF)
    share(ann)
    assert ids(ann) == ids(shallow) == ["mine", "n0", "n1", "n2"]
    assert tip(ann) == tip(shallow)
    shallow.git("fetch", "--quiet", "--depth", "1")
    add(ann, "late")
    share(ann)
    shallow.git("fetch", "--quiet", "--depth", "1")
    add(shallow, "later")
    share(shallow, ann, shallow)
    assert ids(shallow) == ids(ann) == ["late", "later", "mine", "n0", "n1", "n2"]
    assert tip(ann) == tip(shallow)


def test_a_partial_clone_has_the_memory_whole_after_a_sync(team, ann, tmp_path, monkeypatch):
    team.hub.git("config", "uploadpack.allowFilter", "true")
    add(ann, "one", "two")
    share(ann)
    partial = team.clone("partial", "--filter=blob:none")
    partial.git("fetch", "--quiet")
    assert "What one says." not in texts_present(partial)
    directory, calls = counted_git(tmp_path / "counting")
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    Mem(partial).hook(Mem(partial).touch("src/a.py"))
    assert not [line for line in calls() if "fetch" in line or "upload-pack" in line]
    share(partial)
    assert "What one says." in texts_present(partial)
    assert "What one says." in Mem(partial).shown(Mem(partial).touch("src/a.py"))
    assert "--refetch" in " ".join(calls())
    add(ann, "three")
    share(ann, partial)
    assert ids(partial) == ["one", "three", "two"]
    assert "--refetch" not in " ".join(calls())
    add(partial, "mine")
    share(partial, ann)
    assert ids(ann) == ids(partial) == ["mine", "one", "three", "two"]
    assert tip(ann) == tip(partial)


def texts_present(repo: Repo) -> str:
    """All that is here, without fetching."""
    env = {"GIT_NO_LAZY_FETCH": "1"}
    listed = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)", env=env)
    return repo.git("cat-file", "--batch", stdin=listed, env=env)


def test_sha256_repositories_share_memory_too(tmp_path):
    team = make_team(tmp_path / "team", "ann", "bob", options=("--object-format=sha256",))
    ann, bob = team.clones.values()
    add(ann, "one", "secret")
    add(bob, "two")
    share(ann, bob, ann)
    assert (len(tip(ann)), ids(ann)) == (64, ["one", "secret", "two"])
    purge(bob, "secret")
    add(ann, "three")
    share(bob, ann, bob)
    assert tip(ann) == tip(bob) == tip(team.hub)
    assert ids(bob) == ["one", "three", "two"]
    assert "What three says." in texts(team.hub)


def test_reftable_repositories_share_memory_too(tmp_path):
    version = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout
    if tuple(map(int, version.split()[2].split(".")[:2])) < (2, 45):
        pytest.skip("this git knows no reftable")
    team = make_team(tmp_path / "team", options=("--ref-format=reftable",))
    ann, bob = (team.clone(name, "--ref-format=reftable") for name in ("ann", "bob"))
    add(ann, "one")
    add(bob, "two")
    share(ann, bob, ann)
    assert tip(ann) == tip(bob) == tip(team.hub)
    assert ids(ann) == ids(bob) == ["one", "two"]
    add(ann, "three")
    share(ann)
    bob.git("fetch", "--quiet")
    assert ids(bob) == ["one", "three", "two"]
    memory(bob).index().close()
    rewrite(team.hub, "four")
    bob.git("fetch", "--quiet")
    assert memory(bob).sync().rewritten == (REF,)
    assert ids(bob) == ["four", "one", "three", "two"]


def test_many_syncs_in_one_clone_at_once_all_succeed(team, ann, bob):
    add(bob, "theirs")
    share(bob)
    children = []
    for number in range(5):
        add(ann, f"n{number}")
        children.append(Mem(ann).start("sync"))
    done = [(child.communicate(timeout=120)[1], child.returncode) for child in children]
    assert done == [(b"", 0)] * 5
    share(bob)
    assert ids(bob) == ["n0", "n1", "n2", "n3", "n4", "theirs"]


def test_a_bare_sync_with_nothing_to_do_runs_git_four_times_at_most(ann, bob, tmp_path):
    add(bob, "one")
    share(bob, ann)
    log = tmp_path / "trace"
    env = {"GIT_TRACE2_EVENT": str(log)}
    assert Mem(ann)("sync", env=env) == "origin: nothing to do\n"
    assert log.read_text().count('"event":"start"') <= 4


def test_adding_a_note_and_syncing_sends_little(team, ann, tmp_path):
    memory(ann).add([_long(number) for number in range(300)])
    share(ann)
    counting = program(tmp_path, "receive", f'tee {tmp_path / "sent"} | git receive-pack "$@"')
    ann.git("config", "remote.origin.receivepack", str(counting))
    add(ann, "one-more")
    assert memory(ann).sync().pushed == 1
    assert 0 < (tmp_path / "sent").stat().st_size < 20_000


def _long(number: int) -> Draft:
    return draft(f"n{number}", f"Note {number}: " + "word " * 40)


def test_a_rewrite_between_looking_and_pushing_is_not_overwritten(team, ann, monkeypatch):
    add(ann, "one")
    share(ann)
    real = remote.push
    made = []

    def push(place, ref, new, *, replaces=None):
        if not made:
            made.append(rewrite(team.hub, "three"))
        return real(place, ref, new, replaces=replaces)

    monkeypatch.setattr(remote, "push", push)
    add(ann, "two")
    done = sync.joined(memory(ann).sync(), sync.Exchange("origin"))
    assert done.rewritten == (REF,)
    assert ids(ann) == ["one", "three", "two"]
    assert made[0] in team.hub.git("rev-list", REF).split()


def test_git_that_is_not_ours_still_sees_only_branches(ann):
    add(ann, "one")
    share(ann)
    before = subprocess.run(
        ["git", "push", "--dry-run", "--porcelain"], cwd=ann.path, capture_output=True, text=True
    )
    assert before.returncode == 0
    assert "refs/memory" not in before.stdout
