"""Commands and the four layers: where a note goes, what is said of it, and moving it."""

import os
import pty
import re

import pytest
from running import Mem, caught_up, note, scrubbed

ANCHORED = "  seen on main and every branch with <commit>\n"


@pytest.fixture
def workspace(mem, home):
    """The workspace layer, in `~/ws.git`."""
    mem.repo.git("config", "--global", "mem.workspace", "~/ws.git")
    return home / "ws.git"


def layers_of(mem: Mem) -> dict[str, str]:
    """id → layer."""
    return {item["id"]: item["layer"] for item in mem.json("list")["notes"]}


def history(mem: Mem, name: str, layer: str) -> list[tuple[str, str]]:
    entries = mem.json("log", name, "--layer", layer)["entries"]
    return [(item["op"], item["author"].partition(" <")[0]) for item in entries]


@pytest.mark.parametrize(
    ("layer", "seen"),
    [("workspace", "every project of the workspace"), ("self", "every project of yours")],
)
def test_every_command_knows_the_outer_layers(mem, workspace, layer, seen):
    seen = f"  seen in {seen}\n"
    assert mem("add", "Use spaces.", f"--{layer}", "-p", "src/**", "--id", "tabs") == (
        f"added tabs ({layer})\n  paths: src/**\n{seen}"
    )
    assert mem("add", "Use spaces.", "--layer", layer, "-p", "src/**", "--id", "tabs") == (
        "unchanged tabs\n"
    )
    assert mem("list") == mem("list", "--layer", layer) == f"tabs  [{layer}] Use spaces.\n"
    assert mem("list", "-n", "1") == f"tabs  [{layer}] Use spaces.\n"
    assert mem("list", "--layer", "shared") == ""
    assert mem("recall", "--path", "src/a.py", "--layer", layer, "--ids") == "tabs\n"
    assert "anchor" not in mem("show", "tabs")
    done = mem.run("edit", "tabs", "Use four spaces.")
    assert (done.code, done.out) == (0, f"edited tabs ({layer})\n  paths: src/**\n{seen}")
    assert mem("undo") == f"edited tabs ({layer})\n  paths: src/**\n{seen}"
    assert mem("forget", "tabs", "--layer", layer) == f"forgotten tabs ({layer})\n{seen}"
    assert mem("restore", "tabs", "--layer", layer).startswith(f"restored tabs ({layer})\n")
    assert history(mem, "tabs", layer) == [
        (op, "Ada Tester") for op in ("restored", "forgotten", "edited", "edited", "added")
    ]
    assert mem.json("status")["layers"] == {
        **dict.fromkeys(("local", "shared", "workspace", "self"), 0),
        layer: 1,
    }
    assert mem("status").startswith(f"notes: 0 local, 0 shared, 1 {layer}\n")
    assert f"ok      layer {layer}: 1 note\n" in mem("doctor")
    assert mem("reindex") == "indexed 1 note\n"


def test_a_note_about_files_of_another_project_is_no_orphan_and_no_reason_to_warn(mem):
    assert "(self)" in mem("add", "Elsewhere.", "--self", "-p", "other/**", "--id", "other")
    mem.store(note("gone", paths=["gone/**"]))
    assert mem("list", "--orphans", "--ids") == "gone\n"


def test_without_a_workspace_the_error_says_how_to_choose_one(mem):
    done = mem.run("add", "Text.", "--workspace", "--always")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: there is no workspace here: mem.workspace names no directory\n"
        "hint: choose one: git config --global mem.workspace ~/workspace.git\n"
        "hint: for the projects below one directory only, see includeIf in git help config\n"
    )


def test_undo_takes_back_what_was_done_here_and_not_in_another_project(mem, make_repo):
    other = Mem(make_repo("elsewhere"))
    mem("add", "First.", "--always", "--id", "first")
    other("add", "Mine.", "--self", "--always", "--id", "mine")
    assert mem("undo").startswith("forgotten first (shared)\n")
    assert other("undo").startswith("forgotten mine (self)\n")


