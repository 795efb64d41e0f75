"""Exchange with real git: the merge laws, purges, and what is pushed, on both back ends."""

import random
from functools import partial
from itertools import product

import pytest
from conftest import Repo
from travelling import (
    TRACKING,
    add,
    collected,
    commit,
    ids,
    make_team,
    memory,
    paths,
    purge,
    revision,
    texts,
    tip,
    tree,
)

from gitmem import refs
from gitmem.core import union
from gitmem.store import remote, sync, transaction, united
from gitmem.store.choose import backend_for
from gitmem.store.git_backend import GitBackend
from gitmem.store.layer import Layer
from gitmem.store.remote import Pushed, RemoteFailed

MAKERS = {"git": GitBackend, "pygit2": partial(backend_for, bulk=True)}


def use(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    for module in (sync, transaction, united):
        monkeypatch.setattr(module, "backend_for", MAKERS[kind])


@pytest.fixture(params=MAKERS)
def kind(request, monkeypatch) -> str:
    use(monkeypatch, request.param)
    return request.param


@pytest.fixture
def team(tmp_path):
    return make_team(tmp_path / "team", "ann", "bob")


def backend(repo: Repo) -> GitBackend:
    return GitBackend(str(repo.git_dir))


def took(repo: Repo, mine: str | None, theirs: str, *, publishing: bool) -> str:
    """The tip that a clone at `mine` has after it took `theirs`."""
    ref = "refs/memory/trial"
    repo.git("update-ref", ref, mine) if mine else repo.git("update-ref", "-d", ref)
    layer = Layer("shared", str(repo.git_dir), ref)
    return sync.take(layer, [theirs], publishing=publishing).commit or ""


# --- the laws -----------------------------------------------------------------------------------


def test_equal_joins_give_one_commit_in_either_order_on_either_back_end(make_repo, monkeypatch):
    repo = make_repo("r")
    root = commit(backend(repo), tree("root"))
    rng = random.Random(5)
    for number in range(5):
        sides = []
        for side in range(2):
            names = rng.sample(["one", "two", "thrée", "four", f"n{number}.{side}"], 2)
            files = dict(revision(name) for name in names)
            files |= {f"foreign/{rng.randrange(2)}": str(side).encode()}
            sides.append(commit(backend(repo), files, root, when=rng.randrange(9)))
        found = set()
        for kind, order, publishing in product(MAKERS, (sides, sides[::-1]), (True, False)):
            use(monkeypatch, kind)
            found.add(took(repo, *order, publishing=publishing))
        assert len(found) == 1
        (made,) = found
        dates = [repo.git("show", "-s", "--format=%ct", side) for side in sides]
        assert repo.git("cat-file", "commit", made).split("\n") == [
            f"tree {repo.git('rev-parse', made + '^{tree}')}",
            *(f"parent {side}" for side in sorted(sides)),
            f"author git mem <git-mem@localhost> {max(dates)} +0000",
            f"committer git mem <git-mem@localhost> {max(dates)} +0000",
            "",
            "git mem: merge",
        ]
        assert paths(repo, made) == sorted({*paths(repo, sides[0]), *paths(repo, sides[1])})


def test_a_foreign_commit_encoding_changes_no_merge(make_repo, kind):
    repo = make_repo("r")
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    root = commit(backend(repo), tree("root"))
    sides = [commit(backend(repo), dict([revision(name)]), root) for name in ("a", "b")]
    made = took(repo, *sides, publishing=True)
    assert "encoding" not in repo.git("cat-file", "commit", made)


def test_an_ancestor_gives_way_to_its_descendant(make_repo, kind):
    repo = make_repo("r")
    old = commit(backend(repo), tree("a"))
    new = commit(backend(repo), dict([revision("b")]), old)
    for publishing in (True, False):
        assert took(repo, old, new, publishing=publishing) == new
        assert took(repo, new, old, publishing=publishing) == new
        assert took(repo, None, old, publishing=publishing) == old


def test_a_tip_that_holds_everything_is_taken_as_it_is(make_repo, kind):
    repo = make_repo("r")
    small = commit(backend(repo), tree("a"), when=9)
    large = commit(backend(repo), tree("a", "b"))
    assert took(repo, small, large, publishing=True) == large
    assert took(repo, small, large, publishing=False) == large


def test_peers_with_equal_trees_agree_on_the_newer_tip(make_repo, kind):
    repo = make_repo("r")
    one, two = (commit(backend(repo), tree("a"), when=when) for when in (1, 2))
    assert took(repo, one, two, publishing=False) == two
    assert took(repo, two, one, publishing=False) == two
    assert took(repo, two, one, publishing=True) == one  # the remote's, so that nothing is pushed


def test_a_clone_that_publishes_nothing_keeps_its_tip_when_the_other_adds_nothing(make_repo, kind):
    repo = make_repo("r")
    small, large = commit(backend(repo), tree("a")), commit(backend(repo), tree("a", "b"))
    assert took(repo, large, small, publishing=False) == large
    made = took(repo, large, small, publishing=True)
    assert repo.git("rev-parse", f"{made}^@").split() == sorted([small, large])


# --- purges -------------------------------------------------------------------------------------


def test_an_old_clone_that_syncs_after_a_purge_keeps_its_own_and_brings_nothing_back(team, kind):
    ann, bob = team.clones.values()
    add(ann, "secret", "plain")
    memory(ann).sync()
    memory(bob).sync()
    assert "What secret says." in texts(team.hub)
    add(bob, "own")
    purged = purge(ann, "secret")
    assert memory(ann).sync().pushed
    assert tip(team.hub) == purged
    done = memory(bob).sync()
    assert (done.kept, done.rewritten, done.pushed) == (0, (), 1)
    assert ids(bob) == ["own", "plain"]
    assert memory(ann).sync().fetched == 1
    assert tip(ann) == tip(bob) == tip(team.hub)
    assert ids(ann) == ["own", "plain"]
    left = collected(team.hub)
    assert "What own says." in left
    assert "What secret says." not in left
    assert memory(bob).sync().pushed == 0


def test_an_old_clone_that_added_nothing_takes_the_purge_as_it_is(team, kind):
    ann, bob = team.clones.values()
    add(ann, "secret", "plain")
    memory(ann).sync()
    memory(bob).sync()
    purged = purge(ann, "secret")
    memory(ann).sync()
    assert memory(bob).sync().rewritten == ()
    assert tip(bob) == purged
    assert ids(bob) == ["plain"]


def test_two_purges_at_once_leave_both_texts_out_of_the_hub(team, kind):
    ann, bob = team.clones.values()
    add(ann, "one", "two", "plain")
    memory(ann).sync()
    memory(bob).sync()
    add(ann, "by-ann")
    add(bob, "by-bob")
    purge(ann, "one", when=1)
    purge(bob, "two", when=2)
    for repo in (ann, bob, ann, bob):
        memory(repo).sync()
    assert tip(ann) == tip(bob) == tip(team.hub)
    assert ids(ann) == ids(bob) == ["by-ann", "by-bob", "plain"]
    left = collected(team.hub)
    assert "What by-bob says." in left
    assert "What one says." not in left
    assert "What two says." not in left


def test_a_clone_that_edited_a_purged_note_keeps_its_edit(team, kind):
    ann, bob = team.clones.values()
    add(ann, "secret")
    memory(ann).sync()
    memory(bob).sync()
    memory(bob).edit("secret", lambda note: note.edited(body="Nothing to hide.\n"))
    purge(ann, "secret")
    memory(ann).sync()
    memory(bob).sync()
    assert memory(bob).note("secret").note.body == "Nothing to hide.\n"
    assert "What secret says." not in collected(team.hub)
    assert memory(bob).status().conflicts == 0


def test_only_an_unclean_tip_is_ever_replaced_and_only_with_a_lease(team, kind, monkeypatch):
    ann, bob = team.clones.values()
    pushes = []
    real = remote.push

    def push(place, ref, new, *, replaces=None):
        pushes.append(replaces)
        return real(place, ref, new, replaces=replaces)

    monkeypatch.setattr(remote, "push", push)
    add(ann, "one")
    memory(ann).sync()
    add(bob, "two")  # no common commit
    memory(bob).sync()
    add(ann, "three")
    add(bob, "four")
    memory(bob).sync()
    memory(ann).sync()
    memory(bob).sync()
    assert pushes == [None] * len(pushes)
    unclean = tip(team.hub)
    purge(bob, "one")
    memory(bob).sync()
    assert pushes[-1] == unclean
    add(ann, "five")
    memory(ann).sync()
    assert pushes[-1] is None


def test_a_tip_that_moved_after_the_fetch_is_not_replaced(team, kind, monkeypatch):
    ann, bob = team.clones.values()
    add(ann, "one", "two")
    memory(ann).sync()
    memory(bob).sync()
    real, moved = remote.push, []

    def push(place, ref, new, *, replaces=None):
        if not moved:
            moved.append(ref)
            add(bob, "late")
            memory(bob).sync()
        return real(place, ref, new, replaces=replaces)

    purge(ann, "one")
    monkeypatch.setattr(remote, "push", push)
    assert memory(ann).sync().retries == 1
    memory(bob).sync()
    assert tip(ann) == tip(bob) == tip(team.hub)
    assert ids(ann) == ids(bob) == ["late", "two"]


# --- publishing ---------------------------------------------------------------------------------


def test_two_remotes_end_on_one_commit(team, kind):
    team.hub.git("init", "--quiet", "--bare", str(team.place / "backup"))
    backup = Repo(team.place / "backup")
    for name, repo in team.clones.items():
        repo.git("remote", "add", "backup", str(backup.path))
        add(repo, f"by-{name}")
    ann, bob = team.clones.values()
    memory(ann).sync("origin")
    memory(bob).sync("backup")
    add(ann, "more")
    for _ in range(3):
        for repo, name in product((ann, bob), ("origin", "backup")):
            memory(repo).sync(name)
    assert tip(ann) == tip(bob) == tip(team.hub) == tip(backup)
    assert ids(bob) == ["by-ann", "by-bob", "more"]
    assert not any(memory(repo).sync(name).pushed for repo in (ann, bob) for name in ("origin", ""))


def test_two_clones_that_write_at_once_end_on_one_commit_in_two_rounds(team, kind):
    ann, bob = team.clones.values()
    for number in range(2):
        add(ann, f"a{number}")
        add(bob, f"b{number}")
        for repo in (ann, bob, ann, bob):
            memory(repo).sync()
        assert tip(ann) == tip(bob) == tip(team.hub) == tip(ann, TRACKING)
    assert ids(bob) == ["a0", "a1", "b0", "b1"]
    assert paths(bob) == paths(ann)


def test_a_push_that_others_beat_time_and_again_is_tried_again(team, monkeypatch):
    ann, bob = team.clones.values()
    add(ann, "start")
    memory(ann).sync()
    memory(bob).sync()
    real, rivals = remote.push, iter(range(6))

    def push(place, ref, new, *, replaces=None):
        number = next(rivals, None)
        if number is not None and place.git_dir == str(ann.git_dir):
            monkeypatch.setattr(remote, "push", real)
            add(bob, f"rival-{number}")
            memory(bob).sync()
            monkeypatch.setattr(remote, "push", push)
        return real(place, ref, new, replaces=replaces)

    monkeypatch.setattr(remote, "push", push)
    add(ann, "mine")
    done = memory(ann).sync()
    assert (done.retries, done.pushed, done.fetched) == (6, 1, 6)
    assert tip(team.hub) == tip(ann)
    assert ids(ann) == ["mine", *(f"rival-{number}" for number in range(6)), "start"]


def test_a_push_that_git_calls_done_but_is_not_there_is_tried_again(team, monkeypatch):
    (ann, _), real, lies = team.clones.values(), remote.push, []

    def push(*args, **options):
        if not lies:
            lies.append(args)
            return Pushed(True)
        return real(*args, **options)

    monkeypatch.setattr(remote, "push", push)
    add(ann, "one")
    assert memory(ann).sync().retries == 1
    assert tip(team.hub) == tip(ann)


def test_a_refused_push_says_so_and_leaves_every_note(team):
    ann, _ = team.clones.values()
    team.hub.git("config", "receive.hideRefs", "refs/memory")
    add(ann, "one")
    with pytest.raises(sync.Refused) as caught:
        memory(ann).sync()
    assert caught.value.message == (
        "'origin' refused refs/memory/facts: [remote rejected] (deny updating a hidden ref)"
    )
    assert ids(ann) == ["one"]
    assert tip(ann, TRACKING) == ""


def test_a_fetch_that_another_fetch_beat_is_no_failure(team, monkeypatch):
    ann, bob = team.clones.values()
    add(ann, "one")
    memory(ann).sync()

    def fetch(place, wanted, **options):
        bob.git("fetch", "--quiet")
        raise RemoteFailed("cannot lock ref")

    monkeypatch.setattr(remote, "fetch", fetch)
    assert memory(bob).sync().fetched == 1
    assert ids(bob) == ["one"]


def test_state_and_landed_travel_like_facts(team):
    ann, bob = team.clones.values()
    for number, ref in enumerate(refs.SHARED):
        made = commit(backend(ann), tree(f"n{number}"))
        ann.git("update-ref", ref, made)
    assert memory(ann).sync().pushed == 3
    assert memory(bob).sync().fetched == 3
    assert [tip(bob, ref) for ref in refs.SHARED] == [tip(ann, ref) for ref in refs.SHARED]


def test_a_purge_removes_the_text_from_the_union_of_what_is_read(team):
    ann, bob = team.clones.values()
    add(ann, "secret", "plain")
    memory(ann).sync()
    memory(bob).sync()
    purge(ann, "secret")
    memory(ann).sync()
    bob.git("fetch", "--quiet")
    assert (tip(bob) != tip(bob, TRACKING), ids(bob)) == (True, ["plain"])


def test_join_is_told_of_roots_as_git_knows_them(make_repo, kind):
    repo = make_repo("r")
    first = commit(backend(repo), tree("a"))
    other = commit(backend(repo), tree("b"), when=1)
    both = commit(backend(repo), {}, first, other)
    history = sync._Commits(MAKERS[kind](str(repo.git_dir)))
    assert sorted(map(sorted, history.root_trees(both))) == sorted(
        sorted(each) for each in (tree("a"), tree("b"))
    )
    assert history.is_ancestor(other, both)
    assert not history.is_ancestor(both, other)
    assert union.is_clean(both, frozenset(), history)
