"""When a change is another commit's change: the laws, and the cases that chance would get wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.landed import closure
from gitmem.core.landing import FEW, Patch, is_taken_in, is_whole_taken_in, share
from gitmem.core.marks import (
    MAX_PATHS,
    SAMPLE,
    Hand,
    hand,
    is_distinctive,
    is_vouched,
    line_mark,
    path_set,
    path_text,
    sampled,
    subject_mark,
)

names = st.sampled_from("abcdef")
maps = st.dictionaries(names, st.frozensets(names))
marks = st.frozensets(st.integers(0, 40).map(str))


@given(names, maps)
def test_a_closure_has_the_commit_and_all_that_its_members_landed_as(commit, landed):
    found = closure(commit, landed)
    assert commit in found
    assert all(landed.get(name, frozenset()) <= found for name in found)
    assert found <= {commit}.union(*landed.values())
    assert all(closure(name, landed) <= found for name in found)


def test_a_closure_tolerates_cycles():
    landed = {"a": frozenset("b"), "b": frozenset("ca"), "c": frozenset("c")}
    assert closure("a", landed) == frozenset("abc")
    assert closure("x", landed) == frozenset("x")


@given(marks, marks, marks, st.booleans(), st.booleans())
def test_more_lines_in_the_landing_never_take_a_landing_back(own, lines, there, vouched, same):
    def landed(found):
        return is_taken_in(own, lines, found, is_vouched=vouched, is_same=same)

    assert landed(there | own | lines) >= landed(there)
    assert not landed(there - own)
    if landed(there):
        assert is_taken_in(own, lines, there, is_vouched=True, is_same=True)


@given(marks, marks)
def test_a_few_lines_are_nothing_without_somebody_who_vouches(own, there):
    few = frozenset(sorted(own)[: FEW - 1])
    assert not is_taken_in(few, few, there | few, is_vouched=False, is_same=False)
    assert is_taken_in(few, few, there | few, is_vouched=True, is_same=False) == bool(few)


def test_nine_lines_of_ten_are_enough_and_eight_are_not():
    own = [str(number) for number in range(10)]
    assert share(own, own[:9]) == 0.9
    assert is_taken_in(own, own, own[:9], is_vouched=False, is_same=False)
    assert not is_taken_in(own, own, own[:8], is_vouched=True, is_same=False)
    assert is_taken_in(own, own, own[:8], is_vouched=True, is_same=True)


def test_most_of_a_branch_may_be_one_commit_that_was_picked():
    big, small = tuple(map(str, range(50))), ("x", "y")
    whole = Patch("w", big + small, 52, {"big": "1", "small": "2"})
    pick = Patch("p", big, 50, {"big": "1"})
    one = Patch(added=small, prints={"small": ""})
    assert is_whole_taken_in(Patch(added=big, prints={"big": ""}), whole, pick, is_vouched=False)
    assert not is_whole_taken_in(one, whole, pick, is_vouched=True)
    squash = Patch("s", (*big, *small, "more"), 53, {**whole.prints, "more": "3"})
    assert is_whole_taken_in(one, whole, squash, is_vouched=False)
    removes_only = Patch(added=(), prints={"small": ""})
    assert is_whole_taken_in(removes_only, whole, squash, is_vouched=False)
    assert not is_whole_taken_in(removes_only, whole, pick, is_vouched=False)


@pytest.mark.parametrize(
    ("said", "branch", "vouched"),
    [
        ("Bump to 1.4", "topic", False),
        ("Bump to 1.4 (#7)", "topic", True),
        ("bump  to 1.4 (!7)", "topic", True),
        ("Bump to 1.5 (#7)", "topic", False),
        ("Merge branch 'topic' into 'main'", "topic", True),
        ("Merge pull request #7 from ada/topic", "topic", True),
        ("Merge branch 'topic-2'", "topic", False),
        ("Merge branch 'fix'", "fix", False),
        ("Revert 'topic'", "topic", False),
        ("Other", None, False),
    ],
)
def test_who_vouches_for_a_one_line_change(said, branch, vouched):
    wrote = Hand("100", None, subject_mark("Bump to 1.4"))
    assert is_vouched(wrote, branch, hand("200", "a@b.c", said)) == vouched
    assert is_vouched(wrote, branch, hand("100", "a@b.c", said))
    assert not is_vouched(Hand(), branch, hand("200", "a@b.c", "Other"))


def test_a_subject_is_the_same_whatever_its_number_blanks_and_case():
    assert subject_mark("Fix the  Parser (#123)") == subject_mark("fix the parser")
    assert subject_mark("Fix the parser (#1) again") != subject_mark("Fix the parser again")


def test_lines_are_marked_by_what_they_say_in_their_file():
    assert not any(is_distinctive(line) for line in (b"", b"}", b"---------", b"x=1"))
    assert all(is_distinctive(line) for line in (b"x = 1", "größe".encode(), b"\xe9\xe9\xe9\xe9"))
    assert line_mark(b"a", b"\treturn x\r") == line_mark(b"a", b"return x")
    assert line_mark(b"a", b"return x") != line_mark(b"b", b"return x")


@given(st.lists(st.integers().map(str), unique=True))
def test_a_sample_is_small_in_order_and_all_of_what_is_small(lines):
    taken = sampled(lines)
    assert len(taken) == min(len(lines), SAMPLE)
    assert sorted(taken, key=lines.index) == list(taken)
    assert len(set(taken)) == len(taken)


@given(st.binary())
def test_every_path_becomes_text_that_a_note_can_keep(raw):
    text = path_text(raw)
    text.encode()
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in text)


@given(st.lists(st.text(), max_size=5))
def test_paths_are_a_set(paths):
    assert path_set(paths) == path_set(paths[::-1] + paths)
    assert len(path_set([str(number) for number in range(1000)])) == MAX_PATHS
