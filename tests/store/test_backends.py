"""The contract of `gitmem.store.backend.Backend`, on every back end."""

import os
from collections.abc import Callable

import pytest
from conftest import Repo

from gitmem.errors import GitMemError
from gitmem.store.backend import Backend, Commit, Identity, TreeEntry
from gitmem.store.choose import backend_for
from gitmem.store.git_backend import GitBackend
from gitmem.store.pygit2_backend import Pygit2Backend

REF = "refs/memory/facts"
ADA = Identity("Ada Lovelace", "ada@example.com", 1_700_000_000, "+0100")
BOB = Identity("Bøb", "bob@example.com", 1_700_000_100)
KINDS: dict[str, tuple[Callable[[str], Backend], tuple[str, ...]]] = {
    "git": (GitBackend, ()),
    "pygit2": (Pygit2Backend, ()),
    "git-sha256": (GitBackend, ("--object-format=sha256",)),
}


@pytest.fixture(params=KINDS)
def store(request, make_repo) -> tuple[Repo, Backend]:
    make, options = KINDS[request.param]
    repo = make_repo("store", *options)
    return repo, make(str(repo.path / ".git"))


def put(backend: Backend, files, parents=(), message="m", author=ADA, committer=BOB) -> str:
    return backend.commit(
        parents=parents, changes=files, message=message, author=author, committer=committer
    )


def tree(repo: Repo, commit: str) -> list[str]:
    return repo.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]


def test_a_commit_holds_its_files_and_moves_no_ref(store):
    repo, backend = store
    oid = put(backend, {"FORMAT": b"gitmem 1\n", "ab/né one@1.md": b"hi"}, message="add né")
    assert tree(repo, oid) == ["FORMAT", "ab/né one@1.md"]
    assert repo.git("cat-file", "blob", f"{oid}:ab/né one@1.md") == "hi"
    assert repo.git("cat-file", "commit", oid).split("\n")[1:] == [
        "author Ada Lovelace <ada@example.com> 1700000000 +0100",
        "committer Bøb <bob@example.com> 1700000100 +0000",
        "",
        "add né",
    ]
    assert repo.git("for-each-ref") == ""
    assert sorted(os.listdir(repo.path / ".git" / "refs")) == ["heads", "tags"]


def test_changes_add_replace_and_delete_and_leave_foreign_entries_alone(store):
    repo, backend = store
    repo.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (repo.path / "link").symlink_to("run.sh")
    first = repo.commit("foreign", **{"ab/x.md": "x", "ab/y.md": "y", "cd/z.md": "z"})
    second = put(backend, {"ab/x.md": b"new", "ab/w.md": b"w", "cd/z.md": None}, [first])
    assert repo.git("ls-tree", "-r", second).replace("\t", " ").split("\n") == [
        f"100644 blob {repo.git('rev-parse', second + ':ab/w.md')} ab/w.md",
        f"100644 blob {repo.git('rev-parse', second + ':ab/x.md')} ab/x.md",
        f"100644 blob {repo.git('rev-parse', first + ':ab/y.md')} ab/y.md",
        f"120000 blob {repo.git('rev-parse', first + ':link')} link",
        f"100755 blob {repo.git('rev-parse', first + ':run.sh')} run.sh",
    ]
    assert repo.git("rev-parse", f"{second}^") == first
    third = put(
        backend, {"ab": b"now a file", "run.sh/inner": b"now below", "no/such": None}, [second]
    )
    assert tree(repo, third) == ["ab", "link", "run.sh/inner"]


def test_a_commit_with_nothing_left_has_the_empty_tree(store):
    repo, backend = store
    first = put(backend, {"a/b/c": b"x"})
    second = put(backend, {"a/b/c": None}, [first])
    assert repo.git("ls-tree", second) == ""
    assert backend.entries(second) == []
    assert put(backend, {}) != second


