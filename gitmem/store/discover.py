"""Find the repository of a directory, its HEAD and its tips, by reading files. Hot: only `os`.

A git process costs a sixth of an interpreter start and `subprocess` more than a whole one, so a
hook looks for itself wherever that is certain to give git's own answer. Everything else raises
Uncertain; `ask.py` has the same functions, answered by git. This module must never guess and
never read the environment (`SUDO_UID` excepted, because git's ownership check does).
"""

import os

# What may stand in `[extensions]` without changing where the repository and its refs are.
HARMLESS = (
    b"noop",
    b"noop-v1",
    b"objectformat",
    b"compatobjectformat",
    b"partialclone",
    b"preciousobjects",
    b"relativeworktrees",
    b"refstorage",
)
REF_STORAGE = (b"files", b"reftable")
TRUE = (b"true", b"yes", b"on", b"1")
FALSE = (b"false", b"no", b"off", b"0")
HEX = "0123456789abcdef"


class Uncertain(Exception):
    """Only git can say. Never reaches a user."""


class Repository:
    """Where a repository is. All paths are absolute and free of symbolic links.

    `root` is the top of the work tree (None in a bare repository), `git_dir` holds HEAD,
    `common_dir` holds refs, objects and config; the two differ in a linked worktree.
    """

    __slots__ = ("common_dir", "git_dir", "root")

    def __init__(self, root: str | None, git_dir: str, common_dir: str) -> None:
        self.root = root
        self.git_dir = git_dir
        self.common_dir = common_dir

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Repository) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Repository{self._key()!r}"

    def _key(self) -> tuple[str | None, str, str]:
        return self.root, self.git_dir, self.common_dir


def find(start: str) -> Repository | None:
    """The repository that contains the directory `start`; None when there is none.

    Raises Uncertain when the files do not settle it: unknown extensions, `core.worktree`
    elsewhere, a foreign owner, a gitfile that leads nowhere, a file system boundary.
    """
    here = os.path.realpath(start)
    try:
        device = os.stat(here).st_dev
        while True:
            found = _at(here)
            if found is not None:
                return found
            parent = os.path.dirname(here)
            if parent == here:
                return None
            here = parent
            if os.stat(here).st_dev != device:
                raise Uncertain(f"file system boundary at {here}")
    except (OSError, ValueError) as error:
        raise Uncertain(str(error)) from error


def read_tip(common_dir: str, ref: str) -> str | None:
    """The object id `ref` points to, None when there is no such ref. 40 or 64 hex digits.

    Raises Uncertain for reftable, a symbolic ref and a torn file. The object may be missing.
    """
    text = _ref_text(common_dir, ref)
    return None if text is None else _checked_oid(text, ref)


def read_refs(common_dir: str, prefix: str) -> dict[str, str]:
    """Every ref below `prefix` (which ends with `/`) with the object id it points to.

    Raises Uncertain as `read_tip` does.
    """
    if os.path.exists(os.path.join(common_dir, "reftable")):
        raise Uncertain(f"reftable in {common_dir}")
    found = _packed_below(common_dir, prefix)
    todo = [prefix]
    while todo:
        directory = todo.pop()
        try:
            names = os.listdir(os.path.join(common_dir, directory))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise Uncertain(str(error)) from error
        for name in names:
            if os.path.isdir(os.path.join(common_dir, directory, name)):
                todo.append(f"{directory}{name}/")
            elif not name.endswith(".lock"):
                tip = read_tip(common_dir, directory + name)
                if tip is not None:
                    found[directory + name] = tip
    return found


def read_head(repository: Repository) -> tuple[str | None, str | None]:
    """HEAD as (full name of the branch or None when detached, commit id or None when unborn).

    Raises Uncertain as `read_tip` does.
    """
    if os.path.islink(os.path.join(repository.git_dir, "HEAD")):
        raise Uncertain("HEAD is a symbolic link")
    text = _ref_text(repository.git_dir, "HEAD", repository.common_dir) or ""
    if not text.startswith("ref:"):
        return None, _checked_oid(text, "HEAD")
    branch = text[4:].strip()
    if not branch.startswith("refs/heads/"):
        raise Uncertain(f"HEAD points to {branch}")
    return branch, read_tip(repository.common_dir, branch)


def worktree_of(repository: Repository) -> str:
    """What git calls the linked work tree of `repository`; '' for the main one."""
    is_main = repository.git_dir == repository.common_dir
    return "" if is_main else os.path.basename(repository.git_dir)


def _at(here: str) -> Repository | None:
    """The repository whose work tree top, or bare directory, is `here`."""
    dot = os.path.join(here, ".git")
    if os.path.isfile(dot):
        git_dir = _follow_gitfile(dot)
        _check_owner(dot)
    elif _is_git_dir(dot):
        git_dir = os.path.realpath(dot)
    elif _is_git_dir(here):
        _check_owner(here)
        if not _read_config(here, here, here):
            raise Uncertain(f"{here} is inside a git directory")
        return Repository(None, here, here)
    else:
        return None
    common_dir = _common_dir(git_dir)
    bare = _read_config(git_dir, common_dir, here)
    _check_owner(git_dir)
    _check_owner(here)
    return Repository(None if bare else here, git_dir, common_dir)


