"""Read where the work stands: the open picture of a branch, from all layers. No ref moves.

State is scoped by the name of a branch, never by ancestry. A branch on which nothing was written
yet shows what the branch that it was cut from says. How it is written is in `keeping.py`.
"""

import os
import time
from functools import cached_property

from gitmem import refs
from gitmem.core import state
from gitmem.core.state import Picture
from gitmem.errors import GitMemError
from gitmem.index.freshness import LOCAL, SHARED, layer_dirs
from gitmem.lineage import Branches
from gitmem.state_files import Kept, Stored
from gitmem.store import discover, process
from gitmem.store.backend import is_oid
from gitmem.store.discover import Repository, Uncertain
from gitmem.store.state_tree import StateTree, tips

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Check = Callable[[], None]

LAYERS = (LOCAL, SHARED)  # nearest first; a workspace or a person has no branches
NEAREST = 20  # branches that are compared where no reflog says what a branch was cut from
RECENT = ("log", "-n", "3", "--no-show-signature", "--format=%H%x00%s", "HEAD", "--")
CHANGED = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"),
    "--ignore-submodules=dirty",
)
SESSION_ROOM = 1000


class NoBranch(GitMemError):
    """HEAD is on no branch."""

    kind = "no-branch"


class State:
    """The state of one repository, read once: all layers, or one. `whole`: what is closed too."""

    def __init__(
        self,
        repository: Repository,
        layer: str | None = None,
        *,
        check: "Check" = lambda: None,
        whole: bool = False,
    ) -> None:
        self.repository = repository
        self.branches = Branches(repository)
        self.check = check
        self.is_whole = whole
        self._layers = [name for name in LAYERS if layer in (None, name)]

    @cached_property
    def place(self) -> "tuple[str | None, str | None]":
        """The branch that HEAD is on (None: detached), and its commit (None: unborn)."""
        try:
            branch, head = discover.read_head(self.repository)
        except Uncertain:
            from gitmem.store import ask  # only where the files do not say

            branch, head = ask.read_head(self.repository)
        return (branch.removeprefix("refs/heads/") if branch else None), head

    @cached_property
    def stored(self) -> list[Stored]:
        found = []
        for name in self._layers:
            self.check()
            git_dir = layer_dirs(self.repository.common_dir)[name]
            if os.path.isdir(git_dir):
                found.append(self._stored(name, git_dir))
        return found

    def _stored(self, name: str, git_dir: str) -> Stored:
        """The state in a layer, without a back end where that is certain to be right."""
        common_dir = None if self.is_whole else self.repository.common_dir
        try:
            tree = StateTree(git_dir, is_shared=name == SHARED)
            return Stored(name, tree.entries(), tree.read, common_dir)
        except (Uncertain, process.GitFailed):
            from gitmem.store.layer import Layer
            from gitmem.store.united import united

            content = united(Layer(name, git_dir, refs.STATE))
            return Stored(name, content.entries(), content.backend.read, common_dir)

    def picture(self, branch: str) -> Picture:
        """The open picture of a branch, by its short name."""
        found = []
        for stored in self.stored:
            kept, source = self.kept(stored, branch)
            if kept is not None:
                found.append((kept, source))
        return self._picture(branch, found)

    def kept(self, stored: Stored, branch: str) -> "tuple[Kept | None, str | None]":
        """What a layer says of a branch, and the branch that it is inherited from, if it is."""
        own = stored.of(self.branches.lives(branch))
        if own is not None:
            return own, None
        self.check()
        return self._inherited(stored, branch)

    def every(self) -> list[Picture]:
        """The open pictures of all branches that are not over, the one last written first."""
        names = {name for stored in self.stored for name in stored.names()}
        found = {}
        for name in sorted(names):
            now = name if self.branches.tips(name) else self.branches.renamed(name) or name
            if now in found:
                continue
            self.check()
            own = [
                kept
                for stored in self.stored
                if (kept := stored.of(self.branches.lives(now))) is not None
            ]
            is_here = now == self.place[0]
            if any(kept.items and (is_here or not self._is_over(now, kept)) for kept in own):
                found[now] = self._picture(now, [(kept, None) for kept in own])
        return sorted(found.values(), key=lambda item: (item.written, item.branch), reverse=True)

    def _is_over(self, name: str, kept: Kept) -> bool:
        *_, commit, base = kept.newest
        return self.branches.is_over(name, commit, base)

    def _picture(self, branch: str, found: "Sequence[tuple[Kept, str | None]]") -> Picture:
        self.check()
        items = state.over_layers([kept.items for kept, _ in found])
        if not items:
            return Picture(branch)
        newest = max((kept.newest for kept, _ in found), key=lambda newest: newest[:2])
        written, _, commit, _ = newest
        sources = [source for kept, source in found if kept.items]
        source = sources[-1] if all(sources) else None
        behind = self._behind(branch, commit)
        return Picture(branch, items, inherited_from=source, written=written, behind=behind)

    def _behind(self, branch: str, commit: str | None) -> int | None:
        """How many commits the branch has that were not there at `commit`."""
        tip = self._tip(branch)
        if tip == commit:
            return 0
        if tip is None or (commit is not None and not is_oid(commit)):
            return None
        args = ("rev-list", "--count", tip, *([f"^{commit}"] if commit else []), "--")
        code, out, _ = process.attempt(args, git_dir=self.repository.git_dir)
        return int(out) if code == 0 else None

    def _tip(self, branch: str) -> str | None:
        return self.place[1] if self.place[0] == branch else self.branches.tip(branch)

    def _inherited(self, stored: Stored, branch: str) -> "tuple[Kept | None, str | None]":
        for name in self.branches.parents(branch):
            if name is None:
                return self._nearest(stored, branch)
            kept = stored.of(self.branches.lives(name))
            if kept is not None and not self._is_over(name, kept):
                return (kept, name) if kept.items else (None, None)
        return None, None

    def _nearest(self, stored: Stored, branch: str) -> "tuple[Kept | None, str | None]":
        """The branch whose state was written at the nearest ancestor of this one.

        Where that commit was in the default branch it says nothing of any other.
        """
        from gitmem.store.ancestry import contained_in  # few branches have no reflog that tells

        tip = self._tip(branch)
        found: dict[str, tuple[Kept, str]] = {}
        for name in stored.names():
            kept = stored.of(self.branches.lives(name)) if name != branch else None
            commit, base = kept.newest[2:] if kept else (None, None)
            if kept is None or not kept.items or not commit or not is_oid(commit):
                continue
            if (commit != base) is (name != self.branches.default):
                found[name] = kept, commit
        if not found or tip is None:
            return None, None
        wanted = frozenset(commit for _, commit in found.values())
        contained, _ = contained_in(self.repository, tip, wanted)
        near = {
            name: (self._distance(commit, tip), name)
            for name, (kept, commit) in sorted(found.items())[:NEAREST]
            if commit in contained and not self._is_over(name, kept)
        }
        if not near:
            return None, None
        best = min(near, key=near.__getitem__)
        return found[best][0], best

    def _distance(self, commit: str, tip: str) -> int:
        args = ("rev-list", "--count", f"{commit}..{tip}")
        return int(process.run(args, git_dir=self.repository.git_dir))


