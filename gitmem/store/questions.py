"""What git is asked for every new note, spelled once: so that it can be asked ahead (`begin`) and
answers while we load what deals with the answers.
"""

from gitmem.store import process
from gitmem.store.discover import Repository

TRACKED = ("ls-files", "-z", "--full-name")
UNSAVED = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=dirty",
)
IDENTITY = ("var", "-l")
SETTINGS = (
    *("config", "--null", "--get-regexp"),
    r"^(mem\.(budget|hook|hints|start|allowsecret|workspace|self)|core\.ignorecase)$",
)
DEFAULT_BRANCH = ("config", "--get", "init.defaultBranch")


def begin(repository: Repository) -> None:
    """Ask all of it. What is asked again, with the same words in the same place, has begun."""
    if repository.root is not None:
        process.begin(UNSAVED, cwd=repository.root)
        process.begin(TRACKED, cwd=repository.root)
    process.begin(IDENTITY, git_dir=repository.common_dir)
    process.begin(SETTINGS, git_dir=repository.common_dir)
    process.begin(DEFAULT_BRANCH, git_dir=repository.git_dir)
