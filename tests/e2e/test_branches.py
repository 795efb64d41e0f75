"""What a branch learned is seen where the branch is, on main when the work lands, and not before.

Every story with real git. The landing kinds each run four times: in the author's clone, in that of
a colleague who fetched the branch, in that of one who never did, and in that of one who has only
what the notes themselves keep, because nobody who had the branch ever looked again.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Repo
from running import Mem, note

WORK = "".join(f"def feature_{n}():\n    return answer({n})\n\n\n" for n in range(6))
MORE = "".join(f"def more_{n}():\n    return other({n})\n\n\n" for n in range(4))
ELSEWHERE = {"src/other.py": "OTHER = 1\n"}


class Team:
    """Ada, who works on a branch; Ben, who fetches everything; Cal, who fetches only main."""

    def __init__(self, make_repo: Callable[..., Repo], tmp_path: Path) -> None:
        self._tmp_path = tmp_path
        self.hub = make_repo("hub", "--bare")
        start = make_repo("start")
        start.commit("start", **{"src/a.py": "A = 1\n", "src/b.py": "B = 2\n", "README.md": "#\n"})
        start.git("push", "-q", str(self.hub.path), "main")
        self.ada = self.clone("ada")
        self.ben = self.clone("ben")
        self.cal = self.clone("cal", "--single-branch")

    def clone(self, name: str, *options: str) -> Mem:
        path = self._tmp_path / name
        path.mkdir()
        repo = Repo(path)
        repo.git("clone", "-q", *options, str(self.hub.path), ".")
        repo.clock += 3600
        mem = Mem(repo)
        assert mem.run("init").code == 0
        return mem


@pytest.fixture
def team(path: None, make_repo: Callable[..., Repo], tmp_path: Path) -> Team:
    return Team(make_repo, tmp_path)


def seen(mem: Mem) -> list[str]:
    return mem("list", "--ids").split()


def work(mem: Mem) -> None:
    """A branch of three commits and a note at each of the first two."""
    repo = mem.repo
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("add the feature", **{"src/feature.py": WORK})
    mem.store(note("about-the-feature", "src/feature.py answers.", paths=["src/feature.py"]))
    repo.commit("use it", **{"src/a.py": "A = 1\nfrom src.feature import feature_1\nfeature_1()\n"})
    mem.store(note("about-a", "src/a.py uses the feature.", paths=["src/a.py"]))
    repo.commit("more", **{"src/more.py": MORE})
    assert set(BOTH) <= set(seen(mem))


def on_main(mem: Mem, **files: str) -> None:
    """Somebody else's commit on main meanwhile."""
    mem.repo.git("switch", "-q", "main")
    mem.repo.commit("meanwhile", **(files or ELSEWHERE))


BOTH = ["about-a", "about-the-feature"]