def _follow_gitfile(dot: str) -> str:
    with open(dot, "rb") as file:
        text = file.read(8192)
    if not text.startswith(b"gitdir: "):
        raise Uncertain(f"{dot} is not a gitfile")
    target = os.fsdecode(text[8:].rstrip(b"\r\n"))
    git_dir = os.path.realpath(os.path.join(os.path.dirname(dot), target))
    if not _is_git_dir(git_dir):
        raise Uncertain(f"{dot} leads to {git_dir}")
    return git_dir


def _common_dir(git_dir: str) -> str:
    try:
        with open(os.path.join(git_dir, "commondir"), "rb") as file:
            target = os.fsdecode(file.read(8192).rstrip(b"\r\n"))
    except FileNotFoundError:
        return git_dir
    return os.path.realpath(os.path.join(git_dir, target))


def _is_git_dir(git_dir: str) -> bool:
    if not os.path.lexists(os.path.join(git_dir, "HEAD")):
        return False
    common_dir = _common_dir(git_dir)
    return os.path.isdir(os.path.join(common_dir, "objects")) and os.path.isdir(
        os.path.join(common_dir, "refs")
    )


def _read_config(git_dir: str, common_dir: str, here: str) -> bool:
    """Whether the repository is bare. Raises Uncertain for settings that move its parts."""
    linked = git_dir != common_dir
    bare = git_dir == here
    with open(os.path.join(common_dir, "config"), "rb") as file:
        settings = _settings(file.read())
    for section, key, value in settings:
        if section == b"extensions":
            if key not in HARMLESS or (key == b"refstorage" and value not in REF_STORAGE):
                raise Uncertain(f"extensions.{os.fsdecode(key)} in {common_dir}")
        elif section != b"core":
            continue
        elif key == b"repositoryformatversion" and value not in (b"0", b"1"):
            raise Uncertain(f"repository format {os.fsdecode(value)} in {common_dir}")
        elif key == b"worktree" and not linked:
            if os.path.realpath(os.path.join(git_dir, os.fsdecode(value))) != here:
                raise Uncertain(f"core.worktree in {common_dir}")
        elif key == b"bare" and not linked:
            bare = _bool(value)
    return bare


def _settings(text: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """Git configuration as (section, key, value). Includes are not followed: git does not follow
    them either for what is asked here. A comment stays part of its value."""
    out = []
    section = b""
    for raw in text.replace(b"\r\n", b"\n").replace(b"\\\n", b"").split(b"\n"):
        line = raw.strip()
        if line.startswith(b"["):
            head, _, line = line[1:].partition(b"]")
            section, line = head.strip().lower(), line.strip()
        if line and line[0] not in b"#;":
            key, equals, value = line.partition(b"=")
            out.append((section, key.strip().lower(), value.strip() if equals else b"true"))
    return out


def _bool(value: bytes) -> bool:
    if value.lower() in TRUE:
        return True
    if value.lower() in FALSE:
        return False
    raise Uncertain(f"core.bare is {value!r}")


def _check_owner(path: str) -> None:
    """Git refuses what another user owns unless `safe.directory` says otherwise: let it say."""
    if not hasattr(os, "geteuid"):
        return
    me, owner = os.geteuid(), os.lstat(path).st_uid
    if owner == me or (me == 0 and os.environ.get("SUDO_UID") == str(owner)):
        return
    raise Uncertain(f"{path} has another owner")


def _ref_text(directory: str, ref: str, common_dir: str | None = None) -> str | None:
    if os.path.exists(os.path.join(common_dir or directory, "reftable")):
        raise Uncertain(f"reftable in {directory}")
    try:
        with open(os.path.join(directory, ref), "rb") as file:
            return file.read(4096).decode("utf-8", "surrogateescape").rstrip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return _packed(directory, ref)
    except OSError as error:
        raise Uncertain(str(error)) from error


def _packed(common_dir: str, ref: str) -> str | None:
    try:
        with open(os.path.join(common_dir, "packed-refs"), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Uncertain(str(error)) from error
    end = data.find(b" " + os.fsencode(ref) + b"\n")
    if end < 0:
        return None
    return data[data.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace")


def _packed_below(common_dir: str, prefix: str) -> dict[str, str]:
    try:
        with open(os.path.join(common_dir, "packed-refs"), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Uncertain(str(error)) from error
    found = {}
    mark = b" " + os.fsencode(prefix)
    at = data.find(mark)
    while at >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        ref = os.fsdecode(data[at + 1 : end if end >= 0 else len(data)])
        found[ref] = _checked_oid(data[start:at].decode("ascii", "replace"), ref)
        at = data.find(mark, at + 1)
    return found


def _checked_oid(text: str, ref: str) -> str:
    if len(text) not in (40, 64) or text.strip(HEX):
        raise Uncertain(f"{ref} holds {text[:80]!r}")
    return text
