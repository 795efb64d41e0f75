"""The words of a shell command, near enough to find the files it names. Pure. Hot.

Quotes and escapes are taken off as a shell does; nothing is expanded. Where a word is no file, the
file may be a part of it: `--out=a.txt`, `HEAD:a.txt`, `a.py::test_b`, `a.py:12`, `a.txt,b.txt`.
"""

ENDS = " \t\n;|&<>()"
MOST = 300  # words


def words(command: str) -> "list[str]":
    """The words of `command`, each once, in their order."""
    return list(dict.fromkeys(_split(command)))[:MOST]


def directories(command: str) -> "list[str]":
    """The directories that a command changes to on its way, as they are spelt."""
    said = _split(command) if "cd " in command else []
    return [said[at + 1] for at in range(len(said) - 1) if said[at] == "cd"]


def _split(command: str) -> "list[str]":
    found: list[str] = []
    word = ""
    is_word = False
    quote = ""
    chars = iter(command[:20_000])
    for char in chars:
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"':
                following = next(chars, "")
                word += following if following in '"\\$`' else char + following
            else:
                word += char
        elif char in "'\"":
            quote, is_word = char, True
        elif char == "\\":
            word += next(chars, "")
            is_word = True
        elif char in ENDS:
            if is_word:
                found.append(word)
            word, is_word = "", False
        else:
            word += char
            is_word = True
    if is_word:
        found.append(word)
    return [word for word in found if word]


def parts(word: str) -> "list[str]":
    """What else a word may say that is no file itself."""
    found = []
    if word.startswith("-") or "=" in word:
        found.append(word.partition("=")[2])
    if ":" in word:
        found += [word.partition(":")[0], word.partition(":")[2], word.rpartition(":")[2]]
    if "," in word:
        found += word.split(",")
    return [part for part in found if part]
