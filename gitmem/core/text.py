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
    """`text` without ESC sequences (CSI, OSC, two-character) and without backspaces."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    out = []
    i = 0
    while i < len(text):
        j = _escape_end(text, i)
        if j == i:
            out.append(text[i])
            i += 1
        else:
            i = j
    return "".join(out)


def _escape_end(text: str, i: int) -> int:
    """The index after the escape sequence at `i`, or `i` when none starts there."""
    if text[i] == "\x9b":
        j = i + 1
    elif text[i] == "\x1b" and text[i + 1 : i + 2] == "[":
        j = i + 2
    elif text[i] == "\x1b" and text[i + 1 : i + 2] in ("]", "P", "_", "^"):
        ends = [end for end in (text.find("\x07", i), text.find("\x1b\\", i)) if end > 0]
        end = min(ends, default=len(text))
        return end + (2 if text[end : end + 1] == "\x1b" else 1)
    else:
        return min(i + 2, len(text)) if text[i] == "\x1b" else i
    while j < len(text) and not "@" <= text[j] <= "~":
        j += 1
    return j + 1


def without_heredocs(command: str) -> str:
    """A shell command without the bodies of its here-documents: they are data, not commands."""
    if "<<" not in command:
        return command
    out: list[str] = []
    waiting: list[tuple[str, bool]] = []
    for line in command.split("\n"):
        if waiting:
            word, strips_tabs = waiting[0]
            if (line.lstrip("\t") if strips_tabs else line).rstrip("\r") == word:
                waiting.pop(0)
            continue
        out.append(line)
        waiting = _heredoc_words(line)
    return "\n".join(out)


def _heredoc_words(line: str) -> "list[tuple[str, bool]]":
    """The (delimiter, `<<-`?) pairs that a command line opens, in order."""
    words = []
    i = line.find("<<")
    while i >= 0:
        if line.startswith("<<<", i):
            i = line.find("<<", i + 3)
            continue
        j = i + 2
        strips_tabs = line[j : j + 1] == "-"
        j += strips_tabs
        while line[j : j + 1] in (" ", "\t"):
            j += 1
        word = ""
        quote = ""
        while j < len(line):
            char = line[j]
            if quote:
                if char == quote:
                    quote = ""
                else:
                    word += char
            elif char in "'\"":
                quote = char
            elif char == "\\":
                j += 1
                word += line[j : j + 1]
            elif char in " \t;|&<>()":
                break
            else:
                word += char
            j += 1
        is_shift = word.isdigit() and "((" in line[:i]
        if word and not is_shift:
            words.append((word, strips_tabs))
        i = line.find("<<", j)
    return words


def words(text: str) -> "list[str]":
    """Case- and accent-folded words. CJK has no spaces, so there each character is a word."""
    if not text.isascii():
        text = _without_accents(clip(text))
    out: list[str] = []
    word = ""
    for char in clip(text).casefold():
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
        if not unicodedata.combining(char) and char not in "\u200b\u200c\u200d\ufeff"
    )


def contains_phrase(haystack: "list[str]", phrase: "list[str]") -> bool:
    """Whether the words of `phrase` stand in `haystack` one after another."""
    size = len(phrase)
    return any(haystack[i : i + size] == phrase for i in range(len(haystack) - size + 1))
