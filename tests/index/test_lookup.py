"""Packing and reading an index: every answer equals a naive matcher's over the notes."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.codec import encode, revision_name
from gitmem.core import text
from gitmem.core.event import Event
from gitmem.core.gitignore import match_list, specificity
from gitmem.core.ids import id_key
from gitmem.core.mention import Prompt
from gitmem.core.note import Note, Revision, Triggers
from gitmem.core.ranking import TEXT_SPECIFICITY, nearness, score
from gitmem.core.view import Everywhere, fold, superseded
from gitmem.index.build import Filing
from gitmem.index.read import TOP, Index
from gitmem.index.schema import BadIndex
from gitmem.index.segment import Segment


def file_notes(notes, *, folds_case=False):
    """A Filing of (layer, Note) pairs."""
    filing = Filing(folds_case=folds_case)
    for layer, note in notes:
        data = encode(note)
        rev = revision_name(data)
        folded = fold(id_key(note.id), [Revision(rev, note)], Everywhere())
        filing.add(layer, folded, {rev: ("ab" * 20, data)})
    return filing


def write_index(directory, below, above=(), dead=(), *, folds_case=False):
    """An index of the notes `below`, with `above` on top and the rows `dead` overridden."""
    ignorecase = "true" if folds_case else "false"
    base = file_notes(below, folds_case=folds_case).pack({"ignorecase": ignorecase})
    Path(directory, "base-1").write_bytes(base)
    header = {"base": "base-1", "dead": ",".join(map(str, dead)), "ignorecase": ignorecase}
    top = file_notes(above, folds_case=folds_case).pack(header)
    Path(directory, TOP).write_bytes(top)


# --- the naive matcher --------------------------------------------------------------------------


def reasons(note, event, folds_case):
    """(kind, trigger, specificity) of every condition of one note that an event meets."""
    fold_path = str.casefold if folds_case else str
    patterns = tuple(fold_path(pattern) for pattern in note.triggers.paths)
    for path in event.paths:
        if (matched := match_list(patterns, fold_path(path))) is not None:
            yield "paths", path, specificity(matched)
    for kind in ("commands", "errors"):
        for value in getattr(event, kind):
            for needle in getattr(note.triggers, kind):
                if text.fold(needle) and text.fold(needle) in text.fold(value):
                    yield kind, needle, TEXT_SPECIFICITY
    for prompt in event.prompts:
        said = Prompt(prompt)
        for kind, phrases in (("prompts", note.triggers.prompts), ("entity", note.names)):
            for phrase in phrases:
                if said.names(phrase):
                    yield kind, phrase, TEXT_SPECIFICITY


def by_id(notes):
    """id key → (layer, note) pairs, nearest first, of what may be recalled."""
    found = {}
    for layer, note in sorted(notes, key=lambda item: nearness(item[0])):
        if dict(note.extra).get("marked") != "true":
            found.setdefault(id_key(note.id), []).append((layer, note))
    return found


def naive(notes, event, folds_case=False, *, always=False):
    """(id, layer, kinds, score) of every hit, best first."""
    united = by_id(notes)
    over = superseded(held[0][1] for held in united.values())
    hits = []
    for key, held in united.items():
        layer, note = held[0]
        if always:
            why = [("always", "always", 0) for _, item in held if item.triggers.always]
        else:
            why = [reason for _, item in held for reason in reasons(item, event, folds_case)]
        kinds = {kind for kind, _, _ in why}
        delivered = {"prompts" if kind == "entity" else kind for kind in kinds}
        if key in over or not ((always and why) or delivered & set(event.delivers)):
            continue
        points = score(
            len(kinds), note.confidence or "", note.strength or 3, max(item[2] for item in why)
        )
        hits.append((note, layer, kinds, points))
    hits.sort(key=lambda hit: hit[0].id)
    hits.sort(key=lambda hit: hit[0].written, reverse=True)
    hits.sort(key=lambda hit: (-hit[3], nearness(hit[1])))
    return [(note.id, layer, kinds, points) for note, layer, kinds, points in hits]


def plain(hits):
    return [
        (hit.row.id, hit.row.layer, {kind for kind, _, _ in hit.matched}, hit.score) for hit in hits
    ]


# --- the law ------------------------------------------------------------------------------------

PATHS = ["a.py", "src/a.py", "src/x/b.py", "SRC/a.py", "docs/x.md", "app/[id]/p.ts", "src/x/", "a"]
PATTERNS = [
    *("a.py", "/a.py", "src/**", "src/", "*.py", "**/x/**", "src/*.py", "**", "app/[id]/p.ts"),
    *(r"app/\[id]/**", "[a-d]*", "src/x", "Src/A.py", "docs/?.md", "**/b.*", "a*", "nowhere/**"),
]
EXCLUDED = ["!src/x/**", "!*.py", "!a.py", "!SRC/**"]
NEEDLES = [
    "npm publish",
    "NPM  Publish",
    "ls",
    "a",
    "make all",
    "\x1b[1mred\x1b[0m",
    "ärger",
    "xyzw",
]
SAID = [
    *("npm  publish --tag x", "cd a && make all", "LS", "red\nalarm", "Großer ÄRGER", "", "xyz"),
    "\x1b[31mnpm\x1b[0m publish",
]
PHRASES = [
    "release",
    "release day",
    "Café",
    "日本",
    "the API",
    "don't",
    "?",
    "day",
    "releases",
    "C++",
]
PROMPTS = [
    *("On release day, the api!", "cafe in 日本", "don’t release", "prerelease", ""),
    *("TheAPIs of releaseDay", "release_days, c++", "Cafe's re-lease", "the release-day's API"),
]


def lists(values, size=2):
    return st.lists(st.sampled_from(values), max_size=size).map(tuple)


TRIGGERS = st.builds(
    Triggers,
    st.booleans(),
    st.builds(
        lambda some, out, more: some + out + more,
        lists(PATTERNS),
        lists(EXCLUDED, 1),
        lists(PATTERNS, 1),
    ),
    lists(NEEDLES),
    lists(NEEDLES),
    lists(PHRASES),
)
IDS = ["one", "two", "Two", "thrée", "four"]
NOTES = st.builds(
    Note,
    st.sampled_from(IDS),
    st.sampled_from(["Text.\n", "", "Other\x1ftext\n---\n"]),
    TRIGGERS,
    confidence=st.sampled_from([None, "likely", "verified", "unsure"]),
    strength=st.sampled_from([None, 1, 5]),
    entity=st.sampled_from([None, None, "Billing API", "Café"]),
    aliases=lists(PHRASES, 1),
    supersedes=lists(["one", "TWO", "four", "gone", "a\x1fb"], 1),
    written=st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
    author=st.sampled_from([None, "Ann <a@x>", "Bo\n<b>"]),
    extra=st.sampled_from([(), (), (), (("marked", "true"),)]),
)
LAYERED = st.lists(
    st.tuples(st.sampled_from(["local", "shared"]), NOTES),
    max_size=7,
    unique_by=lambda item: (item[0], id_key(item[1].id)),
)
EVENTS = st.builds(
    Event,
    lists(PATHS),
    lists(SAID),
    lists(SAID),
    lists(PROMPTS),
    delivers=st.sampled_from(
        [("paths", "commands", "errors", "prompts"), ("paths", "commands"), ("errors",)]
    ),
)


@settings(max_examples=60, deadline=None)
@given(LAYERED, st.data(), st.lists(EVENTS, min_size=1, max_size=4), st.booleans())
def test_an_index_answers_as_a_naive_matcher_does(notes, data, events, folds_case):
    old = data.draw(LAYERED)
    indexed = [note for note in old if dict(note[1].extra).get("marked") != "true"]
    above = [item for item in notes if data.draw(st.booleans())]
    kept = [item for item in notes if item not in above]
    replaced = {(layer, id_key(note.id)) for layer, note in notes}
    below = kept + [item for item in indexed if (item[0], id_key(item[1].id)) in replaced]
    rows = [item for item in below if dict(item[1].extra).get("marked") != "true"]
    dead = [number for number, item in enumerate(rows) if not any(item is one for one in kept)]
    with tempfile.TemporaryDirectory() as directory:
        write_index(directory, below, above, dead, folds_case=folds_case)
        index = Index(directory)
        for event in events:
            assert plain(index.query(event)) == naive(notes, event, folds_case)
        assert plain(index.always()) == naive(notes, Event(), folds_case, always=True)
        for key, held in by_id(notes).items():
            assert [row.layer for row in index.named(key)] == [layer for layer, _ in held]
        assert len(index.rows()) == sum(map(len, by_id(notes).values()))
        index.close()


@settings(max_examples=25, deadline=None)
@given(LAYERED, LAYERED, st.lists(EVENTS, min_size=1, max_size=3))
def test_joining_a_base_with_what_changed_answers_as_building_it_whole(old, new, events):
    fresh = {(layer, id_key(note.id)) for layer, note in new}
    rows = [item for item in old if dict(item[1].extra).get("marked") != "true"]
    dead = {n for n, (layer, note) in enumerate(rows) if (layer, id_key(note.id)) in fresh}
    kept = [item for n, item in enumerate(rows) if n not in dead]
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "old").write_bytes(file_notes(old).pack({}))
        joined = file_notes(new)
        base = Segment(str(Path(directory, "old")))
        joined.absorb(base, dead)
        base.close()
        Path(directory, TOP).write_bytes(joined.pack({}))
        index = Index(directory)
        for event in events:
            assert plain(index.query(event)) == naive(new + kept, event)
        index.close()


# --- examples -----------------------------------------------------------------------------------


@pytest.fixture
def index_of(tmp_path):
    opened = []

    def build(*notes, folds_case=False):
        write_index(tmp_path, notes, folds_case=folds_case)
        opened.append(Index(str(tmp_path)))
        return opened[-1]

    yield build
    for index in opened:
        index.close()


def note(name="n", body="Text.\n", **fields):
    conditions = {key: fields.pop(key) for key in tuple(fields) if key in Triggers.__slots__}
    return Note(name, body, Triggers(**conditions), **fields)


def test_every_hit_says_which_value_matched_which_trigger(index_of):
    index = index_of(
        (
            "shared",
            note(
                paths=("src/**", "!src/gen/**", "src/a.py"),
                commands=("make  ALL",),
                errors=("in use",),
                prompts=("release day",),
                entity="Billing",
            ),
        )
    )
    event = Event(
        ("src/a.py", "src/gen/x"),
        ("cd x;  make   all",),
        ("first line\n\x1b[31mport 80 In  Use\x1b[0m\nlast",),
        ("Billing on Release-Day",),
    )
    (hit,) = index.query(event)
    assert hit.matched == [
        ("paths", "src/a.py", "src/a.py"),
        ("commands", "cd x; make all", "make  ALL"),
        ("errors", "port 80 In Use", "in use"),
        ("entity", "Billing", "Billing"),
        ("prompts", "release day", "release day"),
    ]
    assert int(hit.score) == 5


def test_a_trigger_is_named_as_it_was_stored_also_where_case_is_folded(index_of):
    index = index_of(("shared", note(paths=("Src/**", "!x"))), folds_case=True)
    (hit,) = index.query(Event(("sRC/a",)))
    assert hit.matched == [("paths", "sRC/a", "Src/**")]


def test_case_counts_unless_the_repository_folds_it(index_of):
    index = index_of(("shared", note(paths=("Src/**",))))
    assert index.query(Event(("Src/a",)))
    assert not index.query(Event(("src/a",)))


def test_the_nearest_layer_gives_the_content_and_all_layers_the_reasons(index_of):
    index = index_of(
        ("shared", note("Fix", "ours\n", paths=("a",), author="Sue <s@x>")),
        ("local", note("fix", "mine\n", errors=("boom",), author="Lou <l@x>")),
    )
    (hit,) = index.query(Event(("a",)))
    assert (hit.row.id, hit.row.layer, hit.row.author) == ("fix", "local", "Lou <l@x>")
    assert hit.matched == [("paths", "a", "a")]
    assert [row.layer for row in index.named("fix")] == ["local", "shared"]


def test_only_what_the_nearest_layer_supersedes_is_left_out(index_of):
    old = ("shared", note("old", paths=("a",)))
    far = ("shared", note("new", paths=("b",), supersedes=("OLD",)))
    index = index_of(old, far)
    assert index.query(Event(("b",)))
    assert index.query(Event(("a",))) == []
    index = index_of(old, far, ("local", note("new", paths=("b",))))
    assert [hit.row.id for hit in index.query(Event(("a",)))] == ["old"]


def test_a_note_that_names_itself_as_superseded_stays(index_of):
    index = index_of(
        ("shared", note("n", paths=("a",), supersedes=("n",))), ("local", note("N", paths=("b",)))
    )
    assert [hit.row.id for hit in index.query(Event(("a",)))] == ["N"]


def test_the_body_is_kept_only_when_no_object_holds_it(index_of):
    left, right = note("n", "left\n", written="1"), note("n", "right\n", written="2")
    filing = Filing(folds_case=False)
    revisions = [Revision("a" * 20, left), Revision("b" * 20, right)]
    folded = fold("n", revisions, Everywhere())
    filing.add("shared", folded, {"b" * 20: ("cd" * 20, encode(right))})
    whole = index_of(("shared", note("whole", paths=("a",)))).rows()[0]
    assert (whole.oid, whole.body) == ("ab" * 20, None)
    assert "=left\nright\n" in filing.rows[0]


def test_odd_characters_in_an_event_find_nothing_and_break_nothing(index_of):
    index = index_of(("shared", note(paths=("a", "**/b"), prompts=("x",), errors=("boom",))))
    assert index.query(Event(("a",)))
    for odd in ("a\x1f0", "a\n", "\x1e", "\x1f", "\udcff/é", "", "/", "\0"):
        assert index.query(Event((odd,), (odd,), (odd,), (odd,))) == []
        assert index.named(odd) == []
    assert index.query(Event(("\udcff/b",)))


def test_an_empty_index_has_no_hits(index_of):
    index = index_of()
    event = Event(("a",), ("b",), ("c",), ("d",))
    assert (index.query(event), index.always(), index.named("a"), index.rows()) == ([], [], [], [])


def test_a_deep_path_is_answered_quickly(index_of):
    index = index_of(("shared", note(paths=("**/z",))))
    assert index.query(Event(("/".join("abcdefgh" * 8) + "/z",)))


# --- damage -------------------------------------------------------------------------------------

DAMAGED_NOTES = [
    ("shared", note("one", "x\n" * 9, paths=("src/**", "*.py"), errors=("in use", "boom now"))),
    ("shared", note("two", always=True, commands=("npm publish",), prompts=("release day",))),
    ("local", note("two", "mine\n", paths=("a", "!b"), supersedes=("three",))),
    ("shared", note("three", paths=("a",), entity="Billing", author="Ann <a@x>")),
]
ABOVE = [("local", note("four", paths=("src/*",), errors=("boom",), commands=("ls",)))]
QUESTIONS = [
    Event(("src/a.py",)),
    Event(("a",), ("npm publish; ls",)),
    Event((), (), ("boom now: port in use",)),
    Event((), (), (), ("release day billing",)),
]


def answers(directory):
    index = Index(str(directory))
    try:
        found = [plain(index.query(event)) for event in QUESTIONS]
        rows = [row.pack() for row in index.rows()]
        return found, plain(index.always()), rows, [row.pack() for row in index.named("two")]
    finally:
        index.close()


@pytest.mark.parametrize("name", [TOP, "base-1"])
def test_a_damaged_file_is_noticed_or_still_answers_right(tmp_path, name):
    write_index(tmp_path, DAMAGED_NOTES, ABOVE)
    right = answers(tmp_path)
    assert all(right[0]) and right[1] and right[2] and right[3]
    path = tmp_path / name
    good = path.read_bytes()

    def try_with(data):
        path.write_bytes(data)
        try:
            assert answers(tmp_path) == right
        except BadIndex:
            return 1
        return 0

    noticed = sum(try_with(good[:size]) for size in range(0, len(good), 3))
    assert noticed == len(range(0, len(good), 3))
    flips = [(at, 1 << (at * 5 % 8)) for at in range(len(good))]
    noticed = sum(
        try_with(good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :]) for at, bit in flips
    )
    assert noticed > len(flips) // 3
    assert try_with(good + b"\0") == 1
    assert try_with(b"") == 1
    assert try_with(good) == 0


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_random_damage_is_noticed_or_does_no_harm(data):
    with tempfile.TemporaryDirectory() as directory:
        write_index(directory, DAMAGED_NOTES, ABOVE)
        right = answers(directory)
        path = Path(directory, data.draw(st.sampled_from([TOP, "base-1"])))
        damaged = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(damaged) - 1))
            damaged[at] = data.draw(st.integers(0, 255))
        path.write_bytes(damaged)
        try:
            assert answers(directory) == right
        except BadIndex:
            pass


def test_a_missing_base_is_a_missing_file(tmp_path):
    write_index(tmp_path, DAMAGED_NOTES)
    (tmp_path / "base-1").unlink()
    with pytest.raises(FileNotFoundError):
        Index(str(tmp_path))


def test_a_file_of_another_version_is_refused(tmp_path):
    (tmp_path / TOP).write_bytes(b"gitmem index 1\n" + b"\0" * 100)
    with pytest.raises(BadIndex, match="not an index of this version"):
        Index(str(tmp_path))
