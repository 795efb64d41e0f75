"""`git mem init` and `git mem uninstall`, and what plain push and pull carry after them."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Repo
from running import Mem, note

from gitmem.githooks.git_hooks import CONFIG_HOOKS, git_version

DRIVER = "notes kept as files merge by meaning, where .gitattributes says '*.md merge=gitmem'"
SPEC = "+refs/memory/*:refs/memory-remotes/origin/*"
HEADS = "+refs/heads/*:refs/remotes/origin/*"


@pytest.fixture
def hub(make_repo: Callable[..., Repo]) -> Repo:
    """A bare repository that others push to."""
    return make_repo("hub.git", "--bare")


@pytest.fixture
def ada(mem: Mem, hub: Repo) -> Mem:
    """The repository of the test, with the hub as its remote."""
    mem.repo.git("remote", "add", "origin", str(hub.path))
    mem.repo.git("push", "--quiet", "--set-upstream", "origin", "main")
    return mem


@pytest.fixture
def clone(hub: Repo, tmp_path: Path) -> Callable[..., Mem]:
    """`clone("bob", …)` clones the hub."""

    def make(name: str, *options: str) -> Mem:
        hub.git("clone", "--quiet", *options, f"file://{hub.path}", str(tmp_path / name))
        return Mem(Repo(tmp_path / name))

    return make


def states(mem: Mem, *args: str) -> dict[str, str]:
    """The state of every step of `git mem ARGS`; the last of several with one name."""
    return {step["step"]: step["state"] for step in mem.json(*args)["steps"]}


def files_of(repo: Repo) -> dict[str, bytes]:
    """Everything in the git directory that is no object, ref, log or note."""
    top = repo.git_dir
    skipped = ("objects", "refs", "logs", "gitmem")
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and path.relative_to(top).parts[0] not in skipped
    }


def unpublished(mem: Mem, hub: Repo) -> bool:
    return hub.git("for-each-ref", "refs/memory") == ""


def test_a_note_travels_with_plain_push_and_pull(ada: Mem, clone: Callable[..., Mem]) -> None:
    bob = clone("bob")
    ada("init")
    bob("init")
    ada.store(note("from-ada", paths=["src/a.py"]))
    ada.repo.commit("work", **{"src/a.py": "A = 2\n"})
    ada.repo.git("push")
    assert bob("list", "--ids") == ""
    bob.repo.git("pull")
    assert bob("list", "--ids") == "from-ada\n"
    bob.store(note("from-bob", paths=["src/b.py"]))
    bob.repo.git("push")
    ada.repo.git("pull")
    assert ada("list", "--ids") == "from-ada\nfrom-bob\n"


def test_the_push_says_what_went_along_on_stderr_only(ada: Mem, hub: Repo) -> None:
    ada("init")
    ada.store(note("one", paths=["src/a.py"]))
    assert ada.repo.git("push", "--porcelain").splitlines()[1:] == [
        "=\trefs/heads/main:refs/heads/main\t[up to date]",
        "Done",
    ]
    assert not unpublished(ada, hub)


@pytest.mark.parametrize("options", [(), ("--all",), ("origin", "main"), ("--tags",)])
def test_the_same_branches_are_pushed_as_before(ada: Mem, options: tuple[str, ...]) -> None:
    ada.repo.git("branch", "topic")
    ada.repo.commit("more")
    pushed = ("push", "--dry-run", "--porcelain", *options)
    before = ada.repo.git(*pushed)
    ada("init")
    ada.store(note("one", paths=["src/a.py"]))
    assert ada.repo.git(*pushed) == before


def test_a_dry_run_publishes_nothing(ada: Mem, hub: Repo) -> None:
    ada("init")
    ada.store(note("one", paths=["src/a.py"]))
    ada.repo.git("push", "--dry-run")
    ada.repo.git("push", "-n", "origin", "main")
    ada.repo.git("-c", "alias.try=push -n", "try")
    ada.repo.git("-c", "alias.shout=!git push -n", "shout")
    assert unpublished(ada, hub)
    ada.repo.git("push")
    assert not unpublished(ada, hub)


def test_a_push_that_runs_no_hooks_or_goes_elsewhere_publishes_nothing(
    ada: Mem, hub: Repo, make_repo: Callable[..., Repo]
) -> None:
    fork = make_repo("fork.git", "--bare")
    ada.repo.git("remote", "add", "fork", str(fork.path))
    ada("init")
    ada.store(note("one", paths=["src/a.py"]))
    ada.repo.git("push", "--no-verify")
    ada.repo.git("push", "fork", "main")
    ada.repo.git("push", str(fork.path), "main")
    assert unpublished(ada, hub)
    assert unpublished(ada, fork)
    ada.repo.git("config", "mem.remote", "fork")
    ada.repo.git("push", "origin", "main")
    assert unpublished(ada, hub)
    ada.repo.git("push", "fork", "main")
    assert not unpublished(ada, fork)


def test_two_clones_that_wrote_at_once_both_arrive(
    ada: Mem, hub: Repo, clone: Callable[..., Mem]
) -> None:
    bob = clone("bob")
    for each in (ada, bob):
        each("init")
    ada.store(note("from-ada", paths=["src/a.py"]))
    bob.store(note("from-bob", paths=["src/b.py"]))
    ada.repo.git("push")
    bob.repo.git("push")
    tree = hub.git("ls-tree", "-r", "--name-only", "refs/memory/facts")
    assert sorted(name.split("/")[-1].split("@")[0] for name in tree.splitlines()) == [
        "FORMAT",
        "from-ada",
        "from-bob",
    ]


def test_a_remote_that_refuses_memory_never_stops_the_push(ada: Mem, hub: Repo) -> None:
    ada("init")
    ada.store(note("one", paths=["src/a.py"]))
    hub.git("config", "receive.hideRefs", "refs/memory")
    head = ada.repo.commit("more")
    done = ada.repo.git("push", "--porcelain")
    assert done.splitlines()[-1] == "Done"
    assert hub.git("rev-parse", "main") == head
    assert "pre-push: 'origin' refused refs/memory/facts" in ada.run("doctor").out
    hub.git("config", "--unset", "receive.hideRefs")
    ada.repo.git("push")
    assert not unpublished(ada, hub)


def test_a_failure_is_one_warning_and_the_exit_code_is_0(ada: Mem) -> None:
    ada.store(note("one", paths=["src/a.py"]))
    ada.repo.git("remote", "set-url", "origin", "/nowhere")
    done = ada.run("githook", "pre-push", "origin", "/nowhere")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("warning: memory was not published: cannot exchange memory")
    assert done.err.count("\n") == 1


def test_a_remote_that_never_answers_costs_a_bounded_time(
    ada: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitmem.memory import Memory  # its deadline, not the whole 20 seconds

    ada.store(note("one", paths=["src/a.py"]))
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 30\n")
    slow.chmod(0o755)
    ada.repo.git("remote", "set-url", "origin", "ssh://slow.example.com/x")
    monkeypatch.setenv("GIT_SSH_COMMAND", str(slow))
    start = time.monotonic()
    with pytest.raises(Exception, match="cannot exchange memory with 'origin': no answer"):
        Memory.open(str(ada.repo.path)).push("origin", deadline=start + 1)
    assert time.monotonic() - start < 10


def test_our_own_push_does_not_call_us_again(ada: Mem, hub: Repo) -> None:
    ada.store(note("one", paths=["src/a.py"]))
    done = ada.run("githook", "pre-push", "origin", "x", env={"GITMEM_PUSHING": "1"})
    assert (done.code, done.out, done.err) == (0, "", "")
    assert unpublished(ada, hub)


def test_without_anything_to_publish_the_hook_is_silent(ada: Mem) -> None:
    for event in ("pre-push", "post-merge"):
        done = ada.run("githook", event, "origin", "x")
        assert (done.code, done.out, done.err) == (0, "", "")


def test_a_pull_moves_our_own_ref_where_no_merge_commit_is_needed(
    ada: Mem, hub: Repo, clone: Callable[..., Mem]
) -> None:
    bob = clone("bob")
    for each in (ada, bob):
        each("init")
    ada.store(note("one", paths=["src/a.py"]))
    ada.repo.commit("more")
    ada.repo.git("push")
    bob.repo.git("pull")
    assert bob.repo.git("rev-parse", "refs/memory/facts") == hub.git(
        "rev-parse", "refs/memory/facts"
    )
    bob.store(note("two", paths=["src/b.py"]))
    mine = bob.repo.git("rev-parse", "refs/memory/facts")
    ada.store(note("three", paths=["src/a.py"]))
    ada.repo.commit("again")
    ada.repo.git("push")
    bob.repo.git("pull")
    assert bob.repo.git("rev-parse", "refs/memory/facts") == mine
    assert bob("list", "--ids") == "one\nthree\ntwo\n"


def test_a_mirror_push_is_left_alone(ada: Mem, hub: Repo) -> None:
    ada("init")
    ada.store(note("one", paths=["src/a.py"]))
    ada.repo.git("push", "--mirror")
    assert hub.git("rev-parse", "refs/memory/facts") == ada.repo.git(
        "rev-parse", "refs/memory/facts"
    )


def test_a_second_init_says_what_is_already_there(ada: Mem) -> None:
    names = ("fetch", "pre-push", "post-merge", "post-rewrite", "local layer", "merge driver")
    assert states(ada, "init") == dict.fromkeys(names, "done")
    before = files_of(ada.repo)
    assert states(ada, "init") == dict.fromkeys(names, "already")
    assert files_of(ada.repo) == before
    assert ada.repo.git("config", "--get-all", "remote.origin.fetch").splitlines() == [HEADS, SPEC]
    assert "remote.origin.push" not in ada.repo.git("config", "--list", "--name-only")


def test_each_step_says_how_to_undo_it(ada: Mem) -> None:
    before = files_of(ada.repo)
    steps = ada.json("init")["steps"]
    undo = {step["step"]: step["undo"] for step in steps}
    assert undo["fetch"] == f"git config --fixed-value --unset-all remote.origin.fetch '{SPEC}'"
    assert undo["merge driver"] == "git config --remove-section merge.gitmem"
    for command in (undo["fetch"], undo["merge driver"]):
        ada.repo.git(*command.replace("'", "").split()[1:])
    ada("uninstall")
    assert files_of(ada.repo) == before


def test_a_dry_run_changes_nothing(ada: Mem) -> None:
    before = files_of(ada.repo)
    assert states(ada, "init", "--dry-run")["fetch"] == "done"
    assert files_of(ada.repo) == before
    assert not (ada.repo.git_dir / "gitmem").exists()
    ada("init")
    before = files_of(ada.repo)
    assert states(ada, "uninstall", "--dry-run")["fetch"] == "done"
    assert files_of(ada.repo) == before


def test_uninstall_leaves_configuration_and_hooks_as_they_were_and_every_note(ada: Mem) -> None:
    path = ada.repo.git_dir / "hooks" / "pre-push"
    path.write_text("#!/bin/sh\nexec true\n")
    path.chmod(0o755)
    before = files_of(ada.repo)
    ada("init")
    assert files_of(ada.repo) != before
    ada.store(note("one", paths=["src/a.py"]))
    ada.store(note("mine", paths=["src/a.py"]), layer="local")
    ada("recall", "--path", "src/a.py")
    ada("uninstall")
    now = files_of(ada.repo)
    assert {name: data for name, data in now.items() if not name.startswith("note-")} == before
    assert os.listdir(ada.repo.git_dir / "gitmem") == ["local.git"]
    assert list(states(ada, "uninstall")) == ["notes"]
    assert ada("list", "--ids") == "mine\none\n"
    assert list(states(ada, "uninstall")) == ["derived files", "notes"]


def test_agents_are_uninstalled_as_before(ada: Mem) -> None:
    ada("init", "--agent", "claude")
    settings = ada.repo.path / ".claude" / "settings.json"
    assert "git mem hook claude" in settings.read_text()
    ada("uninstall", "claude")
    assert not settings.exists()
    assert states(ada, "init")["pre-push"] == "already"


def test_no_hooks_means_no_hooks(ada: Mem) -> None:
    assert sorted(states(ada, "init", "--no-hooks")) == ["fetch", "local layer", "merge driver"]
    assert not (ada.repo.git_dir / "hooks" / "pre-push").exists()
    assert ada.json("status")["hooks"]["git"] is False


def test_without_a_remote_the_rest_is_done_and_what_to_do_later_is_said(mem: Mem) -> None:
    steps = mem.json("init")["steps"]
    assert steps[0]["state"] == "skipped"
    assert steps[0]["message"] == "there is no remote to share memory with"
    assert steps[0]["hints"] == ["once there is one: git mem init"]
    assert {step["state"] for step in steps[1:]} == {"done"}
    assert mem.json("status")["hooks"]["git"] is True


def test_with_several_remotes_one_must_be_chosen_or_named(mem: Mem) -> None:
    for name in ("one", "two"):
        mem.repo.git("remote", "add", name, f"https://example.com/{name}.git")
    assert states(mem, "init")["fetch"] == "skipped"
    steps = mem.json("init", "--remote", "one", "--remote", "two")["steps"]
    assert [step["state"] for step in steps if step["step"] == "fetch"] == ["done", "done"]
    assert mem.repo.git("config", "--get-all", "remote.two.fetch").splitlines()[1:] == [
        "+refs/memory/*:refs/memory-remotes/two/*"
    ]


def test_a_mistyped_remote_stops_everything(ada: Mem) -> None:
    before = files_of(ada.repo)
    done = ada.run("init", "--remote", "orign")
    assert (done.code, done.err) == (
        1,
        "error: there is no remote 'orign'\nhint: remotes: origin\n",
    )
    assert files_of(ada.repo) == before


def fetch_step(mem: Mem) -> tuple[str, str]:
    before = files_of(mem.repo)
    step = mem.json("init", "--no-hooks")["steps"][0]
    assert step["step"] == "fetch"
    assert "memory-remotes" not in files_of(mem.repo)["config"].decode()
    assert files_of(mem.repo).keys() == before.keys()
    return step["state"], step["message"]


def test_a_remote_without_fetch_refspecs_keeps_its_plain_fetch(ada: Mem) -> None:
    ada.repo.git("config", "--unset-all", "remote.origin.fetch")
    assert fetch_step(ada) == (
        "skipped",
        "'origin' has no fetch refspec, and with ours alone it would get no branches",
    )


def test_a_mirror_remote_is_told_about(ada: Mem) -> None:
    ada.repo.git("config", "remote.origin.mirror", "true")
    assert fetch_step(ada) == (
        "skipped",
        "'origin' is a mirror: a push there replaces its memory with yours",
    )


@pytest.mark.parametrize("spec", ["+refs/memory/*:refs/memory/*", "+refs/*:refs/*"])
def test_a_refspec_that_overwrites_notes_is_told_about(ada: Mem, spec: str) -> None:
    ada.repo.git("config", "--add", "remote.origin.fetch", spec)
    assert fetch_step(ada) == (
        "skipped",
        f"remote.origin.fetch has {spec}, by which every fetch overwrites your notes",
    )


def test_a_host_that_takes_only_branches_gets_refspecs_for_them(ada: Mem, hub: Repo) -> None:
    ada.repo.git("config", "mem.transport", "branch")
    ada("init")
    assert ada.repo.git("config", "--get-all", "remote.origin.fetch").splitlines()[1] == (
        "+refs/heads/git-mem/memory*:refs/memory-remotes/origin/facts*"
    )
    ada.store(note("one", paths=["src/a.py"]))
    ada.repo.git("push")
    assert hub.git("for-each-ref", "--format=%(refname)") == (
        "refs/heads/git-mem/memory\nrefs/heads/main"
    )
    before = files_of(ada.repo)
    ada("uninstall")
    assert "git-mem" not in files_of(ada.repo)["config"].decode()
    assert before != files_of(ada.repo)


def test_a_partial_clone_is_told_how_its_notes_come_whole(
    ada: Mem, hub: Repo, clone: Callable[..., Mem]
) -> None:
    hub.git("config", "uploadpack.allowFilter", "true")
    bob = clone("bob", "--filter=blob:none")
    assert bob.json("init")["steps"][0]["hints"] == [
        "in a partial clone the notes come whole with: git mem fetch origin"
    ]


def test_init_in_a_linked_worktree_wires_the_whole_repository(ada: Mem, tmp_path: Path) -> None:
    ada.repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    ada("init", cwd=tmp_path / "linked")
    assert states(ada, "init")["pre-push"] == "already"
    ada.store(note("one", paths=["src/a.py"]))
    linked = Repo(tmp_path / "linked")
    linked.git("push", "origin", "HEAD")
    assert "refs/memory/facts" in linked.git("ls-remote", "origin")


def test_outside_a_repository_there_is_nothing_to_wire(mem: Mem, tmp_path: Path) -> None:
    done = mem.run("init", cwd=tmp_path)
    assert done.code == 1
    assert done.err.startswith("error: ")


@pytest.mark.skipif(git_version() >= CONFIG_HOOKS, reason="newer git needs no hook file")
def test_the_plain_words(ada: Mem) -> None:
    git_dir = ada.repo.git_dir
    ada.repo.git("config", "core.hooksPath", "/everybody")
    out = ada("init")
    line = 'command -v git-mem >/dev/null 2>&1 && git mem githook EVENT "$@"STDIN || :'
    stdin = {"pre-push": " </dev/null", "post-merge": " </dev/null", "post-rewrite": ""}
    outside = [
        text
        for event in stdin
        for text in (
            f"skipped: {event}: /everybody/{event} is outside this repository",
            f"    add to /everybody/{event}:",
            f"    {line.replace('EVENT', event).replace('STDIN', stdin[event])}",
        )
    ]
    assert out.splitlines() == [
        f"done: fetch: 'git fetch origin' brings memory ({SPEC})",
        f"    undo: git config --fixed-value --unset-all remote.origin.fetch '{SPEC}'",
        *outside,
        f"done: local layer: notes for this clone alone go to {git_dir}/gitmem/local.git",
        "    undo: remove that directory, and its notes with it",
        f"done: merge driver: {DRIVER}",
        "    undo: git config --remove-section merge.gitmem",
        "to undo all of it: git mem uninstall",
    ]
    assert json.loads(ada("status", "--json"))["hooks"]["git"] is False
