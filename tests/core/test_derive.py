"""Path triggers derived from a note's text, and the guards that keep noise out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.derive import (
    GENERIC,
    MAX_DIRECTORY,
    Tracked,
    derive_paths,
    escape,
    guarded_words,
)
from gitmem.core.gitignore import matches

FILES = (
    "README.md",
    "Makefile",
    "Jenkinsfile",
    "deploy",
    "package.json",
    "tool.cfg",
    "lib/net/tcp.c",
    "lib/net/udp.c",
    "lib/README.md",
    "lib/package.json",
    "web/index.ts",
    "web/package.json",
    "web/unique.ts",
    "web/twice.ts",
    "lib/twice.ts",
    "app/[id]/(tab)/page.tsx",
    "app/i/(tab)/page.tsx",
    "app/[...rest]/page.tsx",
    "docs/a b.md",
    ".github/workflows/build.yml",
    ".env",
    "größe/maß.c",
    *(f"gen/big/{number}.c" for number in range(MAX_DIRECTORY + 1)),
    *(f"gen/fit/{number}.c" for number in range(MAX_DIRECTORY)),
)
TRACKED = Tracked(FILES)


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("Look at lib/net/tcp.c first.", ("lib/net/tcp.c",)),
        ("lib/net/tcp.c:42 and lib/net/udp.c:7:3", ("lib/net/tcp.c", "lib/net/udp.c")),
        ("See lib/net/tcp.c#L10-L20", ("lib/net/tcp.c",)),
        ("in `lib/net/tcp.c`, it", ("lib/net/tcp.c",)),
        ("(lib/net/tcp.c)", ("lib/net/tcp.c",)),
        ("“lib/net/tcp.c”…", ("lib/net/tcp.c",)),
        ("**lib/net/tcp.c**:", ("lib/net/tcp.c",)),
        ("[tcp](lib/net/tcp.c)", ("lib/net/tcp.c",)),
        ("./lib/net/tcp.c", ("lib/net/tcp.c",)),
        ("lib\\net\\tcp.c", ("lib/net/tcp.c",)),
        ("lib/net/tcp.c,lib/net/udp.c", ("lib/net/tcp.c", "lib/net/udp.c")),
        ("lib/net/tcp.c() calls", ("lib/net/tcp.c",)),
        ("--config=lib/net/tcp.c", ("lib/net/tcp.c",)),
        ("everything under lib/net/ is C", ("lib/net/**",)),
        ("everything under lib/net is C", ("lib/net/**",)),
        (".github/workflows/build.yml runs", (".github/workflows/build.yml",)),
        ("maß: größe/maß.c", ("größe/maß.c",)),
        ("only unique.ts", ("web/unique.ts",)),
        ("only tool.cfg", ("/tool.cfg",)),
        ("the Jenkinsfile says", ("/Jenkinsfile",)),
        ("app/[id]/(tab)/page.tsx", (r"app/\[id]/(tab)/page.tsx",)),
        ("`app/[id]/(tab)/page.tsx:3`", (r"app/\[id]/(tab)/page.tsx",)),
        ("under app/[id]/", (r"app/\[id]/**",)),
        ("app/[...rest]/page.tsx", (r"app/\[...rest]/page.tsx",)),
        ("lib/README.md says", ("lib/README.md",)),
        ("gen/fit/ is made", ("gen/fit/**",)),
        ("lib/net/tcp.c lib/net/tcp.c", ("lib/net/tcp.c",)),
    ],
)
def test_what_is_tracked_and_named_becomes_a_trigger(text, triggers):
    assert derive_paths(text, TRACKED) == triggers


@pytest.mark.parametrize(
    "text",
    [
        "the lib is fine",
        "everything under lib/ is C",
        "gen/big/ is made",
        "README.md, package.json and index.ts",
        "the Makefile",
        "never deploy on Friday",
        "twice.ts is there two times",
        "https://example.com/lib/net/tcp.c",
        "(see https://example.com/lib/net/tcp.c)",
        "lib/net/sctp.c is gone",
        "net/tcp.c",
        "and/or, i.e. e.g. 1/2",
        ".env",
        "/ . .. ... // `` `",
        "",
    ],
)
def test_what_is_not_a_path_or_too_broad_becomes_none(text):
    assert derive_paths(text, TRACKED) == ()


def test_a_bracket_path_does_not_reach_its_sibling():
    (trigger,) = derive_paths("app/[id]/(tab)/page.tsx", TRACKED)
    assert [path for path in FILES if matches(trigger, path)] == ["app/[id]/(tab)/page.tsx"]
    (below,) = derive_paths("app/[id]/", TRACKED)
    assert [path for path in FILES if matches(below, path)] == ["app/[id]/(tab)/page.tsx"]


def test_the_guards_say_why():
    text = "lib/ and gen/big/, README.md, twice.ts, lib/net/tcp.c"
    assert guarded_words(text, TRACKED) == [
        ("lib/", "is a single directory name, in prose often a word"),
        ("gen/big/", f"covers {MAX_DIRECTORY + 1} tracked files"),
        ("README.md", "is too common a file name to derive a trigger from"),
        ("twice.ts", "names 2 tracked files"),
    ]


def test_generic_names_are_compared_without_case():
    assert all(name == name.casefold() for name in GENERIC)
    assert derive_paths("readme.MD", Tracked(["readme.MD"])) == ()


@settings(max_examples=70, deadline=None)
@given(
    st.lists(
        st.sampled_from(FILES[:22]).filter(lambda path: " " not in path), max_size=4, unique=True
    ),
    st.sampled_from(["{}", "`{}`", "({})", "{}.", "{},", '"{}"', "{}:12", "**{}**"]),
)
def test_a_trigger_reaches_exactly_the_file_that_was_named(named, spelt):
    text = " and ".join(spelt.format(path) for path in named)
    triggers = derive_paths(text, TRACKED)
    reached = {path for path in FILES[:30] if any(matches(trigger, path) for trigger in triggers)}
    assert reached <= set(named)
    assert {path for path in named if "/" in path} <= reached


@settings(max_examples=70, deadline=None)
@given(st.text("ab./`()[]:#,=*\\ \n", max_size=30))
def test_any_text_derives_only_tracked_paths(text):
    tracked = Tracked(["a/b", "a/a.b", "b.a", "[a]/(b)/a"])
    for trigger in derive_paths(text, tracked):
        assert any(matches(trigger, path) for path in tracked.files)
    assert escape("[a]/(b)/a") == r"\[a]/(b)/a"
