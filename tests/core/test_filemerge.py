"""Merging notes kept as files: the rules by example, and what must hold for all of them."""

from hypothesis import given
from hypothesis import strategies as st

from gitmem.codec import decode, encode
from gitmem.core.filemerge import CLOSE, MIDDLE, OPEN, FileMerge, merge_files, merge_text
from gitmem.core.note import Note, Triggers
from gitmem.note_merge import merge_note_files

MARKERS = {OPEN, MIDDLE, CLOSE}

words = st.sampled_from(["a", "b", "c", "d"])
lists = st.lists(words, unique=True, max_size=3).map(tuple)
texts = st.lists(words, max_size=6).map(lambda lines: "".join(f"{line}\n" for line in lines))
notes = st.builds(
    Note,
    id=st.just("n"),
    body=texts,
    triggers=st.builds(Triggers, always=st.booleans(), paths=lists, errors=lists),
    kind=st.none() | words,
    strength=st.none() | st.integers(1, 5),
    tags=lists,
    pinned=st.booleans(),
    written=st.none() | st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]),
    author=st.none() | words,
    replaces=lists,
    extra=st.none().map(lambda _: ()) | words.map(lambda word: (("x", word),)),
)
bases = st.none() | notes


def note(body: str = "", **fields: object) -> Note:
    return Note(id="n", body=body).edited(**fields)


