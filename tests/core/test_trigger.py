"""Triggers as typed become triggers as stored, or an error that says what to write."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitmem.core.derive import escape
from gitmem.core.gitignore import match_list, matches
from gitmem.core.note import Triggers
from gitmem.core.trigger import (
    MAX_EXPANSION,
    BadTrigger,
    expand_braces,
    normalise,
    normalise_path_pattern,
)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("lib/{net,disk}/*.c", ("lib/net/*.c", "lib/disk/*.c")),
        ("*.{c,{cc,cpp}}", ("*.c", "*.cc", "*.cpp")),
        ("{lib,app}/**/*.{c,h}", ("lib/**/*.c", "lib/**/*.h", "app/**/*.c", "app/**/*.h")),
        ("{ lib/a.c , lib/b.c }", ("lib/a.c", "lib/b.c")),
        ("lib/{,test/}a.c", ("lib/a.c", "lib/test/a.c")),
        ("{a,a}", ("a",)),
        ("lib/{net}", ("lib/{net}",)),
        ("lib/{net", ("lib/{net",)),
        (r"lib/\{a,b}", (r"lib/\{a,b}",)),
        ("${a,b}", ("${a,b}",)),
        ("!lib/{a,b}", ("!lib/a", "!lib/b")),
        ("./lib/a.c", ("lib/a.c",)),
        ("././lib", ("lib",)),
        ("!./lib/gen/**", ("!lib/gen/**",)),
        ("  lib/**\n", ("lib/**",)),
        (r"lib\net\**", ("lib/net/**",)),
        (r".\lib\*.c", ("lib/*.c",)),
        ("lib\\", ("lib/",)),
        (r"app/\[id]/x", (r"app/\[id]/x",)),
        (r"a\\b", (r"a\\b",)),
        (r"with\ blank\ ", (r"with\ blank\ ",)),
        ("#x", (r"\#x",)),
        ("{#x,!y}", (r"\#x", r"\!y")),
        (r"\!y", (r"\!y",)),
        ("a[[]b", ("a[[]b",)),
        ("[[:alpha:]].c", ("[[:alpha:]].c",)),
        ("**", ("**",)),
        ("Größe/*.c", ("Größe/*.c",)),
        ("a\u00a0b", ("a\u00a0b",)),
    ],
)
def test_a_path_pattern_as_typed_and_as_stored(typed, stored):
    assert normalise_path_pattern(typed) == stored


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("!", "path trigger '!' matches nothing"),
        ("/", "path trigger '/' matches nothing"),
        ("//", "path trigger '//' matches nothing"),
        ("./", "path trigger './' matches nothing"),
        ("{,x}", "path trigger '{,x}' matches nothing"),
        ("../lib/**", "path trigger '../lib/**' leaves the repository"),
        ("lib/../../x", "path trigger 'lib/../../x' leaves the repository"),
        ("{../packages,apps}/*", "path trigger '{../packages,apps}/*' leaves the repository"),
        (r"..\lib", r"path trigger '..\lib' leaves the repository"),
        ("lib/[ab", "path trigger 'lib/[ab' has a '[' that nothing closes"),
        ("a[", "path trigger 'a[' has a '[' that nothing closes"),
        ("lib/[a/b].c", "path trigger 'lib/[a/b].c' has a '[' that nothing closes"),
        (r"\\[x", r"path trigger '\\[x' has a '[' that nothing closes"),
        ("a\tb", r"path trigger 'a\tb' has a control character in it"),
        ("a\nb", r"path trigger 'a\nb' has a control character in it"),
        (
            "{0,1}" * 8,
            f"path trigger '{'{0,1}' * 8}' stands for more than {MAX_EXPANSION} patterns",
        ),
    ],
)
def test_a_pattern_that_cannot_be_meant_is_refused_in_a_sentence(typed, said):
    with pytest.raises(BadTrigger) as caught:
        normalise_path_pattern(typed)
    assert caught.value.message == said


def test_blanks_and_repetitions_are_dropped():
    typed = Triggers(
        paths=("", "  ", "lib/**", "./lib/**"),
        commands=("", " ", "npm  publish ", "npm  publish", "\x1b[0m"),
        errors=("\n", "EADDRINUSE"),
        prompts=("", "release day"),
    )
    assert normalise(typed) == Triggers(
        paths=("lib/**",),
        commands=("npm  publish",),
        errors=("EADDRINUSE",),
        prompts=("release day",),
    )


@pytest.mark.parametrize(
    "blank", [Triggers(), Triggers(paths=("", " ")), Triggers(commands=("",), errors=(" ",))]
)
def test_blanks_never_mean_everything(blank):
    stored = normalise(blank)
    assert not stored
    assert match_list(stored.paths, "any/file") is None


def test_only_exclusions_are_refused():
    with pytest.raises(BadTrigger) as caught:
        normalise(Triggers(paths=("!lib/gen/**",)))
    assert (caught.value.message, caught.value.hints) == (
        "path trigger '!lib/gen/**' only excludes, so it can never match",
        ("give what it is an exception to first: -p 'src/**' -p '!src/generated/**'",),
    )


def test_a_prompt_without_a_word_is_refused():
    with pytest.raises(BadTrigger, match=r"^prompt trigger '\?!' has no word in it$"):
        normalise(Triggers(prompts=("?!",)))


PATTERN = st.text("ab/*?[]!#{},.\\ é", min_size=1, max_size=12)


@settings(max_examples=80, deadline=None)
@given(PATTERN)
@example(r"a\\b")
@example("a\\ ")
@example("{a, b}")
def test_what_is_stored_is_stored_the_same_again(typed):
    try:
        stored = normalise_path_pattern(typed)
    except BadTrigger:
        return
    again = tuple(dict.fromkeys(same for item in stored for same in normalise_path_pattern(item)))
    assert again == stored


NAME = st.text("ab[]*?{}!#\\., é", min_size=1, max_size=6).filter(
    lambda name: name not in (".", "..")
)
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)


@settings(max_examples=80, deadline=None)
@given(PATH, PATH)
@example("a*b/c", "axb/c")
@example("x\\y", "xy")
@example("app/[id]/page.tsx", "app/i/page.tsx")
def test_an_escaped_path_matches_itself_alone_and_is_stored_as_it_is(path, other):
    pattern = escape(path)
    assert matches(pattern, path)
    assert matches(pattern, path + "/below")
    if other != path and not other.startswith(path + "/"):
        assert not matches(pattern, other) or pattern == other
    assert normalise_path_pattern(pattern) == (pattern,)


@settings(max_examples=70, deadline=None)
@given(
    st.recursive(
        st.sampled_from(["a", "b", "c/d", ""]),
        lambda inner: st.lists(inner, min_size=2, max_size=3).map(
            lambda items: "{" + ",".join(items) + "}"
        ),
        max_leaves=6,
    )
)
def test_nested_braces_come_to_their_leaves(text):
    leaves = [leaf.strip("{}") for leaf in text.replace("{", ",").replace("}", ",").split(",")]
    assert set(expand_braces(text)) - {""} == set(leaves) - {""}
