"""The only place that runs git.

Why: what git prints must depend on the repository and the arguments alone. A user's colours,
pager, signing, encodings and language change nothing here, and the variables by which git tells
a hook which repository it is in never lead a command to another one.
"""

import math
import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from threading import Thread

from gitmem.errors import GitMemError
from gitmem.store.environment import clean_env

SETTINGS = (
    "color.ui=false",
    "core.quotePath=false",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
)
PREFIX = ("git", "--no-pager", *(part for value in SETTINGS for part in ("-c", value)))


class GitFailed(GitMemError):
    """Git ended with an error. `argv` is what followed `git`; `stderr` all that git said."""

    kind = "git"

    def __init__(self, argv: Sequence[str], code: int, stderr: bytes, pid: int = 0) -> None:
        self.argv = tuple(argv)
        self.code = code
        self.stderr = stderr.decode("utf-8", "replace")
        self.pid = pid
        said, hints = _words(self.stderr)
        command = [arg for before, arg in zip(("", *argv), argv, strict=False) if before != "-c"]
        name = next((arg for arg in command if not arg.startswith("-")), "")
        super().__init__(f"git {name}: {said or f'exit code {code}'}", *hints)


def run(
    args: Sequence[str],
    *,
    git_dir: str | None = None,
    cwd: str | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> bytes:
    """Standard output of `git args`. Raises GitFailed.

    With `git_dir` git looks nowhere else and, unless `cwd` says otherwise, runs inside it. `env`
    is added to `clean_env()`; `timeout` is in seconds.
    """
    code, out, err, pid = _call(args, git_dir, cwd, stdin, clean_env() | dict(env or {}), timeout)
    if code:
        raise GitFailed(args, code, err, pid)
    return out


def attempt(
    args: Sequence[str],
    *,
    git_dir: str | None = None,
    cwd: str | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> tuple[int, bytes, str]:
    """Like `run`, for commands whose failure is an answer: (exit code, output, error text).

    `env` is all of the environment, in place of `clean_env()`.
    """
    given = clean_env() if env is None else env
    code, out, err, _ = _call(args, git_dir, cwd, stdin, given, timeout)
    return code, out, err.decode("utf-8", "replace")


def records(
    args: Sequence[str], *, git_dir: str, timeout: float = math.inf, end: bytes = b"\0"
) -> Iterator[bytes]:
    """The records of the output of `git args`, each as it arrives, without its `end`.

    Git is stopped when the caller takes no more, and after `timeout` seconds.
    """
    child = subprocess.Popen(
        [*PREFIX, f"--git-dir={git_dir}", *args],
        cwd=git_dir,
        env=clean_env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + timeout
    rest = b""
    with child:
        assert child.stdout is not None
        try:
            while time.monotonic() < until and (chunk := os.read(child.stdout.fileno(), 1 << 16)):
                *whole, rest = (rest + chunk).split(end)
                yield from whole
            if rest and time.monotonic() < until:
                yield rest
        finally:
            child.kill()


def lines(args: Sequence[str], *, git_dir: str) -> Generator[str, None, None]:
    """The lines of the output of `git args`, each as it arrives; GitFailed after the last.

    Git is stopped when the caller takes no more.
    """
    from tempfile import TemporaryFile  # lazily: it costs more to import than this whole module

    with TemporaryFile() as said:  # not a pipe, which could fill up while nobody reads it
        child = subprocess.Popen(
            [*PREFIX, f"--git-dir={git_dir}", *args],
            cwd=git_dir,
            env=clean_env(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
        )
        with child:
            assert child.stdout is not None
            try:
                for line in child.stdout:
                    yield os.fsdecode(line.removesuffix(b"\n"))
                code = child.wait()
            finally:
                child.kill()
        if code:
            said.seek(0)
            raise GitFailed(args, code, said.read())


def converse(
    args: Sequence[str], *, git_dir: str, cwd: str, env: Mapping[str, str], timeout: float
) -> tuple[int, bytes, str]:
    """Like `attempt`, for commands that use the network: without a terminal to ask on.

    After `timeout` seconds git and all it started are ended; the exit code is then -1.
    """
    child = subprocess.Popen(
        [*PREFIX, f"--git-dir={git_dir}", *args],
        cwd=cwd,
        env=clean_env() | dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with child:
        try:
            out, err = child.communicate(timeout=timeout)
        except BaseException as error:
            _end_session(child)
            if isinstance(error, subprocess.TimeoutExpired):
                return -1, b"", f"fatal: no answer within {timeout:.0f} s"
            raise
    return child.returncode, out, err.decode("utf-8", "replace")


def _end_session(child: "subprocess.Popen[bytes]") -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        child.kill()


def start(args: Sequence[str], *, git_dir: str) -> None:
    """Start `git args` and do not wait: for upkeep that may outlive this process."""
    child = subprocess.Popen(
        [*PREFIX, f"--git-dir={git_dir}", *args],
        cwd=git_dir,
        env=clean_env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    Thread(target=child.wait, daemon=True).start()  # a long-lived process must reap it


def begin(args: Sequence[str], *, git_dir: str | None = None, cwd: str | None = None) -> None:
    """Start `git args`, whose answer will be asked for by `run` or `attempt` in the same words."""
    _begun[tuple(args), git_dir, cwd] = _started(args, git_dir, cwd, clean_env(), b"")


_begun: dict[tuple[tuple[str, ...], str | None, str | None], "subprocess.Popen[bytes]"] = {}


def _call(
    args: Sequence[str],
    git_dir: str | None,
    cwd: str | None,
    stdin: bytes,
    env: Mapping[str, str],
    timeout: float | None,
) -> tuple[int, bytes, bytes, int]:
    child = _begun.pop((tuple(args), git_dir, cwd), None)
    child = child or _started(args, git_dir, cwd, env, stdin)
    with child:
        try:
            out, err = child.communicate(stdin or None, timeout)
        except BaseException as error:
            child.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                raise GitFailed(args, -1, f"no answer within {timeout} s".encode()) from error
            raise
    return child.returncode, out, err, child.pid


def _started(
    args: Sequence[str],
    git_dir: str | None,
    cwd: str | None,
    env: Mapping[str, str],
    stdin: bytes,
) -> "subprocess.Popen[bytes]":
    where = (f"--git-dir={git_dir}",) if git_dir is not None else ()
    try:
        return subprocess.Popen(
            [*PREFIX, *where, *args],
            cwd=cwd or git_dir,
            env=env,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise GitFailed(args, -1, f"cannot run git: {error}".encode()) from error


def _words(stderr: str) -> tuple[str, list[str]]:
    """Git's own error line, without `fatal:`, and what it advises after it."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for at, line in enumerate(lines):
        if line.startswith(("fatal: ", "error: ")):
            said = line.partition(" ")[2]
            return said, [after.removeprefix("hint: ") for after in lines[at + 1 :][:6]]
    return (lines[-1], []) if lines else ("", [])