def test_entries_are_the_whole_tree_or_one_bucket(store, monkeypatch):
    repo, backend = store
    oid = put(backend, {"FORMAT": b"f", "ab/é.md": b"1", "ab/c d.md": b"2", "cd/e": b"3"})
    ids = {path: repo.git("rev-parse", f"{oid}:{path}") for path in tree(repo, oid)}
    everything = [TreeEntry(path, ids[path]) for path in sorted(ids, key=str.encode)]
    (repo.path / "cd").mkdir()
    monkeypatch.chdir(repo.path / "cd")
    assert backend.entries(oid) == everything
    assert backend.entries(oid, "ab") == everything[1:3]
    assert backend.entries(oid, "cd", "ab", "00") == everything[1:4]
    assert backend.entries(oid, "FORMAT") == []
    assert backend.entries(oid, "00") == []


def test_submodules_in_a_foreign_tree_are_no_files(store):
    repo, backend = store
    inner = put(backend, {"a": b"1"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{inner},sub")
    blob = repo.git("hash-object", "-w", "--stdin", stdin="x")
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},file")
    outer = repo.git("commit-tree", repo.git("write-tree"), "-m", "x")
    assert backend.entries(outer) == [TreeEntry("file", blob)]
    assert backend.changes(put(backend, {}), outer) == ([TreeEntry("file", blob)], [])


def test_changes_between_two_commits(store):
    repo, backend = store
    old = put(backend, {"ab/keep": b"k", "ab/edit": b"1", "cd/gone": b"g", "file": b"f"})
    new = put(backend, {"ab/edit": b"2", "cd/gone": None, "ef/é": b"n", "file/in": b"g"}, [old])

    def entry(commit, path):
        return TreeEntry(path, repo.git("rev-parse", f"{commit}:{path}"))

    present, removed = backend.changes(old, new)
    assert sorted(present, key=lambda one: one.path) == [
        entry(new, "ab/edit"),
        entry(new, "ef/é"),
        entry(new, "file/in"),
    ]
    assert sorted(removed, key=lambda one: one.path) == [entry(old, "cd/gone"), entry(old, "file")]
    assert backend.changes(None, old) == (backend.entries(old), [])
    assert backend.changes(new, new) == ([], [])


def test_a_file_that_becomes_a_symbolic_link_is_modified(store):
    repo, backend = store
    first = repo.commit("file", a="b")
    (repo.path / "a").unlink()
    (repo.path / "a").symlink_to("b")
    second = repo.commit("link")
    assert backend.changes(first, second) == ([TreeEntry("a", f"{_blob(repo, 'b')}")], [])


def _blob(repo: Repo, text: str) -> str:
    return repo.git("hash-object", "--stdin", stdin=text)


def test_read_gives_blobs_in_order_and_none_for_what_is_no_blob(store):
    repo, backend = store
    oid = put(backend, {"a": b"one\n", "b": b"", "c": bytes(range(256)) * 50})
    ids = [repo.git("rev-parse", f"{oid}:{path}") for path in "abc"]
    missing = "1" * len(oid)
    asked = [ids[2], missing, ids[0], oid, "HEAD", "", ids[0] + "\n", ids[1]]
    assert list(backend.read(asked)) == [
        (ids[2], bytes(range(256)) * 50),
        (missing, None),
        (ids[0], b"one\n"),
        (oid, None),
        ("HEAD", None),
        ("", None),
        (ids[0] + "\n", None),
        (ids[1], b""),
    ]
    assert list(backend.read([])) == []
    assert list(backend.read([ids[0]] * 2500)) == [(ids[0], b"one\n")] * 2500


def test_swap_moves_a_ref_only_from_its_old_value_and_keeps_a_reflog(store):
    repo, backend = store
    one = put(backend, {"a": b"1"})
    two = put(backend, {"a": b"2"}, [one])
    assert backend.tip(REF) is None
    assert not backend.swap(REF, two, one, "no such ref")
    assert backend.swap(REF, one, None, "first")
    assert backend.tip(REF) == one
    assert not backend.swap(REF, two, None, "exists")
    assert not backend.swap(REF, one, two, "elsewhere")
    assert backend.swap(REF, two, one, "second")
    assert backend.tip(REF) == two
    assert repo.git("reflog", "--format=%gs", REF) == "second\nfirst"
    lock = repo.path / ".git" / f"{REF}.lock"
    lock.touch()
    assert not backend.swap(REF, one, two, "locked")
    lock.unlink()
    repo.git("pack-refs", "--all")
    assert backend.tip(REF) == two
    assert backend.swap(REF, one, two, "back")


def test_swap_says_why_when_waiting_cannot_help(store):
    repo, backend = store
    one = put(backend, {"a": b"1"})
    repo.git("update-ref", "refs/memory", one)
    with pytest.raises(GitMemError, match="'refs/memory' exists; cannot create"):
        backend.swap(REF, one, None, "no room")


def test_a_tip_that_is_no_commit_is_an_error_that_names_the_ref(store):
    repo, backend = store
    path = repo.path / ".git" / REF
    path.parent.mkdir()
    missing = "1" * len(put(backend, {}))
    blob = repo.git("hash-object", "-w", "--stdin", stdin="x")
    for content, problem in [
        (missing, f"points to {missing}, which is missing"),
        (blob, f"points to {blob}, which is a blob"),
        ("", "is broken: it holds no object id"),
        ("nonsense", "is broken: it holds no object id"),
    ]:
        path.write_text(content + "\n")
        with pytest.raises(GitMemError) as caught:
            backend.tip(REF)
        assert (caught.value.kind, caught.value.message) == ("store", f"{REF} {problem}")
        assert caught.value.hints


def test_history_is_newest_first_children_before_parents(store):
    _, backend = store

    def at(when: int) -> Identity:
        return Identity("Ada", "a@b", when, "-0730")

    def make(message: str, when: int, *parents: str) -> str:
        return put(backend, {message: b""}, parents, message, at(when), at(when))

    root = make("root\n\nbody é\n", 100)
    left, right = make("left", 300, root), make("right", 200, root)
    merge = make("merge", 250, left, right)
    expected = [
        Commit(merge, (left, right), at(250), "merge\n"),
        Commit(left, (root,), at(300), "left\n"),
        Commit(right, (root,), at(200), "right\n"),
        Commit(root, (), at(100), "root\n\nbody é\n"),
    ]
    assert list(backend.history(merge)) == expected
    assert list(backend.history(merge, 2)) == expected[:2]


def test_many_files_become_one_pack(store):
    repo, backend = store
    oid = put(backend, {f"{n % 256:02x}/note-{n}.md": b"%d" % n for n in range(2500)})
    counts = repo.git("count-objects", "-v").split("\n")
    assert "count: 0" in counts
    assert "packs: 1" in counts
    assert len(backend.entries(oid)) == 2500
    assert put(backend, {"one": b"1"}, [oid]) == put(backend, {"one": b"1"}, [oid])


def test_a_commit_on_a_missing_parent_fails_and_leaves_nothing_behind(store):
    repo, backend = store
    before = sorted(os.listdir(repo.path / ".git"))
    missing = "1" * len(put(backend, {}))
    with pytest.raises(GitMemError, match=f"commit.* {missing}|fast-import: .*{missing}"):
        put(backend, {"a": b"1"}, [missing])
    with pytest.raises(GitMemError):
        backend.entries(missing)
    assert sorted(os.listdir(repo.path / ".git")) == before


AWKWARD = {
    "ab/plain.md": b"x",
    "ab/ñandú 日本 𝒳.md": b"\x00\xff\n",
    'ab/"quoted".md': b"q",
    "ab/new\nline\\.md": b"n",
    "ab/ trailing ": b"t",
    "ab.md": b"sorts before ab/",
    "ab0": b"sorts after ab/",
    "deep/er/and/deeper": b"",
}
PEOPLE = [ADA, BOB, Identity(" <O'Brien>\n", "a <b>@c", 0, "-1130"), Identity("", "", 1)]


@pytest.mark.parametrize("message", ["one", "two\n", "", "üñí\n\nbody\n\n", "nul\0 and \ud800"])
def test_both_back_ends_make_the_same_ids(make_repo, message):
    git, lib = make_repo("git"), make_repo("lib")
    made = []
    for backend in GitBackend(str(git.path / ".git")), Pygit2Backend(str(lib.path / ".git")):
        ids = [put(backend, AWKWARD, (), message, who, ADA) for who in PEOPLE]
        left = put(backend, {"ab/plain.md": None, "cd/new": b"n"}, [ids[0]], message)
        right = put(backend, {"ab": None, "cd/other": b"o"}, [ids[0]], message)
        merge = put(backend, {"cd/other": b"o"}, [left, right], message)
        octopus = put(backend, {}, [merge, left, right], message)
        made.append([*ids, left, right, merge, octopus])
    assert made[0] == made[1]
    assert len(set(made[0])) == 8
    git.git("fsck", "--strict", *made[0])
    assert list(backend.history(merge)) == list(GitBackend(str(git.path / ".git")).history(merge))


HOSTILE = """
[core]
	pager = sleep 60
	abbrev = 4
	quotePath = true
	logAllRefUpdates = false
	ignoreCase = true
[color]
	ui = always
	diff = always
[commit]
	gpgsign = true
[gpg]
	program = {sleeper}
[log]
	showSignature = true
	date = relative
	follow = true
[format]
	pretty = oneline
[diff]
	noprefix = true
	renames = copies
	external = false
	orderFile = /nonexistent
[i18n]
	commitEncoding = latin1
	logOutputEncoding = latin1
[user]
	useConfigOnly = true
	signingKey = none
[pack]
	indexVersion = 1
"""


def test_a_hostile_configuration_changes_nothing(store, home, monkeypatch, tmp_path):
    repo, backend = store
    files = {"ab/Né.md": b"x", "ab/né.md": b"y"}
    expected = put(backend, files, message="é")
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    (home / ".gitconfig").write_text(HOSTILE.format(sleeper=sleeper))
    for name in "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY":
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("GIT_NAMESPACE", "other")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    oid = put(backend, files, message="é")
    assert oid == expected
    assert [entry.path for entry in backend.entries(oid)] == ["ab/Né.md", "ab/né.md"]
    second = put(backend, {"ab/x": b"x"}, [oid])
    assert [entry.path for entry in backend.changes(oid, second)[0]] == ["ab/x"]
    assert [len(entry.oid) for entry in backend.entries(oid)] == [len(oid)] * 2
    assert [one.message for one in backend.history(second)] == ["m\n", "é\n"]
    assert backend.swap(REF, oid, None, "r")
    assert backend.swap(REF, second, oid, "r")
    assert not backend.swap(REF, second, oid, "r")
    assert backend.tip(REF) == second
    assert (repo.path / ".git" / "logs" / REF).read_text().count("\n") == 2


def test_bulk_work_goes_to_libgit2_where_it_can_open_the_repository(make_repo):
    plain = str(make_repo("plain").path / ".git")
    sha256 = str(make_repo("sha256", "--object-format=sha256").path / ".git")
    odd = make_repo("odd")
    odd.git("config", "core.repositoryFormatVersion", "1")
    odd.git("config", "extensions.mystery", "true")
    assert type(backend_for(plain)) is GitBackend
    assert type(backend_for(plain, bulk=True)) is Pygit2Backend
    assert type(backend_for(sha256, bulk=True)) is GitBackend
    assert type(backend_for(str(odd.path / ".git"), bulk=True)) is GitBackend
    assert [backend_for(one).object_format for one in (plain, sha256)] == ["sha1", "sha256"]


def test_notes_missing_in_a_partial_clone_are_none_without_a_network_call(make_repo, tmp_path):
    upstream = make_repo("upstream")
    first = upstream.commit("one", a="1\n")
    upstream.git("config", "uploadpack.allowFilter", "true")
    clone = make_repo("clone")
    clone.git("remote", "add", "origin", f"file://{upstream.path}")
    clone.git("fetch", "--quiet", "--filter=blob:none", "origin", "main")
    blob = upstream.git("rev-parse", "main:a")
    other = clone.git("hash-object", "-w", "--stdin", stdin="here")
    for backend in GitBackend(str(clone.path / ".git")), Pygit2Backend(str(clone.path / ".git")):
        assert [entry.path for entry in backend.entries(first)] == ["a"]
        assert list(backend.read([blob, other])) == [(blob, None), (other, b"here")]
