"""Where derived files and session records live. Hot: imports only os.

That is `<common dir>/gitmem/`. Where it cannot be written (another user's repository, a read-only
mount) a private directory of this user takes its place, so that notes still arrive once.
"""

import os

INDEX = "index"
SESSIONS = "sessions"
ERRORS = "errors.log"
LAST_ERROR = "last-error"
PLAIN = "0123456789abcdef-"  # file names that no file system folds
MAX_ERRORS = 64_000


def home(common_dir: str) -> str:
    """The directory for derived files of a repository; not made yet."""
    return os.path.join(common_dir, "gitmem")


def writable_home(common_dir: str) -> "str | None":
    """`home` if it can be written, else this user's private directory, else None. Made."""
    for directory in (home(common_dir), _private(common_dir)):
        try:
            os.makedirs(directory, mode=0o777 if directory.startswith(common_dir) else 0o700)
        except FileExistsError:
            pass
        except OSError:
            continue
        if os.access(directory, os.W_OK | os.X_OK) and _is_ours(directory, common_dir):
            return directory
    return None


def index_homes(common_dir: str) -> "list[str]":
    """Where an index of the repository may be found, best first."""
    private = _private(common_dir)
    homes = [home(common_dir)]
    if os.path.isdir(private) and _is_ours(private, common_dir):
        homes.append(private)
    return [os.path.join(directory, INDEX) for directory in homes]


def unsettled_path(index: str, worktree: str) -> str:
    """Beside the directory `index` the empty file that says: the view of a work tree was not
    settled in time, what waited for a commit or landed is still to be looked for."""
    return os.path.join(os.path.dirname(index), f"unsettled.{worktree}")


def session_path(directory: str, session: str) -> str:
    """The file of a session below `directory`. Any id will do: it may hold `../`."""
    name = session
    if not 0 < len(name) <= 64 or name.strip(PLAIN):
        data = session.encode("utf-8", "surrogatepass")
        try:
            from _blake2 import blake2b  # a library more, for odd ids only
        except ImportError:  # another Python than CPython
            from hashlib import blake2b
        name = "=" + blake2b(data, digest_size=16).hexdigest()
    return os.path.join(directory, SESSIONS, name)


def append_to(path: str, text: str) -> None:
    """Add `text` at the end of the file in one write, so that parallel hooks need no lock. The file
    and its directory are made. OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle = os.open(path, flags, 0o600)
    try:
        os.write(handle, text.encode("utf-8", "surrogatepass"))
    finally:
        os.close(handle)


def user_home() -> "str | None":
    """The directory for what belongs to no repository, made; None when there is none."""
    directory = os.path.join(_cache(), "git-mem")
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
    except OSError:
        return None
    return directory if _is_ours(directory, os.devnull) else None


def _private(common_dir: str) -> str:
    name = int.from_bytes(os.fsencode(common_dir), "little") % (2**89 - 1)
    return os.path.join(_cache(), "git-mem", f"{name:x}")


def _cache() -> str:
    env = os.environ
    cache = env.get("XDG_CACHE_HOME") or env.get("LOCALAPPDATA")
    if not cache and env.get("HOME"):
        cache = os.path.join(env["HOME"], ".cache")
    if not cache or not _can_make(cache):
        cache = os.path.join(env.get("TMPDIR") or "/tmp", f"git-mem-{_user()}")  # noqa: S108 - _is_ours checks it
    return cache


def _can_make(directory: str) -> bool:
    while not os.path.lexists(directory) and os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
    return os.path.isdir(directory) and os.access(directory, os.W_OK)


def _is_ours(directory: str, common_dir: str) -> bool:
    """A directory in a place that others can write to must be ours alone."""
    if directory.startswith(common_dir) or not hasattr(os, "geteuid"):
        return True
    above = os.path.dirname(directory)
    return all(os.lstat(place).st_uid == os.geteuid() for place in (directory, above))


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0