def merge(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-ff", "-m", "merge feature", "feature")


def fast_forward(repo: Repo) -> None:
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("merge", "-q", "--ff-only", "feature")


def squash(repo: Repo) -> None:
    repo.git("merge", "-q", "--squash", "feature")
    repo.commit("The feature (#12)")


def squash_and_fix(repo: Repo) -> None:
    repo.git("merge", "-q", "--squash", "feature")
    repo.write("src/b.py", "B = 3\nB_IS_NOT_A = True\n")
    repo.commit("The feature, and b follows (#13)")


def rebase(repo: Repo) -> None:
    repo.git("switch", "-q", "--detach", "feature")
    repo.git("rebase", "-q", "main")
    tip = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--ff-only", tip)


def cherry_pick(repo: Repo) -> None:
    repo.git("cherry-pick", "main..feature")


KINDS = [merge, fast_forward, squash, squash_and_fix, rebase, cherry_pick]


@pytest.mark.parametrize("land", KINDS, ids=lambda land: land.__name__)
@pytest.mark.parametrize("is_branch_deleted", [False, True], ids=["kept", "deleted"])
def test_notes_of_a_branch_are_on_main_when_its_work_is(
    team: Team, land: Callable[[Repo], None], is_branch_deleted: bool
) -> None:
    ada, ben, cal = team.ada, team.ben, team.cal
    work(ada)
    ada.repo.git("push", "-q", "origin", "feature")
    on_main(ada)
    assert seen(ada) == []
    ben.repo.git("fetch", "-q")
    ben("sync")
    assert seen(ben) == [] == seen(cal)
    land(ada.repo)
    if is_branch_deleted:
        ada.repo.git("branch", "-q", "-D", "feature")
        ada.repo.git("push", "-q", "origin", ":feature")
    assert seen(ada) == BOTH
    ada.repo.git("push", "-q", "origin", "main")
    for mem in (ben, cal):
        mem.repo.git("pull", "-q")
        assert seen(mem) == BOTH


@pytest.mark.parametrize(
    "land", [squash, squash_and_fix, rebase, cherry_pick], ids=lambda land: land.__name__
)
def test_a_clone_that_never_had_the_branch_recognises_the_work_by_itself(
    team: Team, land: Callable[[Repo], None]
) -> None:
    ada, cal = team.ada, team.cal
    work(ada)
    ada("sync")
    assert "refs/memory/landed" not in ada.refs()
    server = team.clone("server").repo  # a host that merges by a button, and has no git mem
    server.git("fetch", "-q", str(ada.repo.path), "feature:feature")
    server.commit("meanwhile", **ELSEWHERE)
    land(server)
    server.git("-c", "core.hooksPath=/dev/null", "push", "-q", "origin", "main")
    cal("sync")
    assert seen(cal) == []
    cal.repo.git("pull", "-q")
    assert seen(cal) == BOTH
    assert cal.repo.git("rev-list", "--all", "--", "src/feature.py").count("\n") == 0
    cal("sync")
    ada("sync")
    ada.repo.git("switch", "-q", "main")
    ada.repo.git("pull", "-q")
    assert seen(ada) == BOTH


def test_notes_of_an_abandoned_branch_are_never_on_main_and_are_found_as_stranded(
    team: Team,
) -> None:
    ada = team.ada
    work(ada)
    on_main(ada)
    ada.repo.git("branch", "-q", "-D", "feature")
    for number in range(3):
        on_main(ada, **{"src/a.py": f"A = {number}\n"})
        assert seen(ada) == []
    assert ada("list", "--stranded", "--ids").split() == BOTH
    status = ada.json("status")
    assert (status["stranded"], status["other_branches"]) == (2, 2)
    assert ada("list", "--all-branches") == (
        "about-a            src/a.py uses the feature. (on feature)\n"
        "about-the-feature  src/feature.py answers. (on feature)\n"
    )
    commit = ada.json("list", "--all-branches")["notes"][0]["anchor"]
    ada("land", commit, "main")
    assert seen(ada) == ["about-a"]
    ada("land", commit, "main", "--undo")
    assert seen(ada) == []


def test_an_amend_and_an_interactive_rebase_with_a_fixup_keep_the_notes(team: Team) -> None:
    ada = team.ada
    repo = ada.repo
    work(ada)
    repo.git("commit", "-q", "--amend", "-m", "more, said better")
    assert seen(ada) == BOTH
    repo.commit("fixup! use it", **{"src/a.py": "A = 1\nfrom src.feature import feature_2\n"})
    ada.store(note("about-the-fix", "src/a.py takes two.", paths=["src/a.py"]))
    on_main(ada)
    repo.git("switch", "-q", "feature")
    repo.git("rebase", "-q", "-i", "--autosquash", "main", env={"GIT_SEQUENCE_EDITOR": "true"})
    assert repo.git("rev-list", "--count", "main..HEAD") == "3"
    assert seen(ada) == ["about-a", "about-the-feature", "about-the-fix"]
    repo.git("switch", "-q", "main")
    assert seen(ada) == []


def test_the_same_without_a_single_hook(team: Team) -> None:
    ada = team.ada
    assert ada.run("uninstall").code == 0
    repo = ada.repo
    work(ada)
    repo.git("commit", "-q", "--amend", "-m", "more, said better")
    repo.commit("fixup! use it", **{"src/a.py": "A = 1\nfrom src.feature import feature_2\n"})
    ada.store(note("about-the-fix", "src/a.py takes two.", paths=["src/a.py"]))
    on_main(ada)
    repo.git("switch", "-q", "feature")
    repo.git("rebase", "-q", "-i", "--autosquash", "main", env={"GIT_SEQUENCE_EDITOR": "true"})
    assert seen(ada) == ["about-a", "about-the-feature", "about-the-fix"]


def test_an_edit_and_a_forget_on_a_branch_do_not_touch_main_until_merged(mem: Mem) -> None:
    repo = mem.repo
    mem.store(
        note("one", "As it was.", paths=["src/a.py"]), note("two", "There.", paths=["src/b.py"])
    )
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("unrelated", **{"README.md": "# Topic\n"})
    mem("edit", "one", "As it is on the topic branch.")
    mem("forget", "two")
    assert mem("list") == "one  As it is on the topic branch.\n"
    repo.git("switch", "-q", "main")
    assert mem("list") == "one  As it was.\ntwo  There.\n"
    assert mem.shown(mem.touch("src/a.py")).count("As it was.") == 1
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    assert mem("list") == "one  As it is on the topic branch.\n"
    assert mem.shown(mem.touch("src/a.py")).count("As it is on the topic branch.") == 1


def test_a_tag_shows_the_memory_of_then(mem: Mem) -> None:
    repo = mem.repo
    mem.store(note("old", "Then.", paths=["src/a.py"]))
    repo.git("tag", "v1.0")
    repo.commit("two", **{"src/a.py": "A = 2\n"})
    mem.store(note("new", "Later.", paths=["src/a.py"]))
    mem("edit", "old", "Now.")
    assert mem("list") == "new  Later.\nold  Now.\n"
    repo.git("checkout", "-q", "v1.0")
    assert mem("list") == "old  Then.\n"
    assert "Then." in mem.shown(mem.touch("src/a.py"))
    assert "Later." not in mem.shown(mem.touch("src/a.py"))
    repo.git("checkout", "-q", "main")
    assert mem("list") == "new  Later.\nold  Now.\n"


def test_two_worktrees_on_two_branches_see_two_views_at_once(mem: Mem, tmp_path: Path) -> None:
    mem.store(note("shared", "Both.", paths=["src/a.py"]))
    mem.repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "wt"))
    there = Mem(Repo(tmp_path / "wt"))
    there.repo.clock = mem.repo.clock
    there.repo.commit("topic", **{"src/a.py": "A = 3\n"})
    there("add", "src/a.py is three here", "--id", "topic")
    for _ in range(2):
        assert seen(mem) == ["shared"]
        assert seen(there) == ["shared", "topic"]
        assert "is three" not in mem.shown(mem.touch("src/a.py"))
        assert "is three" in there.shown(there.touch("src/a.py", cwd=str(tmp_path / "wt")))


