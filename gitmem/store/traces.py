"""What anchors are recognised by on a target: what they store, completed by what is in this clone.

Stored recognisers come first: they are the same in every clone. A commit that has none (it was on
the default branch when the note was written) is looked at here, and so is what an anchor landed
as; of a branch that is here, the whole change up to its tip is known besides.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from gitmem.core.landed import Landed, closure
from gitmem.core.landing import Steps, Trace, Whole
from gitmem.core.marks import path_text
from gitmem.core.note import Anchor
from gitmem.store.default_branch import HEADS, REMOTES
from gitmem.store.outside import Outside
from gitmem.store.patches import Git, Made, Pair, list_changes, read_commits, read_patches
from gitmem.store.recognise import OnBranch, recognisers

FARTHEST = 20_000  # first-parent commits of a target that are looked at when nothing bounds them

Tips = Mapping[str, frozenset[str]]  # short name of a branch → where it is, here and on remotes


def branch_tips(git: Git) -> Tips:
    """The tips of all local and remote-tracking branches."""
    out = git.run("for-each-ref", "--format=%(objectname) %(refname)", HEADS, REMOTES)
    tips: dict[str, set[str]] = {}
    for line in out.decode("utf-8", "surrogateescape").splitlines():
        oid, _, ref = line.partition(" ")
        name = ref.removeprefix(HEADS)
        if name == ref:
            name = ref.removeprefix(REMOTES).partition("/")[2]
        tips.setdefault(name, set()).add(oid)
    return {name: frozenset(oids) for name, oids in tips.items()}


def knows(anchor: Anchor) -> bool:
    """Whether the anchor stores recognisers."""
    return anchor.get("authored") is not None


class Tracer:
    """Makes traces for one target. `outside` holds all commits that are here and not in it.

    With `alone` a commit is recognised by its own change only: a target that is not where all work
    lands takes commits over, not what the default branch has become since.
    """

    def __init__(
        self, git: Git, outside: Outside, numbers: Mapping[str, int], tip: str, *, alone: bool
    ) -> None:
        self.alone = alone
        self.git = git
        self.outside = outside
        self.numbers = numbers
        self.tip = tip
        self.bases: dict[str, str | None] = {}
        self.below: dict[str, set[str]] = {}

    def known(
        self, anchors: Mapping[str, Anchor], landed: Landed, here: Collection[str]
    ) -> list[tuple[str, Anchor]]:
        """(anchor commit, what it or a commit that it landed as is recognised by).

        None of an anchor that the target contains, itself or as what it landed as.
        """
        stored: list[tuple[str, Anchor]] = []
        live: list[tuple[str, str, str | None]] = []
        for commit, anchor in anchors.items():
            faces = closure(commit, landed).intersection(here)
            if any(face not in self.outside for face in faces):
                continue
            if knows(anchor) or commit not in faces:
                stored.append((commit, anchor))
                faces -= {commit}
            live += ((commit, face, anchor.branch) for face in sorted(faces))
        return stored + self._live(live)

    def _live(self, faces: Sequence[tuple[str, str, str | None]]) -> list[tuple[str, Anchor]]:
        made = self._made([face for _, face, _ in faces])
        found = recognisers(
            self.git,
            [
                OnBranch(made[face], branch, None if self.alone else self.base(face))
                for _, face, branch in faces
            ],
        )
        return [(commit, known) for (commit, _, _), known in zip(faces, found, strict=True)]

    def base(self, commit: str) -> str | None:
        """Where the branch of a commit outside the target left it."""
        if commit not in self.bases:
            left = self.outside.left[commit]
            if len(left) < 2:
                self.bases[commit] = next(iter(left), None)
            elif all(name in self.order for name in left):
                self.bases[commit] = min(left, key=self.order.__getitem__)
            else:
                out = self.git.run("merge-base", commit, self.tip)
                self.bases[commit] = out.decode("ascii").strip()
        return self.bases[commit]

    @cached_property
    def order(self) -> dict[str, int]:
        """The first-parent commits of the target, newest first, as far back as anybody looks."""
        args = ("rev-list", "--first-parent", f"--max-count={FARTHEST}", self.tip)
        lines = self.git.run(*args).decode("ascii").split()
        return {name: number for number, name in enumerate(lines)}

    def after(self, known: Anchor) -> int | None:
        """The number of the step that the work is younger than; None: not known."""
        bases = {known.merge_base or ""}
        if known.commit is not None and known.commit in self.outside:
            bases |= self.outside.left[known.commit]
        return max((self.numbers[base] for base in bases if base in self.numbers), default=None)

    def with_wholes(self, traces: Sequence[Trace], steps: Steps, tips: Tips) -> list[Trace]:
        """`traces`, with the whole change of those branches that may have landed at once."""
        tip_of = [self._tip(trace.known, tips) for trace in traces]
        pairs: dict[str, Pair] = {tip: (tip, self.base(tip)) for tip in tip_of if tip}
        listed = list_changes(self.git, pairs.values())
        paths = {
            tip: frozenset(path_text(path) for path in listed[pair].paths)
            for tip, pair in pairs.items()
        }
        fitting = [tip for tip in pairs if steps.that_change(paths[tip])]
        patches = read_patches(
            self.git, {pairs[tip]: listed[pairs[tip]] for tip in fitting}, fresh=True
        )
        made = self._made(fitting)
        wholes = {
            tip: Whole(made[tip].hand, paths[tip], patch)
            for tip in fitting
            if (patch := patches.get(pairs[tip]))
        }
        return [
            replace(trace, whole=wholes.get(tip or ""))
            for trace, tip in zip(traces, tip_of, strict=True)
        ]

    def _tip(self, known: Anchor, tips: Tips) -> str | None:
        """A tip of the branch that contains the commit."""
        if known.commit is None or known.commit not in self.outside:
            return None
        for tip in sorted(tips.get(known.branch or "", ())):
            if tip not in self.below:
                self.below[tip] = self.outside.reached(tip)
            if known.commit in self.below[tip]:
                return tip
        return None

    def _made(self, commits: Collection[str]) -> dict[str, Made]:
        if not commits:
            return {}
        stdin = "".join(f"{name}\n" for name in sorted(set(commits))).encode("ascii")
        return {
            made.oid: made
            for made in read_commits(self.git, "--no-walk=unsorted", "--stdin", stdin=stdin)
        }
