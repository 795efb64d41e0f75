"""Make the anchor at a commit. What recognises its work is read only where that has yet to land."""

from gitmem.core.note import Anchor
from gitmem.store import odb, process
from gitmem.store.discover import Uncertain, read_tip


def recognisable(
    git_dir: str, commit: str, *, branch: str | None, default: str | None, within: str | None = None
) -> Anchor:
    """An anchor at `commit` (a whole id), on `branch` (its short name).

    `default` is a ref or commit of the branch that work lands on; None when there is none. `within`
    is a commit known to contain it. At most two git processes when the default branch contains it:
    then nothing has to land. Else six, for recognisers.
    """
    merge_base = _merge_base(git_dir, default, commit, within) if default else None
    if merge_base == commit and (tree := _tree(git_dir, commit)):
        return Anchor(commit, tree, branch=branch)
    from gitmem.store.patches import Git, read_commits  # reads changes, as its next but one
    from gitmem.store.recognise import OnBranch, recognisers

    git = Git(git_dir)
    made = read_commits(git, "--no-walk", commit)[0]
    if merge_base == commit:
        return Anchor(commit, made.tree, branch=branch)
    return recognisers(git, [OnBranch(made, branch, merge_base)])[0]


def _merge_base(git_dir: str, default: str, commit: str, within: str | None) -> str | None:
    try:
        if read_tip(git_dir, default) in (commit, within or commit):
            return commit
    except Uncertain:
        pass
    code, out, _ = process.attempt(("merge-base", default, commit), git_dir=git_dir)
    return out.decode("ascii").strip() if code == 0 else None


def _tree(git_dir: str, commit: str) -> str | None:
    """The tree of a commit, read from files where that is certain."""
    found = odb.read_object(git_dir, commit)
    if found is None or found[0] != "commit":
        return None
    return found[1][5 : 5 + len(commit)].decode("ascii")
