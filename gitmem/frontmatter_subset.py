"""Front matter in the plain shapes that people and this program write: read fast, written one way.

Why: a full YAML reader costs a millisecond a note and retypes what it reads. `read` knows a strict
subset of YAML and declines the rest, which `codec.py` then gives to a real YAML reader; on what it
accepts it must agree with that reader, so where it is unsure it declines. It must not repair, guess
or report errors. `write` is the only thing that spells front matter.
"""

import functools
import re
from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = "str | list[Value] | dict[str, Value]"

MAX_DEPTH = 32  # of nested values
MAX_KEY = 128  # characters; YAML itself ends a key at 1,024, escapes included
WIDTH = 80  # longest line a list may make before it is written one item a line

NULLS = frozenset(("", "~", "null", "Null", "NULL"))

# Characters that YAML refuses, drops or takes for a line break: never written as themselves.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

_RETYPED = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_SAFE = re.compile(r"(?:[^\W\d]|/)[\w./@+<>()=-]*(?: [\w./@+<>()=-]+)*")
_ROW = re.compile(r"^( *)(?:(-) |([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: |$)) *(.*)$", re.MULTILINE)
_DOUBLE = r'"(?:[^"\\]|\\.)*"'
_SINGLE = r"'(?:[^']|'')*'"
_QUOTED = re.compile(f"{_DOUBLE}|{_SINGLE}")
_FLOW_ITEM = re.compile(rf""" *({_DOUBLE}|{_SINGLE}|[\w./$+~^\\(][^\[\]{{}},:#?"']*?) *(,|$)""")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")

_Row: TypeAlias = tuple[int, str | None, str]  # indent, key or None for a list item, the rest


class Bare(str):
    """Text that stands without quotes although a reader may retype it.

    Read: a null (`~`, `null` or nothing). Written: a number, a truth value or a date.
    """

    __slots__ = ()


class _Declined(Exception):
    pass


def read(text: str) -> dict[str, Value] | None:
    """The fields of front matter `text` (the lines between the fences), or None: use real YAML."""
    if "\t" in text or UNPRINTABLE.search(text):
        return None
    rows: list[_Row] = [
        (len(indent), None if dash else key, rest) for indent, dash, key, rest in _ROW.findall(text)
    ]
    if len(rows) != len(text.removesuffix("\n").split("\n")):
        return None
    try:
        fields, end = _mapping(rows, 0, 0, 0)
    except _Declined:
        return None
    return fields if end == len(rows) else None


def _mapping(rows: list[_Row], at: int, indent: int, depth: int) -> tuple[dict[str, Value], int]:
    if depth > MAX_DEPTH:
        raise _Declined
    out: dict[str, Value] = {}
    while at < len(rows) and rows[at][0] >= indent:
        spaces, key, rest = rows[at]
        if spaces != indent or key is None or key in out:
            raise _Declined
        at += 1
        if rest:
            out[key] = _value(rest)
        elif at < len(rows) and rows[at][1] is None and rows[at][0] >= indent:
            out[key], at = _block_list(rows, at)
        elif at < len(rows) and rows[at][0] > indent:
            out[key], at = _mapping(rows, at, rows[at][0], depth + 1)
        else:
            out[key] = Bare("")
    return out, at


def _value(text: str) -> Value:
    if text[0] == "[":
        return _flow_list(text)
    return {} if text == "{}" else _scalar(text)


def _block_list(rows: list[_Row], at: int) -> tuple[list[Value], int]:
    indent = rows[at][0]
    out: list[Value] = []
    while at < len(rows) and rows[at][0] == indent and rows[at][1] is None:
        out.append(_scalar(rows[at][2]))
        at += 1
    return out, at


def _flow_list(text: str) -> list[Value]:
    out: list[Value] = []
    if text[-1] != "]":
        raise _Declined
    inner = text[1:-1].strip(" ")
    at, more = 0, bool(inner)
    while more:
        match = _FLOW_ITEM.match(inner, at)
        if match is None:
            raise _Declined
        out.append(_scalar(match[1]))
        at, more = match.end(), match[2] == ","
    return out


def _scalar(text: str) -> str:
    if not text or text[-1] in ": ":
        raise _Declined
    if text[0] in _INDICATORS:
        if not _QUOTED.fullmatch(text):
            raise _Declined
        return _unquoted(text)
    if ": " in text or " #" in text:
        raise _Declined
    return Bare(text) if text in NULLS else text


def _unquoted(text: str) -> str:
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    if "\\" not in text:
        return text[1:-1]
    if _SURROGATE.search(text):  # JSON joins surrogate pairs, YAML refuses them
        raise _Declined
    import json  # only for text that needs it, as below

    try:
        out = str(json.loads(text))
    except ValueError:  # an escape that only YAML has
        raise _Declined from None
    if "\0" in out:
        raise _Declined
    return out


def write(fields: Mapping[str, Value]) -> str:
    """`fields` as front matter lines, each ending in a newline; the same fields, the same text.

    ValueError for a key longer than MAX_KEY, for nesting deeper than MAX_DEPTH, and for a NUL.
    """
    return "".join(_entries(fields, "", 0))


def _entries(fields: Mapping[str, Value], indent: str, depth: int) -> list[str]:
    if depth > MAX_DEPTH:
        raise ValueError("is nested too deeply")
    out = []
    for name, value in fields.items():
        head = f"{indent}{_key(name)}:"
        if isinstance(value, dict) and value:
            out.append(f"{head}\n")
            out += _entries(value, indent + "  ", depth + 1)
            continue
        line = f"{head} {_flow(value, depth + 1)}\n"
        if isinstance(value, list) and value and len(line) > WIDTH:
            out.append(f"{head}\n")
            out += [f"{indent}  - {_flow(item, depth + 2)}\n" for item in value]
        else:
            out.append(line)
    return out


def _flow(value: Value, depth: int) -> str:
    if isinstance(value, str):
        return scalar(value)
    if depth > MAX_DEPTH:
        raise ValueError("is nested too deeply")
    if isinstance(value, dict):
        pairs = (f"{_key(name)}: {_flow(item, depth + 1)}" for name, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    return f"[{', '.join(_flow(item, depth + 1) for item in value)}]"


@functools.lru_cache(512)
def _key(name: str) -> str:
    if len(name) > MAX_KEY:
        raise ValueError(f"has a key longer than {MAX_KEY} characters")
    return scalar(name)


def scalar(text: str) -> str:
    """`text` as YAML: plain where every YAML 1.1 and 1.2 reader gives the same text back."""
    if isinstance(text, Bare) or (_SAFE.fullmatch(text) and text.lower() not in _RETYPED):
        return str(text)
    if "\0" in text:
        raise ValueError("holds a NUL character")
    import json

    quoted = json.dumps(text, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", quoted)
