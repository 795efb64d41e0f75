"""Find what an anchor landed as: every way to land, from every clone, and never a false one."""

import os
import time
from collections.abc import Callable
from hashlib import sha256

import landing_clones
import landing_world
import pytest
from conftest import Repo

from gitmem.core.note import Anchor
from gitmem.store import process
from gitmem.store.default_branch import default_branch
from gitmem.store.landing import Target, landings
from gitmem.store.recognisable import recognisable

TEXT = "".join(f"line number {number}\n" for number in range(30))


@pytest.mark.parametrize("seed", [1, 2])
def test_branches_that_landed_are_recognised_and_no_others(tmp_path, seed):
    place = tmp_path / "project"
    world = landing_world.build(place, seed=seed, length=150, branches=40, files=60)
    anchors = landing_clones.anchors_of(world, place)
    author, mapped, alone = landing_clones.in_three_clones(world, place, anchors)
    for result in (author, mapped, alone):
        assert result.false.total() == 0, "\n".join(result.lines())
    for result in (author, mapped):
        assert result.share("squash", "squash, up to date") >= 0.99, "\n".join(result.lines())
        assert result.share("squash and edit", "rebase") >= 0.95, "\n".join(result.lines())
        assert result.share("cherry-pick") >= 0.9, "\n".join(result.lines())
    assert alone.share("rebase", "cherry-pick") >= 0.9, "\n".join(alone.lines())
    assert alone.share("squash", "squash and edit") >= 0.6, "\n".join(alone.lines())


def found(repo: Repo, *anchors: Anchor, tip: str = "main", since: str = "", **more):
    """What the anchors landed as on `tip`."""
    start = (repo.git("rev-parse", since),) if since else ()
    target = Target(repo.git("rev-parse", tip), start)
    return landings(str(repo.git_dir), anchors, [target], more.pop("landed", {}), **more)


def anchor(repo: Repo, commit: str = "HEAD", branch: str = "topic") -> Anchor:
    oid = repo.git("rev-parse", commit)
    return recognisable(str(repo.git_dir), oid, branch=branch, default="main")


def topic(repo: Repo, message: str = "work", /, **files: str) -> Anchor:
    """An anchor at a commit on a new branch; main goes on by another commit."""
    repo.git("checkout", "--quiet", "-b", "topic", "main")
    repo.commit(message, **files)
    made = anchor(repo)
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    return made


def picked(repo: Repo, commit: str) -> str:
    repo.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", commit)
    return repo.git("rev-parse", "HEAD")


def clone_of_main(repo: Repo, make: Callable[..., Repo], *options: str) -> Repo:
    clone = make("clone", "--bare")
    clone.git("fetch", "--quiet", *options, f"file://{repo.path}", "main:refs/heads/main")
    return clone


ONE_LINE = {"README.md": "# Acme\nOne more line.\n"}


def test_what_the_target_contains_needs_nothing(repo):
    made = topic(repo, **{"new.py": TEXT})
    squash = repo.commit("squash", **{"new.py": TEXT})
    assert found(repo, made) == {made.commit: frozenset({squash})}
    assert found(repo, made, landed={made.commit: frozenset({squash})}) == {}
    repo.git("merge", "--quiet", "--no-edit", "topic")
    assert found(repo, made) == {}
    assert found(repo, anchor(repo, "main")) == {}


def test_the_same_line_written_by_somebody_else_is_not_a_landing(repo):
    made = topic(repo, "fix", **ONE_LINE)
    repo.git("config", "user.email", "ben@example.com")
    repo.commit("fix", **ONE_LINE)
    assert found(repo, made) == {}


def test_one_line_that_is_all_of_a_branch_landed_when_its_author_wrote_it_again(repo):
    made = topic(repo, "fix", **ONE_LINE)
    again = repo.commit("Say it better", **ONE_LINE)
    assert found(repo, made) == {made.commit: frozenset({again})}


def test_one_line_of_several_commits_did_not_land_when_its_author_wrote_it_again(repo):
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit("fix", **ONE_LINE)
    made = anchor(repo)
    repo.commit("the work", **{"new.py": TEXT})
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    repo.commit("Say it better", **ONE_LINE)
    assert found(repo, made) == {}


def test_what_its_author_wrote_before_is_not_where_it_landed(repo):
    repo.git("checkout", "--quiet", "-b", "topic", "main")
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    repo.commit("fix", **ONE_LINE)
    repo.git("checkout", "--quiet", "topic")
    repo.commit("fix, once more", **ONE_LINE)
    assert found(repo, anchor(repo)) == {}