def test_a_recall_with_all_branches_shows_the_others_last_and_where_they_are(mem: Mem) -> None:
    repo = mem.repo
    mem.store(note("here", "Main.", paths=["src/*.py"]))
    repo.git("switch", "-q", "-c", "feature/x")
    repo.commit("x", **{"src/a.py": "A = 4\n"})
    mem.store(note("there", "Feature.", more="confidence: verified\n", paths=["src/a.py"]))
    repo.git("switch", "-q", "main")
    assert mem("recall", "--path", "src/a.py", "--ids") == "here\n"
    assert mem("recall", "--path", "src/a.py", "--all-branches") == (
        "here (fact, shared)\n  paths: src/a.py matches 'src/*.py'\n\n    Main.\n\n"
        "there (fact, shared) (on feature/x)\n  paths: src/a.py matches 'src/a.py'\n\n"
        "    Feature.\n\n"
    )
    hits = mem.json("recall", "--path", "src/a.py", "--all-branches")["hits"]
    assert [(hit["id"], hit["visible"], hit["branch"]) for hit in hits] == [
        ("here", True, "main"),
        ("there", False, "feature/x"),
    ]
    assert mem.shown(mem.touch("src/a.py")).count("## ") == 1
    done = mem.run("edit", "there", "Changed from afar.")
    said = "error: note 'there' is on feature/x and not seen here\n"
    hint = "hint: to change it go there, for example: git switch feature/x\n"
    assert (done.code, done.err) == (1, said + hint)