@pytest.mark.parametrize("break_it", ["garbage", "a dangling ref", "another owner"])
def test_a_broken_outer_layer_silences_no_other_and_is_named_by_doctor(mem, home, break_it):
    own = home / ".local" / "share" / "git-mem" / "self.git"
    mem("add", "Mine.", "--self", "-p", "src/a.py", "--id", "mine")
    mem("add", "Ours.", "-p", "src/a.py", "--id", "ours")
    event = mem.touch("src/a.py")
    caught_up(mem, event, "## mine", "## ours")
    if break_it == "garbage":
        (own / "HEAD").write_bytes(b"\0")
    elif break_it == "a dangling ref":
        (own / "refs/memory/facts").write_text("1" * 40 + "\n")
    elif os.geteuid() == 0:
        os.chown(own, 12345, 12345)
    else:
        pytest.skip("only root can give a directory away")
    if break_it != "a dangling ref":  # which a hook looks at
        mem("add", "More.", "--always", "--id", "more")
    caught_up(mem, event, "## ours", without="## mine")
    assert mem.run("list", "--ids").out.split()[-1] == "ours"
    doctor = mem.run("doctor")
    assert doctor.code == 1
    assert f"layer self: {own}" in doctor.out + doctor.err


# --- moving -------------------------------------------------------------------------------------


def test_promote_moves_a_note_with_its_history(mem):
    mem("add", "Run make.", "--local", "-p", "src/a.py", "--id", "run")
    mem("edit", "run", "Run make test.", env={"GIT_AUTHOR_NAME": "Grace"})
    assert mem("promote", "run", "--to", "shared") == (
        f"promoted run (shared)\n  paths: src/a.py\n{ANCHORED}"
        "forgotten run (local)\n  seen everywhere\n"
    )
    assert layers_of(mem) == {"run": "shared"}
    assert mem("recall", "--path", "src/a.py", "--ids") == "run\n"
    assert history(mem, "run", "shared") == [
        ("edited", "Ada Tester"),
        ("edited", "Grace"),
        ("added", "Ada Tester"),
    ]
    assert mem.json("log", "run", "--layer", "local")["entries"][0]["reason"] == (
        "promoted to shared"
    )


@pytest.mark.parametrize("to", ["workspace", "self"])
def test_outside_of_the_project_a_moved_note_has_no_anchor(mem, workspace, home, to):
    mem("add", "Run make.", "-p", "src/a.py", "--id", "run")
    mem("edit", "run", "Run make test.")
    assert "promoted run" in mem("promote", "run", "--to", to)
    assert (layers_of(mem), mem.json("show", "run")["anchor"]) == ({"run": to}, None)
    assert history(mem, "run", to) == [(op, "Ada Tester") for op in ("edited", "edited", "added")]
    git_dir = workspace if to == "workspace" else home / ".local/share/git-mem/self.git"
    objects = mem.repo.git("-C", str(git_dir), "cat-file", "--batch", "--batch-all-objects")
    assert "Run make." in objects
    assert "anchor" not in objects


def test_coming_into_the_project_a_note_and_its_past_get_an_anchor(mem):
    mem("add", "Run make.", "--self", "-p", "src/a.py", "--id", "run")
    mem("edit", "run", "Run make test.", "--layer", "self")
    before = mem.repo.git("rev-parse", "HEAD")
    assert mem("demote", "run", "--to", "shared").startswith(
        f"demoted run (shared)\n  paths: src/a.py\n{ANCHORED}"
    )
    mem.repo.git("checkout", "-q", "--orphan", "elsewhere")
    mem.repo.commit("start")
    assert mem("list") == ""
    mem.repo.git("checkout", "-q", before)
    assert layers_of(mem) == {"run": "shared"}


def test_undo_brings_a_moved_note_back_and_forgets_what_it_became(mem):
    mem("add", "Run make.", "--local", "-p", "src/a.py", "--id", "run")
    for args in ((), ("run",)):
        mem("promote", "run", "--to", "shared")
        assert layers_of(mem) == {"run": "shared"}
        assert mem("undo", *args) == (
            f"restored run (local)\n  paths: src/a.py\n{ANCHORED}"
            "forgotten run (shared)\n  seen everywhere\n"
        )
        assert layers_of(mem) == {"run": "local"}
    mem("promote", "run", "--to", "shared")
    mem("edit", "run", "Run make all.")
    mem("undo", "run")
    assert layers_of(mem) == {"run": "shared"}