@pytest.mark.parametrize(
    "message",
    ["fix (#12)", "Merge branch 'topic' into 'main'", "other\n\n(cherry picked from commit {})"],
)
def test_a_message_vouches_for_one_line(repo, message):
    made = topic(repo, "fix", **ONE_LINE)
    squash = repo.commit(message.format(made.commit), **ONE_LINE)
    assert found(repo, made) == {made.commit: frozenset({squash})}


def test_the_author_time_vouches_for_one_line(repo, make_repo):
    made = topic(repo, "fix", **ONE_LINE)
    pick = picked(repo, "topic")
    assert found(repo, made) == {made.commit: frozenset({pick})}
    assert found(clone_of_main(repo, make_repo), made) == {made.commit: frozenset({pick})}


def test_the_same_tree_is_not_enough_for_one_line_of_somebody_else(repo):
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit("bump", **ONE_LINE)
    made = anchor(repo)
    repo.git("checkout", "--quiet", "main")
    repo.git("config", "user.email", "ben@example.com")
    bump = repo.commit("bump", **ONE_LINE)
    assert repo.git("rev-parse", f"{bump}^{{tree}}") == made.tree
    assert found(repo, made) == {}


def test_a_commit_that_changes_nothing_did_not_land_as_another_that_does_not(repo):
    made = topic(repo, "empty")
    repo.commit("there", **ONE_LINE)
    repo.commit("and back", **{"README.md": "# Acme\n"})
    repo.git("rm", "--quiet", "meanwhile.txt")
    back = repo.commit("clean")
    assert repo.git("rev-parse", f"{back}^{{tree}}") == made.tree
    assert (made.patch_id, made.paths, found(repo, made)) == (None, (), {})


def test_work_that_landed_was_reverted_and_landed_again_landed_first(repo):
    made = topic(repo, **{"new.py": TEXT})
    first = repo.commit("squash", **{"new.py": TEXT})
    repo.git("revert", "--no-edit", first)
    assert found(repo, made) == {made.commit: frozenset({first})}
    again = repo.commit("again", **{"new.py": TEXT})
    assert found(repo, made, since="main~1") == {made.commit: frozenset({again})}
    assert found(repo, made) == {made.commit: frozenset({first})}


def test_a_change_without_text_lands_with_its_author_time_or_its_author_only(repo):
    repo.git("checkout", "--quiet", "-b", "topic")
    (repo.path / "data.bin").write_bytes(b"\0\1\2")
    (repo.path / "package.json").chmod(0o755)
    repo.commit("binary and mode")
    made = anchor(repo)
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    pick = picked(repo, "topic")
    assert found(repo, made) == {made.commit: frozenset({pick})}
    repo.git("reset", "--quiet", "--hard", "main~1")
    (repo.path / "data.bin").write_bytes(b"\0\1\2")
    (repo.path / "package.json").chmod(0o755)
    repo.git("config", "user.email", "ben@example.com")
    repo.commit("binary and mode")
    assert found(repo, made) == {}


def test_renames_and_other_line_ends_are_followed(repo, make_repo):
    repo.commit("more", **{"src/long.py": TEXT})
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.git("mv", "src/long.py", "src/longer.py")
    repo.commit("rename")
    made = anchor(repo)
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    repo.git("rm", "--quiet", "src/long.py")
    (repo.path / "src" / "longer.py").write_bytes(TEXT.replace("\n", "\r\n").encode())
    squash = repo.commit("squash")
    assert found(repo, made) == {made.commit: frozenset({squash})}
    assert found(clone_of_main(repo, make_repo), made) == {made.commit: frozenset({squash})}


def test_paths_that_are_no_text_are_kept_as_text_and_compared_alike(repo, make_repo):
    repo.git("checkout", "--quiet", "-b", "topic")
    names = [b'caf\xe9 "1".txt', b"line\nbreak\t.txt", "größe.txt".encode()]
    for name in names:
        (repo.path / os.fsdecode(name)).write_text(TEXT.replace("line", f"line {len(name)}"))
    repo.commit("odd names")
    made = anchor(repo)
    assert made.paths == ('caf\ufffd "1".txt', "größe.txt", "line\ufffdbreak\ufffd.txt")
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    for name in names:
        (repo.path / os.fsdecode(name)).write_text(TEXT.replace("line", f"line {len(name)}"))
    squash = repo.commit("squash and edit", **{"README.md": "# More\n"})
    assert found(clone_of_main(repo, make_repo), made) == {made.commit: frozenset({squash})}