def test_a_forget_on_a_topic_branch_about_a_file_unchanged_for_years_leaves_main_alone(
    mem: Mem,
) -> None:
    mem.store(note("old", "Old wisdom.", paths=["package.json"]))
    mem.repo.git("switch", "-q", "-c", "topic")
    mem.repo.commit("topic", **{"README.md": "# T\n"})
    mem("forget", "old")
    assert seen(mem) == []
    mem.repo.git("switch", "-q", "main")
    assert seen(mem) == ["old"]


def test_a_clone_without_the_topic_branches_sees_the_same_main_as_one_with_them(
    team: Team,
) -> None:
    ada, cal = team.ada, team.cal
    ada.store(note("base", "From the start.", paths=["src/b.py"]))
    work(ada)
    ada("edit", "base", "As the feature has it.")
    on_main(ada)
    ada.repo.git("push", "-q", "origin", "main")
    cal.repo.git("pull", "-q")
    cal("sync")
    assert ada("list") == cal("list") == "base  From the start.\n"
    assert "feature" not in cal.repo.git("branch", "-a")


def test_a_chain_over_an_abandoned_revision_ends_in_the_one_that_landed(mem: Mem) -> None:
    repo = mem.repo
    mem.store(note("chain", "First.", paths=["src/a.py"]))
    repo.git("switch", "-q", "-c", "abandoned")
    repo.commit("a", **{"src/a.py": "A = 5\n"})
    mem("edit", "chain", "Second.")
    repo.git("switch", "-q", "-c", "landing")
    repo.commit("b", **{"src/feature.py": WORK})
    mem("edit", "chain", "Third.")
    repo.git("switch", "-q", "main")
    assert mem("list") == "chain  First.\n"
    repo.git("cherry-pick", "landing")
    assert mem("list") == "chain  Third.\n"


def test_an_edit_on_a_release_branch_merged_beside_a_newer_one_is_a_conflict_until_the_next_edit(
    mem: Mem,
) -> None:
    repo = mem.repo
    mem.store(note("advice", "Call it once.", paths=["src/a.py"]))
    repo.git("switch", "-q", "-c", "release")
    repo.commit("r", **{"src/b.py": "B = 7\n"})
    mem("edit", "advice", "Call it never.")
    repo.git("switch", "-q", "main")
    repo.commit("m", **{"README.md": "# M\n"})
    mem("edit", "advice", "Call it twice.")
    repo.git("merge", "-q", "-m", "back", "release")
    assert mem("list", "--conflicts", "--ids") == "advice\n"
    shown = mem.shown(mem.touch("src/a.py"))
    assert "Call it never." in shown and "Call it twice." in shown
    mem("edit", "advice", "Call it never, or twice.")
    assert mem("list", "--conflicts") == ""
    assert mem("list") == "advice  Call it never, or twice.\n"


def test_a_new_id_that_another_branch_uses_is_warned_about(mem: Mem) -> None:
    repo = mem.repo
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("x", **{"src/a.py": "A = 6\n"})
    mem("add", "It is six.", "--id", "number", "-p", "src/a.py")
    repo.git("switch", "-q", "main")
    done = mem.run("add", "It is one.", "--id", "number", "-p", "src/a.py")
    assert (done.code, done.err) == (
        0,
        "warning: there is a note 'number' on feature; they meet where both are seen\n",
    )
    assert mem("list") == "number  It is one.\n"
    repo.git("merge", "-q", "-m", "both", "feature")
    assert mem("list", "--conflicts", "--ids") == "number\n"


