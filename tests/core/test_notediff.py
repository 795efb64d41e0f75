"""What differs between two views: whole results, and the laws of the comparison by word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.derive import Tracked
from gitmem.core.note import Note, Revision, Triggers
from gitmem.core.notediff import (
    Changed,
    FieldChange,
    NoteDiff,
    Removed,
    changed_paragraphs,
    changes,
    compare,
    field_changes,
    marked,
    totals,
    word_diff,
)
from gitmem.core.stale import Commit, Stale, maybe_stale
from gitmem.core.subject import subject_files
from gitmem.core.view import Everywhere, fold, over_layers


def view(*notes, layer="shared"):
    """The view of notes that have one revision each."""
    folded = {
        note.id: fold(note.id, [Revision(f"{note.id}-{note.body}", note)], Everywhere())
        for note in notes
    }
    return over_layers([(layer, folded)])


def shown(**fields):
    (found,) = view(Note(**{"id": "n", **fields})).values()
    return found


def conflict(*bodies):
    revisions = [Revision(body, Note(id="n", body=body, written=body)) for body in bodies]
    return over_layers([("shared", {"n": fold("n", revisions, Everywhere())})])["n"]


# --- which notes differ -------------------------------------------------------------------------


def test_notes_that_came_changed_and_went_are_told_apart_by_id():
    before = view(Note("b", "old"), Note("c", "same"), Note("d", "gone"))
    after = view(Note("a", "new"), Note("b", "other"), Note("c", "same"))
    assert compare(before, after) == NoteDiff(
        (after["a"],),
        (Changed(before["b"], after["b"], {"body": ("old", "other")}),),
        (Removed(before["d"]),),
    )


def test_what_another_view_shows_already_is_no_news():
    before = view(Note("edited", "old"), Note("gone", "x"), Note("other", "old"))
    after = view(Note("added", "x"), Note("edited", "new"), Note("other", "new"))
    assert [len(compare(before, after).added), len(compare(before, after).changed)] == [1, 2]
    already = view(Note("added", "x"), Note("edited", "new"), Note("other", "third"))
    assert compare(before, after, already=already) == NoteDiff(
        changed=(Changed(before["other"], after["other"], {"body": ("old", "new")}),)
    )


def test_a_removed_note_names_its_reason_and_the_new_note_that_supersedes_it():
    before = view(Note("Old", "x"))
    after = view(Note("new", "y", supersedes=("old",)))
    assert compare({"old": before["Old"]}, after, reasons={"old": "it was slow"}).removed == (
        Removed(before["Old"], "it was slow", ("new",)),
    )


def test_who_wrote_a_note_when_and_where_is_no_change():
    old = shown(body="x", author="Ada", written="1", created="1", replaces=("a",))
    new = shown(body="x", author="Ben", written="2", created="2", kind="fact", strength=3)
    assert changes(old, new) == {}


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ({"tags": ("a", "b")}, {"tags": ("b", "a")}, []),
        ({"tags": ("a",)}, {"tags": ("b",)}, ["tags"]),
        ({"strength": 3}, {"strength": 5}, ["strength"]),
        ({"extra": (("owner", "ada"),)}, {}, ["owner"]),
        (
            {"triggers": Triggers(commands=("a", "b"))},
            {"triggers": Triggers(commands=("b", "a"))},
            [],
        ),
        (
            {"triggers": Triggers(paths=("a", "!b"))},
            {"triggers": Triggers(paths=("!b", "a"))},
            ["triggers"],
        ),
    ],
)
def test_the_order_counts_only_where_the_last_match_wins(old, new, names):
    assert list(changes(shown(**old), shown(**new))) == names


def test_a_conflict_that_appears_is_a_change():
    old, new = conflict("1"), conflict("1", "2")
    assert changes(old, new) == {"body": ("1", "1\n2"), "conflict": (False, True)}
    lines = field_changes(Changed(old, new, changes(old, new)))
    assert lines == [FieldChange("conflict", "no", "yes")]


def test_what_changed_is_one_line_for_each_field_and_each_member_of_a_list():
    old = shown(
        strength=3,
        triggers=Triggers(paths=("lib/**", "src/b.py"), errors=("E",)),
        aliases=("x",),
        extra=(("owner", ["ada"]),),
    )
    new = shown(
        strength=5,
        confidence="verified",
        triggers=Triggers(always=True, paths=("src/b.py", "src/**"), errors=("E",)),
        tags=("ci",),
        supersedes=("o",),
        pinned=True,
    )
    assert field_changes(Changed(old, new, changes(old, new))) == [
        FieldChange("owner", '["ada"]', "none"),
        FieldChange("confidence", "none", "verified"),
        FieldChange("strength", "3", "5"),
        FieldChange("pinned", "no", "yes"),
        FieldChange("always", None, ""),
        FieldChange("path", None, "src/**"),
        FieldChange("tag", None, "ci"),
        FieldChange("supersedes", None, "o"),
        FieldChange("path", "lib/**", None),
        FieldChange("alias", "x", None),
    ]


def test_paths_in_another_order_are_one_line():
    old = shown(triggers=Triggers(paths=("a", "!b")))
    new = shown(triggers=Triggers(paths=("!b", "a")))
    lines = field_changes(Changed(old, new, changes(old, new)))
    assert lines == [FieldChange("paths", "a, !b", "!b, a")]


def test_totals_name_notes_once_and_leave_out_what_is_nought():
    some = shown()
    assert totals(NoteDiff()) == ""
    assert totals(NoteDiff(), 3) == "3 notes may be stale"
    assert totals(NoteDiff((some,), (), (Removed(some),) * 2), 1) == (
        "1 note added, 2 removed, 1 may be stale"
    )


# --- texts by word ------------------------------------------------------------------------------


def changed_text(old, new):
    return [part and marked(part) for part in changed_paragraphs(word_diff(old, new))]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("All integer cents.\n", "All whole cents.\n", ["All [-integer-]{+whole+} cents."]),
        ("a b c", "a c", ["a [-b-] c"]),
        ("a c", "a b c", ["a {+b+} c"]),
        ("", "a", ["{+a+}"]),
        ("one\n\ntwo\n\nthree", "one\n\nthree", [None, "[-two-]", None]),
        ("one\n\ntwo\n\nthree\n\nfour", "one\n\ntwo\n\nthree\n\n4", [None, "[-four-]{+4+}"]),
        ("a", "a\n\nnew one\nline two", [None, "{+new one+}\n{+line two+}"]),
        ("wrapped\nhere", "wrapped here\n", [None]),
    ],
)
def test_a_text_is_compared_by_word_and_unchanged_paragraphs_are_left_out(old, new, expected):
    assert changed_text(old, new) == expected


def test_a_long_text_that_differs_throughout_is_given_whole():
    old, new = ("\n".join(f"{sign}{n}" for n in range(6_000)) for sign in "ab")
    assert [op for op, _ in word_diff(old, new)] == ["-", "+"]


texts = st.text(alphabet="ab \n\t", max_size=40) | st.text(max_size=40)


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_both_texts_can_be_read_off_a_comparison(old, new):
    pieces = word_diff(old, new)
    sides = (" ".join(text for op, text in pieces if op in ("=", side)).split() for side in "-+")
    assert [list(words) for words in sides] == [old.split(), new.split()]
    has_changes = any(op != "=" for op, _ in pieces)
    assert has_changes == (old.split() != new.split())
    assert has_changes == any(changed_paragraphs(pieces))


# --- what may be stale --------------------------------------------------------------------------


def commit(oid, *paths, date="2026-01-02"):
    return Commit(oid, f"do {oid}", "Ada", f"{date}T12:00:00Z", frozenset(paths))


def test_a_note_may_be_stale_for_each_commit_that_changed_one_of_its_files():
    src = shown(id="src", triggers=Triggers(paths=("src/**", "!src/z.py")))
    named = shown(id="named", body="See lib/old.py for it.")
    other = shown(id="other", triggers=Triggers(commands=("make",)))
    commits = [commit("3", "src/z.py"), commit("2", "src/a.py", "doc"), commit("1", "lib/old.py")]
    assert maybe_stale([src, named, other], commits, ["src/a.py", "src/b.py"]) == (
        Stale(src, (commit("2", "src/a.py"),)),
        Stale(named, (commit("1", "lib/old.py"),)),
    )


@pytest.mark.parametrize(
    ("verified", "oids"), [("2026-01-01", "21"), ("2026-01-02", "2"), ("2026-01-03", "")]
)
def test_a_commit_of_a_day_before_a_note_was_verified_counts_for_nothing(verified, oids):
    note = shown(verified=verified, triggers=Triggers(paths=("a",)))
    commits = [commit("2", "a"), commit("1", "a", date="2026-01-01")]
    found = maybe_stale([note], commits, ["a"])
    assert "".join(each.oid for item in found for each in item.commits) == oids


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(paths, max_size=3), max_size=4), st.lists(paths, max_size=4))
def test_a_note_may_be_stale_just_when_a_commit_meets_its_files(changed, triggers):
    note = shown(triggers=Triggers(paths=tuple(triggers)))
    commits = [commit(str(number), *names) for number, names in enumerate(changed)]
    files = subject_files(note.note, Tracked(name for names in changed for name in names))
    found = maybe_stale([note], commits, [])
    assert [each.oid for item in found for each in item.commits] == [
        each.oid for each in commits if each.paths & files
    ]
