"""When a change that is known by its anchor is the change of another commit. Pure.

Work that is squashed, rebased, cherry-picked or amended reaches a branch under another id. What
is left of it to go by: its tree, its patch id, the lines it adds. A landing that never was puts a
branch's notes where they are not true, so what many people might write alike (a version bump, a
one-line fix) counts only with a second sign that it is the same piece of work: its time, its title,
or, where it is all that the branch does, its author.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gitmem.core.marks import Hand, has_title_of, is_vouched, path_set
from gitmem.core.note import Anchor

FEW = 3  # fewer distinctive lines than this may be written alike by chance
SHARE = 0.9  # of the added lines of a change, that a commit must add to have taken it in
SHARE_OF_THE_SAME = 0.5  # the same with author time and subject equal: amended on its way


@dataclass(frozen=True, slots=True)
class Patch:
    """A change: its stable patch id (None when it is empty) and its distinctive lines.

    `added` are marks in the order of the patch, each once: not of a line that many files get, maybe
    not of one that the file had before. `weight` is how many different lines it adds or, if these
    are more, removes; `prints` are path → mark of all that it does to that file, wherever in it.
    One that `is_blank` changes white space only, of which a patch id knows nothing.
    """

    patch_id: str | None = None
    added: tuple[str, ...] = ()
    weight: int = 0
    prints: Mapping[str, str] = field(default_factory=dict)
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A first-parent commit of the branch that work lands on, and the files that it changes.

    `names` are the commits that its message names: `git cherry-pick -x` and `git merge --squash`
    write what they took.
    """

    oid: str
    tree: str
    hand: Hand
    names: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole change of a branch up to its tip, where the branch is at hand."""

    hand: Hand
    paths: frozenset[str]
    patch: Patch


@dataclass(frozen=True, slots=True)
class Trace:
    """What `known.commit`, the anchor or a commit that it landed as, is recognised by.

    `own` and `lines` are marks of the lines that the commit, and its branch up to it, add. Steps up
    to number `after` are older than the work; None: not known.
    """

    anchor: str
    known: Anchor
    hand: Hand
    own: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    after: int | None = None
    whole: Whole | None = None

    def is_vouched(self, step: Step) -> bool:
        """Whether more than the change itself says that `step` is this piece of work."""
        if self.known.commit in step.names:
            return True
        if self.whole and has_title_of(self.whole.hand, step.hand):
            return True
        return is_vouched(self.hand, self.known.branch, step.hand)


def trace_of(anchor: str, known: Anchor, after: int | None) -> Trace:
    """The trace that the recognisers stored in `known` make; for the anchor commit `anchor`."""
    own = lines = tuple((known.get("lines") or "").split())
    if known.patch_id and known.get("branch_patch_id"):
        own = tuple((known.get("own_lines") or "").split())
    hand = Hand(known.get("authored"), known.get("by"), known.get("subject"))
    return Trace(anchor, known, hand, own, lines, after)


class Steps:
    """The steps of one branch, oldest first, found by what they change: those after a number."""

    def __init__(self, steps: Sequence[Step], after: int = -1) -> None:
        self.steps = steps
        self.by_tree: dict[str, list[int]] = {}
        self.by_path: dict[str, set[int]] = {}
        for number in range(after + 1, len(steps)):
            step = steps[number]
            self.by_tree.setdefault(step.tree, []).append(number)
            for path in step.paths:
                self.by_path.setdefault(path, set()).add(number)

    def that_change(self, paths: Collection[str]) -> list[int]:
        """The numbers of the steps that change at least `paths`; none for no paths."""
        found = sorted((self.by_path.get(path, set()) for path in paths), key=len)
        return sorted(found[0].intersection(*found[1:])) if found else []


# How to recognise a trace: which steps come into question, and, with its patch, whether one is it.
Method = tuple[Callable[[Steps, Trace], Iterable[int]], Callable[[Steps, Trace, int, Patch], bool]]


def _of_same_tree(steps: Steps, trace: Trace) -> Iterable[int]:
    tree = trace.known.tree
    if tree is None or _is_unchanged(steps, trace):
        return ()
    return steps.by_tree.get(tree, ())


def _is_unchanged(steps: Steps, trace: Trace) -> bool:
    """Whether the branch may have the tree it started from: then an equal tree says nothing."""
    if trace.lines:
        return False
    return trace.after is None or steps.steps[trace.after].tree == trace.known.tree


def _is_same_tree(steps: Steps, trace: Trace, number: int, patch: Patch) -> bool:
    weight = len(trace.lines) or patch.weight
    step = steps.steps[number]
    return weight >= FEW or trace.is_vouched(step) or trace.hand.is_before(step.hand)


def _of_same_paths(steps: Steps, trace: Trace) -> Iterable[int]:
    paths = trace.known.paths
    found = steps.that_change(paths) if trace.known.patch_id else ()
    return (number for number in found if path_set(steps.steps[number].paths) == paths)


def _is_same_patch(steps: Steps, trace: Trace, number: int, patch: Patch) -> bool:
    if patch.patch_id is None or patch.patch_id != trace.known.patch_id:
        return False
    return patch.weight >= FEW or trace.is_vouched(steps.steps[number])


def _of_same_paths_as_branch(steps: Steps, trace: Trace) -> Iterable[int]:
    paths = trace.whole.paths if trace.whole else frozenset()
    return (number for number in steps.that_change(paths) if steps.steps[number].paths == paths)


def _is_same_branch(steps: Steps, trace: Trace, number: int, patch: Patch) -> bool:
    whole = trace.whole.patch.patch_id if trace.whole else None
    if patch.patch_id is None or patch.patch_id not in (whole, trace.known.get("branch_patch_id")):
        return False
    step = steps.steps[number]
    if trace.whole and patch.patch_id == whole and trace.whole.hand.is_before(step.hand):
        return not patch.is_blank  # all that the branch does, and by the same person
    return patch.weight >= FEW or trace.is_vouched(step)


def _of_more_paths(steps: Steps, trace: Trace) -> Iterable[int]:
    found = set(steps.that_change(trace.known.paths))
    return found.union(steps.that_change(trace.whole.paths) if trace.whole else ())


def _is_taken_in(steps: Steps, trace: Trace, number: int, patch: Patch) -> bool:
    if _is_same_branch(steps, trace, number, patch):
        return True
    step = steps.steps[number]
    vouched, same = trace.is_vouched(step), trace.hand.is_same(step.hand)
    if step.paths.issuperset(trace.known.paths):
        if is_taken_in(trace.own, trace.lines, patch.added, is_vouched=vouched, is_same=same):
            return True
        if same and not trace.own and path_set(step.paths) == trace.known.paths:
            return True
    whole = trace.whole
    if whole is None or not step.paths >= whole.paths:
        return False
    if whole.hand.is_same(step.hand) and not same:  # the last commit of the branch, alone
        return False
    own = Patch(added=trace.own, prints=dict.fromkeys(trace.known.paths, ""))
    return is_whole_taken_in(own, whole.patch, patch, is_vouched=vouched)


METHODS: tuple[Method, ...] = (
    (_of_same_tree, _is_same_tree),
    (_of_same_paths, _is_same_patch),
    (_of_same_paths_as_branch, _is_same_branch),
    (_of_more_paths, _is_taken_in),
)


def share(wanted: Collection[str], there: Iterable[str]) -> float:
    """How much of `wanted` is `there`, from 0 to 1; 0 when nothing is wanted."""
    known = frozenset(there)
    return sum(mark in known for mark in wanted) / len(wanted) if wanted else 0.0


def is_taken_in(
    own: Collection[str],
    lines: Collection[str],
    there: Iterable[str],
    *,
    is_vouched: bool,
    is_same: bool,
) -> bool:
    """Whether a commit that adds the lines `there` took in the change that adds the lines `own`.

    `lines` are those of the branch up to that change. Without lines of its own nothing is known of
    the change itself, so no. `is_vouched` and `is_same` say how sure the commit's hand makes it.
    """
    if share(own, there) < (SHARE_OF_THE_SAME if is_same else SHARE):
        return False
    if len(own) >= FEW or is_vouched:
        return True
    return len(lines) >= FEW and share(lines, there) >= SHARE


def is_whole_taken_in(own: Patch, whole: Patch, there: Patch, *, is_vouched: bool) -> bool:
    """The same for all that a branch does, `whole`, and one commit on it, `own`.

    What is left of that commit must be there too: most of a branch may be one commit that was
    picked. Either the lines left of it, or all that the branch did to the files it touched.
    """
    left = set(own.added).intersection(whole.added)
    if share(left, there.added) < SHARE and not _is_same_to(own.prints, whole, there):
        return False
    if not whole.added:
        return is_vouched and _is_same_to(whole.prints, whole, there)
    if share(whole.added, there.added) < SHARE:
        return False
    if len(whole.added) >= FEW or is_vouched:
        return True
    return whole.weight >= FEW and _is_same_to(whole.prints, whole, there)


def _is_same_to(paths: Collection[str], one: Patch, other: Patch) -> bool:
    """Whether two changes do the same to each of `paths`."""
    return all(path in one.prints and one.prints[path] == other.prints.get(path) for path in paths)
