"""Match one path against gitignore patterns, and find candidate patterns without trying them all.

Hot: imports nothing, compiles nothing. The semantics are those of gitignore(5) for one list of
patterns where the last match wins; `pathspec` is the oracle in the tests. On top of gitignore, a
pattern that is literally the path matches it (`app/[slug]/page.tsx`).

The second half gives index keys: whenever a pattern matches a path, one of `pattern_keys(pattern)`
is among `path_keys(path)`. That law makes a lookup cost follow the matches, not the patterns.
"""

WILD = "*?["
_CLASSES = {
    "alpha": str.isalpha,
    "digit": str.isdigit,
    "alnum": str.isalnum,
    "upper": str.isupper,
    "lower": str.islower,
    "space": str.isspace,
    "punct": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".__contains__,
    "xdigit": "0123456789abcdefABCDEF".__contains__,
}


def match_list(patterns: "tuple[str, ...]", path: str) -> "str | None":
    """The pattern that makes `path` match, the most specific one; None when it does not match.

    `path` is relative to the root with `/`; a directory ends with `/`.
    """
    found = None
    for pattern in patterns:
        if pattern.startswith("!"):
            if found is not None and matches(pattern[1:], path):
                found = None
        elif (found is None or specificity(pattern) > specificity(found)) and matches(
            pattern, path
        ):
            found = pattern
    return found


def matches(pattern: str, path: str) -> bool:
    """Whether one positive gitignore pattern matches `path` or one of its parent directories."""
    name = path.rstrip("/")
    if pattern == name or pattern == "/" + name:
        return bool(name)
    segments, anchored, directory_only = split(pattern)
    if not segments:
        return False
    parts = name.split("/")
    whole = len(parts) if not directory_only or path.endswith("/") else len(parts) - 1
    if not anchored:
        return any(_segment(segments[0], part) for part in parts[:whole])
    return _segments(segments, parts, whole)


def split(pattern: str) -> "tuple[list[str], bool, bool]":
    """(segments, anchored to the root, matches directories only). A comment has no segments."""
    if pattern.startswith("#"):
        return [], False, False
    while pattern.endswith(" ") and not pattern.endswith("\\ "):
        pattern = pattern[:-1]
    directory_only = pattern.endswith("/")
    if directory_only:
        pattern = pattern[:-1]
    anchored = "/" in pattern
    segments = pattern.removeprefix("/").split("/")
    if segments[0] == "**" and len(segments) == 2 and segments[1] != "**":
        return segments[1:], False, directory_only
    return ([] if segments == [""] else segments), anchored, directory_only


def _segments(pattern: "list[str]", parts: "list[str]", whole: int) -> bool:
    """Whether `pattern` matches parts[:k] for some k ≤ whole: a directory match covers all below.

    Backtracks to the last `**` only, so many of them cost no more than one.
    """
    i = j = 0
    star = mark = -1
    while i < len(pattern):
        if pattern[i] == "**":
            star, mark = i, j
            i += 1
            if i == len(pattern):
                return j < whole
        elif j < whole and _segment(pattern[i], parts[j]):
            i += 1
            j += 1
        elif star >= 0 and mark < whole:
            mark += 1
            i, j = star + 1, mark
        else:
            return False
    return True


def _segment(pattern: str, name: str) -> bool:
    """Whether a pattern without `/` matches a whole name; backtracks to the last `*` only."""
    if not any(char in pattern for char in "*?[\\"):
        return pattern == name
    i = j = 0
    star = mark = -1
    while j < len(name):
        if i < len(pattern) and pattern[i] == "*":
            star, mark = i, j
            i += 1
            continue
        step = _one(pattern, i, name[j]) if i < len(pattern) else 0
        if step:
            i += step
            j += 1
        elif star >= 0:
            mark += 1
            i, j = star + 1, mark
        else:
            return False
    return all(char == "*" for char in pattern[i:])


def _one(pattern: str, i: int, char: str) -> int:
    """How many pattern characters at `i` match `char`; 0 when they do not."""
    head = pattern[i]
    if head == "?":
        return 1
    if head == "[":
        end = class_end(pattern, i)
        if end:
            return end - i if _in_class(pattern[i + 1 : end - 1], char) else 0
    if head == "\\" and i + 1 < len(pattern):
        return 2 if pattern[i + 1] == char else 0
    return 1 if head == char else 0