def test_changes_in_different_lines_are_both_there() -> None:
    merged = merge_text("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
    assert merged == ("A\nb\nC\n", False)


def test_changes_in_lines_that_touch_are_both_there() -> None:
    assert merge_text("a\nb\n", "A\nb\n", "a\nB\n") == ("A\nB\n", False)


def test_the_same_lines_get_markers_around_what_differs() -> None:
    text, has_markers = merge_text("a\nb\nc\n", "a\nsame\nours\nc\n", "a\nsame\ntheirs\nc\n")
    assert has_markers
    assert text == "a\nsame\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\nc\n"


def test_a_line_removed_on_one_side_and_changed_on_the_other_is_a_conflict() -> None:
    text, has_markers = merge_text("a\nb\n", "a\n", "a\nB\n")
    assert (text, has_markers) == ("a\n<<<<<<< ours\n=======\nB\n>>>>>>> theirs\n", True)


def test_without_a_base_the_common_lines_are_there_once() -> None:
    text, has_markers = merge_text(None, "same\nours\n", "same\ntheirs\n")
    assert has_markers
    assert text == "same\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n"


def test_a_trigger_removed_on_one_side_and_one_added_on_the_other() -> None:
    base = note(triggers=Triggers(paths=("a", "b")), tags=("x",))
    ours = note(triggers=Triggers(paths=("b",)), tags=("x", "y"))
    theirs = note(triggers=Triggers(paths=("a", "b", "c"), errors=("E",)), tags=("x",))
    assert merge_files(base, ours, theirs) == FileMerge(
        note(triggers=Triggers(paths=("b", "c"), errors=("E",)), tags=("x", "y"))
    )


def test_a_field_that_both_changed_is_taken_from_the_newer_and_told() -> None:
    base = note(kind="fact", written="2026-01-01T00:00:00Z")
    ours = note(kind="rule", strength=5, written="2026-01-02T00:00:00Z")
    theirs = note(kind="gotcha", written="2026-01-03T00:00:00Z")
    assert merge_files(base, ours, theirs) == FileMerge(
        note(kind="gotcha", strength=5, written="2026-01-03T00:00:00Z"),
        clashes=("kind: kept 'gotcha' (theirs); ours had 'rule'",),
    )


def test_a_field_that_both_changed_at_the_same_time_is_ours() -> None:
    merged = merge_files(note(kind="fact"), note(kind="rule"), note(kind="gotcha"))
    assert merged == FileMerge(
        note(kind="rule"), clashes=("kind: kept 'rule' (ours); theirs had 'gotcha'",)
    )


@given(bases, notes)
def test_equal_sides_merge_to_that_side(base: Note | None, side: Note) -> None:
    assert merge_files(base, side, side) == FileMerge(side)


@given(notes, notes)
def test_a_side_that_changed_nothing_has_no_say(base: Note, side: Note) -> None:
    assert merge_files(base, base, side) == FileMerge(side)
    assert merge_files(base, side, base) == FileMerge(side)


@given(st.none() | texts, texts, texts)
def test_no_line_that_a_side_added_is_lost(base: str | None, ours: str, theirs: str) -> None:
    text, _ = merge_text(base, ours, theirs)
    merged, before = text.splitlines(), (base or "").splitlines()
    for side in (ours.splitlines(), theirs.splitlines()):
        for line in set(side):
            if side.count(line) > before.count(line):
                assert line in merged


@given(st.none() | texts, texts, texts)
def test_markers_stand_exactly_where_the_merge_says_so(
    base: str | None, ours: str, theirs: str
) -> None:
    text, has_markers = merge_text(base, ours, theirs)
    found = [line for line in text.splitlines() if line in MARKERS]
    assert found == [OPEN, MIDDLE, CLOSE] * (len(found) // 3)
    assert bool(found) is has_markers


@given(texts, texts, texts)
def test_swapped_sides_differ_only_between_the_markers(base: str, ours: str, theirs: str) -> None:
    one, _ = merge_text(base, ours, theirs)
    other, _ = merge_text(base, theirs, ours)
    assert resolved(one, keep=0) == resolved(other, keep=1)
    assert resolved(one, keep=1) == resolved(other, keep=0)


@given(bases, notes, notes)
def test_sides_swapped_give_the_same_triggers_and_tags(
    base: Note | None, ours: Note, theirs: Note
) -> None:
    one, other = merge_files(base, ours, theirs).note, merge_files(base, theirs, ours).note
    for name in ("paths", "errors"):
        assert set(getattr(one.triggers, name)) == set(getattr(other.triggers, name))
    assert one.triggers.always == other.triggers.always
    assert (set(one.tags), set(one.replaces)) == (set(other.tags), set(other.replaces))


@given(notes, notes, notes)
def test_a_field_is_what_some_side_says(base: Note, ours: Note, theirs: Note) -> None:
    merged = merge_files(base, ours, theirs)
    for name in ("kind", "strength", "pinned", "author", "written"):
        mine, other, before = (getattr(item, name) for item in (ours, theirs, base))
        assert getattr(merged.note, name) in (mine, other)
        if name != "written" and mine == before:
            assert getattr(merged.note, name) == other
        if name in ("kind", "strength") and len({mine, other, before}) == 3:
            assert any(line.startswith(f"{name}: kept ") for line in merged.clashes)


def resolved(text: str, *, keep: int) -> list[str]:
    """The lines with every conflict settled: 0 for the first side, 1 for the second."""
    out, side = [], None
    for line in text.splitlines():
        if line == OPEN:
            side = 0
        elif line == MIDDLE:
            side = 1
        elif line == CLOSE:
            side = None
        elif side in (None, keep):
            out.append(line)
    return out


@given(bases, notes, notes, st.booleans())
def test_merged_files_are_notes_again_and_keep_their_comments(
    base: Note | None, ours: Note, theirs: Note, crlf: bool
) -> None:
    files = [b"" if item is None else encode(item) for item in (base, ours, theirs)]
    files[1] = files[1].replace(b"---\n", b"---\n# a comment of ours\n", 1)
    if crlf:
        files = [data.replace(b"\n", b"\r\n") for data in files]
    merged = merge_note_files(files[0], files[1], files[2], "n.md")
    assert merged is not None
    found = merge_files(base, ours, theirs)
    if found.note not in (ours, theirs):
        assert decode(merged.data, "n.md") == decode(encode(found.note), "n.md")
    if base != ours:
        assert (merged.has_markers, merged.clashes) == (found.has_markers, found.clashes)
    assert b"# a comment of ours" in merged.data
    assert (b"\r\n" in merged.data) is crlf
