"""What a rule file says already is recognised; what is only near to it is not."""

import pytest

from gitmem.core.said import Said

FILE = """---
description: House rules
---
# Project

Amounts are whole cents. Round once,
at the very end.

## Commands

- Run `make check` before you push.
- **Never** push directly to `main`!
1. Set `RETRIES` to 3 in `config/app.toml`.
* Use [the wrapper](docs/http.md), not `fetch`, for every request

| Area | Rule |
|---|---|
| Node | Stay on Node 20 until sharp builds on 22 |

> Les données restent dans l’Union européenne.

## Do not

- Push to a branch of somebody else
- Commit generated files by hand

## Style

Bad:

- Name every test after its ticket

Good:

- Name every test after what it shows
- ❌ Write one test for ten things
- ~~Keep the lines under eighty characters~~
- Sort imports by their length <!-- Sort the imports by their name -->

```
Use the legacy client for uploads.
```
"""

SAID = [
    "Amounts are whole cents.",
    "amounts are **whole** cents",
    "Amounts are whole cents. Round once, at the very end.",
    "Round once, at the very end.\n\n**Why it matters:** nobody knows.",
    "run make check before you push",
    "Never push directly to main.",
    "*Never* push directly to `main`",
    "Set RETRIES to 3 in config/app.toml",
    "Use the wrapper, not fetch, for every request.",
    "Stay on Node 20 until sharp builds on 22.",
    "Les données restent dans l'Union européenne",
    "LES DONNÉES RESTENT DANS L’UNION EUROPÉENNE",
    "Name every test after what it shows",
    "- Run `make check` before you push.\n- Never push directly to main.",
]
NEAR = [
    "Amounts are whole euros.",
    "Amounts are not whole cents.",
    "Amounts are whole cents. Round twice.",
    "Round once, at the very beginning.",
    "Run `make check` after you push.",
    "Run `make test` before you push.",
    "Push directly to main.",
    "Never push directly to `maintenance`.",
    "Set RETRIES to 5 in config/app.toml.",
    "Set RETRIES to -3 in config/app.toml.",
    "Set RETRIES to 3 in config/dev.toml.",
    "Set RETRY to 3 in config/app.toml.",
    "Use the wrapper, not fetch, for every request but uploads.",
    "Use fetch for every request",
    "Stay on Node 22 until sharp builds on 20.",
    "Push to a branch of somebody else",
    "Commit generated files by hand",
    "Name every test after its ticket",
    "Write one test for ten things",
    "Keep the lines under eighty characters",
    "Sort the imports by their name",
    "Use the legacy client for uploads.",
    "Commands",
    "House rules",
    "make check",
    "",
    "Run `make check` before you push. Except on Fridays.",
    "Run `make check` before you push, or `make fast`.",
    "before you push",
]


@pytest.mark.parametrize("body", SAID)
def test_what_a_file_says_is_said(body: str) -> None:
    assert Said([FILE]).has(body)
    assert Said(["# Other\n", FILE.replace("\n", "\r\n")]).has(body)


@pytest.mark.parametrize("body", NEAR)
def test_what_is_only_near_is_not_said(body: str) -> None:
    assert not Said([FILE]).has(body)


def test_nothing_is_said_by_nothing() -> None:
    assert not Said([]).has("Amounts are whole cents.")


def test_the_place_is_the_text_and_the_line() -> None:
    said = Said(["# Other\n", FILE])
    assert said.place("Amounts are whole cents.") == (1, 6)
    assert said.place("Round once, at the very end.") == (1, 6)
    assert said.place("Never push directly to main.") == (1, 12)
    assert said.place("Amounts are whole euros.") is None


def test_every_rule_of_a_file_is_said_by_that_file() -> None:
    rules = [line[2:] for line in FILE.split("\n") if line.startswith(("- Run", "- **", "* Use"))]
    assert len(rules) == 3
    assert all(Said([FILE]).has(rule) for rule in rules)