def branch_of(world: State) -> str:
    """The branch that HEAD is on, or that a rebase will put back; NoBranch."""
    name = world.place[0] or _rebased(world.repository.git_dir)
    if name is None:
        raise NoBranch(
            "HEAD is detached, and state belongs to a branch",
            "to see that of a branch: git mem state --branch NAME",
            "to go on one: git switch NAME, or git switch -c NEW",
        )
    return name


def _rebased(git_dir: str) -> str | None:
    for directory in ("rebase-merge", "rebase-apply"):
        try:
            with open(os.path.join(git_dir, directory, "head-name"), encoding="utf-8") as file:
                name = file.read().strip()
        except (OSError, UnicodeDecodeError):
            continue
        if name.startswith("refs/heads/"):
            return name.removeprefix("refs/heads/")
    return None


def begin_recent(repository: Repository) -> None:
    """Let git find out what `recent` will ask for."""
    process.begin(RECENT, git_dir=repository.git_dir)
    if repository.root is not None:
        process.begin(CHANGED, cwd=repository.root)


def add_recent(picture: Picture, repository: Repository) -> None:
    """Say the last few commits, and the files that are changed and not committed. Runs git."""
    code, out, _ = process.attempt(RECENT, git_dir=repository.git_dir)
    rows = out.decode("utf-8", "replace").splitlines() if code == 0 else []
    parted = (row.partition("\0") for row in rows)
    picture.commits = tuple((oid, said) for oid, _, said in parted)
    if repository.root is not None:
        code, out, _ = process.attempt(CHANGED, cwd=repository.root)
        names = out.decode("utf-8", "replace").split("\0")[:-1] if code == 0 else []
        picture.changed = tuple(name[3:] for name in names)


def is_there(repository: Repository) -> bool:
    """Whether any state was ever written or fetched here: a few files are looked at."""
    try:
        dirs = layer_dirs(repository.common_dir)
        return any(tips(dirs[name], is_shared=name == SHARED) for name in LAYERS)
    except Uncertain:
        return True  # then reading says


def session_text(repository: Repository, deadline: float) -> str:
    """The open picture for an agent whose session starts: at most 1,000 characters, '' when there
    is none.

    `deadline` is a `time.monotonic()` instant; TooLate when it passes first. GitMemError.
    """
    from gitmem.core.render import clean  # as below
    from gitmem.core.state_text import lines

    def check() -> None:
        if time.monotonic() > deadline:
            from gitmem.index.write import TooLate

            raise TooLate

    check()
    if not is_there(repository):
        return ""
    world = State(repository, check=check)
    try:
        picture = world.picture(branch_of(world))
    except NoBranch:
        return ""
    check()
    if not picture.items:
        return ""
    picture.branch = clean(picture.branch)
    picture.inherited_from = picture.inherited_from and clean(picture.inherited_from)
    for item in picture.items:
        item.text = clean(item.text)
    return "\n".join(lines(picture, room=SESSION_ROOM))