def test_a_note_for_everywhere_has_no_anchor_and_one_for_here_has_head(mem: Mem) -> None:
    repo = mem.repo
    head = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "--orphan", "island")
    repo.git("switch", "-q", "main")
    mem("add", "Use tabs.", "--always", "--everywhere", "--id", "tabs")
    mem("add", "src/a.py is one", "--here", "--id", "here")
    mem("add", "src/a.py is one, always was", "--id", "since")
    raw = {note_["id"]: note_ for note_ in _raw(mem)}
    assert (raw["tabs"]["anchor"], raw["here"]["anchor"]) == (None, head)
    assert raw["since"]["anchor"] == repo.git("log", "-1", "--format=%H", "--", "src/a.py") != head
    repo.git("switch", "-q", "--orphan", "empty")
    repo.commit("an island", **{"island.txt": "palm\n"})
    assert seen(mem) == ["tabs"]


def _raw(mem: Mem) -> list[dict[str, object]]:
    import json

    done = mem.start("list", "--json")
    out, _ = done.communicate()
    notes: list[dict[str, object]] = json.loads(out)["notes"]
    return notes


def test_a_bare_repository_has_the_view_of_its_head(team: Team) -> None:
    ada = team.ada
    work(ada)
    ada("sync")
    hub = Mem(team.hub)
    assert seen(hub) == []
    ada.repo.git("push", "-q", "origin", "feature")
    hub.repo.git("symbolic-ref", "HEAD", "refs/heads/feature")
    assert seen(hub) == BOTH
    assert hub("recall", "--path", "src/a.py", "--ids") == "about-a\n"


def test_a_shallow_clone_shows_what_it_cannot_know_marked_and_hides_what_it_knows(
    team: Team, tmp_path: Path
) -> None:
    ada = team.ada
    ada.store(note("old", "Since the start.", paths=["src/b.py"]))
    for number in range(3):
        on_main(ada, **{"src/other.py": f"OTHER = {number}\n"})
    ada.repo.git("push", "-q", "origin", "main")
    work(ada)
    ada.repo.git("push", "-q", "origin", "feature")
    path = tmp_path / "shallow"
    team.hub.git("clone", "-q", "--depth=2", f"file://{team.hub.path}", str(path))
    shallow = Mem(Repo(path))
    shallow.run("init")
    shallow("sync")
    assert shallow("list") == (
        "about-a            src/a.py uses the feature. (may not apply here)\n"
        "about-the-feature  src/feature.py answers. (may not apply here)\n"
        "old                Since the start. (may not apply here)\n"
    )
    assert "may not apply here" in shallow.shown(shallow.touch("src/b.py"))
    shallow.repo.git("switch", "-q", "-c", "mine")
    shallow.repo.clock = ada.repo.clock + 60
    shallow.repo.commit("mine", **{"src/b.py": "B = 8\n"})
    shallow("add", "src/b.py is eight", "--id", "eight")
    shallow("edit", "old", "Seen from mine.")
    shallow.repo.git("switch", "-q", "main")
    assert "eight" not in seen(shallow)
    assert "old                Since the start. (may not apply here)\n" in shallow("list")
    shallow.repo.git("fetch", "-q", "--unshallow")
    assert shallow("list") == "old  Since the start.\n"


