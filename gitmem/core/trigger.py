"""Bring triggers into the form they are stored in, or say what is wrong with them. Pure.

Braces are expanded, `./` and Windows separators are normalised, blanks are dropped: an empty
condition never means "everything".
"""

from gitmem.core.gitignore import class_end, split
from gitmem.core.mention import spellings
from gitmem.core.note import Triggers
from gitmem.core.text import fold
from gitmem.errors import GitMemError

MAX_EXPANSION = 200
# Not `*` and `?`: `src\**` is how Windows spells `src/**`. Write `[*]` for the character itself.
ESCAPED = "[]!# {}()\\"


class BadTrigger(GitMemError):
    kind = "bad-note"


def normalise(triggers: Triggers) -> Triggers:
    """The triggers as stored: patterns expanded, blanks and repetitions gone; or BadTrigger."""
    paths = tuple(
        dict.fromkeys(
            pattern
            for given in triggers.paths
            if given.strip()
            for pattern in normalise_path_pattern(given)
        )
    )
    if paths and all(pattern.startswith("!") for pattern in paths):
        raise BadTrigger(
            f"path trigger '{paths[0]}' only excludes, so it can never match",
            "give what it is an exception to first: -p 'src/**' -p '!src/generated/**'",
        )
    return Triggers(
        triggers.always,
        paths,
        _texts(triggers.commands),
        _texts(triggers.errors),
        tuple(_prompt(text) for text in _texts(triggers.prompts)),
    )


def _texts(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.strip() for value in values if fold(value)))


def _prompt(text: str) -> str:
    if not spellings(text)[0]:
        raise BadTrigger(
            f"prompt trigger '{text}' has no word in it", "give a word or a phrase of the prompt"
        )
    return text


def normalise_path_pattern(given: str) -> tuple[str, ...]:
    """The gitignore patterns that a pattern as typed stands for; BadTrigger when it is none."""
    text = _stripped(given)
    sign = "!" if text.startswith("!") else ""
    patterns = tuple(
        sign + _plain(pattern, given) for pattern in expand_braces(text.removeprefix("!"))
    )
    return tuple(dict.fromkeys(patterns))


def _stripped(pattern: str) -> str:
    """`pattern` without blanks around it; an escaped blank at its end stays."""
    text = pattern.strip()
    return text + " " if text.endswith("\\") and pattern.lstrip().startswith(text + " ") else text


def _plain(pattern: str, given: str) -> str:
    pattern = _separators(_stripped(pattern))
    while pattern.startswith("./"):
        pattern = pattern[2:]
    if pattern.startswith(("#", "!")):
        pattern = "\\" + pattern
    if any(char < " " or char == "\x7f" for char in pattern):
        raise BadTrigger(f"path trigger {given!r} has a control character in it")
    segments = split(pattern)[0]
    if ".." in segments:
        raise BadTrigger(
            f"path trigger '{given}' leaves the repository",
            "give a pattern relative to the top of the repository",
        )
    if not any(segments):
        raise BadTrigger(
            f"path trigger '{given}' matches nothing", "use '**' for every file of the repository"
        )
    if any(_is_open(segment) for segment in segments):
        raise BadTrigger(
            f"path trigger '{given}' has a '[' that nothing closes",
            r"write '\[' for the character itself",
        )
    return pattern


def _is_open(segment: str) -> bool:
    """Whether a segment has a `[` that nothing closes before its end."""
    i = 0
    while i < len(segment):
        if segment[i] == "[":
            end = class_end(segment, i)
            if not end:
                return True
            i = end
        else:
            i += 2 if segment[i] == "\\" else 1
    return False


def _separators(pattern: str) -> str:
    """Backslashes as typed on Windows become `/`; those that escape a pattern character stay."""
    out = ""
    i = 0
    while i < len(pattern):
        pair = pattern[i : i + 2]
        is_escape = len(pair) == 2 and pair[0] == "\\" and pair[1] in ESCAPED
        step = pair if is_escape else "/" if pair[0] == "\\" else pair[0]
        out += step
        i += 2 if is_escape else 1
    return out


def expand_braces(pattern: str) -> list[str]:
    """`src/{a,b}.py` as its alternatives, nested ones too; at most MAX_EXPANSION of them."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        text = todo.pop(0)
        group = _first_group(text)
        if group is None:
            done.append(text)
        else:
            start, end, choices = group
            todo[:0] = [text[:start] + choice + text[end:] for choice in choices]
        if len(todo) + len(done) > MAX_EXPANSION:
            raise BadTrigger(
                f"path trigger '{pattern}' stands for more than {MAX_EXPANSION} patterns",
                "use '*' instead of listing the alternatives",
            )
    return list(dict.fromkeys(done))


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    """(start, end, choices) of the first `{…}` that has a comma at its own level."""
    for start, char in enumerate(text):
        if char != "{" or text[start - 1 : start] in ("\\", "$"):
            continue
        depth = 0
        choices = [""]
        for end in range(start + 1, len(text)):
            here = text[end]
            if here == "}" and depth == 0:
                if len(choices) > 1:
                    return start, end + 1, choices
                break
            depth += (here == "{") - (here == "}")
            if here == "," and depth == 0:
                choices.append("")
            else:
                choices[-1] += here
    return None
