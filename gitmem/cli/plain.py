"""Answer the commonest questions without click, which takes longer to load than they take.

`recall --path F`, `show ID`, `list -n N` and their like, in the words that PLAIN lists. Whatever is
not exactly that, an abbreviation, a mistake, a note that is not plain itself, is left to click and
the command, which start anew: so nothing is printed here before the answer is whole, and no error
is ever told here.
"""

import os
import sys

from gitmem.cli import output
from gitmem.cli.boundary import guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitmem.memory import Memory

MANY, ONE, NUMBER, FLAG = "many", "one", "number", "flag"

# Command → option → (the parameter of the function below, how it is given).
PLAIN: dict[str, dict[str, tuple[str, str]]] = {
    "show": {},
    "state": {
        "--branch": ("branch", ONE),
        "--all": ("every", FLAG),
        "--local": ("local", FLAG),
        "--json": ("as_json", FLAG),
    },
    "list": {
        "-n": ("limit", NUMBER),
        "--limit": ("limit", NUMBER),
        "--kind": ("kind", ONE),
        "--ids": ("ids", FLAG),
    },
    "add": {
        **dict.fromkeys(("-p", "--path"), ("paths", MANY)),
        **dict.fromkeys(("-c", "--command"), ("commands", MANY)),
        **dict.fromkeys(("-e", "--error"), ("errors", MANY)),
        "--prompt": ("prompts", MANY),
        "--always": ("always", FLAG),
        "--why": ("why", ONE),
        "--instead": ("instead", ONE),
        "--kind": ("kind", ONE),
        "--tag": ("tags", MANY),
        "--entity": ("entity", ONE),
        "--alias": ("aliases", MANY),
        "--pin": ("pinned", FLAG),
        "--supersedes": ("supersedes", MANY),
        "--id": ("note_id", ONE),
        "--yes": ("yes", FLAG),
    },
    "recall": {
        "--path": ("paths", MANY),
        "--command": ("commands", MANY),
        "--error": ("errors", MANY),
        "--prompt": ("prompts", MANY),
        "-n": ("limit", NUMBER),
        "--limit": ("limit", NUMBER),
        "--ids": ("ids", FLAG),
    },
}
WORD = {"show": "name", "add": "text"}  # the one word without an option
Lines = list[str]


def answer(argv: "Sequence[str]") -> int | None:
    """The exit code of `git mem ARGV`; None when click has to read it."""
    args = decoded(argv)
    given = parsed(args)
    if given is None:
        return None
    if args[0] == "add":
        return _add(args, given)
    try:
        lines = ANSWERS[args[0]](**given)
    except Exception:  # it will happen again where it can be told
        return None
    if lines is None:
        return None
    output.use_utf8()
    prints = output.say_all if given.get("ids") else output.page
    return guarded(args, lambda: prints(lines))


def decoded(argv: "Sequence[str]") -> list[str]:
    """The words as text."""
    return [os.fsencode(arg).decode("utf-8", "replace") for arg in argv]


def parsed(args: "Sequence[str]") -> "dict[str, Any] | None":
    """The parameters of a plain command line; None for any other."""
    options = PLAIN.get(args[0]) if args else None
    if options is None:
        return None
    given: dict[str, Any] = {}
    words = iter(args[1:])
    for word in words:
        if word not in options:
            if word.startswith("-") or WORD.get(args[0], "") in ("", *given):
                return None
            given[WORD[args[0]]] = word
            continue
        name, how = options[word]
        if how == FLAG:
            given[name] = True
            continue
        value = next(words, "-")
        if value.startswith("-"):
            return None
        if how == MANY:
            given[name] = (*given.get(name, ()), value)
        elif how == ONE:
            given[name] = value
        elif value.isascii() and value.isdigit() and 0 < len(value) < 10 and int(value):
            given[name] = int(value)
        else:
            return None
    return given


def _add(args: "Sequence[str]", given: "dict[str, Any]") -> int | None:
    """Store a note. The one answer that is not repeated: what goes wrong in it is told here."""
    text, note_id = given.pop("text", None), given.pop("note_id", None)
    if text is None or (sys.stdin and sys.stdin.isatty() and output.is_terminal()):
        return None  # somebody may have to be asked
    given.pop("yes", None)
    try:
        memory = _asked_ahead()
        from gitmem.cli import adding, written
        from gitmem.cli.fields import Fields
    except Exception:  # nothing is written yet: as above
        return None

    def add() -> int:
        drafts, _ = adding.drafts_of(text, (), Fields(**given), note_id)
        done, _ = adding.store(memory, drafts)
        written.print_added(memory, done)
        return 1 if done.refused else 0

    output.use_utf8()
    return guarded(args, add)


def _asked_ahead() -> "Memory":
    """The memory here, and git at work on what a new note needs while we load the rest."""
    from gitmem.memory import Memory
    from gitmem.store.questions import begin

    memory = Memory.open(environ=True)
    begin(memory.repository)
    return memory


def _show(name: str) -> Lines | None:
    from gitmem.codec import decode, encode
    from gitmem.memory import Memory

    data = Memory.open(environ=True).stored(name)
    return None if data is None else encode(decode(data, name)).decode().splitlines()


def _list(limit: int, kind: str | None = None, *, ids: bool = False) -> Lines | None:
    from gitmem.cli import listing
    from gitmem.memory import Memory

    found = listing.first(Memory.open(environ=True), limit, kind)
    return None if found is None else (listing.ids if ids else listing.lines)(found)


def _recall(
    paths: "tuple[str, ...]" = (),
    commands: "tuple[str, ...]" = (),
    errors: "tuple[str, ...]" = (),
    prompts: "tuple[str, ...]" = (),
    limit: int | None = None,
    *,
    ids: bool = False,
) -> Lines | None:
    if not (paths or commands or errors or prompts):
        return None
    from gitmem.cli import hits
    from gitmem.memory import Memory
    from gitmem.recalling import remember

    memory = Memory.open(environ=True)
    found = memory.recall(memory.event(paths, commands, errors, prompts), whole=False)
    remember(memory, found[:limit])
    return (hits.ids if ids else hits.lines)(found, limit)


def _state(*, local: bool = False, **given: "Any") -> Lines:
    from gitmem.cli import stating
    from gitmem.store.locate import locate

    repository = locate(os.getcwd(), environ=True)
    return stating.lines(repository, layer="local" if local else None, **given)


ANSWERS: "dict[str, Callable[..., Lines | None]]" = {
    "show": _show,
    "list": _list,
    "recall": _recall,
    "state": _state,
}
