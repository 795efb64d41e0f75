"""A change to one file, as data: what it holds, what it would hold. Only `apply` writes.

So a dry run and a real run say the same, and a file that somebody changed in between is left alone.
"""

import difflib
import os
from dataclasses import dataclass

from gitmem.errors import GitMemError


class SettingsError(GitMemError):
    """A settings file could not be read or written."""

    kind = "settings"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the file at `path` holds and would hold; None for no file.

    `is_program`: it is made executable. `own_directory` goes away when the file leaves it empty.
    """

    path: str
    before: bytes | None
    after: bytes | None
    is_program: bool = False
    own_directory: str | None = None

    @property
    def is_change(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """A unified diff, empty when nothing would change."""
        lines = difflib.unified_diff(
            _lines(self.before),
            _lines(self.after),
            os.devnull if self.before is None else self.path,
            os.devnull if self.after is None else self.path,
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def read(path: str) -> bytes | None:
    """The content of a file, None where there is none. Errors: SettingsError."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from error


def apply(plan: Plan) -> None:
    """Write what `plan` says, at once or not at all; a symbolic link stays one.

    Errors: SettingsError when the file is no longer what the plan saw, or cannot be written.
    """
    if not plan.is_change:
        return
    target = os.path.realpath(plan.path)
    if read(target) != plan.before:
        raise SettingsError(f"{plan.path} was changed meanwhile", "run the same command again")
    try:
        if plan.after is None:
            os.unlink(target)
            _remove_empty(os.path.dirname(plan.path), plan.own_directory)
        else:
            _write(target, plan.after, is_program=plan.is_program)
    except OSError as error:
        raise SettingsError(f"cannot write {plan.path}: {error.strerror}") from error


def _remove_empty(directory: str, top: str | None) -> None:
    """Remove `directory` and those above it up to `top`, as long as nothing is in them."""
    while top is not None and (directory == top or directory.startswith(top + os.sep)):
        if os.listdir(directory):
            return
        os.rmdir(directory)
        directory = os.path.dirname(directory)


def _write(target: str, content: bytes, *, is_program: bool) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    temporary = f"{target}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        elif is_program:
            mode = os.stat(temporary).st_mode & 0o777
            os.chmod(temporary, mode | (mode & 0o444) >> 2)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _lines(content: bytes | None) -> list[str]:
    """The lines as `patch` counts them: other characters that end a line are none to it."""
    text = (content or b"").decode(errors="replace")
    return [line + "\n" for line in text.split("\n")[:-1]] + [text.rpartition("\n")[2]] * (
        not text.endswith("\n") and bool(text)
    )
