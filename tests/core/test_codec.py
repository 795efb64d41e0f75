"""Laws of the note codec, and the shapes it must read or refuse in a sentence."""

import subprocess
import sys

import frontmatter
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem import codec, frontmatter_subset, note_text
from gitmem.codec import BadNote
from gitmem.core.note import CONFIDENCE, Anchor, Note, Triggers
from gitmem.frontmatter_subset import Bare

NASTY = st.one_of(
    st.sampled_from(
        ["no", "007", "12:30", "0x10", "1e3", "~", "null", "true", "2026-08-23", "<<", "=", "---"]
    ),
    st.sampled_from(
        ["*x", "&x", "!x", "%x", "@x", "`x`", "[a]", "{a}", "{{date}}", "'", '"', "\\", "\\n"]
    ),
    st.sampled_from(
        ["- a", "? b", "a: b", "a:", "a #b", "#c", "a, b", "{a,b}", "...", "a ", "  a", "\ta", "\t"]
    ),
    st.sampled_from(
        ["é", "日本語", "🦊", "a\nb", "\n", "a\r\nb", "x\u00a0y", "\x1b[0m", "\x7f", "\x85"]
    ),
    st.sampled_from(["\u2028", "\u2029", "\ufeff"]),
)
TEXT = st.one_of(NASTY, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
SAID = TEXT.filter(lambda text: bool(text.strip()))
LIST = st.lists(SAID, max_size=4).map(tuple)
KEY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
VALUE = st.recursive(
    TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3)
)
TRIGGER_KEYS = ("always", "paths", "commands", "errors", "prompts")


def _extra(*known):
    keys = KEY.filter(lambda key: key not in known)
    return st.dictionaries(keys, VALUE, max_size=3).map(lambda fields: tuple(fields.items()))


def _maybe(strategy):
    return st.none() | strategy


ANCHORS = st.builds(
    Anchor,
    *(_maybe(SAID) for _ in range(5)),
    paths=LIST,
    extra=_extra("commit", "tree", "patch_id", "branch", "merge_base", "paths"),
)
KNOWN = tuple(Note.__dataclass_fields__)
NOTES = st.builds(
    Note,
    id=st.from_regex(r"[a-z0-9_é][a-z0-9_.é-]{0,30}", fullmatch=True),
    body=TEXT.map(lambda text: note_text.ended(note_text.with_lf(text))),
    triggers=st.builds(Triggers, st.booleans(), LIST, LIST, LIST, LIST),
    kind=_maybe(SAID),
    confidence=_maybe(st.sampled_from(CONFIDENCE)),
    verified=_maybe(st.dates().map(str)),
    strength=_maybe(st.integers(1, 5)),
    tags=LIST,
    entity=_maybe(SAID),
    aliases=LIST,
    pinned=st.booleans(),
    links=LIST,
    supersedes=LIST,
    created=_maybe(SAID | st.just("2026-08-23T10:00:00Z")),
    written=_maybe(SAID),
    author=_maybe(SAID),
    anchor=_maybe(ANCHORS),
    replaces=LIST,
    forgotten=st.booleans(),
    reason=_maybe(SAID),
    extra=st.builds(
        lambda inner, extra: ((("triggers", inner),) if inner else ()) + extra,
        st.dictionaries(KEY.filter(lambda key: key not in TRIGGER_KEYS), VALUE, max_size=2),
        _extra(*KNOWN),
    ),
)

# Lines that look like front matter, put together at random: most are declined or wrong.
LINES = st.lists(
    st.builds(
        lambda indent, head, value: " " * indent + head + value,
        st.sampled_from([0, 0, 0, 2, 2, 4, 1]),
        st.sampled_from(["- ", "a: ", "b: ", "c:", "paths:", "paths: ", "triggers:", "", "- a: "]),
        st.one_of(
            NASTY,
            st.sampled_from(["", "x", "x y", "[a, b]", "[\"a, b\", c d, 'e''f']", "[]", "[a, ]"]),
            st.text("ab ,:#[]{}'\"\\-?~u0d8/*&!|>%@`.\n", max_size=8),
        ),
    ),
    max_size=6,
).map(lambda lines: "".join(f"{line}\n" for line in lines).replace("\r", ""))


