"""The fold against naive models: which revisions stand at a commit, over branches and layers."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.gitignore import match_list
from gitmem.core.note import Anchor, Note, Revision, Triggers
from gitmem.core.view import Everywhere, fold, over_layers, superseded


@dataclass(frozen=True)
class At:
    """An Ancestry that knows which anchors HEAD contains, and which cannot be known."""

    contained: frozenset
    unknown: frozenset = frozenset()

    def contains(self, anchor):
        return None if anchor.commit in self.unknown else anchor.commit in self.contained


def revision(name, *replaces, body="text\n", at=None, written=None, **fields):
    note = Note(id="n", body=body, written=written or name, replaces=replaces, **fields)
    return Revision(name, note, replaces, Anchor(commit=at) if at else None)


def purged(item):
    return Revision(item.rev, None, item.replaces, item.anchor)


def heads(folded):
    return [head.rev for head in folded.heads]


# --- examples -----------------------------------------------------------------------------------


def test_an_edit_stands_over_what_it_replaces_where_it_is_visible():
    revisions = [revision("1", at="main"), revision("2", "1", at="topic", body="new\n")]
    at_main = fold("n", revisions, At(frozenset({"main"})))
    at_topic = fold("n", revisions, At(frozenset({"main", "topic"})))
    assert (at_main.note.body, at_main.revision, at_main.is_conflict) == ("text\n", "1", False)
    assert (at_topic.note.body, at_topic.revision, at_topic.is_conflict) == ("new\n", "2", False)


def test_a_visible_revision_replaces_through_one_that_is_not_visible():
    revisions = [
        revision("1", at="a"),
        revision("2", "1", at="hidden"),
        revision("3", "2", at="b"),
    ]
    assert heads(fold("n", revisions, At(frozenset({"a", "b"})))) == ["3"]


def test_a_forgotten_note_is_not_there_and_keeps_its_head():
    folded = fold("n", [revision("1"), revision("2", "1", forgotten=True)], Everywhere())
    assert (folded.note, folded.revision, folded.is_conflict) == (None, None, False)
    assert heads(folded) == ["2"]


def test_a_tombstone_beside_an_edit_shows_the_edit_as_a_conflict():
    revisions = [
        revision("1"),
        revision("2", "1", body="edited\n"),
        revision("3", "1", forgotten=True),
    ]
    folded = fold("n", revisions, Everywhere())
    assert (folded.note.body, folded.is_conflict, folded.revision) == ("edited\n", True, "2")


def test_a_note_added_again_replaces_the_tombstone():
    revisions = [
        revision("1"),
        revision("2", "1", forgotten=True),
        revision("3", "2", body="again\n"),
    ]
    folded = fold("n", revisions, Everywhere())
    assert (folded.note.body, folded.is_conflict) == ("again\n", False)


def test_several_heads_are_a_conflict_in_the_order_they_were_written():
    revisions = [revision("b", written="1"), revision("a", written="2"), revision("c", written="1")]
    folded = fold("n", revisions, Everywhere())
    assert heads(folded) == ["b", "c", "a"]
    assert (folded.is_conflict, folded.revision) == (True, "a")


def test_the_id_is_spelt_as_the_newest_head_spells_it():
    note = Note(id="N", body="x\n", written="2")
    folded = fold("n", [Revision("1", note)], Everywhere())
    assert folded.id == "N"


def test_no_revision_at_all_is_no_note():
    folded = fold("n", [], Everywhere())
    assert (folded.id, folded.heads, folded.note, folded.is_unknown) == ("n", (), None, False)


def test_an_unknown_revision_is_shown_only_when_nothing_is_known():
    known, unknown = revision("1", at="here"), revision("2", "1", at="?", body="maybe\n")
    at = At(frozenset({"here"}), frozenset({"?"}))
    assert (heads(fold("n", [known, unknown], at)), fold("n", [known, unknown], at).is_unknown) == (
        ["1"],
        False,
    )
    alone = fold("n", [unknown], at)
    assert (alone.note.body, alone.is_unknown) == ("maybe\n", True)


def test_an_unknown_tombstone_alone_shows_nothing():
    unknown = revision("1", at="?", forgotten=True)
    folded = fold("n", [unknown], At(frozenset(), frozenset({"?"})))
    assert (folded.note, folded.is_unknown, folded.heads) == (None, False, ())


def test_a_known_tombstone_hides_an_unknown_edit():
    revisions = [revision("1", at="here", forgotten=True), revision("2", at="?", body="maybe\n")]
    folded = fold("n", revisions, At(frozenset({"here"}), frozenset({"?"})))
    assert (folded.note, folded.is_unknown) == (None, False)


def test_a_purged_head_leaves_no_note_and_no_conflict():
    first, left, right = revision("1"), revision("2", "1", body="l\n"), revision("3", "1")
    assert fold("n", [first, left, right], Everywhere()).is_conflict
    beside = fold("n", [first, left, purged(right)], Everywhere())
    assert (beside.note.body, beside.is_conflict) == ("l\n", False)
    alone = fold("n", [first, purged(left)], Everywhere())
    assert (alone.note, heads(alone)) == (None, ["2"])


# --- laws ---------------------------------------------------------------------------------------


@st.composite
def histories(draw):
    """A code history (parents by commit), and edits and forgets made at its commits, in order."""
    parents = [()]
    for number in range(1, draw(st.integers(2, 9))):
        chosen = draw(st.lists(st.integers(0, number - 1), min_size=1, max_size=2, unique=True))
        parents.append(tuple(chosen))
    ancestors = []
    for number, above in enumerate(parents):
        ancestors.append({number}.union(*(ancestors[parent] for parent in above)))
    changes = draw(
        st.lists(
            st.tuples(st.integers(0, len(parents) - 1), st.booleans()), min_size=1, max_size=7
        ).map(sorted)
    )
    revisions = []
    for number, (commit, forgets) in enumerate(changes):
        seen = heads(fold("n", revisions, At(frozenset(map(str, ancestors[commit])))))
        if seen or not forgets:
            revisions.append(
                revision(
                    f"r{number}",
                    *seen,
                    at=str(commit),
                    body=f"text {number}\n",
                    written=f"{number}",
                    forgotten=forgets,
                )
            )
    return parents, ancestors, revisions


def visible_at(revisions, contained):
    return {item.rev for item in revisions if int(item.anchor.commit) in contained}


@settings(max_examples=40, deadline=None)
@given(histories(), st.randoms())
def test_heads_are_the_visible_revisions_that_no_path_of_replacing_reaches(history, random):
    parents, ancestors, revisions = history
    by_name = {item.rev: item for item in revisions}

    def reaches(above, below):
        return any(
            rev == below or (rev in by_name and reaches(rev, below))
            for rev in by_name[above].replaces
        )

    for commit in range(len(parents)):
        at = At(frozenset(map(str, ancestors[commit])))
        visible = visible_at(revisions, ancestors[commit])
        expected = {rev for rev in visible if not any(reaches(o, rev) for o in visible if o != rev)}
        shuffled = random.sample(revisions, len(revisions))
        folded = fold("n", shuffled, at)
        assert set(heads(folded)) == expected
        live = [rev for rev in expected if not by_name[rev].forgotten]
        assert (folded.note is not None) is bool(live)
        assert folded.is_conflict is (bool(live) and len(expected) > 1)


@settings(max_examples=40, deadline=None)
@given(histories())
def test_the_fold_is_what_carrying_heads_along_the_history_gives(history):
    parents, ancestors, revisions = history
    standing, seen = [], []
    for commit, above in enumerate(parents):
        here = set().union(*(seen[parent] for parent in above))
        stand = {
            rev
            for parent in above
            for rev in standing[parent]
            if all(rev in standing[other] or rev not in seen[other] for other in above)
        }
        for item in revisions:
            if int(item.anchor.commit) == commit:
                stand = stand - set(item.replaces) | {item.rev}
                here.add(item.rev)
        standing.append(stand)
        seen.append(here)
        assert set(heads(fold("n", revisions, At(frozenset(map(str, ancestors[commit])))))) == stand


@settings(max_examples=40, deadline=None)
@given(histories(), st.data())
def test_purging_a_replaced_revision_changes_no_head(history, data):
    _, _, revisions = history
    standing = heads(fold("n", revisions, Everywhere()))
    old = [item.rev for item in revisions if item.rev not in standing]
    gone = data.draw(st.sets(st.sampled_from(old))) if old else set()
    after = [purged(item) if item.rev in gone else item for item in revisions]
    assert set(heads(fold("n", after, Everywhere()))) == set(standing)


# --- layers and supersedes ----------------------------------------------------------------------


def folded_note(**fields):
    note = Note(**{"id": "n", "written": "1", **fields})
    return fold(note.id, [Revision("r" + note.id, note)], Everywhere())


def test_a_nearer_layer_wins_on_content_and_triggers_are_the_union():
    local = folded_note(body="mine\n", triggers=Triggers(paths=("a", "b"), errors=("E",)), kind="x")
    shared = folded_note(body="ours\n", triggers=Triggers(always=True, paths=("b", "c")), kind="y")
    shown = over_layers([("local", {"n": local}), ("shared", {"n": shared})])
    assert list(shown) == ["n"]
    item = shown["n"]
    assert (item.note.body, item.note.kind, item.layer, item.layers) == (
        "mine\n",
        "x",
        "local",
        ("local", "shared"),
    )
    assert item.note.triggers == Triggers(always=True, paths=("a", "b", "c"), errors=("E",))


@pytest.mark.parametrize(
    ("local", "shared", "united"),
    [
        (("src/**", "!src/gen/**"), ("src/**",), ("!src/gen/**", "src/**")),
        (("src/**",), ("src/**", "!src/gen/**"), ("!src/gen/**", "src/**")),
        (("src/**", "!src/gen/**"), ("lib/**",), ("src/**", "!src/gen/**", "lib/**")),
        (("src/**", "!src/gen/**"), ("src/**", "!src/gen/**"), ("src/**", "!src/gen/**")),
    ],
)
def test_an_exclusion_in_one_layer_does_not_shrink_what_another_covers(local, shared, united):
    near = folded_note(triggers=Triggers(paths=local))
    far = folded_note(triggers=Triggers(paths=shared))
    shown = over_layers([("local", {"n": near}), ("shared", {"n": far})])
    assert shown["n"].note.triggers.paths == united


PATTERNS = st.lists(
    st.sampled_from(["**", "a/**", "!a/**", "*.c", "!*.c", "a/b.c", "!a/b.c"]), max_size=4
).map(tuple)


@settings(max_examples=70, deadline=None)
@given(PATTERNS, PATTERNS, st.sampled_from(["a/b.c", "a/x", "b.c", "x"]))
def test_the_union_covers_what_either_covers(ours, theirs, path):
    united = Triggers(paths=ours).union(Triggers(paths=theirs)).paths
    if match_list(ours, path) or match_list(theirs, path):
        assert match_list(united, path)


def test_a_note_forgotten_in_a_nearer_layer_is_shown_from_the_farther_one():
    local = fold("n", [revision("1", forgotten=True)], Everywhere())
    shared = folded_note(body="ours\n")
    shown = over_layers([("local", {"n": local}), ("shared", {"n": shared})])
    assert (shown["n"].note.body, shown["n"].layers) == ("ours\n", ("shared",))


@pytest.mark.parametrize(
    ("notes", "over"),
    [
        ({"a": ("b",), "b": ()}, {"b"}),
        ({"A": ("B",), "b": ()}, {"b"}),
        ({"a": ("gone",)}, set()),
        ({"a": ("a",)}, set()),
        ({"a": ("b",), "b": ("c",), "c": ()}, {"b", "c"}),
        ({"a": ("b",), "b": ("a",)}, {"a"}),
        ({"c": ("a",), "a": ("b",), "b": ("c",)}, {"a", "b"}),
        ({"x": ("a",), "a": ("b",), "b": ("a",)}, {"a", "b"}),
        ({"a": ("b", "c"), "b": ("a",), "c": ()}, {"a", "c"}),
    ],
)
def test_what_is_superseded_and_of_a_cycle_the_newest_stays(notes, over):
    found = superseded(
        Note(id=name, written=name.lower(), supersedes=targets) for name, targets in notes.items()
    )
    assert found == over


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.tuples(st.sampled_from("123"), st.sets(st.sampled_from("abcdef"), max_size=2)),
    )
)
def test_a_note_stays_iff_only_older_members_of_its_own_cycle_supersede_it(given_notes):
    notes = {
        key: Note(id=key, written=written, supersedes=tuple(sorted(targets)))
        for key, (written, targets) in given_notes.items()
    }
    reach = {key: {t for t in note.supersedes if t in notes} - {key} for key, note in notes.items()}
    for _ in notes:
        reach = {key: to.union(*(reach[t] for t in to)) for key, to in reach.items()}
    expected = set()
    for key, note in notes.items():
        above = {other for other in notes if other != key and key in reach[other]}
        is_cycle = all(other in reach[key] for other in above)
        newest = all((note.written, key) > (notes[other].written, other) for other in above)
        if above and not (is_cycle and newest):
            expected.add(key)
    assert superseded(notes.values()) == expected