def class_end(pattern: str, i: int) -> int:
    """The index after the `]` that closes the class opened at `i`; 0 when nothing closes it."""
    j = i + 1
    if pattern[j : j + 1] in ("!", "^"):
        j += 1
    if pattern[j : j + 1] == "]":
        j += 1
    while j < len(pattern):
        if pattern.startswith("[:", j) and (close := pattern.find(":]", j + 2)) > 0:
            j = close + 2
        elif pattern[j] == "\\" and j + 1 < len(pattern):
            j += 2
        elif pattern[j] == "]":
            return j + 1
        else:
            j += 1
    return 0


def _in_class(text: str, char: str) -> bool:
    negated = text[:1] in ("!", "^")
    i = 1 if negated else 0
    found = False
    while i < len(text):
        if text.startswith("[:", i) and (close := text.find(":]", i + 2)) > 0:
            test = _CLASSES.get(text[i + 2 : close])
            found = found or (test is not None and test(char))
            i = close + 2
            continue
        if text[i] == "\\" and i + 1 < len(text):
            i += 1
        low = high = text[i]
        if text[i + 1 : i + 2] == "-" and i + 2 < len(text):
            i += 2
            if text[i] == "\\" and i + 1 < len(text):
                i += 1
            high = text[i]
        found = found or low <= char <= high
        i += 1
    return found != negated


def specificity(pattern: str) -> int:
    """0–299: how narrow a pattern is. A literal path is narrower than any glob."""
    wild = any(char in pattern for char in WILD)
    letters = len(pattern) - sum(pattern.count(char) for char in "*?[]/\\!")
    return min(letters, 199) if wild else 200 + min(letters, 99)


# --- index keys ---------------------------------------------------------------------------------


def literal(segment: str) -> "str | None":
    """The text a segment stands for when it has no wildcard, else None."""
    if not any(char in segment for char in "*?[\\"):
        return segment
    out = ""
    i = 0
    while i < len(segment):
        char = segment[i]
        if char in "*?" or (char == "[" and class_end(segment, i)):
            return None
        if char == "\\" and i + 1 < len(segment):
            i += 1
            char = segment[i]
        out += char
        i += 1
    return out


def _extension(segment: str) -> str:
    """What follows the last dot of a segment, as far as it is sure to be literal; else ''."""
    tail = segment[segment.rfind(".") + 1 :] if "." in segment else ""
    return "" if any(char in tail for char in "*?[]\\") else tail


def pattern_keys(pattern: str) -> "tuple[str, ...]":
    """The keys a positive pattern is filed under (see the module docstring)."""
    segments, anchored, _ = split(pattern)
    if not segments:
        return ("=" + pattern.removeprefix("/"),)
    texts = [None if segment == "**" else literal(segment) for segment in segments]
    depth = 0
    if anchored:
        while depth < len(texts) and texts[depth] is not None:
            depth += 1
    prefix = "/".join(text for text in texts[:depth] if text is not None)
    rest = [(segments[k], texts[k]) for k in range(depth, len(segments))]
    names = [text for _, text in rest if text is not None]
    extensions = [ext for segment, _ in rest if (ext := _extension(segment))]
    if names:
        key = f"{prefix}\0n{names[-1]}"
    elif extensions:
        key = f"{prefix}\0x{extensions[-1]}"
    else:
        key = prefix
    is_plain = texts == segments and not pattern.endswith(" ")
    return (key,) if is_plain else (key, "=" + pattern.removeprefix("/"))


def path_keys(path: str) -> "list[str]":
    """All keys under which a pattern that matches `path` can be filed; a few dozen."""
    name = path.rstrip("/")
    parts = name.split("/")
    keys = ["=" + name]
    prefix = ""
    for i in range(len(parts) + 1):
        keys.append(prefix)
        for part in parts[i:]:
            keys.append(f"{prefix}\0n{part}")
            if "." in part:
                keys.append(f"{prefix}\0x{part[part.rfind('.') + 1 :]}")
        if i < len(parts):
            prefix = f"{prefix}/{parts[i]}" if prefix else parts[i]
    return keys