def law(**wanted):
    """Settings that do not fail because the machine is busy."""
    return settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], **wanted)


def _bare_places(value):
    """The value with its nulls told apart from text."""
    if isinstance(value, dict):
        return {key: _bare_places(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_bare_places(item) for item in value]
    return (type(value), str(value))


def note_bytes(front, body="body\n"):
    return f"---\n{front}---\n{body}".encode()


def refusal(data, name="n.md"):
    with pytest.raises(BadNote) as caught:
        codec.parse(data, name)
    return caught.value


@given(NOTES)
@law()
def test_decoding_what_was_encoded_gives_the_note_back(note):
    data = codec.encode(note)
    again = codec.decode(data, "n.md")
    assert again == note
    assert codec.encode(again) == data
    assert b"\r" not in data


@given(NOTES)
@law(max_examples=40)
def test_every_yaml_reader_reads_the_text_that_was_meant(note):
    front, _ = note_text.split(codec.encode(note).decode(), "n.md")
    ours = codec._YamlReader(front, "n.md").tree
    for loader in (yaml.BaseLoader, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
        assert yaml.load(front, Loader=loader) == ours
    retyped = yaml.safe_load(front)
    for key in ("tags", "entity", "author", "replaces", "reason", *dict(note.extra)):
        if key != "triggers":
            assert retyped.get(key) == ours.get(key)


@given(LINES)
@law(max_examples=600)
def test_the_fast_reader_agrees_with_yaml_wherever_it_does_not_decline(front):
    fast = frontmatter_subset.read(front)
    if fast is not None:
        slow = codec._YamlReader(front, "n.md").tree
        assert list(_bare_places(fast).items()) == list(_bare_places(slow).items())


@given(NOTES.map(lambda note: note.edited(extra=(), anchor=note.anchor and Anchor(branch="no"))))
@law()
def test_what_we_write_never_needs_the_slow_reader(note):
    front, _ = note_text.split(codec.encode(note).decode(), "n.md")
    assert frontmatter_subset.read(front) is not None


@given(LINES, TEXT)
@law()
def test_reading_and_writing_settles_at_once(front, body):
    try:
        note = codec.parse(note_bytes(front, body), "n.md")
    except BadNote as bad:
        assert "\n" not in bad.message
        return
    data = codec.encode(note)
    assert codec.parse(data, "n.md") == note
    assert codec.encode(codec.parse(data, "n.md")) == data


@given(st.binary() | st.binary().map(lambda data: b"---\n" + data + b"\n---\n"))
@law()
def test_arbitrary_bytes_raise_nothing_but_bad_note(data):
    try:
        codec.encode(codec.parse(data, "n.md"))
    except BadNote as bad:
        assert bad.message.startswith("n.md")


@pytest.mark.parametrize("front", ["x: " + "[" * 200_000, "- " * 200_000, "? " * 50_000])
def test_deep_nesting_is_refused_without_recursion(front):
    assert refusal(note_bytes(front + "\n")).line == 2


def test_an_alias_bomb_is_refused_at_its_first_anchor():
    front = "id: b\na: &a [x, x]\n" + "".join(
        f"k{i}: &k{i} [{', '.join(['*a'] * 9)}]\n" for i in range(2000)
    )
    bad = refusal(note_bytes(front))
    assert bad.message == "n.md:3: YAML anchors and aliases are not allowed (key 'a')"


def test_a_note_over_the_limit_is_refused_and_one_at_the_limit_is_read():
    room = codec.MAX_NOTE_BYTES - len(note_bytes("id: a\n", "\n"))
    data = note_bytes("id: a\n", "x" * room + "\n")
    assert codec.encode(codec.decode(data, "n.md")) == data
    assert refusal(data + b"\n").message == (
        f"n.md: a note may have {codec.MAX_NOTE_BYTES} bytes, this has {codec.MAX_NOTE_BYTES + 1}"
    )


def test_encode_refuses_what_decode_would():
    big = Note("a", body="x" * codec.MAX_NOTE_BYTES)
    clash = Note("a", extra=(("kind", "x"),))
    deep = "x"
    for _ in range(frontmatter_subset.MAX_DEPTH + 1):
        deep = [deep]
    messages = []
    for note in (
        big,
        clash,
        Note("a", body="\0"),
        Note("a", body="\ud800"),
        Note("a", reason="\0"),
        Note("a", extra=(("k" * 129, "x"),)),
        Note("a", extra=(("k", deep),)),
    ):
        with pytest.raises(BadNote) as caught:
            codec.encode(note)
        messages.append(caught.value.message)
    assert messages == [
        "a: a note may have 1048576 bytes, this has 1048591",
        "a: unknown field 'kind' has the name of another field",
        "a:4: not text: byte 0x00 at offset 14",
        "a: lone surrogate '\\ud800' is not text",
        "a: front matter holds a NUL character",
        "a: front matter has a key longer than 128 characters",
        "a: front matter is nested too deeply",
    ]


def test_a_stored_revision_must_have_an_id():
    with pytest.raises(BadNote, match=r"^n\.md: the note has no id$"):
        codec.decode(b"only text\n", "n.md")
    assert codec.parse(b"only text\n", "n.md") == Note("", body="only text\n")


def test_a_revision_is_named_by_its_bytes():
    assert codec.revision_name(b"") == "e3b0c44298fc1c149afb"


def test_a_purged_revision_keeps_only_replaces_and_anchor():
    anchor = Anchor(commit="1f" * 20, branch="topic")
    data = codec.encode_gone(["ab" * 10, "12" * 10], anchor)
    assert data.decode() == (
        "---\nanchor:\n"
        f'  commit: "{"1f" * 20}"\n  branch: topic\n'
        f'replaces: [{"ab" * 10}, "{"12" * 10}"]\n---\n'
    )
    assert codec.decode_gone(data, "n.gone") == (("ab" * 10, "12" * 10), anchor)
    assert codec.decode_gone(codec.encode_gone([], None), "n.gone") == ((), None)


def test_nulls_are_told_from_the_words_in_quotes():
    front = 'id: a\nentity: null\nkind: "null"\ntags: [~, "~", null]\nother: ~\n'
    note = codec.parse(note_bytes(front), "n.md")
    assert (note.entity, note.kind, note.tags, note.extra) == (
        None,
        "null",
        ("~",),
        (("other", "~"),),
    )
    assert type(note.extra[0][1]) is str
    assert isinstance(frontmatter_subset.read("a: ~\n")["a"], Bare)


def test_an_error_is_one_line_whatever_the_key_is():
    bad = refusal(note_bytes('"a\\nb": 1\n"a\\nb": 2\n'))
    assert (bad.message, bad.key) == ("n.md:3: key 'a b' is given twice", "a\nb")


def test_python_frontmatter_can_use_our_handler():
    text = "---\nid: 007\nsince: 2026-08-23\n---\nbody\n---\nmore"
    post = frontmatter.loads(text, handler=codec.note_handler())
    assert (post.metadata, post.content) == (
        {"id": "007", "since": "2026-08-23"},
        "body\n---\nmore",
    )
    assert frontmatter.dumps(post) == (
        '---\nid: "007"\nsince: "2026-08-23"\n---\n\nbody\n---\nmore'
    )
    plain = frontmatter.loads("text\n---\na: b\n---\n", handler=codec.note_handler())
    assert plain.metadata == {}


def test_plain_notes_are_read_without_importing_yaml():
    script = (
        "import sys; from gitmem import codec;"
        "codec.encode(codec.decode(b'---\\nid: a\\ntags: [b, \"c d\"]\\n---\\nx\\n', 'n'));"
        "print([m for m in ('yaml', 'frontmatter') if m in sys.modules]);"
        "codec.parse(b'---\\n# c\\nid: a\\n---\\n', 'n');"
        "print([m for m in ('yaml', 'frontmatter') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n['yaml', 'frontmatter']\n"