def test_a_bare_repository_with_worktrees_has_one_store_and_a_view_for_each(
    path: None, make_repo: Callable[..., Repo], tmp_path: Path
) -> None:
    bare = make_repo("project.git", "--bare")
    start = make_repo("start")
    start.commit("start", **{"src/a.py": "A = 1\n"})
    start.git("push", "-q", str(bare.path), "main")
    trees = []
    for name in ("one", "two"):
        bare.git("worktree", "add", "-q", "-b", name, str(tmp_path / name), "main")
        trees.append(Mem(Repo(tmp_path / name)))
        trees[-1].repo.clock = start.clock + 60
    one, two = trees
    one("add", "src/a.py is for both", "--id", "both")
    assert seen(one) == ["both"] == seen(two) == seen(Mem(bare))
    two.repo.commit("two", **{"src/a.py": "A = 2\n"})
    two("add", "src/a.py is two here", "--id", "two")
    assert (seen(one), seen(two)) == (["both"], ["both", "two"])
    assert bare.git("for-each-ref", "--format=%(refname)", "refs/memory") == "refs/memory/facts"
    assert not (tmp_path / "one" / ".git").is_dir()


def test_what_an_agent_notes_on_a_branch_is_not_told_to_the_agents_of_others(
    path: None, mem: Mem
) -> None:
    repo = mem.repo
    repo.git("switch", "-q", "-c", "wip")
    repo.commit("half done", **{"src/a.py": "A = None\n"})
    mem("add", "src/a.py returns None for now", "--id", "for-now")
    mem("add", "Half of it is slow.", "--always", "--id", "half")
    start = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(repo.path)}
    assert "Half of it" in mem.shown(start)
    assert "for now" in mem.shown(mem.touch("src/a.py"))
    repo.git("switch", "-q", "main")
    assert mem.hook(start) == ""
    assert mem.hook(mem.touch("src/a.py")) == ""
    assert mem.json("status")["other_branches"] == 2


def test_work_does_not_land_backwards_on_the_branch_that_it_came_from(mem: Mem) -> None:
    repo = mem.repo
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("feature", **{"src/feature.py": WORK})
    repo.git("switch", "-q", "main")
    repo.commit("meanwhile", **ELSEWHERE)
    repo.git("merge", "-q", "--squash", "feature")
    repo.commit("The feature (#3)")
    mem("add", "src/other.py is the new entry point", "--here", "--id", "entry")
    assert seen(mem) == ["entry"]
    repo.git("switch", "-q", "feature")
    assert seen(mem) == []


@pytest.mark.parametrize(
    "change",
    ["printf 'limit = 3\\n' >> src/a.py", "git mv src/a.py src/moved.py", "chmod +x src/a.py"],
)
def test_a_small_squash_lands_whether_or_not_main_moved(mem: Mem, change: str) -> None:
    repo = mem.repo
    for number, is_moved in enumerate([False, True]):
        repo.git("switch", "-q", "-c", f"small-{number}", "main")
        repo.git("-c", f"alias.sh=!{change}", "sh")
        repo.commit("Change a little")
        mem("add", f"It was changed {number}.", "--here", "--always", "--id", f"small-{number}")
        repo.git("switch", "-q", "main")
        if is_moved:
            repo.commit("meanwhile", **ELSEWHERE)
        assert f"small-{number}" not in seen(mem)
        repo.git("merge", "-q", "--squash", f"small-{number}")
        repo.commit("Do something small")
        assert f"small-{number}" in seen(mem)
        repo.git("revert", "--no-edit", "HEAD")
    assert mem.json("status")["stranded"] == 0


def test_a_colleague_who_did_not_push_yet_is_not_called_stranded(team: Team) -> None:
    ada, ben = team.ada, team.ben
    work(ada)
    ada("sync")
    ben.repo.git("config", "user.email", "ben@example.com")
    ben("sync")
    assert ben.json("status")["stranded"] == 0
    assert ben("list", "--stranded", "--ids") == ""
    assert ben("list", "--all-branches", "--ids").split() == BOTH
    ada.repo.git("switch", "-q", "main")
    ada.repo.git("branch", "-q", "-D", "feature")
    ada.repo.git("-c", "gc.reflogExpire=now", "reflog", "expire", "--expire=now", "--all")
    ada.repo.git("gc", "-q", "--prune=now")
    assert ada("list", "--stranded", "--ids").split() == BOTH
