"""State on one branch: ids that no two branches share, a size that nothing exceeds, and a glance
that never says what the fold would not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.codec import encode, revision_name
from gitmem.core import lineage, state, state_notes, state_text
from gitmem.core.lineage import Life
from gitmem.core.note import Note, Revision
from gitmem.core.state import Item, Picture
from gitmem.core.view import Everywhere, fold

BRANCHES = (
    "feature",
    "feature/foo",
    "feature_foo",
    "feature.foo",
    "FEATURE",
    "größe",
    "gro\u0308ße",
)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=400)
WORDS = st.text(st.characters(categories=("L", "Zs", "N")), min_size=1, max_size=300).filter(
    lambda text: text.strip()
)


@pytest.mark.parametrize("kind", state.KINDS)
def test_no_two_branches_share_an_id_however_alike_they_are(kind: str) -> None:
    item = "0123abc" if kind in state.MANY else ""
    ids = [state.id_of(kind, state.scope_of(name), item) for name in BRANCHES]
    assert len({each.lower() for each in ids}) == len(BRANCHES)
    assert [state.parts_of(each) for each in ids] == [
        (kind, state.scope_of(name), item) for name in BRANCHES
    ]


@given(st.text(max_size=40))
def test_what_is_no_id_of_state_is_told(text: str) -> None:
    found = state.parts_of(text)
    assert found is None or text == state.id_of(*found)


@given(TEXTS, TEXTS)
def test_the_same_text_is_the_same_item_and_another_is_not(one: str, other: str) -> None:
    assert (state.item_of(one) == state.item_of(other)) is (one == other)


# --- how it is shown ----------------------------------------------------------------------------


def items(kind: str, texts: list[str]) -> list[Item]:
    return [Item(kind, state.item_of(text), text, "shared", order=text) for text in texts]


@given(
    TEXTS.filter(bool),
    st.lists(WORDS, max_size=4),
    st.lists(WORDS, max_size=20, unique=True),
    st.lists(WORDS, max_size=60, unique=True),
    st.one_of(st.none(), st.integers(0, 10**6)),
)
def test_a_picture_never_exceeds_its_room(
    branch: str, ones: list[str], blockers: list[str], todos: list[str], behind: int | None
) -> None:
    kinds = dict(zip(state.ONE, ones, strict=False))
    found = [item for kind, text in kinds.items() for item in items(kind, [text])]
    found += items("blocker", blockers) + items("todo", todos)
    picture = Picture(branch, state.in_order(found), behind=behind, written="2026-01-01T00:00:00Z")
    picture.commits = (("abc1234", branch), ("def5678", "x" * 500))
    picture.changed = tuple(todos)
    lines = state_text.lines(picture)
    assert len("\n".join(lines).encode("utf-8", "replace")) < 1000
    if len(todos) and len("".join([*ones, *blockers, *todos]).encode()) < 300 and len(todos) < 5:
        assert all(item.id in "\n".join(lines) for item in picture.many("todo"))


def test_a_picture_of_everything() -> None:
    found = [
        Item("focus", "", "Move payments to cents", "shared"),
        Item("next", "", "Make pay_test pass\nWrite the migration", "shared"),
        Item("todo", "1111111", "Round up", "shared", order="1"),
        Item("todo", "2222222", "Ask about fees", "local", order="2"),
        Item("blocker", "3333333", "No test key", "shared"),
    ]
    picture = Picture(
        "feature/x", state.in_order(found), inherited_from="main", written="2026-01-02T", behind=3
    )
    picture.commits = (("abc1234", "pay: use cents"),)
    picture.changed = ("a.py", "b.py", "c.py", "d.py")
    assert "\n".join(state_text.lines(picture)) == (
        "On branch feature/x, inherited from main, written 3 commits ago (2026-01-02)\n"
        "focus: Move payments to cents\n"
        "next: Make pay_test pass (said at the same time)\n"
        "next: Write the migration (said at the same time)\n"
        "blocked by:\n"
        "  3333333  No test key\n"
        "todo:\n"
        "  1111111  Round up\n"
        "  2222222  Ask about fees [local]\n"
        "recent: abc1234 pay: use cents\n"
        "changed: a.py, b.py, c.py and 1 more"
    )


def test_what_does_not_fit_is_counted() -> None:
    found = items("todo", [f"{number:03} {'word ' * 40}" for number in range(100)])
    lines = state_text.lines(Picture("main", tuple(found)))
    shown = len(lines) - 3
    assert lines[:2] == ["On branch main", "todo:"]
    assert lines[-1] == f"  … and {100 - shown} more: git mem todo list"
    assert shown >= 8


# --- the glance ---------------------------------------------------------------------------------


def revision(text: str, *replaces: str, done: bool = False, second: int = 0) -> tuple[str, bytes]:
    note = state.with_fields(
        Note(
            id="todo-0123456789abcdef-0123abc",
            kind="todo",
            body=text,
            created="2026-01-01T00:00:00Z",
            written=f"2026-01-01T00:00:{second:02}Z",
            replaces=replaces,
            forgotten=done,
            reason="done" if done else None,
        ),
        branch="main",
        order="0000000001.000000",
    )
    data = encode(note)
    return revision_name(data), data


@given(st.data())
def test_a_glance_says_what_the_fold_says_or_nothing(data: st.DataObject) -> None:
    found: dict[str, bytes] = {}
    for second in range(data.draw(st.integers(1, 5))):
        known = sorted(found)
        replaces = data.draw(st.lists(st.sampled_from(known), unique=True)) if known else []
        rev, content = revision(
            data.draw(WORDS), *replaces, done=data.draw(st.booleans()), second=second
        )
        found[rev] = content
    told = state_notes.standing(found)
    from gitmem.codec import decode

    notes = {rev: decode(content, rev) for rev, content in found.items()}
    folded = fold(
        "x", [Revision(rev, note, note.replaces) for rev, note in notes.items()], Everywhere()
    )
    if told == state_notes.CLOSED:
        assert not folded.live
    elif told is not None:
        assert folded.note is not None
        assert told == (folded.note.body.strip(), "0000000001.000000")
    else:
        assert len(folded.heads) > 1


@given(WORDS, WORDS)
def test_a_field_is_read_as_the_note_says_it_or_not_at_all(branch: str, body: str) -> None:
    note = state.with_fields(Note(id="x", kind="todo", body=body), branch=branch)
    assert state_notes.value(encode(note), "branch") in (branch, None)
    assert state_notes.value(encode(note), "base") == ""


# --- where a branch comes from ------------------------------------------------------------------


def log(*lines: tuple[int, str], new: str = "b" * 40) -> list[lineage.Entry]:
    return [lineage.Entry("a" * 40, new, when, said) for when, said in lines]


def test_a_branch_keeps_what_was_written_under_its_earlier_names() -> None:
    entries = log(
        (10, "branch: Created from HEAD"),
        (20, "Branch: renamed refs/heads/a to refs/heads/b/c"),
        (30, "commit: x"),
        (40, "Branch: renamed refs/heads/b/c to refs/heads/d"),
    )
    assert lineage.lives("d", entries) == (Life("d", 40), Life("b/c", 20, 40), Life("a", 10, 20))


@pytest.mark.parametrize(
    ("said", "born"),
    [
        ("branch: Created from HEAD", 10),
        ("branch: Created from main", 10),
        ("branch: Created from origin/main", 10),
        ("branch: Created from origin/feature", 0),
        ("branch: Created from refs/remotes/origin/feature", 0),
        ("branch: Created from FETCH_HEAD", 0),
        ("clone: from elsewhere", 0),
    ],
)
def test_a_name_that_is_used_again_starts_anew_unless_it_is_the_remotes(
    said: str, born: int
) -> None:
    assert lineage.lives("feature", log((10, said))) == (Life("feature", born),)


@pytest.mark.parametrize(
    ("said", "parent"),
    [
        ("branch: Created from main", ("main", True)),
        ("branch: Created from refs/heads/a/b", ("a/b", True)),
        ("branch: Created from main~2", ("main", True)),
        ("branch: Created from refs/remotes/origin/main", ("main", True)),
        ("branch: Created from origin/feature", (None, False)),
        ("branch: Created from " + "c" * 40, (None, False)),
        ("branch: Created from HEAD", ("stood", True)),
        ("commit (initial): x", (None, False)),
    ],
)
def test_what_a_branch_was_cut_from(said: str, parent: tuple[str | None, bool]) -> None:
    head = log(
        (5, "checkout: moving from old to stood"), (11, "checkout: moving from stood to feature")
    )
    assert lineage.origin(log((10, said)), "feature", [head]) == parent


def test_the_branch_of_another_work_tree_was_cut_from_where_the_main_one_stood() -> None:
    head = log((5, "checkout: moving from old to stood"), (20, "checkout: moving from stood to x"))
    made = log((10, "branch: Created from HEAD"))
    assert lineage.origin(made, "wt", [head]) == ("stood", True)
    assert lineage.origin(made, "wt", [head[1:]]) == ("stood", True)
    assert lineage.origin(made, "wt", [[]]) == (None, False)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_reflog_of_some_lines(data: bytes) -> None:
    assert all(entry.when >= 0 for entry in lineage.entries(data))
