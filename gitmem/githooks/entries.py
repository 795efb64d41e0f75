"""Our entries in a JSON settings file of an agent: put them in, find them, take them out.

Other tools' entries, comments and formatting survive (`jsonedit.py`). Ours are known by their
command, so an older spelling of ours is brought up to date where it stands. Pure: bytes in,
bytes out; nothing here knows where a file is or how any one agent works.
"""

import json
from collections.abc import Iterator
from typing import Any

from gitmem.agents.settings_file import Agent, Entries
from gitmem.githooks.jsonedit import Document, Path
from gitmem.githooks.jsontext import BLANKS, BadJson


class EntriesOf:
    """The entries of one agent in one file. `at` is where they stand in it."""

    def __init__(self, agent: Agent, file: Entries, *, at: tuple[str, ...]) -> None:
        self.agent = agent
        self.file = file
        self.at = at

    def installed(self, before: bytes | None, wanted: dict[str, Any], name: str) -> bytes:
        """The file with the entries of `wanted` and no others of ours.

        `wanted` is all that a new file holds. Errors: BadJson, calling the file `name`.
        """
        document = _document(before, name)
        text = document.text
        if not text.strip(BLANKS + "\ufeff"):
            mark = "" if before is None else "\n" + text.lstrip("\ufeff")  # tells it from no file
            return (dumped(wanted) + mark).encode()
        root = document.root
        if root.opens == "{" and not text[root.start + 1 : root.end - 1].strip(BLANKS):
            return (text[: root.start] + dumped(wanted)[:-1] + text[root.end :]).encode()
        lists = dict(self._lists(wanted))
        for path in [*lists, *(path for path, _ in self._lists(document.value))]:
            document = self._settled(document, path, lists.get(path, []))
        return document.text.encode()

    def removed(
        self, before: bytes | None, wanted: dict[str, Any], name: str, *, keep: bool = False
    ) -> bytes | None:
        """The file without entries of ours; None when nothing else is in it, unless `keep`.

        `wanted` is what a new file would hold. Errors: BadJson, calling the file `name`.
        """
        document = _document(before, name)
        for path, _ in self._lists(document.value):
            document = self._settled(document, path, [])
        after = document.text
        if before is None or after.encode() == before or keep:
            return None if before is None else after.encode()
        beside = {key: value for key, value in wanted.items() if key not in self.at[:1]}
        for nothing in ("{}", dumped(beside)[:-1] if self.at else "{}"):
            head, found, tail = after.partition(nothing)
            if not found or (head + tail).strip(BLANKS + "\ufeff"):
                continue
            if head + tail == "\n":
                return None
            if tail.startswith("\n\n"):
                return (head + tail[2:]).encode()  # it was blank: see `installed`
            return (head + "{}" + tail).encode()
        return after.encode()

    def commands(self, content: bytes | None, name: str) -> list[str]:
        """Our commands, each once, in the order of the file."""
        document = _document(content, name)
        found = [
            self._command(handlers[index])
            for _, entries in self._lists(document.value)
            for _, handlers, ours in self._ours(entries)
            for index in ours
        ]
        return list(dict.fromkeys(map(str, found)))

    def _lists(self, value: Any) -> Iterator[tuple[Path, list[Any]]]:
        """Every list in which entries may stand, with its path."""
        for step in self.at:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, list):
            yield self.at, value
        elif isinstance(value, dict):
            for event, entries in value.items():
                if isinstance(entries, list):
                    yield (*self.at, event), entries

    def _ours(self, entries: list[Any]) -> Iterator[tuple[int, list[Any], list[int]]]:
        """Of each entry with a handler of ours: its index, its handlers, which of them are ours.

        Without groups, an entry is its own and only handler.
        """
        for index, entry in enumerate(entries):
            handlers: Any = [entry]
            if self.file.inner:
                handlers = entry.get(self.file.inner) if isinstance(entry, dict) else None
            if isinstance(handlers, list):
                ours = [
                    at
                    for at, handler in enumerate(handlers)
                    if self.agent.is_ours(self._command(handler))
                ]
                if ours:
                    yield index, handlers, ours

    def _command(self, handler: Any) -> object:
        for step in self.file.command:
            handler = handler.get(step) if isinstance(handler, dict) else None
        return handler

    def _settled(self, document: Document, path: Path, wanted: list[Any]) -> Document:
        """The document with exactly `wanted` of ours in the list at `path`.

        An entry that is all ours is replaced where it stands. In a group shared with other
        handlers only our handler is touched.
        """
        entries: list[Any] = dict(self._lists(document.value)).get(path, [])
        found = list(self._ours(entries))
        whole = [index for index, handlers, ours in found if len(ours) == len(handlers)]
        for index, handlers, ours in reversed(found):
            at = (*path, index)
            if len(ours) < len(handlers):
                for handler in reversed(ours):
                    document = document.remove((*at, self.file.inner, handler))
                continue
            place = whole.index(index)
            if place >= len(wanted):
                document = document.remove(at, prune=len(path))
            elif entries[index] != wanted[place]:
                document = document.replace(at, wanted[place])
        for entry in wanted[len(whole) :]:
            document = document.append(path, entry)
        return document


def dumped(value: dict[str, Any]) -> str:
    """JSON as the shipped snippets are written."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _document(content: bytes | None, name: str) -> Document:
    try:
        return Document.parse((content or b"").decode(), name)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadJson(name, line, "not UTF-8") from error
