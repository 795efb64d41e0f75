"""Paths as tools spell them → paths relative to the root of the repository. Hot: only os.

Absolute, relative to the event's directory, through a symbolic link, in another work tree of the
same repository, in Windows spelling: all come to the same name. What lies outside comes to nothing.
"""

import os

from gitmem.store.discover import Repository


def relative_paths(given: str, cwd: str, repository: Repository) -> "tuple[str, ...]":
    """The names that `given` has in the repository, `/`-separated: as spelt, and as it really is.

    A path that names a directory ends with `/`.
    """
    if not given or "\0" in given or repository.root is None:
        return ()
    given = _unslash(given, repository.root)
    path = os.path.normpath(os.path.join(cwd, given))
    slash = "/" if given.endswith(("/", os.sep)) or os.path.isdir(path) else ""
    roots = _roots(repository)
    names = (_below(path, roots), _below(_real(path), roots))
    return tuple(dict.fromkeys(name + slash for name in names if name))


def _unslash(given: str, root: str) -> str:
    """A Windows spelling as this machine spells it; left alone where `\\` is a character."""
    if os.sep == "\\":
        if given[:1] == "/" and given[2:3] == "/" and given[1:2].isalpha():
            given = f"{given[1]}:{given[2:]}"  # Git Bash: /c/work
        return given
    if "\\" in given and not os.path.exists(os.path.join(root, given)):
        return given.replace("\\", "/")
    return given


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _below(path: str, roots: "list[str]") -> str:
    for root in roots:
        if name := relative(path, root):
            return name
    return ""


def relative(path: str, root: str) -> str:
    """`path` below `root` with `/`; '' when it is not below. Pure: both are only spelt.

    On Windows, and for paths with a drive letter, separators and case make no difference.
    """
    path, root = path.replace(os.sep, "/"), root.replace(os.sep, "/").rstrip("/")
    if _has_drive(path) and _has_drive(root):
        path, root = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
        inside = path.casefold().startswith(root.casefold() + "/")
    else:
        inside = path.startswith(root + "/")
    return path[len(root) + 1 :] if inside else ""


def _has_drive(path: str) -> bool:
    return path[1:2] == ":" and path[:1].isalpha()


def _roots(repository: Repository) -> "list[str]":
    """The work trees a path may lie in, the innermost first."""
    root = repository.root or ""
    roots = [root]
    linked = os.path.join(repository.common_dir, "worktrees")
    if os.path.isdir(linked):
        roots += _linked(linked)
        main = os.path.dirname(repository.common_dir)
        if os.path.basename(repository.common_dir) == ".git":
            roots.append(main)
    roots += [real for item in roots if (real := _real(item)) != item]
    return sorted(dict.fromkeys(roots), key=len, reverse=True)


def _linked(directory: str) -> "list[str]":
    found = []
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    for name in names:
        try:
            with open(os.path.join(directory, name, "gitdir"), encoding="utf-8") as file:
                gitfile = file.read().strip()
        except (OSError, UnicodeDecodeError):
            continue
        if not os.path.isabs(gitfile):
            gitfile = os.path.normpath(os.path.join(directory, name, gitfile))
        found.append(os.path.dirname(gitfile))
    return found