def test_half_rewritten_it_is_the_same_work_only_with_its_hand(repo):
    made = topic(repo, "work", **{"new.py": TEXT})
    picked(repo, "topic")
    env = {"GIT_COMMITTER_DATE": "1700009999 +0000"}
    repo.write("new.py", TEXT[: len(TEXT) * 2 // 3] + "something else\n")
    repo.git("commit", "--quiet", "--all", "--amend", "--no-edit", env=env)
    amended = repo.git("rev-parse", "HEAD")
    assert found(repo, made) == {made.commit: frozenset({amended})}
    repo.git("commit", "--quiet", "--amend", "--message", "other", "--date", "1700009999 +0000")
    assert found(repo, made) == {}


def test_one_picked_commit_does_not_bring_the_rest_of_its_branch(repo, make_repo):
    big = topic(repo, "big", **{"new.py": TEXT})
    repo.git("checkout", "--quiet", "topic")
    repo.commit("small", **{"other.py": "".join(f"small {n}\n" for n in range(3))})
    small = anchor(repo)
    repo.git("rm", "--quiet", "package.json")
    repo.commit("drop")
    drop = anchor(repo)
    repo.git("checkout", "--quiet", "main")
    pick = picked(repo, big.commit)
    expected = {big.commit: frozenset({pick})}
    assert found(repo, big, small, drop) == expected
    assert found(clone_of_main(repo, make_repo), big, small, drop) == expected


def test_a_merge_is_recognised_by_its_branch(repo, make_repo):
    topic(repo, **{"new.py": TEXT})
    repo.git("checkout", "--quiet", "topic")
    repo.git("merge", "--quiet", "--no-edit", "main")
    made = anchor(repo)
    assert (made.patch_id, made.paths) == (None, ("new.py",))
    repo.git("checkout", "--quiet", "main")
    squash = repo.commit("squash", **{"new.py": TEXT, "README.md": "# More\n"})
    assert found(repo, made) == {made.commit: frozenset({squash})}
    assert found(clone_of_main(repo, make_repo), made) == {made.commit: frozenset({squash})}


def test_what_an_anchor_was_rebased_to_is_recognised_for_it(repo):
    made = topic(repo, **{"new.py": TEXT})
    repo.git("checkout", "--quiet", "topic")
    other = TEXT.replace("number", "figure")
    repo.write("new.py", other)
    repo.git("commit", "--quiet", "--all", "--amend", "--message", "new words")
    amended = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "--quiet", "main")
    squash = repo.commit("squash", **{"new.py": other})
    assert found(repo, made) == {}
    known = {made.commit: frozenset({amended})}
    assert found(repo, made, landed=known) == {made.commit: frozenset({squash})}


def test_only_what_is_new_is_looked_at(repo):
    made = topic(repo, **{"new.py": TEXT})
    squash = repo.commit("squash", **{"new.py": TEXT})
    repo.commit("later", **{"later.txt": "x\n"})
    assert found(repo, made, since="main~2") == {made.commit: frozenset({squash})}
    assert found(repo, made, since="main~1") == {}
    target = Target(repo.git("rev-parse", "main"), ("0" * 39 + "1",))
    landed = landings(str(repo.git_dir), [made], [target], {})
    assert landed == {made.commit: frozenset({squash})}


def test_work_lands_on_each_target_once(repo):
    made = topic(repo, **{"new.py": TEXT})
    repo.git("branch", "release", "main~1")
    squash = repo.commit("squash", **{"new.py": TEXT})
    repo.git("checkout", "--quiet", "release")
    backport = picked(repo, squash)
    targets = [Target(repo.git("rev-parse", name)) for name in ("main", "release")]
    landed = landings(str(repo.git_dir), [made], targets, {})
    assert landed == {made.commit: frozenset({squash, backport})}
    assert landings(str(repo.git_dir), [made, made], targets, landed) == {}
    assert landings(str(repo.git_dir), [], targets, {}) == {}
    assert landings(str(repo.git_dir), [made, Anchor(), Anchor("main")], [], {}) == {}


def test_a_rewritten_main_is_recognised_where_its_commits_still_are(repo):
    repo.commit("work", **{"new.py": TEXT})
    made = anchor(repo, branch="main")
    assert made == Anchor(made.commit, made.tree, branch="main")
    repo.git("reset", "--quiet", "--hard", "main~1")
    repo.commit("before", **{"before.txt": "x\n"})
    pick = picked(repo, made.commit)
    assert found(repo, made) == {made.commit: frozenset({pick})}


def test_a_clone_without_blobs_or_history_answers_what_it_can(repo, make_repo):
    made = topic(repo, "fix", **{"new.py": TEXT})
    pick = picked(repo, "topic")
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = clone_of_main(repo, make_repo, "--filter=blob:none")
    assert found(partial, made) == {}
    for depth, expected in ((2, {made.commit: frozenset({pick})}), (1, {})):
        shallow = make_repo(f"shallow-{depth}", "--bare")
        url = f"file://{repo.path}"
        shallow.git("fetch", "--quiet", f"--depth={depth}", url, "main:refs/heads/main")
        assert found(shallow, made) == expected


def test_a_deadline_that_passed_raises(repo):
    made = topic(repo, **{"new.py": TEXT})
    repo.commit("squash", **{"new.py": TEXT})
    with pytest.raises(TimeoutError):
        found(repo, made, deadline=time.monotonic() - 1)
    assert found(repo, made, deadline=time.monotonic() + 60)


def test_an_anchor_says_the_same_whatever_the_configuration(repo):
    made = topic(repo, "Some  Words (#7)", **{"new.py": TEXT, "README.md": "# Acme\nMore.\n"})
    for name, value in (
        ("diff.algorithm", "histogram"),
        ("diff.noprefix", "true"),
        ("diff.context", "1"),
        ("diff.renames", "copies"),
        ("color.ui", "always"),
        ("diff.external", "false"),
        ("core.quotePath", "false"),
        ("diff.suppressBlankEmpty", "true"),
    ):
        repo.git("config", name, value)
    assert anchor(repo, "topic") == made
    assert (
        made.patch_id
        == repo.git(
            "patch-id",
            "--stable",
            stdin=repo.git("-c", "diff.external=", "diff-tree", "-p", "topic"),
        ).split()[0]
    )
    assert made.paths == ("README.md", "new.py")
    extra = dict(made.extra)
    assert list(extra) == ["authored", "committed", "by", "subject", "lines"]
    assert extra["authored"] == repo.git("log", "-1", "--format=%at", "topic")
    assert extra["subject"] == sha256(b"some words").hexdigest()[:8]
    first = sha256(b"README.md\0More.").hexdigest()[:6]
    assert extra["lines"].split()[0] == first
    assert len(extra["lines"].split()) == 31


def test_an_anchor_costs_few_processes(repo, monkeypatch):
    made = topic(repo, **{"new.py": TEXT})
    ran: list[object] = []
    call = process._call
    monkeypatch.setattr(process, "_call", lambda args, *rest: ran.append(args) or call(args, *rest))
    git_dir = str(repo.git_dir)
    assert recognisable(git_dir, made.commit, branch="topic", default="main") == made
    assert len(ran) <= 6
    ran.clear()
    assert made.merge_base is not None
    recognisable(git_dir, made.merge_base, branch="main", default="main")
    assert len(ran) <= 2


def test_the_default_branch_is_what_the_remote_says_or_a_usual_name(repo, make_repo):
    git_dir = str(repo.git_dir)
    assert default_branch(git_dir) == "refs/heads/main"
    repo.git("branch", "--move", "main", "odd")
    assert default_branch(git_dir) is None
    repo.git("config", "init.defaultBranch", "odd")
    assert default_branch(git_dir) == "refs/heads/odd"
    repo.git("update-ref", "refs/remotes/up/trunk", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/up/HEAD", "refs/remotes/up/trunk")
    assert default_branch(git_dir) == "refs/remotes/up/trunk"
    repo.git("update-ref", "refs/remotes/origin/dev", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")
    assert default_branch(git_dir) == "refs/remotes/origin/dev"


def test_spaces_do_not_land_as_tabs(repo):
    repo.commit("text", **{"new.py": TEXT})
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit("spaces", **{"new.py": TEXT.replace("line", "    line")})
    made = anchor(repo)
    repo.git("checkout", "--quiet", "main")
    repo.commit("meanwhile", **{"meanwhile.txt": "x\n"})
    repo.commit("tabs", **{"new.py": TEXT.replace("line", "\tline")})
    assert found(repo, made) == {}
    repo.git("reset", "--quiet", "--hard", "HEAD~1")
    pick = picked(repo, "topic")
    assert found(repo, made) == {made.commit: frozenset({pick})}