def test_a_note_goes_to_and_fro_and_to_a_layer_that_forgot_it(mem, workspace):
    mem("add", "Run make.", "-p", "src/a.py", "--id", "run")
    for to in ("self", "shared", "local", "workspace", "self", "shared"):
        mem("promote", "run", "--to", to)
        assert layers_of(mem) == {"run": to}
        assert mem("list", "--conflicts") == ""


def test_the_nearest_other_layer_is_moved_unless_one_is_named(mem):
    for layer in ("local", "shared", "self"):
        mem("add", f"Kept {layer}.", "--layer", layer, "--always", "--id", "run")
    done = mem.run("promote", "run", "--to", "shared")
    assert done.code == 1
    assert done.err == (
        "error: there is a note 'run' in layer shared already, and it says something else\n"
        "hint: bring both together: git mem edit run --layer shared\n"
        "hint: then drop the other: git mem forget run --layer local\n"
    )
    mem("edit", "run", "Kept self.", "--layer", "shared")
    assert mem("promote", "run", "--from", "shared", "--to", "self") == (
        "forgotten run (shared)\n  seen everywhere\nunchanged run\n"
    )
    assert mem.json("show", "run")["layers"] == ["local", "self"]


def test_what_cannot_be_moved_says_why(mem):
    assert mem.run("promote", "nothing", "--to", "self").code == 1
    mem("add", "Run make.", "-p", "src/a.py", "--id", "run")
    assert mem.run("demote", "run", "--to", "shared").err == (
        "error: note 'run' is in layer shared already\n"
    )
    mem("add", "Own.", "-p", "src/a.py", "--self", "--id", "own")
    mem.repo.write("src/a.py", "A = 2\n")
    assert mem.run("promote", "own", "--to", "shared").err == (
        "error: note 'own' is about src/a.py, which has changes that are not committed\n"
        "hint: commit them first, or say where it is true: --here, --everywhere\n"
    )
    assert "promoted own (shared)" in mem("promote", "own", "--to", "shared", "--everywhere")
    mem("add", "Soon.", "-p", "src/a.py", "--id", "soon")
    assert mem.run("promote", "soon", "--to", "self").err == (
        "error: note 'soon' is about work that is not committed yet\n"
        "hint: commit that first; the note is then published, and can be moved\n"
    )


def test_a_note_in_conflict_is_settled_before_it_is_moved(mem):
    mem("add", "Base.", "--always", "--id", "run")
    tip = mem.repo.git("rev-parse", "refs/memory/facts")
    mem("edit", "run", "One.")
    mine = mem.repo.git("rev-parse", "refs/memory/facts")
    mem.repo.git("update-ref", "refs/memory/facts", tip)
    mem("edit", "run", "Other.")
    mem.repo.git("update-ref", "refs/memory-remotes/origin/facts", mine)
    done = mem.run("promote", "run", "--to", "self")
    assert (done.code, done.err) == (
        3,
        "error: note 'run' is in conflict\nhint: settle it first: git mem edit run\n",
    )


def test_what_is_published_is_screened_for_credentials_once_more(mem):
    secret = "ghp_" + "a1B2" * 9
    mem.repo.git("config", "mem.allowSecret", secret)
    mem("add", f"The key is {secret}.", "--local", "--always", "--id", "key")
    mem("edit", "key", "The key is in the vault.")
    mem.repo.git("config", "--unset", "mem.allowSecret")
    done = mem.run("promote", "key", "--to", "shared")
    assert done.code == 1
    assert re.match(r"error: revision \w{10} of note 'key':\d+: this looks like a cred", done.err)
    assert layers_of(mem) == {"key": "local"}


# --- where a note goes --------------------------------------------------------------------------


