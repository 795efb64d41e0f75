"""The repository of a directory, as git finds it. Hot: git is asked where files leave doubt."""

import os

from gitmem.errors import GitMemError
from gitmem.store.discover import Repository, Uncertain, find
from gitmem.store.environment import DIRECTING, STEADY, clean_env


class NotARepository(GitMemError):
    kind = "not-a-repository"


def locate(start: str, *, environ: bool = False) -> Repository:
    """The repository of directory `start`, as git finds it; a process only where files leave doubt.

    `environ` honours GIT_DIR, GIT_WORK_TREE and the like, as git commands do. Raises
    NotARepository, or GitFailed with git's own reason (a foreign owner, an unknown extension).
    """
    if not os.path.isdir(start):
        raise NotARepository(f"{start} is not a directory")
    if not environ or not any(name in os.environ for name in DIRECTING):
        try:
            found = find(start)
        except Uncertain:
            pass
        else:
            if found is None:
                raise _no_repository(start)
            return found
    from gitmem.store import process  # slow: only where the files do not settle it

    env = os.environ | STEADY if environ else clean_env()
    # Without a work tree --show-toplevel fails, after the lines before it were printed.
    args = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"]
    args += ["--is-inside-work-tree", "--show-toplevel"]
    code, out, err = process.attempt(args, cwd=start, env=env)
    lines = os.fsdecode(out).split("\n")
    if len(lines) < 4:
        if "not a git repository" in err:
            raise _no_repository(start)
        raise process.GitFailed(args, code, err.encode())
    git_dir, common_dir = (os.path.realpath(line) for line in lines[:2])
    root = None if code else os.path.realpath(lines[3])
    return Repository(root, git_dir, common_dir)


def _no_repository(start: str) -> NotARepository:
    return NotARepository(f"{start} is not in a git repository", "run 'git init' to make one here")
