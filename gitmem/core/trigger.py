"""Bring triggers into the form they are stored in, or say what is wrong with them. Pure.

Braces are expanded, `./` and Windows separators are normalised, blanks are dropped: an empty
condition never means "everything".
"""

from gitmem.core.gitignore import class_end, split
from gitmem.core.note import Triggers
from gitmem.errors import GitMemError

MAX_EXPANSION = 200


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
        _texts(triggers.prompts),
    )


def _texts(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in values if (text := value.strip())))


def normalise_path_pattern(given: str) -> tuple[str, ...]:
    """The gitignore patterns that a pattern as typed stands for; BadTrigger when it is none."""
    text = given.strip() if not given.rstrip("\n\r").endswith("\\ ") else given.lstrip()
    sign = "!" if text.startswith("!") else ""
    patterns = tuple(
        sign + _plain(pattern, given) for pattern in expand_braces(text.removeprefix("!"))
    )
    return tuple(dict.fromkeys(patterns))


def _plain(pattern: str, given: str) -> str:
    pattern = _separators(pattern)
    while pattern.startswith("./"):
        pattern = pattern[2:]
    if pattern.startswith("#"):
        pattern = "\\" + pattern
    if ".." in pattern.split("/"):
        raise BadTrigger(
            f"path trigger '{given}' leaves the repository",
            "give a pattern relative to the top of the repository",
        )
    if not split(pattern)[0]:
        raise BadTrigger(
            f"path trigger '{given}' matches nothing", "use '**' for every file of the repository"
        )
    for i, char in enumerate(pattern):
        if char == "[" and pattern[i - 1 : i] != "\\" and not class_end(pattern, i):
            raise BadTrigger(
                f"path trigger '{given}' has a '[' that nothing closes",
                r"write '\[' for the character itself",
            )
    return pattern


def _separators(pattern: str) -> str:
    """Backslashes as typed on Windows become `/`; those that escape a pattern character stay."""
    out = ""
    for i, char in enumerate(pattern):
        following = pattern[i + 1 : i + 2]
        out += "/" if char == "\\" and following not in tuple("[]!# {}()\\") else char
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
