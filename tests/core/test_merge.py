"""Heads merged as a set: laws against a naive reading of the rules."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.merge import Graph, common_lines, merge_heads, merge_lines
from gitmem.core.note import Note, Revision, Triggers


def revision(name, *replaces, body="", written=None, **fields):
    note = Note(id="n", body=body, written=written or name, replaces=replaces, **fields)
    return Revision(name, note, replaces)


def merged(*revisions):
    graph = Graph(revisions)
    return merge_heads(graph, sorted(graph.heads(graph.revisions)))


# --- examples -----------------------------------------------------------------------------------


def test_a_trigger_one_side_removed_is_gone_and_one_the_other_added_stays():
    base = revision("1", triggers=Triggers(paths=("a", "b")), tags=("x",))
    left = revision("2", "1", triggers=Triggers(paths=("b",)), tags=("x",))
    right = revision("3", "1", triggers=Triggers(paths=("a", "b", "c")), tags=("x", "y"))
    note = merged(base, left, right)
    assert note.triggers == Triggers(paths=("b", "c"))
    assert note.tags == ("x", "y")


def test_heads_without_a_common_base_unite_everything():
    left = revision("1", body="same\nleft\n", triggers=Triggers(always=True, errors=("E",)))
    right = revision("2", body="same\nright\n", triggers=Triggers(commands=("make",)), strength=4)
    note = merged(left, right)
    assert note.triggers == Triggers(always=True, errors=("E",), commands=("make",))
    assert note.body == "same\nleft\nright\n"
    assert note.strength == 4


def test_a_field_comes_from_the_newest_head_that_changed_it():
    base = revision("1", strength=3, kind="fact", confidence="likely", entity="E")
    old = revision("2", "1", strength=5, kind="rule", confidence="likely", entity=None)
    new = revision("3", "1", strength=3, kind="gotcha", confidence="likely", entity="E")
    note = merged(base, old, new)
    assert (note.strength, note.kind, note.confidence, note.entity) == (5, "gotcha", "likely", None)


def test_unknown_fields_merge_like_fields():
    base = revision("1", extra=(("a", "1"), ("b", ["x"]), ("c", "1")))
    left = revision("2", "1", extra=(("a", "2"), ("b", ["x"])))
    right = revision("3", "1", extra=(("a", "1"), ("b", ["x", "y"]), ("c", "1"), ("d", "new")))
    assert dict(merged(base, left, right).extra) == {"a": "2", "b": ["x", "y"], "d": "new"}


def test_changes_apart_are_both_taken_and_a_clash_keeps_each_side_once():
    text = "".join(f"line {number}\n" for number in range(1, 6))
    base = revision("1", body=text)
    left = revision("2", "1", body=text.replace("line 1", "LEFT").replace("line 3", "left three"))
    right = revision("3", "1", body=text.replace("line 5", "RIGHT").replace("line 3", "right 3"))
    third = revision("4", "1", body=text.replace("line 3", "right 3"))
    assert merged(base, left, right, third).body == (
        "LEFT\nline 2\nleft three\nright 3\nline 4\nRIGHT\n"
    )


def test_criss_cross_edits_merge_over_the_merge_of_their_bases():
    tags = [("a",), ("b",), ("a", "b", "l"), ("a", "b", "r")]
    one, two = revision("1", tags=tags[0]), revision("2", tags=tags[1])
    left, right = revision("3", "1", "2", tags=tags[2]), revision("4", "1", "2", tags=("b", "r"))
    assert merged(one, two, left, right).tags == ("b", "l", "r")


def test_a_purged_base_is_no_base():
    base = Revision("1", None)
    left = revision("2", "1", body="a\nleft\n", tags=("x",))
    right = revision("3", "1", body="a\nright\n", tags=("y",))
    note = merged(base, left, right)
    assert (note.body, note.tags) == ("a\nleft\nright\n", ("x", "y"))


# --- laws ---------------------------------------------------------------------------------------

TAGS = "abcd"


@st.composite
def graphs(draw):
    """Revisions that replace one another; each starts from the merge of what it replaces."""
    revisions = []
    for number in range(draw(st.integers(2, 7))):
        graph = Graph(revisions)
        among = draw(st.lists(st.sampled_from(revisions), max_size=2)) if revisions else []
        replaced = sorted(graph.heads(item.rev for item in among))
        start = merge_heads(graph, replaced) if replaced else Note(id="n", body="A\nB\nC\nD")
        flipped = draw(st.sets(st.sampled_from(TAGS), max_size=2))
        lines = start.body.split("\n")
        for _ in range(draw(st.integers(0, 2))):
            at = draw(st.integers(0, len(lines)))
            how = draw(st.sampled_from(["insert", "delete", "change"]))
            if how == "insert":
                lines.insert(at, f"new {number} {draw(st.integers(0, 1))}")
            elif at < len(lines):
                lines[at : at + 1] = [f"changed {number}"] if how == "change" else []
        revisions.append(
            revision(
                f"r{number}",
                *replaced,
                body="\n".join(lines),
                written=str(draw(st.integers(0, 3))),
                tags=tuple(sorted(set(start.tags) ^ flipped)),
                strength=draw(st.sampled_from([None, 1, 2])),
            )
        )
    return revisions


class Naive:
    """The rules as they are written, by brute force."""

    def __init__(self, revisions):
        self.by_name = {item.rev: item for item in revisions}

    def past(self, rev):
        item = self.by_name[rev]
        return {rev}.union(*(self.past(before) for before in item.replaces))

    def tops(self, revs):
        return {r for r in revs if not any(r in self.past(o) for o in revs if o != r)}

    def bases(self, revs):
        return self.tops(set.intersection(*(self.past(rev) for rev in revs)))

    def tags(self, revs):
        own = {rev: set(self.by_name[rev].note.tags) for rev in revs}
        if len(revs) == 1:
            return own.popitem()[1]

        def removed(tag, keeper):
            for other in revs:
                base = self.bases([other, keeper])
                if tag not in own[other] and base and tag in self.tags(base):
                    return True
            return False

        return {tag for rev in revs for tag in own[rev] if not removed(tag, rev)}

    def strength(self, revs):
        if len(revs) == 1:
            return self.by_name[next(iter(revs))].note.strength
        base = self.bases(revs)
        out = before = self.strength(base) if base else None
        for rev in sorted(revs, key=lambda rev: (self.by_name[rev].note.written, rev)):
            value = self.by_name[rev].note.strength
            out = value if value != before else out
        return out


@settings(max_examples=50, deadline=None)
@given(graphs(), st.randoms())
def test_the_merge_is_a_function_of_the_set_of_heads(revisions, random):
    expected = merged(*revisions)
    assert merged(*random.sample(revisions, len(revisions))) == expected


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_members_and_fields_follow_the_rules_as_written(revisions):
    naive = Naive(revisions)
    standing = naive.tops(set(naive.by_name))
    note = merged(*revisions)
    assert set(note.tags) == naive.tags(standing)
    assert note.strength == naive.strength(standing)


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_two_heads_over_one_base_merge_like_sets(revisions):
    naive = Naive(revisions)
    standing = sorted(naive.tops(set(naive.by_name)))
    bases = naive.bases(standing)
    if len(standing) == 2 and len(bases) == 1:
        base, left, right = (set(naive.by_name[rev].note.tags) for rev in (*bases, *standing))
        assert set(merged(*revisions).tags) == (left & right) | (left - base) | (right - base)


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_every_line_that_somebody_wrote_since_the_base_survives(revisions):
    graph = Graph(revisions)
    standing = graph.heads(graph.revisions)
    note, base = merge_heads(graph, sorted(standing)), graph.base_note(standing)
    bodies = [graph.revisions[rev].note.body.split("\n") for rev in standing]
    before = base.body.split("\n") if base else []
    assert all(
        line in note.body.split("\n") for body in bodies for line in body if line not in before
    )
    if all(body == bodies[0] for body in bodies):
        assert note.body.split("\n") == bodies[0]


LINES = st.lists(st.sampled_from("abcx"), max_size=6).map(tuple)


@settings(max_examples=70, deadline=None)
@given(LINES, LINES, LINES)
def test_merging_lines_knows_neutral_sides(base, left, right):
    assert merge_lines(base, [left]) == left
    assert merge_lines(base, [base, left]) == left
    assert merge_lines(base, [left, base]) == left
    assert merge_lines(base, [left, left]) == left
    assert set(merge_lines(base, [left, right])) <= {*base, *left, *right}


@settings(max_examples=70, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=3))
def test_common_lines_are_a_part_of_every_side(sides):
    common = common_lines(sides)
    for side in sides:
        rest = iter(side)
        assert all(line in rest for line in common)
    assert common_lines([sides[0], sides[0]]) == sides[0]
