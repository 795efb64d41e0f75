"""Where `git mem` may be run: everywhere git may, with the answer that git's own rules give."""

import pytest
from conftest import Repo
from running import AUTHOR, SEEN_LINE, Mem, note


@pytest.fixture
def acme(mem):
    mem.store(note("about-a", paths=["src/a.py"]))
    mem.store(note("mine", paths=["src/b.py"]), layer="local")
    return mem


def arrives(mem, path="src/a.py", **where):
    return "What about-a says." in mem.shown(mem.touch(path, cwd=str(where["cwd"])), **where)


def test_from_a_subdirectory_everything_is_there_and_paths_are_relative_to_it(acme):
    src = acme.repo.path / "src"
    assert acme("list", "--ids", cwd=src) == "about-a\nmine\n"
    assert acme("recall", "--path", "a.py", "--ids", cwd=src) == "about-a\n"
    assert acme("recall", "--path", "src/a.py", "--ids", cwd=src) == ""
    assert acme("recall", "--path", "../src/a.py", "--ids", cwd=acme.repo.path / "scripts") == (
        "about-a\n"
    )
    assert acme("why", "a.py", cwd=src).splitlines()[0] == "src/a.py: 1 of 2 notes fire"
    assert acme("show", "about-a", cwd=src) == acme("show", "about-a")
    assert acme("add", "Sources are formatted", "-p", "src/**", cwd=src).startswith("added ")
    assert acme("list", "--ids") == "about-a\nmine\nsources-are-formatted\n"
    (src / "note.md").write_text(note("from-a-file", paths=["README.md"]))
    assert acme("add", "-F", "note.md", cwd=src).startswith("added from-a-file (shared)\n")


def test_a_linked_worktree_shares_the_memory_both_ways(acme, tmp_path):
    linked = tmp_path / "linked"
    acme.repo.git("worktree", "add", "--quiet", "-b", "topic", str(linked))
    there = Mem(Repo(linked))
    assert there("list", "--ids") == "about-a\nmine\n"
    assert arrives(there, cwd=linked)
    assert arrives(there, str(acme.repo.path / "src" / "a.py"), cwd=linked)
    assert there("add", "Added over there", "-p", "README.md") == (
        f"added added-over-there (shared)\n  paths: README.md\n{SEEN_LINE}"
    )
    assert acme("list", "--ids") == "about-a\nadded-over-there\nmine\n"
    event = acme.touch("src/a.py", session_id="s")
    assert acme.shown(event) != ""
    assert there.hook(there.touch("src/a.py", session_id="s")) == ""


def test_a_bare_repository_takes_paths_from_its_root(acme, tmp_path):
    bare = tmp_path / "bare.git"
    acme.repo.git("clone", "--quiet", "--bare", str(acme.repo.path), str(bare))
    there = Mem(Repo(bare))
    assert there("list") == ""
    assert there("add", "src/a.py is generated") == (
        "added src-a-py-is-generated (shared)\n  paths: src/a.py (derived from the text)\n"
        f"{SEEN_LINE}"
    )
    assert there("recall", "--path", "src/a.py", "--ids") == "src-a-py-is-generated\n"
    assert there("recall", "--path", "src/b.py", "--ids") == ""
    assert there("why", "src/a.py").splitlines()[0] == "src/a.py: 1 of 1 notes fire"
    assert there("list", "--orphans") == ""
    assert there.run("doctor").code == 0
    assert there.hook(there.touch("src/a.py")) == ""
    done = there.run("install", "claude")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: no work tree here to install claude hooks into\n"
        "hint: run it inside a project, or: git mem install claude --user\n"
    )


def test_one_bare_repository_with_worktrees_has_one_memory(acme, tmp_path):
    bare = tmp_path / "project" / ".bare"
    acme.repo.git("clone", "--quiet", "--bare", str(acme.repo.path), str(bare))
    there = []
    for name in ("one", "two"):
        Repo(bare).git("worktree", "add", "--quiet", "-b", name, str(tmp_path / "project" / name))
        there.append(Mem(Repo(tmp_path / "project" / name)))
    there[0].store(note("about-a", paths=["src/a.py"]))
    assert there[1]("list", "--ids") == "about-a\n"
    assert arrives(there[1], cwd=there[1].repo.path)


