"""Edit a JSON settings file as text, so that all we did not write stays as it was.

Comments, formatting, the order of keys, line ends, a byte order mark and other tools' entries
survive, which reading and dumping values would not allow. An edit gives a new document and changes
only its own place; what `append` added, `remove` takes away to the byte. Pure: text in, text out.

Every edit is read again and compared with the same edit made on the values. A difference would be
a bug of this file, and it raises before anybody could write the result.
"""

import copy
import json
import re
from dataclasses import dataclass
from typing import Any

from gitmem.githooks.jsontext import BLANKS, BadJson, Node, line_of, parse, trivia

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON text, the name that errors call it by, and its root node."""

    text: str
    name: str
    root: Node

    @classmethod
    def parse(cls, text: str, name: str) -> "Document":
        """Errors: BadJson, naming `name` and the line."""
        return cls(text, name, parse(text, name))

    @property
    def value(self) -> Any:
        return self.root.value

    def append(self, path: Path, value: Any) -> "Document":
        """`value` as the new last element of the array at `path`, which holds keys only.

        Objects and the array are made where they are missing. Errors: BadJson when something of
        another type is in the way.
        """
        node, known = self._walk(path)
        missing = path[known:]
        expected = copy.deepcopy(self.value)
        parent = _dig(expected, path[:known])
        if not missing:
            self._require(node, "[", path)
            parent.append(value)
            return self._edited(_with_item(self, node, None, value), expected)
        self._require(node, "{", path[:known])
        made: Any = [value]
        for step in reversed(missing[1:]):
            made = {step: made}
        parent[missing[0]] = made
        return self._edited(_with_item(self, node, str(missing[0]), made), expected)

    def replace(self, path: Path, value: Any) -> "Document":
        """`value` in place of the one at `path`, which must be there."""
        node = self._at(path)
        expected = copy.deepcopy(self.value)
        _dig(expected, path[:-1])[path[-1]] = value
        is_tall = "\n" in self.text[node.start : node.end]
        new = _Style.of(self).format(value, _indent_at(self.text, node.start), is_tall=is_tall)
        return self._edited(self.text[: node.start] + new + self.text[node.end :], expected)

    def remove(self, path: Path, *, prune: int = 0) -> "Document":
        """Without the item at `path`, which must be there; comments around it stay.

        The nearest `prune` containers above it go as well when this leaves nothing in them, not
        even a comment.
        """
        parent = self._at(path[:-1])
        expected = copy.deepcopy(self.value)
        del _dig(expected, path[:-1])[path[-1]]
        left = self._edited(_without_item(self.text, parent, _index(parent, path[-1])), expected)
        if prune and len(path) > 1:
            emptied = left._at(path[:-1])
            if not left.text[emptied.start + 1 : emptied.end - 1].strip(BLANKS):
                return left.remove(path[:-1], prune=prune - 1)
        return left

    def _walk(self, path: Path) -> tuple[Node, int]:
        """The node at the longest known beginning of `path`, and how many steps that is."""
        node = self.root
        for known, step in enumerate(path):
            if isinstance(step, str):
                self._require(node, "{", path[:known])
                if sum(item.key == step for item in node.items) > 1:
                    raise self._error(node, f"'{step}' stands here more than once")
            index = _index(node, step)
            if index is None:
                return node, known
            node = node.items[index].node
        return node, len(path)

    def _at(self, path: Path) -> Node:
        node, known = self._walk(path)
        if known < len(path):
            raise KeyError(path)
        return node

    def _require(self, node: Node, opens: str, path: Path) -> None:
        if node.opens != opens:
            what = {"{": "an object", "[": "an array"}[opens]
            where = f"'{'.'.join(map(str, path))}'" if path else "the top"
            raise self._error(node, f"{where} is not {what}")

    def _error(self, node: Node, problem: str) -> BadJson:
        return BadJson(self.name, line_of(self.text, node.start), problem)

    def _edited(self, text: str, expected: Any) -> "Document":
        edited = Document.parse(text, self.name)
        if edited.value != expected:
            raise AssertionError(f"editing {self.name} would have changed something else")
        return edited


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file is written: one step of indentation, its line end, the blank after `:` and `,`."""

    step: str
    newline: str
    blank: str
    is_tall: bool

    @classmethod
    def of(cls, document: Document) -> "_Style":
        text, root = document.text, document.root
        steps = re.findall(r'^([ \t]+)["{\[]', text, re.MULTILINE)
        is_compact = bool(root.items) and re.search(r'"\s*:\s', text) is None
        return cls(
            step=min(steps, key=len, default="  "),
            newline="\r\n" if "\r\n" in text else "\n",
            blank="" if is_compact else " ",
            is_tall=not root.items or "\n" in text[root.start : root.end],
        )

    def format(self, value: Any, indent: str, *, is_tall: bool) -> str:
        """`value` as this file would write it, in a place indented by `indent`."""
        if not is_tall:
            separators = ("," + self.blank, ":" + self.blank)
            return json.dumps(value, ensure_ascii=False, separators=separators)
        dumped = json.dumps(value, ensure_ascii=False, indent=self.step)
        return dumped.replace("\n", self.newline + indent)


