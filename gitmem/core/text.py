"""Fold the texts that triggers are compared with. Hot: imports nothing at the top.

Commands and errors are compared as case-folded text with runs of whitespace as one space and ANSI
codes gone; prompts as sequences of case- and accent-folded words.
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


def words(text: str) -> "list[str]":
    """Case- and accent-folded words. CJK has no spaces, so there each character is a word."""
    text = clip(text)
    if not text.isascii():
        text = _without_accents(text)
    out: list[str] = []
    word = ""
    for char in text.casefold():
        if char.isalnum() or char == "_":
            if char >= "\u2e80" and _is_ideograph(char):
                if word:
                    out.append(word)
                out.append(char)
                word = ""
            else:
                word += char
        elif word:
            out.append(word)
            word = ""
    if word:
        out.append(word)
    return out


def _is_ideograph(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"


def _without_accents(text: str) -> str:
    import unicodedata  # here: only text that is not ASCII needs the tables

    return "".join(
        char
        for char in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(char) and char not in "\xad\u200b\u200c\u200d\u2060\ufeff"
    )


def contains_phrase(haystack: "list[str]", phrase: "list[str]") -> bool:
    """Whether the words of `phrase` stand in `haystack` one after another."""
    size = len(phrase)
    return any(haystack[i : i + size] == phrase for i in range(len(haystack) - size + 1))
