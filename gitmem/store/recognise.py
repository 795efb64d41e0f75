"""Make anchors that are recognised: what tells of a commit's work when it lands under another id.

A clone that never has the commit must do with what is stored here, so it is a sample of the
change rather than a pointer to it. The same commit gives the same anchor, whatever is configured,
until its branch meets the default branch elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitmem.core.landing import Patch
from gitmem.core.marks import email_mark, path_set, path_text, sampled, subject_mark
from gitmem.core.note import Anchor
from gitmem.store.patches import (
    Git,
    Listed,
    Made,
    Pair,
    list_changes,
    read_patches,
)


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
