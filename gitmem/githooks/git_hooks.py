"""Install our git hooks, and take exactly them out again. Plans are data; only `apply` writes.

From git 2.54 on, hooks are settings, beside which any hook file and any hooks manager goes on to
work. For older git a marked block goes into the hook file, right after its first line: a script
that ends in `exec` still runs it. The block leaves stdin, exit code and stdout to the script,
which goes first before a push: what it refuses must not be published.

Never written: what lies outside the repository (a global core.hooksPath), what is committed, what
a hooks manager generates, and what is no sh script. There the plan says which line goes where.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gitmem.githooks.hook_managers import manager_of, places_of_hand
from gitmem.githooks.plan import Plan, SettingsError
from gitmem.githooks.plan import apply as write
from gitmem.store import process
from gitmem.store.discover import Repository

EVENTS = ("pre-push", "post-merge", "post-rewrite")
READS_STDIN = ("post-rewrite",)
CONFIG_HOOKS = (2, 54)  # git that runs hooks from its configuration
BEGIN, END = "# >>> git mem >>>", "# <<< git mem <<<"
MADE = "# git mem made this file"
SHEBANG = "#!/bin/sh"
SHELLS = re.compile(
    rb"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?(?:\S*/)?(?:sh|bash|dash|ash|ksh|zsh)(?:\s|$)"
)
BLOCK = re.compile(rf"(\n?){re.escape(BEGIN)}\n.*?{re.escape(END)}(\n?)".encode(), re.DOTALL)
ASIDE = (".legacy", ".old")  # where pre-commit and lefthook move a hook they find


@dataclass(frozen=True, slots=True)
class HookPlan:
    """What installing or removing one hook changes.

    `files` are hook files as they will be, `settings` what is set in the local configuration (None:
    no longer). `problem` is why nothing can be installed, `advice` what to add where instead.
    """

    event: str
    where: str = ""
    files: tuple[Plan, ...] = ()
    settings: dict[str, str | None] = field(default_factory=dict)
    problem: str = ""
    advice: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        return bool(self.settings) or any(file.is_change for file in self.files)


@dataclass(frozen=True, slots=True)
class HookPlace:
    """Where git looks for the hooks of a repository. `settings` are ours in its configuration."""

    repository: Repository
    directory: str
    has_config_hooks: bool
    settings: dict[str, str] = field(default_factory=dict)


def hook_place(repository: Repository, version: tuple[int, ...] | None = None) -> HookPlace:
    """Ask git. `version` stands for the version of git."""
    ask = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    out = process.run(ask, cwd=repository.root, git_dir=repository.git_dir)
    list_ours = ("config", "--local", "--null", "--get-regexp", r"^hook\.gitmem-")
    _, entries, _ = process.attempt(list_ours, git_dir=repository.common_dir)
    pairs = (entry.partition("\n") for entry in os.fsdecode(entries).split("\0") if entry)
    return HookPlace(
        repository,
        os.fsdecode(out).removesuffix("\n"),
        (version or git_version()) >= CONFIG_HOOKS,
        {key: value for key, _, value in pairs},
    )


def git_version() -> tuple[int, ...]:
    """The version of git, as far as it is numbers."""
    words = process.run(("--version",)).decode("utf-8", "replace").split()
    return tuple(int(part) for part in re.findall(r"\d+", words[2])[:2])


def line_of(event: str) -> str:
    """The line that does the work: harmless without git mem, silent, and never a failure."""
    stdin = "" if event in READS_STDIN else " </dev/null"
    return f'command -v git-mem >/dev/null 2>&1 && git mem githook {event} "$@"{stdin} || :'


def _lines_of(event: str) -> list[str]:
    """The same for a hook file that goes on after us: it still finds what git sent it."""
    if event == "pre-push":  # what the rest refuses must not be published: let it go first
        return [
            'if [ -z "${GITMEM_PRE_PUSH-}" ]; then',
            '    GITMEM_PRE_PUSH=1 "$0" "$@" || exit',
            f"    {line_of(event)}",
            "    exit 0",
            "fi",
        ]
    if event not in READS_STDIN:
        return [line_of(event)]
    return [
        "gitmem_stdin=$(cat)",
        f"printf '%s\\n' \"$gitmem_stdin\" | {{ {line_of(event)}; }}",
        "exec <<GITMEM_STDIN",
        "$gitmem_stdin",
        "GITMEM_STDIN",
    ]


def plan_install(place: HookPlace, event: str) -> HookPlan:
    """What installing the hook would change. Reads files and writes nothing."""
    if place.has_config_hooks:
        return _plan_settings(place, event)
    path = os.path.join(place.directory, event)
    if (by_hand := next(_calls(place, event), "")) and not _has_block(_read(path)):
        return HookPlan(event, by_hand)
    if (manager := manager_of(place.directory, _read(path))) is not None:
        advice = manager.advice(event, line_of(event))
        return HookPlan(event, problem=f"{path} belongs to {manager.name}", advice=advice)
    if problem := _problem(place, path):
        return HookPlan(event, problem=problem, advice=(f"add to {path}:", line_of(event)))
    return HookPlan(event, path, (Plan(path, _read(path), _with_block(_read(path), event)),))


def plan_uninstall(place: HookPlace, event: str) -> HookPlan:
    """What taking the hook out would change, wherever it was put before."""
    files = []
    for directory in dict.fromkeys((place.directory, _own_directory(place))):
        for ending in ("", *ASIDE):
            path = os.path.join(directory, event + ending)
            is_others = _is_foreign(place, path) or os.path.islink(path)
            before = None if is_others else _read(path)
            if _has_block(before):
                files.append(Plan(path, before, _without_block(before or b"")))
    gone = {key: None for key in place.settings if key.startswith(f"hook.gitmem-{event}.")}
    return HookPlan(event, place.directory, tuple(files), {**gone})


def is_installed(place: HookPlace, event: str) -> bool:
    """Whether git runs our hook, by our doing or by a line that a person put somewhere."""
    return (place.has_config_hooks and _settings(event).items() <= place.settings.items()) or any(
        _calls(place, event)
    )


def are_installed(repository: Repository) -> bool:
    """Whether git runs all of our hooks."""
    place = hook_place(repository)
    return all(is_installed(place, event) for event in EVENTS)


def apply(plan: HookPlan, place: HookPlace) -> None:
    """Write what `plan` says. SettingsError, GitFailed."""
    for file in plan.files:
        write(file)
        if file.before is None and file.after is not None:
            os.chmod(file.path, 0o755)  # noqa: S103 - what git asks of a hook
        directory = os.path.dirname(file.path)
        if file.after is None and directory == _own_directory(place) and not os.listdir(directory):
            os.rmdir(directory)
    for key, value in plan.settings.items():
        args = ("--unset-all", key) if value is None else (key, value)
        process.run(("config", "--local", *args), git_dir=place.repository.common_dir)


def _plan_settings(place: HookPlace, event: str) -> HookPlan:
    wanted = _settings(event)
    missing: dict[str, str | None] = {
        key: value for key, value in wanted.items() if place.settings.get(key) != value
    }
    old = plan_uninstall(place, event).files  # else an upgraded git would run both
    return HookPlan(event, "the repository's configuration", old, missing)


def _settings(event: str) -> dict[str, str]:
    # Git puts the hook's arguments after the command, so it has to end in a call.
    command = f"run() {{ {line_of(event)}; }}; run"
    return {f"hook.gitmem-{event}.command": command, f"hook.gitmem-{event}.event": event}


def _problem(place: HookPlace, path: str) -> str:
    """Why the hook file at `path` cannot be written; '' when it can."""
    if _is_foreign(place, path):
        return f"{path} is outside this repository"
    if os.path.islink(path):
        return f"{path} is a symbolic link"
    if _is_committed(place):
        return f"{place.directory} holds committed hooks"
    content = _read(path)
    if content is None:
        return ""
    if b"\0" in content or (content.startswith(b"#!") and not SHELLS.match(content)):
        return f"{path} is not a shell script"
    if not os.access(path, os.X_OK):
        return f"{path} is not executable, so git does not run it"
    if BEGIN.encode() in content and not _has_block(content):
        return f"{path} has a line '{BEGIN}' without '{END}'"
    return ""


def _is_foreign(place: HookPlace, path: str) -> bool:
    real = os.path.realpath(os.path.dirname(path))
    inside = (place.repository.common_dir, place.repository.git_dir, place.repository.root)
    return not any(real == top or real.startswith(top + os.sep) for top in inside if top)


def _is_committed(place: HookPlace) -> bool:
    if place.repository.root is None or not os.path.isdir(place.directory):
        return False
    args = ("ls-files", "-z", "--", place.directory)
    code, out, _ = process.attempt(
        args, cwd=place.repository.root, git_dir=place.repository.git_dir
    )
    return code == 0 and bool(out)


def _own_directory(place: HookPlace) -> str:
    return os.path.join(place.repository.common_dir, "hooks")


def _calls(place: HookPlace, event: str) -> Iterator[str]:
    """The files from which the hook is called, as far as we know where to look."""
    hook = os.path.join(place.directory, event)
    files = [hook, *(hook + ending for ending in ASIDE[:1])]
    files += [] if place.repository.root is None else places_of_hand(place.repository.root, event)
    for path in files:
        if f"git mem githook {event}".encode() in (_read(path) or b""):
            yield path


def _with_block(content: bytes | None, event: str) -> bytes:
    """`content` with our block, the old one replaced where it stands."""
    made = content is None or MADE.encode() in content
    lines = [BEGIN, "# 'git mem uninstall' takes this block out again."]
    lines += [MADE] if made else []
    block = "\n".join([*lines, *_lines_of(event), END]).encode()
    if content is None:
        return SHEBANG.encode() + b"\n" + block + b"\n"
    if _has_block(content):
        return BLOCK.sub(lambda match: match[1] + block + match[2], content, count=1)
    if not content.startswith(b"#!"):
        return block + b"\n" + content  # git hands such a file to sh
    first, end, rest = content.partition(b"\n")
    return first + b"\n" + block + end + rest


def _without_block(content: bytes) -> bytes | None:
    """What was there before; None for a file that is only ours."""
    match = BLOCK.search(content)
    if match is None:
        return content
    rest = content[: match.start()] + (match[2] if match[1] else b"") + content[match.end() :]
    if MADE.encode() in match[0] and rest.strip() == SHEBANG.encode():
        return None
    return rest


def _has_block(content: bytes | None) -> bool:
    return content is not None and BLOCK.search(content) is not None


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from error
