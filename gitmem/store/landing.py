"""Find the commit that an anchor's work landed as, on a branch that does not contain the anchor.

For each target its first-parent commits are the candidates, looked at once for all anchors. In
this order, for what the one before left open:
 1. the same tree;
 2. the same patch id, among commits that change the same paths;
 3. the same patch id as the branch's whole change;
 4. at least 90 % of the added lines, in a commit that changes at least the same paths.
What an anchor stores is enough, so the commit need not be here. A few processes for any number of
anchors; nothing is written. Better no landing than a false one (`core/landing.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitmem.core.landed import Landed, closure
from gitmem.core.landing import METHODS, Patch, Step, Steps, Trace, trace_of
from gitmem.core.marks import path_text
from gitmem.core.note import Anchor
from gitmem.store.backend import is_oid
from gitmem.store.outside import read_outside
from gitmem.store.patches import Git, Listed, Made, Pair, list_changes, read_commits, read_patches
from gitmem.store.traces import FARTHEST, Tracer, branch_tips, knows


@dataclass(frozen=True)
class Target:
    """Look at the first-parent commits of `tip` that none of `since` reaches (whole ids).

    On the branch that all work lands on, what is there is where it landed. Any other may as well
    be where it came from: with `is_any`, commits made before an anchor's are left out.
    """

    tip: str
    since: tuple[str, ...] = ()
    is_any: bool = False


def landings(
    git_dir: str,
    anchors: Collection[Anchor],
    targets: Sequence[Target],
    landed: Landed,
    *,
    deadline: float | None = None,
) -> dict[str, frozenset[str]]:
    """Anchor commit → the commits it landed as that `landed` does not know yet.

    An anchor that a target contains, itself or as what it landed as, needs nothing there.
    `deadline` is an instant of time.monotonic; past it TimeoutError is raised.
    """
    git = Git(git_dir, deadline)
    by_commit = _richest(anchors)
    names = {name for commit in by_commit for name in closure(commit, landed)}
    asked = names | {oid for target in targets for oid in (target.tip, *target.since)}
    here = _present(git, asked) if by_commit and targets else frozenset()
    found: dict[str, set[str]] = {}
    for target in targets:
        if target.tip in here:
            so_far = {old: landed.get(old, frozenset()) | news for old, news in found.items()}
            search = _Search(git, target, here)
            for old, new in search.run(by_commit, {**landed, **so_far}):
                found.setdefault(old, set()).add(new)
    return {old: frozenset(news) for old, news in found.items()}


def _richest(anchors: Iterable[Anchor]) -> dict[str, Anchor]:
    """One anchor for each commit: that which knows most of it."""
    found: dict[str, Anchor] = {}
    for anchor in anchors:
        commit = anchor.commit
        if commit is None or not is_oid(commit):
            continue
        if anchor.pending:  # its paths are not those of the commit
            anchor = Anchor(commit, anchor.tree, branch=anchor.branch)
        if commit not in found or (knows(anchor) and not knows(found[commit])):
            found[commit] = anchor
    return found


def _present(git: Git, names: Collection[str]) -> frozenset[str]:
    """Those of `names` that are commits of this clone."""
    stdin = "".join(f"{name}\n" for name in sorted(names) if is_oid(name)).encode("ascii")
    out = git.run("cat-file", "--batch-check", "--buffer", stdin=stdin).decode("ascii")
    return frozenset(line.split(" ")[0] for line in out.splitlines() if " commit " in line)


class _Search:
    """The landings on one target."""

    def __init__(self, git: Git, target: Target, here: frozenset[str]) -> None:
        self.git = git
        self.target = target
        self.here = here
        self.changes: list[Pair] = []
        self.times: list[int] = []
        self.listed: dict[Pair, Listed] = {}
        self.patches: dict[int, Patch] = {}

    def run(self, anchors: Mapping[str, Anchor], landed: Landed) -> Iterator[tuple[str, str]]:
        """(anchor commit, the step it landed as), at most one for each anchor."""
        since = [f"^{oid}" for oid in self.target.since if oid in self.here]
        chain = self._chain(since or [f"--max-count={FARTHEST}"])
        if not chain:
            return
        tips = branch_tips(self.git)
        starts = {name for commit in anchors for name in closure(commit, landed)} & self.here
        starts.update(*(tips.get(anchor.branch or "", ()) for anchor in anchors.values()))
        outside = read_outside(self.git, starts, self.target.tip)
        numbers = {made.oid: number for number, made in enumerate(chain)}
        tracer = Tracer(self.git, outside, numbers, self.target.tip, alone=self.target.is_any)
        traces = [
            trace_of(commit, known, tracer.after(known))
            for commit, known in tracer.known(anchors, landed, self.here)
        ]
        if not traces:
            return
        oldest = min((trace.after for trace in traces if trace.after is not None), default=-1)
        steps = self._steps(chain, -1 if since else oldest)
        traces = tracer.with_wholes(traces, steps, tips)
        for candidates, is_it in METHODS:
            asked = [(trace, self._younger(trace, candidates(steps, trace))) for trace in traces]
            self._read({number for _, numbers in asked for number in numbers})
            done: set[str] = set()
            for trace, among in asked:
                hits = (n for n in among if is_it(steps, trace, n, self.patches[n]))
                new = self._best(steps, trace, hits, closure(trace.anchor, landed))
                if new is not None and trace.anchor not in done:
                    done.add(trace.anchor)
                    yield trace.anchor, new
            traces = [trace for trace in traces if trace.anchor not in done]

    def _chain(self, bound: Sequence[str]) -> list[Made]:
        return read_commits(self.git, "--first-parent", self.target.tip, *bound)[::-1]

    def _steps(self, chain: Sequence[Made], after: int) -> Steps:
        """The steps of the target; those up to number `after` without paths: nobody asks.

        A step without a parent is the start of history, or where a shallow clone is cut off: it
        seems to add everything, so it has no paths either.
        """
        self.changes = [made.change for made in chain]
        self.times = [int(made.committed) for made in chain]
        self.listed = list_changes(
            self.git, [each for each in self.changes[after + 1 :] if each[1]]
        )
        return Steps(
            [
                Step(
                    made.oid,
                    made.tree,
                    made.hand,
                    made.names,
                    self._paths(made),
                )
                for made in chain
            ],
            after,
        )

    def _paths(self, made: Made) -> frozenset[str]:
        listed = self.listed.get(made.change, Listed())
        return frozenset(path_text(path) for path in listed.paths)

    def _younger(self, trace: Trace, numbers: Iterable[int]) -> list[int]:
        """Those of `numbers` that are not certainly older than the work."""
        made = int(trace.known.get("committed") or 0) if self.target.is_any else 0
        return [
            number
            for number in numbers
            if (trace.after is None or number > trace.after) and self.times[number] >= made
        ]

    def _read(self, numbers: Collection[int]) -> None:
        """Have the patches of the steps `numbers`; one that cannot be read is an empty one."""
        new = {number: self.changes[number] for number in numbers if number not in self.patches}
        asked = {change: files for change in new.values() if (files := self.listed.get(change))}
        found = read_patches(self.git, asked)
        self.patches.update((number, found.get(change, Patch())) for number, change in new.items())

    def _best(
        self, steps: Steps, trace: Trace, numbers: Iterable[int], already: Collection[str]
    ) -> str | None:
        """Of the steps that may be the landing the surest: an equal patch, an equal hand, age."""
        ids = {trace.known.patch_id, trace.known.get("branch_patch_id")}

        def doubt(number: int) -> tuple[bool, bool, int]:
            is_same = trace.hand.is_same_second(steps.steps[number].hand)
            return self.patches[number].patch_id not in ids, not is_same, number

        for number in sorted(numbers, key=doubt):
            oid = steps.steps[number].oid
            if oid not in already and not (
                trace.after is None and self._is_older(oid, trace.known)
            ):
                return oid
        return None

    def _is_older(self, oid: str, known: Anchor) -> bool:
        """Whether the work was built on commit `oid`."""
        for commit in (known.commit, known.merge_base):
            if commit is not None and self.git.holds("merge-base", "--is-ancestor", oid, commit):
                return True
        return False
