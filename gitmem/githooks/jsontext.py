"""Read JSON, with comments and trailing commas (JSONC), into nodes that know their place.

Settings files belong to people and to other tools, so an edit must touch only its own place in the
text: `jsonedit.py` needs to know where every value, key and comma stands. Pure: no I/O, no edits.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gitmem.errors import GitMemError

BLANKS = " \t\r\n"

_MAX_DEPTH = 100
_CLOSING = {"{": "}", "[": "]"}
_TRIVIA = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])"
    r"|(?:true|false|null)\b"
)


class BadJson(GitMemError):
    """The text is not JSON, or not of the shape an edit needs. `line` is 1-based."""

    kind = "bad-settings"

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}:{line}: {problem}", f"repair {name} by hand, then run this again")
        self.name = name
        self.line = line


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a container. `start` is where its key, or else its value, begins."""

    key: str | None
    start: int
    node: "Node"
    comma: int | None

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end

    @property
    def past(self) -> int:
        """Where it ends with its comma."""
        return self.end if self.comma is None else self.comma + 1


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its place `start:end`. `opens` is `{`, `[`, or '' for a scalar."""

    opens: str
    start: int
    end: int
    value: Any
    items: tuple[Item, ...] = ()


def parse(text: str, name: str) -> Node:
    """The root of `text`. A text without any value is an empty object that takes no place.

    Errors: BadJson, which names `name` and the line.
    """
    return _Reader(text, name).document()


def trivia(text: str, at: int) -> Iterator[str]:
    """The runs of blanks and the comments that follow `at`, up to the next token."""
    while found := _TRIVIA.match(text, at):
        yield found.group()
        at = found.end()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    def document(self) -> Node:
        start = self.skip(1 if self.text.startswith("\ufeff") else 0)
        if start == len(self.text):
            return Node("{", start, start, {})
        root = self.node(start, 0)
        rest = self.skip(root.end)
        if rest < len(self.text):
            raise self.error(rest, "something follows the end of the document")
        return root

    def node(self, at: int, depth: int) -> Node:
        opens = self.text[at : at + 1]
        if opens not in _CLOSING:
            found = self.scalar(at)
            return Node("", at, found.end(), json.loads(found.group()))
        if depth > _MAX_DEPTH:
            raise self.error(at, "nested too deep")
        items: list[Item] = []
        here = self.skip(at + 1)
        while self.text[here : here + 1] != _CLOSING[opens]:
            if items and items[-1].comma is None:
                raise self.error(here, f"expected ',' or '{_CLOSING[opens]}'")
            items.append(self.item(here, opens, depth))
            here = self.skip(items[-1].past)
        value: Any = [item.node.value for item in items]
        if opens == "{":
            value = {item.key: item.node.value for item in items}
        return Node(opens, at, here + 1, value, tuple(items))

    def item(self, at: int, opens: str, depth: int) -> Item:
        key, here = None, at
        if opens == "{":
            if self.text[at : at + 1] not in ('"', ""):
                raise self.error(at, "expected a key in double quotes, or '}'")
            found = self.scalar(at)
            key = json.loads(found.group())
            here = self.skip(found.end())
            if self.text[here : here + 1] != ":":
                raise self.error(here, f"expected ':' after {found.group()}")
            here = self.skip(here + 1)
        node = self.node(here, depth + 1)
        after = self.skip(node.end)
        return Item(key, at, node, after if self.text[after : after + 1] == "," else None)

    def scalar(self, at: int) -> re.Match[str]:
        found = _SCALAR.match(self.text, at)
        if found is None:
            problem = "the file ends too early"
            if at < len(self.text):
                problem = f"cannot read {self.text[at : at + 20].splitlines()[0]!r}"
            raise self.error(at, problem)
        return found

    def skip(self, at: int) -> int:
        return at + sum(map(len, trivia(self.text, at)))

    def error(self, at: int, problem: str) -> BadJson:
        return BadJson(self.name, line_of(self.text, at), problem)


def line_of(text: str, at: int) -> int:
    """The 1-based line on which the character at `at` stands."""
    return text.count("\n", 0, at) + 1