def _dig(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _index(node: Node, step: str | int) -> int | None:
    if isinstance(step, int):
        return step if step < len(node.items) else None
    return next((index for index, item in enumerate(node.items) if item.key == step), None)


def _with_item(document: Document, container: Node, key: str | None, value: Any) -> str:
    """The text with one more item at the end of `container`."""
    text, style = document.text, _Style.of(document)
    if container.start == container.end:
        return text + style.format({key: value}, "", is_tall=True) + style.newline
    indent = _indent_at(text, container.start)
    inside = text[container.start + 1 : container.end - 1]
    at = container.start + 1 + len(inside.rstrip(BLANKS))
    is_tall, lead, tail = style.is_tall, "", ""
    if container.items:
        lead = _lead_of_next(text, container, style)
        is_tall = "\n" in lead
    elif at > container.start + 1 or (not inside and style.is_tall):
        lead = style.newline + indent + style.step
        tail = "" if inside else style.newline + indent
    new = style.format(value, lead.rpartition("\n")[2] if lead else indent, is_tall=is_tall)
    if key is not None:
        new = f"{json.dumps(key, ensure_ascii=False)}:{style.blank}{new}"
    if not container.items:
        return text[:at] + lead + new + tail + text[at:]
    last = container.items[-1]
    if last.comma is not None:
        return text[:at] + lead + new + "," + text[at:]
    return text[: last.end] + "," + text[last.end : at] + lead + new + text[at:]


def _lead_of_next(text: str, container: Node, style: _Style) -> str:
    """The blanks before one more item: like those of the last one, safe after a line comment."""
    last = container.items[-1]
    before = text[: last.start]
    lead = before[len(before.rstrip(BLANKS)) :]
    if "\n" in lead:
        return style.newline + lead.rpartition("\n")[2]
    if _ends_in_line_comment(text[last.past : container.end - 1]):
        return style.newline + _indent_at(text, container.start) + style.step
    return lead if len(container.items) > 1 else style.blank


def _without_item(text: str, container: Node, index: int | None) -> str:
    """The text without one item, the blanks before it, and the one comma that is then too many."""
    assert index is not None
    item = container.items[index]
    begin = container.start + 1 if not index else container.items[index - 1].past
    between = text[begin : item.start]
    start, past = begin + len(between.rstrip(BLANKS)), item.past
    is_alone = len(container.items) == 1 and start == begin
    if is_alone and "\n" in between and not text[past : container.end - 1].strip(BLANKS):
        past = container.end - 1
    comma = item.comma if item.comma is not None or not index else container.items[index - 1].comma
    cuts = [(item.start, item.end), (item.past, past)]
    if comma is not None:
        cuts.append((comma, comma + 1))
    following = text[item.end : comma] + text[past:] if item.comma else text[past:]
    if not _ends_in_line_comment(between) or following[:1] in ("\r", "\n"):
        cuts.append((start, item.start))
    for first, last in sorted(cuts, reverse=True):
        text = text[:first] + text[last:]
    return text


def _ends_in_line_comment(text: str) -> bool:
    comments = [run for run in trivia(text, 0) if run.strip(BLANKS)]
    return bool(comments) and comments[-1].startswith("//")


def _indent_at(text: str, at: int) -> str:
    """The indentation of the line on which `at` stands."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]
