"""Which `git push` a pre-push hook belongs to, as far as the processes above it tell.

Git runs the hook for `git push --dry-run` as well, and says so nowhere but in its own arguments.
"""

import os
import subprocess
from collections.abc import Callable, Sequence

DEEPEST = 12  # processes to look at: git mem, the hook, a hooks manager, aliases and shells
VALUED_GLOBALS = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")
VALUED = ("--repo", "--receive-pack", "--exec", "--push-option")

Process = tuple[int, Sequence[str]]  # the parent's id, and the arguments


def push_arguments(
    pid: int, look: Callable[[int], Process | None] | None = None
) -> list[str] | None:
    """What follows `push` in the `git push` above process `pid`; None when none is found.

    `look` gives a process by its id.
    """
    look = look or look_at
    for _ in range(DEEPEST):
        found = look(pid)
        if found is None or pid <= 1:
            return None
        pid, argv = found
        if (arguments := _after_push(argv)) is not None:
            return arguments
    return None


def is_dry_run(arguments: Sequence[str]) -> bool:
    """Whether `git push ARGUMENTS` sends nothing."""
    return _has(arguments, "n", "dry-run")


def is_quiet(arguments: Sequence[str]) -> bool:
    """Whether `git push ARGUMENTS` is to say nothing."""
    return _has(arguments, "q", "quiet")


def _has(arguments: Sequence[str], short: str, long: str) -> bool:
    """Whether an option is on; git takes a beginning of its name as well."""
    on, skip = False, False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == "--":
            break
        elif argument.startswith("--"):
            skip = argument in VALUED
            if len(argument) > len("--d") and f"--{long}".startswith(argument):
                on = True
            elif argument == f"--no-{long}":
                on = False
        elif argument.startswith("-"):
            flags, value, given = argument[1:].partition("o")  # -o takes a value
            on = on or short in flags
            skip = bool(value) and not given
    return on


def sends_memory(arguments: Sequence[str]) -> bool:
    """Whether `git push ARGUMENTS` itself sends our refs: two pushes of one ref collide."""
    return any(item == "--mirror" or names_memory(item) for item in arguments)


def names_memory(text: str) -> bool:
    """Whether a refspec reaches our refs."""
    return "refs/memory" in text or "refs/*" in text


def _after_push(argv: Sequence[str]) -> list[str] | None:
    if not argv:
        return None
    name = os.path.basename(argv[0].replace("\\", "/")).removesuffix(".exe")
    if name == "git-push":
        return list(argv[1:])
    if name != "git":
        return None
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in VALUED_GLOBALS else 1
    return list(argv[at + 1 :]) if argv[at : at + 1] == ["push"] else None


def look_at(pid: int) -> Process | None:
    """A running process, from /proc or by `ps`; None when it cannot be seen."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return parent, os.fsdecode(file.read()).split("\0")[:-1]
    except (OSError, ValueError, IndexError):
        return None if os.path.isdir("/proc/self") else _ask_ps(pid)


def _ask_ps(pid: int) -> Process | None:
    try:
        done = subprocess.run(
            ["ps", "-o", "ppid=,args=", "-p", str(pid)], capture_output=True, timeout=2
        )
        parent, *argv = os.fsdecode(done.stdout).split()
        return int(parent), argv
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
