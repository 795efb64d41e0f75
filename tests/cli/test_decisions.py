"""`git mem decide` and `git mem decisions`: one note that is the story and the fact."""

import pytest
from conftest import Repo
from hypothesis import given
from hypothesis import strategies as st
from running import SEEN_LINE, Mem

from gitmem.core import decision

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=200)


def decide(mem: Mem, title: str, *more: str, because: str = "Sums must be exact") -> str:
    return mem("decide", title, "--because", because, *more)


def ids(mem: Mem, *args: str) -> list[str]:
    return [item["id"] for item in mem.json("decisions", *args)["notes"]]


def test_a_decision_is_one_note_whose_first_paragraph_is_the_short_form(mem: Mem) -> None:
    out = decide(
        *(mem, "Amounts are integer cents"),
        *("--context", "Floats lost a cent in March.\n\nTwice."),
        *("--decision", "Store and pass amounts as integer cents"),
        *("-p", "src/**", "--tag", "pay"),
    )
    assert out == f"added amounts-are-integer-cents (shared)\n  paths: src/**\n{SEEN_LINE}"
    [found] = mem.json("decisions")["notes"]
    assert found["body"] == (
        "Amounts are integer cents.\n"
        "Decision: Store and pass amounts as integer cents\n"
        "Because: Sums must be exact\n"
        "\n"
        "**Context:** Floats lost a cent in March.\n"
        "\n"
        "Twice.\n"
    )
    assert (found["kind"], found["strength"], found["tags"]) == ("decision", 4, ["pay"])
    assert found["superseded_by"] is None
    hits = mem.json("recall", "--path", "src/a.py")["hits"]
    assert [hit["id"] for hit in hits] == ["amounts-are-integer-cents"]


def test_a_reversal_supersedes_and_is_recalled_where_the_first_was(mem: Mem) -> None:
    decide(mem, "Use Postgres for the ledger", "-p", "src/a.py", "--tag", "db")
    out = mem(
        *("decide", "Use SQLite for the ledger", "--because", "One file"),
        *("--supersedes", "use-postgres"),
    )
    assert out == (
        "added use-sqlite-for-the-ledger (shared)\n"
        "  paths: src/a.py\n"
        "  prompts: SQLite, ledger\n"
        f"{SEEN_LINE}"
    )
    assert ids(mem) == ["use-sqlite-for-the-ledger"]
    every = mem.json("decisions", "--all")["notes"]
    assert {item["id"]: item["superseded_by"] for item in every} == {
        "use-sqlite-for-the-ledger": None,
        "use-postgres-for-the-ledger": "use-sqlite-for-the-ledger",
    }
    assert "[db] (superseded by use-sqlite-for-the-ledger)\n" in mem("decisions", "--all")
    hits = mem.json("recall", "--path", "src/a.py")["hits"]
    assert [hit["id"] for hit in hits] == ["use-sqlite-for-the-ledger"]
    assert "Postgres" in mem("show", "use-postgres-for-the-ledger")
    assert mem.run("decide", "X", "--because", "y", "--supersedes", "nothing").code == 1


def test_a_decision_always_has_a_trigger(mem: Mem) -> None:
    assert "  paths: src/a.py\n" in decide(mem, "Keep src/a.py free of imports")
    assert "  prompts: feature flags\n" in decide(mem, "We use feature flags.")
    assert "  prompts: Do it now\n" in decide(mem, "Do it now")
    hits = mem.json("recall", "--prompt", "where do the feature flags live?")["hits"]
    assert [hit["id"] for hit in hits] == ["we-use-feature-flags"]


def test_the_same_title_again_is_another_decision(mem: Mem) -> None:
    decide(mem, "Freeze the API", because="The clients ask for it")
    assert decide(mem, "Freeze the API", because="They ask again").startswith(
        "added freeze-the-api-2 (shared)\n"
    )
    assert decide(mem, "Freeze the API", because="The clients ask for it") == (
        "unchanged freeze-the-api\n"
    )
    done = mem.run("decide", "Freeze the API")
    assert (done.code, "--because" in done.err) == (2, True)


def test_decisions_are_listed_by_topic_and_age_the_newest_first(mem: Mem, repo: Repo) -> None:
    old = (
        "---\nid: old\nkind: decision\ntriggers:\n  paths: [src/b.py]\ntags: [api]\n"
        "created: 2020-01-01T00:00:00Z\n---\nOld.\n"
    )
    mem.store(old, "---\nid: fact\ntriggers:\n  paths: [src/b.py]\ntags: [api]\n---\nFact.\n")
    decide(mem, "Freeze src/b.py", "--tag", "api")
    decide(mem, "Use flags")
    assert ids(mem)[-1] == "old"
    assert sorted(ids(mem)) == ["freeze-src-b-py", "old", "use-flags"]
    assert ids(mem, "--tag", "api") == ["freeze-src-b-py", "old"]
    assert ids(mem, "--path", "src/b.py") == ["freeze-src-b-py", "old"]
    assert ids(mem, "--since", "30d", "--tag", "api") == ["freeze-src-b-py"]
    assert ids(mem, "--since", "2019-12-31", "--path", "src/b.py")[-1] == "old"
    assert mem("decisions", "--tag", "api").splitlines()[-2:] == [
        "2020-01-01  old [api]",
        "            Old.",
    ]


def test_a_long_decision_has_a_short_form_and_loses_nothing() -> None:
    long = "word " * 200
    body = decision.body_of("Title", long, long, "why")
    short = decision.short_form(body)
    assert len(short) < 2 * decision.SHORT + 50
    assert short.count("\n") == 2
    assert body.count(long.strip()) == 2


@given(WORDS.filter(str.strip), WORDS, WORDS)
def test_the_short_form_is_a_few_lines_whatever_is_decided(
    title: str, chosen: str, because: str
) -> None:
    short = decision.short_form(decision.body_of(title, chosen, because))
    assert len(short.split("\n")) <= 3


@given(WORDS.filter(str.strip))
def test_every_title_has_a_phrase(title: str) -> None:
    found = decision.phrases(title)
    assert 0 < len(found) <= decision.MOST_PHRASES
    assert all(phrase.strip() for phrase in found)


@pytest.mark.parametrize(
    ("title", "phrases"),
    [
        ("Use Postgres for the ledger", ("Postgres", "ledger")),
        ("We keep the build reproducible with Nix flakes", ("build reproducible", "Nix flakes")),
        ("Retry: exponential backoff, never linear", ("Retry", "exponential backoff", "linear")),
        ("No", ("No",)),
    ],
)
def test_the_phrases_of_a_title(title: str, phrases: tuple[str, ...]) -> None:
    assert decision.phrases(title) == phrases
