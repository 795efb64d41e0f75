"""Notice a text that is about one person or one machine: few others want it in a shared note. Pure.

What stands in quotes, code or a fence is somebody else's words; a rule is not about the "I" of an
example. What is found is a reason to ask, never to refuse. Patterns are compiled where they are
needed, for most notes have none of the words.
"""

import re
from typing import NamedTuple

_QUOTED = (
    r"(?ms)^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’"
    r"|(?<!\w)'[^'\n]*'(?!\w)|^[ \t]*>.*?$"
)
_MINE = r"(?:personal |own |local |home |work )*(?:machine|laptop|computer|desktop|workstation|mac"
_MINE += r"(?:book)?|pc|box|editor|shell|terminal|keyboard|account|dotfiles|home directory|setup"
_MINE += r"|environment|config(?:uration)?|preferences?|habits?|name|e-?mail|phone|token|timezone)"
_SAYS = (
    r"\bI(?:['’](?:m|ve|d|ll)| (?:am|have|use|used|prefer|like|want|need|keep|run|work|always|never"
    r"|usually|often|do|don['’]t|cannot|can['’]t|hate|love|live|write|read|think|expect|set|installed"
    r"|know|review|log|deploy|test|store|put|start|switch|only|still))\b"
)
_STORY = r"(?i)\b(?:as an? [\w -]{1,40},?|should|can|must|do|did|may|when|if|what|how) I\b"
_MY = rf"(?i)\bmy {_MINE}\b"
_HERE = r"(?i)\b(?:on|for) this (?:machine|laptop|computer|workstation|mac(?:book)?)\b"
_HOME = (
    r"(?<![\w/.])/(?:home|Users)/(?P<user>[\w.-]+)(?=[/\s:,;)]|$)"
    r"|\b[A-Za-z]:\\{1,2}Users\\{1,2}(?P<win>[\w.-]+)"
)
# Homes of images and examples, which are nobody's.
_NOBODY = (
    r"(?i)app|circleci|coder|codespace|dev(?:eloper)?|git|gitpod|jovyan|linuxbrew|me|name|node|pi"
    r"|public|root|runner(?:admin)?|shared|someone|ubuntu|vagrant|vscode|you"
    r"|(?:your-?)?(?:user|name|username)|\..*"
)


class Person(NamedTuple):
    """Who writes, and where: '' for what is not known."""

    name: str = ""
    home: str = ""
    host: str = ""


def signs(text: str, person: Person) -> list[str]:
    """What makes the text look personal, as half a sentence each; none for most notes."""
    folded = text.casefold()
    found = []
    if any(word in folded for word in ("i ", "i'", "i’", "my ", "this ")):
        prose = re.sub(_QUOTED, " ", text)
        found.append(_said(prose))
        found += [f"'{match[0]}'" for form in (_MY, _HERE) if (match := re.search(form, prose))]
    found.append(_home_in(text, person.home))
    if _is_name(person.name) and _has_word(text, person.name):
        found.append(f"your name, {person.name}")
    if _is_host(person.host) and _has_word(text, person.host):
        found.append(f"the name of this machine, {person.host}")
    return [sign for sign in found if sign]


def _said(prose: str) -> str:
    for match in re.finditer(_SAYS, prose):
        before = prose[max(0, match.start() - 60) : match.start() + 1]
        if not re.search(_STORY, before):
            return f"'{match[0]}'"
    return ""


def _home_in(text: str, home: str) -> str:
    at = text.find(home) if len(home) > 5 else -1
    if at >= 0 and text[at + len(home) : at + len(home) + 1] in ("", "/", " ", "\n", ",", ")", ":"):
        return f"your home directory, {home}"
    if not any(part in text for part in ("/home/", "/Users/", "\\Users\\")):
        return ""
    for match in re.finditer(_HOME, text):
        user = match["user"] or match["win"]
        if not re.fullmatch(_NOBODY, user):
            return f"somebody's home directory, {match[0]}"
    return ""


def _is_name(name: str) -> bool:
    """Whether a name is told from a common word: it has two parts."""
    return len(name.split()) > 1


def _is_host(host: str) -> bool:
    """Whether a host name is no word that notes are full of."""
    return len(host) > 4 and any(char in "-.0123456789" for char in host)


def _has_word(text: str, word: str) -> bool:
    if word.casefold() not in text.casefold():
        return False
    return re.search(rf"(?i)(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None