def test_a_submodule_has_a_memory_of_its_own(acme, make_repo):
    outer = Mem(make_repo("outer"))
    outer.repo.git("submodule", "--quiet", "add", str(acme.repo.path), "inner")
    outer.repo.commit()
    inner = Mem(Repo(outer.repo.path / "inner"))
    outer.store(note("outside", paths=["**"]))
    inner.store(note("about-a", paths=["src/a.py"]))
    assert outer("list", "--ids") == "outside\n"
    assert inner("list", "--ids") == "about-a\n"
    assert arrives(inner, cwd=inner.repo.path)
    assert "What outside says." in outer.shown(outer.touch("inner/src/a.py"))


def test_commands_honour_git_dir_and_hooks_do_not(acme, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    directed = {"GIT_DIR": str(acme.repo.git_dir), "GIT_WORK_TREE": str(acme.repo.path)}
    assert acme("list", "--ids", cwd=away, env=directed) == "about-a\nmine\n"
    assert acme.hook(acme.touch("src/a.py", cwd=str(away)), cwd=away, env=directed) == ""
    assert acme("list", "--ids", cwd=acme.repo.git_dir) == "about-a\nmine\n"
    done = acme.run("list", cwd=away)
    assert (done.code, done.out, done.err) == (
        1,
        "",
        f"error: {away} is not in a git repository\nhint: run 'git init' to make one here\n",
    )


def test_a_repository_without_commits_remembers_already(path, make_repo):
    mem = Mem(make_repo("new"))
    assert mem("list") == ""
    assert mem("recall", "--path", "x") == ""
    assert mem("status").splitlines()[0] == "notes: 0 local, 0 shared"
    assert mem.hook(mem.touch("src/a.py")) == ""
    mem.store(note("about-a", paths=["src/a.py"]))
    assert arrives(mem, cwd=mem.repo.path)
    assert mem.run("doctor").code == 0
    assert mem.repo.git("for-each-ref", "--format=%(refname)") == ""
    mem.repo.commit()
    assert arrives(mem, cwd=mem.repo.path)
    assert mem("list") == "about-a  What about-a says.\n"
    refs = mem.repo.git("for-each-ref", "--format=%(refname)").splitlines()
    assert refs == ["refs/heads/main", "refs/memory/facts"]


def test_what_is_kept_for_this_clone_alone_stays_there_when_the_first_commit_is_made(
    path, make_repo
):
    mem = Mem(make_repo("new"))
    mem.store(note("mine", paths=["src/a.py"]), layer="local")
    assert mem("list") == "mine  [local] What mine says. (pending)\n"
    mem.repo.commit()
    assert mem("list") == "mine  [local] What mine says.\n"
    assert mem.repo.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_detached_head_and_two_remotes_change_nothing(acme):
    acme.repo.git("checkout", "--quiet", "--detach", "HEAD~1")
    acme.repo.git("remote", "add", "one", "/nowhere/1")
    acme.repo.git("remote", "add", "two", "/nowhere/2")
    assert acme("list", "--ids") == "about-a\nmine\n"
    assert arrives(acme, cwd=acme.repo.path)
    assert acme("add", "Still here", "-p", "README.md") == (
        f"added still-here (shared)\n  paths: README.md\n{SEEN_LINE}"
    )


def test_a_sha_256_repository_goes_through_the_whole_cycle(path, make_repo):
    mem = Mem(make_repo("sha256", "--object-format=sha256"))
    mem.repo.commit(**{"src/a.py": "", "src/b.py": ""})
    mem.store(note("about-a", paths=["src/a.py"]))
    mem.store(note("mine", paths=["src/b.py"]), layer="local")
    assert len(mem.repo.git("rev-parse", "refs/memory/facts")) == 64
    assert arrives(mem, cwd=mem.repo.path)
    assert mem("edit", "about-a", "-p", "src/b.py") == (
        f"edited about-a (shared)\n  paths: src/a.py, src/b.py\n{SEEN_LINE}"
    )
    assert mem("recall", "--path", "src/b.py", "--ids") == "mine\nabout-a\n"
    assert mem("forget", "about-a", "mine") == (
        f"forgotten about-a (shared)\n{SEEN_LINE}forgotten mine (local)\n{SEEN_LINE}"
    )
    assert mem("list") == ""
    assert mem("restore", "about-a") == (
        f"restored about-a (shared)\n  paths: src/a.py, src/b.py\n{SEEN_LINE}"
    )
    assert mem("undo") == f"forgotten about-a (shared)\n{SEEN_LINE}"
    assert mem.run("doctor").code == 0


def test_packed_refs_and_packed_objects_are_read_as_well(acme):
    acme.repo.git("gc", "--quiet")
    assert not (acme.repo.git_dir / "refs" / "memory" / "facts").exists()
    assert arrives(acme, cwd=acme.repo.path)
    assert acme("show", "about-a", "--raw").endswith("---\nWhat about-a says.\n")


def test_a_note_is_stored_without_any_configuration_or_home(acme):
    acme.repo.git("config", "user.useConfigOnly", "true")
    nobody = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": None, "XDG_CACHE_HOME": None}
    added = acme.run("add", "From nowhere", "-p", "README.md", env=nobody)
    assert (added.code, added.out, added.err) == (
        0,
        f"added from-nowhere (shared)\n  paths: README.md\n{SEEN_LINE}",
        "",
    )
    who = acme.repo.git("log", "-1", "--format=%ae %ce", "refs/memory/facts")
    assert who == "unknown@localhost unknown@localhost"


def test_signing_colours_hooks_and_encodings_of_the_user_change_nothing(acme, tmp_path):
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\ntouch '%s'\nsleep 60\nexit 1\n" % (tmp_path / "sprung"))
    trap.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction-off"):
        (hooks / name).symlink_to(trap)
    for name, value in {
        "commit.gpgSign": "true",
        "gpg.program": str(trap),
        "core.hooksPath": str(hooks),
        "core.pager": str(trap),
        "core.editor": str(trap),
        "color.ui": "always",
        "i18n.commitEncoding": "latin-1",
        "i18n.logOutputEncoding": "latin-1",
        "core.quotePath": "true",
        "log.showSignature": "true",
        "core.abbrev": "5",
        "diff.noprefix": "true",
    }.items():
        acme.repo.git("config", name, value)
    assert acme("add", "Grüße", "-p", "README.md") == (
        f"added grüße (shared)\n  paths: README.md\n{SEEN_LINE}"
    )
    assert acme("list", "--ids") == "about-a\ngrüße\nmine\n"
    assert acme("undo") == f"forgotten grüße (shared)\n{SEEN_LINE}"
    assert acme("show", "grüße", "--history") == (
        f"<rev> <time> {AUTHOR}: forgotten: undo\n<rev> <time> {AUTHOR}: Grüße\n"
    )
    assert not (tmp_path / "sprung").exists()


def test_the_work_tree_the_index_head_and_branches_are_never_touched(acme):
    acme.repo.write("src/a.py", "staged\n")
    acme.repo.git("add", "src/a.py")
    acme.repo.write("src/a.py", "changed\n")
    acme.repo.write("untracked", "")

    def everything():
        refs = acme.repo.git("for-each-ref", "refs/heads", "refs/tags")
        head = (acme.repo.git_dir / "HEAD").read_text()
        index = acme.repo.git("ls-files", "--stage")
        return refs, head, index, acme.repo.git("status", "--porcelain", "--ignored")

    before = everything()
    acme("add", "A note", "-p", "README.md")
    acme("edit", "about-a", "Changed.")
    acme("forget", "a-note")
    acme("undo")
    acme("reindex")
    assert arrives(acme, cwd=acme.repo.path) is False  # its text is another one now
    assert everything() == before


def test_a_file_in_a_submodule_brings_its_own_notes_first_and_those_of_the_superproject(
    mem, make_repo
):
    library = make_repo("library")
    library.commit("start", **{"src/lib.py": "L = 1\n"})
    mem.repo.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(library.path),
        "vendor/lib",
    )
    mem.repo.git("commit", "-q", "-m", "submodule")
    inside = mem.repo.path / "vendor" / "lib"
    mem.store(note("of-the-whole", paths=["vendor/**"]))
    Mem(Repo(inside))("add", "src/lib.py is the library.", "--id", "of-the-library")
    both = ["of-the-library", "of-the-whole"]
    for number, cwd in enumerate((mem.repo.path, inside)):
        event = mem.touch(str(inside / "src/lib.py"), session_id=f"s{number}") | {"cwd": str(cwd)}
        said = mem.shown(event)
        heads = [line[3:].split()[0] for line in said.splitlines() if line.startswith("## ")]
        assert heads == both
        assert mem.shown(event) == ""
