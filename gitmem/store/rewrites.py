"""What git itself recorded about commits that became others: reflogs, and the post-rewrite hook.

Exact where it exists, and nothing depends on it: other clones, servers and several tools leave no
such trace. Commit by commit matches inside a rebase are the work of `landing`.
"""

import os
from collections.abc import Collection, Iterable

from gitmem.core.landed import closure
from gitmem.store import process
from gitmem.store.backend import is_oid
from gitmem.store.patches import Git, Made, Pair, list_changes, read_commits, read_patches

LAST = 200  # entries of a reflog that are looked at
AMENDED = "commit (amend)"
REBASED = ("rebase (finish)", "rebase -i (finish)", "rebase (interactive) (finish)")

Rewrite = tuple[str, str]  # the old commit and the new one


def rewrites(
    git_dir: str,
    common_dir: str,
    branch: str | None,
    wanted: Collection[str],
    since: str | None = None,
) -> set[Rewrite]:
    """The rewrites that the reflogs of HEAD and of `branch` (its short name) tell, exactly.

    An amend gives old → new. A rebase gives, for those of `wanted` that it moved, the commit by
    the same author and of the same second, else the new tip if nothing was dropped on the way.
    Only what leads on from `wanted` is returned. Entries up to the one that made `since` the tip
    were looked at before.
    """
    if not wanted:
        return set()
    entries = _entries(os.path.join(git_dir, "logs", "HEAD"), since)
    if branch is not None:
        path = os.path.join(common_dir, "logs", "refs", "heads", *branch.split("/"))
        entries = list(dict.fromkeys(entries + _entries(path, since)))
    pairs = {(old, new) for old, new, said in entries if said.startswith(AMENDED + ":")}
    git = Git(git_dir)
    names = _reached(wanted, pairs)
    for old, new, said in entries:
        how, _, onto = said.rpartition(" onto ")
        if how.split(":")[0] in REBASED and is_oid(onto):
            pairs |= _moved(git, (old, new, onto), names)
            names = _reached(names, pairs)
    return {(old, new) for old, new in pairs if old in names}


def parse_rewritten(stdin: bytes) -> list[Rewrite]:
    """The `<old> <new>[ <extra>]` lines that git hands to the post-rewrite hook."""
    pairs = []
    for line in stdin.decode("ascii", "replace").splitlines():
        old, _, rest = line.partition(" ")
        new = rest.partition(" ")[0]
        if is_oid(old) and is_oid(new) and old != new:
            pairs.append((old, new))
    return pairs


def _reached(wanted: Collection[str], pairs: Collection[Rewrite]) -> set[str]:
    landed: dict[str, set[str]] = {}
    for old, new in pairs:
        landed.setdefault(old, set()).add(new)
    known = {old: frozenset(news) for old, news in landed.items()}
    return {name for start in wanted for name in closure(start, known)}


def _entries(path: str, since: str | None) -> list[tuple[str, str, str]]:
    """The last entries of a reflog after the last one to `since`: (old tip, new tip, what was
    done); [] when there is none."""
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()[-LAST:]
    except OSError:
        return []
    found = []
    for line in lines:
        head, _, said = line.decode("utf-8", "replace").partition("\t")
        old, new = [*head.split(" ", 2), "", ""][:2]
        if is_oid(old) and is_oid(new) and old != new and old.strip("0"):
            found.append((old, new, said))
        if new == since:
            found.clear()
    return found


def _moved(git: Git, rebase: tuple[str, str, str], names: Collection[str]) -> set[Rewrite]:
    """What became of those of `names` that a rebase moved, given as old tip, new tip and base.

    A rebase keeps the author and the second of each commit, whatever became of its change. Where
    that is gone (a fixup) it is in the new tip, unless the rebase lost a change.
    """
    old, new, onto = rebase
    try:
        moved = set(git.run("rev-list", old, f"^{new}").decode("ascii").split()) & set(names)
        if not moved:
            return set()
        after = read_commits(git, f"{onto}..{new}")
        before = read_commits(git, "--no-walk", *sorted(moved))
        pairs = {(made.oid, oid) for made in before if (oid := _again(made, after))}
        left = moved - {name for name, _ in pairs}
        if left and _is_same_change(git, old, new, onto):
            pairs |= {(name, new) for name in left}
        return pairs
    except process.GitFailed:  # the old tip is gone
        return set()


def _again(made: Made, after: Iterable[Made]) -> str | None:
    """The one commit by the author and of the second of `made`; of several, that of its subject."""
    same = [item for item in after if (item.authored, item.email) == (made.authored, made.email)]
    if len(same) > 1:
        same = [item for item in same if item.subject == made.subject]
    return same[0].oid if len(same) == 1 else None


def _is_same_change(git: Git, old: str, new: str, onto: str) -> bool:
    trees = git.run("rev-parse", f"{old}^{{tree}}", f"{new}^{{tree}}").split()
    if trees[0] == trees[1]:
        return True
    base = git.run("merge-base", old, onto).decode("ascii").split()[0]
    pairs: list[Pair] = [(old, base), (new, onto)]
    patches = read_patches(git, list_changes(git, pairs))
    ids = [patches[pair].patch_id for pair in pairs if pair in patches]
    return len(ids) == len(pairs) and ids[0] is not None and ids[0] == ids[1]
