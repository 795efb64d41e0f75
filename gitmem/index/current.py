"""The index, where it speaks for this moment and leaves nothing to do. Hot: only os.

Nearly every command finds it so, and then need not load `refresh.py`, which makes it so.
"""

import os

from gitmem.index import freshness
from gitmem.index.place import INDEX, writable_home
from gitmem.index.read import Index, top_name
from gitmem.index.scanned import is_settled
from gitmem.index.schema import BadIndex
from gitmem.index.stale import fetched_text, is_counted, path_of
from gitmem.store.discover import Repository, Uncertain, read_head, worktree_of


def current(repository: Repository) -> "Index | None":
    """The index, opened; None when it has to be brought up to date or only git can say."""
    home = writable_home(repository.common_dir)
    if home is None:
        return None
    worktree = worktree_of(repository)
    try:
        head = read_head(repository)[1]
        tips = freshness.tips(repository.common_dir)
        index = Index(os.path.join(home, INDEX), top_name(worktree))
    except (OSError, ValueError, BadIndex, Uncertain):
        return None
    try:
        if (
            freshness.is_fresh(index.header, tips, freshness.config_stamp(repository), head)
            and is_settled(index, worktree, head)
            and is_counted(path_of(index.directory, worktree), head, fetched_text(index.header))
        ):
            return index
    except BadIndex:
        pass
    index.close()
    return None


def tips_of(common_dir: str) -> "dict[str, str]":
    """The tips of each layer as the index calls them. GitMemError for a ref that leads nowhere."""
    try:
        return freshness.tips(common_dir)
    except Uncertain:
        return freshness.ask_tips(common_dir)


def has_memory(common_dir: str) -> bool:
    """Whether anything was ever written or fetched here."""
    return any(tips_of(common_dir).values())