def test_a_personal_text_in_the_shared_layer_is_warned_of(mem):
    text = "On my machine the tests need JOBS=1"
    done = mem.run("add", text, "--always", "--id", "jobs")
    said = "all who fetch will see it (--local, --self: only you), and it says 'my machine'"
    assert (done.code, done.err) == (0, f"warning: {said}\n")
    warnings = mem.json("add", text, "--always", "--id", "jobs2")["warnings"]
    assert {"gate": "personal", "message": said} in warnings
    for layer in ("local", "shared", "self"):  # somebody chose it
        done = mem.run("add", text, "--always", "--id", f"jobs-{layer}", "--layer", layer)
        assert (done.code, "machine" in done.err) == (0, False)


def typed(mem: Mem, answers: str, *args: str) -> str:
    """What a person sees who types `answers` on a terminal."""
    master, slave = pty.openpty()
    env = {"GIT_PAGER": "cat", "TERM": "dumb"}
    with mem.start(*args, env=env, stdin=slave, stdout=slave, stderr=slave) as child:
        os.close(slave)
        os.write(master, answers.encode())
        seen = b""
        while True:
            try:
                chunk = os.read(master, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        child.wait(timeout=60)
    os.close(master)
    return scrubbed(seen).replace("\r\n", "\n").removeprefix(answers)


def test_on_a_terminal_add_says_where_a_note_goes(mem):
    seen = typed(mem, "", "add", "Amounts are cents.", "--always", "--id", "cents")
    assert seen == (
        "hint: it goes to layer shared, for all who fetch; others: --local, --self\n"
        f"added cents (shared)\n  always: at the start of every session\n{ANCHORED}"
    )


@pytest.mark.parametrize(("answer", "layer"), [("\n", "local"), ("self\n", "self")])
def test_on_a_terminal_add_asks_where_a_personal_text_goes(mem, answer, layer):
    seen = typed(mem, answer, "add", "I prefer cents.", "--always", "--id", "cents")
    assert "warning: this looks personal, it says 'I prefer'\n" in seen
    assert "which layer is it for? (shared, local, self) [local]:" in seen
    assert layers_of(mem) == {"cents": layer}


def test_edit_of_a_note_from_outside_names_the_override(mem):
    mem("add", "Use spaces.", "--self", "-p", "src/**", "--id", "tabs")
    done = mem.run("edit", "tabs", "Use four spaces.")
    assert done.err == (
        "hint: it is in layer self, seen in every project of yours; "
        "for this clone alone: git mem edit tabs --layer local\n"
    )
    assert layers_of(mem) == {"tabs": "self"}
    assert mem("edit", "tabs", "Use tabs here.", "--layer", "local").startswith(
        "added tabs (local)\n  paths: src/**\n"
    )
    assert mem("list") == "tabs  [local] Use tabs here.\n"
    assert mem("list", "--layer", "self") == "tabs  [local] Use tabs here.\n"
    assert mem("forget", "tabs", "--layer", "local").startswith("forgotten tabs (local)\n")
    assert mem("list") == "tabs  [self] Use four spaces.\n"
    assert mem("edit", "tabs", "Use tabs here.", "--layer", "local").startswith("added tabs (loc")
    assert mem("edit", "tabs", "Tabs.", "--layer", "local").startswith("edited tabs (local)\n")


@pytest.mark.parametrize(("answer", "layer"), [("\n", "self"), ("local\n", "local")])
def test_on_a_terminal_edit_asks_where(mem, answer, layer):
    mem("add", "Use spaces.", "--self", "-p", "src/**", "--id", "tabs")
    seen = typed(mem, answer, "edit", "tabs", "Use tabs.")
    assert "change it there, or override it here? (self, local) [self]:" in seen
    assert layers_of(mem) == {"tabs": layer}
    assert mem("list", "--layer", "self", "--ids") == "tabs\n"


def test_a_note_is_not_overridden_from_farther_away(mem):
    mem("add", "Use spaces.", "-p", "src/**", "--id", "tabs")
    done = mem.run("edit", "tabs", "Use tabs.", "--layer", "self")
    assert (done.code, done.err) == (
        1,
        "error: there is no note 'tabs' in layer self\nhint: see: git mem list\n",
    )
