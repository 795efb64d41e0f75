"""Editing JSON as text: nothing but the edited place may change, to the byte."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.errors import GitMemError
from gitmem.githooks.jsonedit import Document

COMMENTED = """\
// kept by hand
{
    "model": "opus", // the big one
    /* hooks, ours and theirs */
    "hooks": {
        "Stop": [
            {"command": "say done"}, // theirs
        ],
    },
    "url": "https://example.org//not-a-comment"
}
"""


def test_an_element_is_appended_in_the_style_of_the_file_and_comments_stay() -> None:
    edited = Document.parse(COMMENTED, "s.json").append(("hooks", "Stop"), {"command": "b"})
    assert edited.text == COMMENTED.replace(
        '"say done"}, // theirs\n',
        '"say done"}, // theirs\n            {\n                "command": "b"\n            },\n',
    )


def test_missing_objects_and_arrays_are_made_with_the_indentation_of_the_file() -> None:
    edited = Document.parse('{\n\t"a": 1\n}', "s.json").append(("hooks", "Stop"), "x")
    assert edited.text == ('{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t"x"\n\t\t]\n\t}\n}')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "k": [\n    1\n  ]\n}\n'),
        ("{}", '{\n  "k": [\n    1\n  ]\n}'),
        ("{}\r\n", '{\n  "k": [\n    1\n  ]\n}\r\n'.replace("\r\n", "\n").replace("\n", "\r\n")),
        ('{"a":0}', '{"a":0,"k":[1]}'),
        ('{"a": 0}', '{"a": 0, "k": [1]}'),
        ('{"k": []}', '{"k": [1]}'),
        ('{"k": [0] // x\n}', '{"k": [0, 1] // x\n}'),
        ('{"k": [0 // x\n]}', '{"k": [0, // x\n  1\n]}'),
        ("{ // mine\n}", '{ // mine\n  "k": [\n    1\n  ]\n}'),
        ('\ufeff{\n  "k": [\n    0\n  ]\n}\n', '\ufeff{\n  "k": [\n    0,\n    1\n  ]\n}\n'),
    ],
)
def test_appending_to_small_files(before: str, after: str) -> None:
    assert Document.parse(before, "s.json").append(("k",), 1).text == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("[1, 2, 3]", (0,), "[ 2, 3]"),
        ("[1, 2, 3]", (1,), "[1, 3]"),
        ("[1, 2, 3]", (2,), "[1, 2]"),
        ("[1, 2, 3,]", (2,), "[1, 2,]"),
        ("[\n  1, // one\n  2, // two\n  3\n]", (1,), "[\n  1, // one\n   // two\n  3\n]"),
        ("[\n  1, // one\n  2, 3\n]", (1,), "[\n  1, // one\n   3\n]"),
        ("[\n  1, // one\n  2\n]", (1,), "[\n  1 // one\n]"),
        ("[\n  // one\n  1\n]", (0,), "[\n  // one\n]"),
        ('{"a": {"b": [1]}, "c": 2}', ("a", "b", 0), '{"a": {"b": []}, "c": 2}'),
    ],
)
def test_removing_an_element_takes_one_comma_and_no_comment(
    before: str, path: tuple[str | int, ...], after: str
) -> None:
    assert Document.parse(before, "s.json").remove(path).text == after


def test_pruning_stops_at_a_container_that_still_holds_a_comment() -> None:
    text = '{\n  "a": {\n    // why\n    "b": [\n      1\n    ]\n  }\n}'
    pruned = Document.parse(text, "s.json").remove(("a", "b", 0), prune=2)
    assert pruned.text == '{\n  "a": {\n    // why\n  }\n}'
    bare = text.replace("    // why\n", "")
    assert Document.parse(bare, "s.json").remove(("a", "b", 0), prune=2).text == "{}"
    assert Document.parse(bare, "s.json").remove(("a", "b", 0), prune=1).text == '{\n  "a": {}\n}'


def test_a_replaced_element_keeps_its_place_and_neighbours() -> None:
    text = '{\n  "k": [\n    1, // one\n    {\n      "a": 2\n    } // two\n  ]\n}'
    edited = Document.parse(text, "s.json").replace(("k", 1), {"b": 3})
    assert edited.text == text.replace('"a": 2', '"b": 3')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "s.json:3: expected ',' or '}'"),
        ('{"a": 1', "s.json:1: expected ',' or '}'"),
        ('{\n"a":\n', "s.json:3: the file ends too early"),
        ("{'a': 1}", "s.json:1: expected a key in double quotes, or '}'"),
        ("{\n\n} x", "s.json:3: something follows the end of the document"),
        ('{"a": NaN}', "s.json:1: cannot read 'NaN}'"),
        ('{"a" 1}', "s.json:1: expected ':' after \"a\""),
        ("[" * 5000, "s.json:1: nested too deep"),
        ("/* never closed", "s.json:1: cannot read '/* never closed'"),
    ],
)
def test_a_malformed_text_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(GitMemError) as caught:
        Document.parse(text, "s.json")
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "hooks": []}', "s.json:2: 'hooks' is not an object"),
        ('{\n "hooks": {"Stop": null}}', "s.json:2: 'hooks.Stop' is not an array"),
        ("[]", "s.json:1: the top is not an object"),
        ('{\n "hooks": {}, "hooks": {}}', "s.json:1: 'hooks' stands here more than once"),
    ],
)
def test_an_edit_that_meets_another_shape_is_refused(text: str, message: str) -> None:
    with pytest.raises(GitMemError) as caught:
        Document.parse(text, "s.json").append(("hooks", "Stop"), 1)
    assert caught.value.message == message


# Laws, on JSON written in as many ways as a person might.

scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.just("//,]}")
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
)
blanks = st.sampled_from(
    ["", " ", "\n", "\n  ", "\r\n\t", " /* c ] */ ", " // c }\n", "\n// d\n  "]
)


@st.composite
def spelled(draw: st.DrawFn, value: Any) -> str:
    """`value` as JSONC with blanks, comments and trailing commas drawn at every place."""
    if not isinstance(value, dict | list):
        spellings = (json.dumps(value), json.dumps(value, ensure_ascii=False))
        return draw(st.sampled_from(spellings))
    parts = [
        draw(spelled(inner)) for inner in (value.values() if isinstance(value, dict) else value)
    ]
    if isinstance(value, dict):
        keys = [json.dumps(key) + draw(blanks) + ":" + draw(blanks) for key in value]
        parts = [key + part for key, part in zip(keys, parts, strict=True)]
    parts = [draw(blanks) + part + draw(blanks) for part in parts]
    has_trailing_comma: bool = draw(st.booleans())
    inside = ",".join(parts) + ("," + draw(blanks) if parts and has_trailing_comma else "")
    inside = inside or draw(blanks)
    return "{" + inside + "}" if isinstance(value, dict) else "[" + inside + "]"


@st.composite
def documents(draw: st.DrawFn) -> tuple[Any, str]:
    lists = st.dictionaries(st.text(max_size=3), st.lists(values, max_size=3), max_size=3)
    value = draw(st.dictionaries(st.text(max_size=3), values, max_size=3))
    value["hooks"] = draw(lists)
    value["hooks"]["Stop"] = draw(st.lists(values, max_size=3))
    return value, draw(st.sampled_from(["", "\ufeff"])) + draw(blanks) + draw(
        spelled(value)
    ) + draw(blanks)


LAW = settings(max_examples=30, deadline=None)


@LAW
@given(documents(), values)
def test_what_was_appended_or_made_on_the_way_is_removed_to_the_byte(
    case: tuple[Any, str], new: Any
) -> None:
    value, text = case
    before = Document.parse(text, "s.json")
    assert before.value == value
    added = before.append(("hooks", "Stop"), new)
    expected = copy.deepcopy(value)
    expected["hooks"]["Stop"].append(new)
    assert added.value == expected
    assert added.remove(("hooks", "Stop", len(value["hooks"]["Stop"]))).text == text
    made = before.append(("hooks", "made", "here"), new)
    assert made.value["hooks"]["made"] == {"here": [new]}
    assert made.remove(("hooks", "made", "here", 0), prune=2).text == text


@LAW
@given(documents(), values, st.data())
def test_replacing_or_removing_an_element_equals_the_same_edit_of_the_value(
    case: tuple[Any, str], new: Any, data: st.DataObject
) -> None:
    value, text = case
    stops = [*value["hooks"]["Stop"], new]
    before = Document.parse(text, "s.json").append(("hooks", "Stop"), new)
    index = data.draw(st.integers(0, len(stops) - 1))
    replaced = before.replace(("hooks", "Stop", index), {"new": new})
    value["hooks"]["Stop"] = [*stops[:index], {"new": new}, *stops[index + 1 :]]
    assert replaced.value == value
    removed = before.remove(("hooks", "Stop", index))
    value["hooks"]["Stop"] = [*stops[:index], *stops[index + 1 :]]
    assert removed.value == value
