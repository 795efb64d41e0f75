"""Fold the texts that triggers are compared with. Hot: imports nothing at the top.

Commands and errors are compared as case-folded text with runs of whitespace as one space and ANSI
codes gone. How a prompt names something is told in `mention.py`.
"""

MAX_TEXT = 200_000


def fold(text: str) -> str:
    """Case-folded, ANSI-free, whitespace runs as one space. For commands and errors."""
    return " ".join(strip_ansi(clip(text)).casefold().split())


def clip(text: str) -> str:
    """The first and last part of an over-long text: errors stand at either end of an output."""
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return text[:half] + "\n" + text[-half:]


def strip_ansi(text: str) -> str:
    """`text` without terminal sequences: CSI, OSC and its kin, short ones; 7-bit and 8-bit."""
    for wide, narrow in _EIGHT_BIT.items():
        if wide in text:
            text = text.replace(wide, narrow)
    if "\x1b" not in text:
        return text
    plain, *parts = text.split("\x1b")
    return plain + "".join(part[_sequence(part) :] for part in parts)


_EIGHT_BIT = {"\x9b": "\x1b[", "\x9d": "\x1b]", "\x9c": "\x1b\\", "\x90": "\x1bP"}


def _sequence(part: str) -> int:
    """How much of `part`, which follows an ESC, is the rest of its sequence.

    Output is often cut, so a sequence that never ends takes no more than its own line.
    """
    kind = part[:1]
    if kind and kind in "]PX^_":
        ends = [at for at in (part.find("\x07") + 1, part.find("\n")) if at > 0]
        return min(ends, default=len(part))
    low, high = (" ", "?") if kind == "[" else (" ", "/")
    i = 1 if kind == "[" else 0
    while low <= part[i : i + 1] <= high:
        i += 1
    return i + ("0" <= part[i : i + 1] <= "~")


def without_heredocs(command: str) -> str:
    """A shell command without the bodies of its here-documents: they are data, not commands."""
    if "<<" not in command:
        return command
    out: list[str] = []
    waiting: list[tuple[str, bool]] = []
    within: list[str] = []
    for line in command.split("\n"):
        if waiting:
            word, strips_tabs = waiting[0]
            if (line.lstrip("\t") if strips_tabs else line).rstrip("\r") == word:
                waiting.pop(0)
            continue
        out.append(line)
        waiting = _heredocs(line, within)
    return "\n".join(out)


def _heredocs(line: str, within: "list[str]") -> "list[tuple[str, bool]]":
    """The (delimiter, `<<-`?) pairs that a command line opens, in order.

    `within` holds what closes the quotes and substitutions that are open, innermost last.
    """
    found: list[tuple[str, bool]] = []
    i = 0
    while i < len(line):
        inside = within[-1] if within else ""
        step = 1
        if inside and inside != '"' and line.startswith(inside, i):
            within.pop()
            step = len(inside)
        elif inside == "'":
            pass
        elif line[i] == "\\":
            step = 2
        elif line[i] == '"':
            within.pop() if inside == '"' else within.append('"')
        elif opened := _opened(line, i, inside):
            within.append(_CLOSERS[opened])
            step = len(opened)
        elif inside not in ('"', "))"):
            if line[i] == "#" and line[i - 1 : i] in ("", " ", "\t", ";", "("):
                break
            if line.startswith("<<<", i):
                step = 3
            elif line.startswith("<<", i):
                i, pair = _delimiter(line, i + 2)
                found += [pair] if pair[0] else []
                continue
        i += step
    return found


_CLOSERS = {"$((": "))", "((": "))", "$(": ")", "(": ")", "'": "'"}


def _opened(line: str, i: int, inside: str) -> str:
    """What opens at `i` there: a substitution, or outside of quotes also a group or a quote."""
    for mark in _CLOSERS:
        if line.startswith(mark, i) and (inside != '"' or mark[0] == "$"):
            return mark
    return ""


def _delimiter(line: str, i: int) -> "tuple[int, tuple[str, bool]]":
    """(the index after it, (the word, `<<-`?)) of the delimiter that starts at `i`."""
    strips_tabs = line[i : i + 1] == "-"
    i += strips_tabs
    while line[i : i + 1] in (" ", "\t"):
        i += 1
    word = quote = ""
    while i < len(line):
        char = line[i]
        if quote:
            if char == quote:
                quote = ""
            else:
                word += char
        elif char in "'\"":
            quote = char
        elif char == "\\":
            i += 1
            word += line[i : i + 1]
        elif char in " \t\r;|&<>()":
            break
        else:
            word += char
        i += 1
    return i, (word, strips_tabs)
