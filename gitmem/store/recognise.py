"""Make an anchor: a commit, and what will recognise its work when it lands under another id.

A clone that never has the commit must do with what is stored here, so it is a sample of the
change rather than a pointer to it. The same commit gives the same anchor, whatever is configured,
until its branch meets the default branch elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitmem.core.landing import Patch
from gitmem.core.marks import email_mark, path_set, path_text, sampled, subject_mark
from gitmem.core.note import Anchor
from gitmem.store import process
from gitmem.store.patches import (
    Git,
    Listed,
    Made,
    Pair,
    list_changes,
    read_commits,
    read_patches,
)

HEADS = "refs/heads/"
REMOTES = "refs/remotes/"
USUAL = ("main", "master", "trunk")


def recognisable(git_dir: str, commit: str, *, branch: str | None, default: str | None) -> Anchor:
    """An anchor at `commit` (a whole id), on `branch` (its short name).

    `default` is a ref or commit of the branch that work lands on; None when there is none. Two git
    processes when it contains the commit: then nothing has to land. Else six, for recognisers.
    """
    git = Git(git_dir)
    made = read_commits(git, "--no-walk", commit)[0]
    merge_base = _merge_base(git_dir, default, commit) if default else None
    if merge_base == commit:
        return Anchor(commit, made.tree, branch=branch)
    return recognisers(git, [OnBranch(made, branch, merge_base)])[0]


@dataclass(frozen=True, slots=True)
class OnBranch:
    """A commit, the branch it is on and where that branch left the one it will land on."""

    made: Made
    branch: str | None
    merge_base: str | None

    @property
    def whole(self) -> Pair:
        """The branch's change up to the commit."""
        return self.made.oid, self.merge_base or self.made.change[1]


def recognisers(git: Git, commits: Sequence[OnBranch]) -> list[Anchor]:
    """Anchors with all there is to recognise them by. Four processes for any number.

    They have patch id, merge base, paths and, as text in `extra`: `authored`, `committed`, `by`,
    `subject`, `lines`, `own_lines`, `branch_patch_id` (docs/spec/format.md). A commit that changes
    nothing itself (a merge, an empty commit) has no patch id, and the paths of its branch so far.
    """
    pairs = [pair for at in commits for pair in (at.made.change, at.whole)]
    listed = list_changes(git, pairs)
    patches = read_patches(git, listed, fresh=True)
    return [_anchor(at, listed, patches) for at in commits]


def _anchor(at: OnBranch, listed: Mapping[Pair, Listed], patches: Mapping[Pair, Patch]) -> Anchor:
    made, whole = at.made, patches.get(at.whole)
    own = None if len(made.parents) > 1 else patches.get(made.change)
    has_own = len(made.parents) < 2 and listed[made.change].paths
    paths = listed[made.change if has_own else at.whole].paths
    return Anchor(
        made.oid,
        made.tree,
        own.patch_id if own else None,
        at.branch,
        at.merge_base,
        path_set([path_text(path) for path in paths]),
        tuple(_extra(made, whole, own).items()),
    )


def _extra(made: Made, whole: Patch | None, own: Patch | None) -> dict[str, str]:
    """`lines` are those of the branch's change so far; `own_lines`, only beside a
    `branch_patch_id`, those of the commit where the two differ."""
    fields = {
        "authored": made.authored,
        "committed": made.committed,
        "by": email_mark(made.email),
        "subject": subject_mark(made.subject),
    }
    if whole is not None:
        fields["lines"] = " ".join(sampled(whole.added))
        if whole.patch_id and (own is None or whole.patch_id != own.patch_id):
            fields["branch_patch_id"] = whole.patch_id
            fields["own_lines"] = " ".join(sampled(own.added)) if own else ""
    return {name: value for name, value in fields.items() if value}


def _merge_base(git_dir: str, default: str, commit: str) -> str | None:
    args = ("merge-base", default, commit)
    code, out, _ = process.attempt(args, git_dir=git_dir)
    return out.decode("ascii").strip() if code == 0 else None


def default_branch(git_dir: str) -> str | None:
    """The full name of the ref that work lands on; None when nothing says which.

    What the remote calls HEAD (origin, or the only remote that says); else init.defaultBranch,
    main, master or trunk, here or on a remote. At most two processes.
    """
    shape = "--format=%(refname)%00%(symref)"
    out = process.run(("for-each-ref", shape, HEADS, REMOTES), git_dir=git_dir)
    lines = (line.split("\0") for line in out.decode("utf-8", "surrogateescape").splitlines())
    targets = {line[0]: line[1] for line in lines}
    remote_heads = {name: to for name, to in targets.items() if _is_remote_head(name) and to}
    said = remote_heads.get(f"{REMOTES}origin/HEAD")
    if said is None and len(remote_heads) == 1:
        said = next(iter(remote_heads.values()))
    if said in targets:
        return said
    code, out, _ = process.attempt(("config", "--get", "init.defaultBranch"), git_dir=git_dir)
    configured = out.decode("utf-8", "surrogateescape").strip() if code == 0 else ""
    for name in dict.fromkeys((configured, *USUAL)):
        for ref in (f"{HEADS}{name}", f"{REMOTES}origin/{name}", *_on_remotes(name, targets)):
            if name and ref in targets:
                return ref
    return None


def _is_remote_head(ref: str) -> bool:
    return ref.startswith(REMOTES) and ref.endswith("/HEAD") and ref.count("/") == 3


def _on_remotes(name: str, refs: dict[str, str]) -> list[str]:
    return [ref for ref in sorted(refs) if ref.startswith(REMOTES) and ref.endswith(f"/{name}")]
