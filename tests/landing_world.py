"""A project whose branches land in every way there is, made in one `git fast-import`.

Changes are lists of edits that name the lines they touch, so the same change can be made again on
a tree that has moved on: that is what a rebase, a squash and a cherry-pick do.
"""

import random
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Line = tuple[int, str]  # the identity of a line, and its text
Tree = Mapping[str, tuple[Line, ...]]
START = 1_700_000_000
EXPECTED = "squash", "squash, up to date", "squash and edit", "rebase", "cherry-pick"
UNEXPECTED = (
    *("not picked", "merge", "abandoned"),
    *("same bump", "same fix", "same fix and words", "same header"),
)
KINDS = (*EXPECTED, *UNEXPECTED)
SHARES = {
    **dict.fromkeys(("abandoned",), 18),
    **dict.fromkeys(("same bump", "same fix", "same fix and words"), 5),
    "same header": 3,
    "squash": 20,
    "squash, up to date": 8,
    "squash and edit": 12,
    "rebase": 14,
    "cherry-pick": 14,
    "merge": 7,
}
COMMON = ("return None", "return False", "pass", "}", "else:", "try:", "", "});", "import os")


@dataclass(frozen=True)
class Edit:
    """Put `lines` after line `at` of `path`, or in its place; None: at the end."""

    path: str
    at: int | None
    lines: tuple[Line, ...]
    replaces: bool = False


@dataclass(frozen=True)
class Branch:
    """A branch: how it landed, the commit a note is anchored at, and where that must be found.

    `seen` is the commit of main when the note was written; `tip` the last commit of the branch;
    `landed` is None when the anchored commit never did, or needs nothing.
    """

    name: str
    kind: str
    anchor: str
    seen: str
    tip: str
    landed: str | None


@dataclass
class World:
    """`main`, oldest first, with the tree of each commit, and the `branches` that left it."""

    rng: random.Random
    importer: "subprocess.Popen[bytes]"
    marks: dict[str, int] = field(default_factory=dict)
    lines: int = 0
    branches: list[Branch] = field(default_factory=list)
    main: list[tuple[str, Tree]] = field(default_factory=list)

    def commit(
        self,
        before: Tree,
        after: Tree,
        parents: Sequence[str],
        subject: str,
        when: int,
        by: str = "Ada",
    ) -> str:
        """Write a commit."""
        mark = len(self.marks) + 1
        author = f"{by} <{by.lower()}@example.com> {when} +0000"
        committer = f"Ada <ada@example.com> {START + 60 * len(self.main)} +0000"
        parts = [f"commit refs/heads/tmp\nmark :{mark}\nauthor {author}\n"]
        parts.append(f"committer {committer}\ndata {len(subject)}\n{subject}\n")
        for word, parent in zip(("from", "merge"), parents, strict=False):
            parts.append(f"{word} :{self.marks[parent]}\n")
        for path, lines in after.items():
            if before.get(path) is not lines:
                text = "".join(f"{line}\n" for _, line in lines)
                parts.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
        self.tell("".join(parts) + f"get-mark :{mark}\n")
        assert self.importer.stdout is not None
        oid = self.importer.stdout.readline().decode().strip()
        self.marks[oid] = mark
        return oid

    def tell(self, text: str) -> None:
        assert self.importer.stdin is not None
        self.importer.stdin.write(text.encode())
        self.importer.stdin.flush()

    def on_main(
        self,
        edits: Iterable[Edit],
        subject: str,
        when: int = 0,
        merged: str = "",
        by: str = "Ada",
    ) -> str:
        """One more commit on main."""
        before = self.main[-1][1] if self.main else {}
        parents = [oid for oid, _ in self.main[-1:]] + ([merged] if merged else [])
        when = when or START + 60 * len(self.main)
        after = applied(before, edits)
        self.main.append((self.commit(before, after, parents, subject, when, by), after))
        return self.main[-1][0]

    def new_lines(self, count: int) -> tuple[Line, ...]:
        made = []
        for _ in range(count):
            self.lines += 1
            words = f"value_{self.lines} = compute({self.rng.randrange(10**9)})"
            made.append((self.lines, "    " + self.rng.choice((*[words] * 9, *COMMON[:3]))))
            if self.rng.random() < 0.1:
                made[-1] = (self.lines, "    " + self.rng.choice(COMMON))
        return tuple(made)

    def subject(self) -> str:
        if self.rng.random() < 0.1:
            return self.rng.choice(("wip", "fix", "Fix typo", "Address review"))
        return f"Change part {self.rng.randrange(10**6)} of the program"

    def change(self, tree: Tree, recent: Sequence[Edit] = ()) -> list[Edit]:
        """A commit's worth of edits; now and then of lines that the branch itself added."""
        edits = []
        names = sorted(tree)
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            path = names[int(len(names) * self.rng.random() ** 2)]
            if recent and self.rng.random() < 0.25:
                again = self.rng.choice(recent)
                ids = [uid for uid, _ in again.lines]
                if any(uid in ids for uid, _ in tree[again.path]):
                    edits.append(self._rewrite(tree, again))
                    continue
            count = self.rng.choice((1, 2, 4, 8, 8, 15, 30))
            at, text = self.rng.choice(tree[path])
            lines = self.new_lines(count)
            replaces = self.rng.random() < 0.5 and text not in (line for _, line in lines)
            edits.append(Edit(path, at, lines, replaces))
        return edits

    def _rewrite(self, tree: Tree, again: Edit) -> Edit:
        ids = {uid for uid, _ in again.lines}
        at, text = self.rng.choice([line for line in tree[again.path] if line[0] in ids])
        lines = self.new_lines(self.rng.choice((1, 2, 3)))
        return Edit(again.path, at, lines, text not in (line for _, line in lines))


def applied(tree: Tree, edits: Iterable[Edit]) -> Tree:
    """`tree` after `edits`; a line that is gone stands for the end of its file."""
    changed = dict(tree)
    for edit in edits:
        lines = changed.get(edit.path, ())
        ids = [uid for uid, _ in lines]
        if edit.at in ids:
            at = ids.index(edit.at)
            rest = at + 1
            at += not edit.replaces
        else:
            at = rest = len(lines)
        changed[edit.path] = lines[:at] + edit.lines + lines[rest:]
    return changed


def build(place: Path, *, seed: int, length: int, branches: int, files: int = 300) -> World:
    """Make the repository `place`, with `main` and every branch, and return what is true of it."""
    place.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=place, check=True)
    args = ["git", "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force", "--done"]
    with subprocess.Popen(args, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        world = World(random.Random(seed), child)
        _fill(world, length, branches, files)
        refs = {"main": world.main[-1][0]} | {each.name: each.tip for each in world.branches}
        for name, oid in refs.items():
            world.tell(f"reset refs/heads/{name}\nfrom :{world.marks[oid]}\n\n")
        world.tell(f"reset refs/heads/tmp\nfrom {'0' * 40}\n\ndone\n")
    assert child.returncode == 0
    return world


def _fill(world: World, length: int, branches: int, files: int) -> None:
    first = [Edit(f"src/part{n:03}.py", None, world.new_lines(100)) for n in range(files)] + [
        Edit("VERSION", None, ((-1, "version = 0.0.0"),))
    ]
    world.on_main(first, "Start")
    while len(world.main) < 20:
        world.on_main(world.change(world.main[-1][1]), world.subject())
    every = max(1, (length - 20) // branches)
    parts = branches / sum(SHARES.values())
    kinds = [kind for kind, share in SHARES.items() for _ in range(max(1, round(share * parts)))]
    world.rng.shuffle(kinds)
    for number, kind in enumerate(kinds):
        Builder(world, f"topic/{number}", kind).build()
        while len(world.main) < 20 + (number + 1) * every:
            world.on_main(world.change(world.main[-1][1]), world.subject())
    while len(world.main) < length:
        world.on_main(world.change(world.main[-1][1]), world.subject())


@dataclass
class Builder:
    """Makes one branch and lands it now, at the end of main."""

    world: World
    name: str
    kind: str
    commits: list[tuple[str, list[Edit], str, int]] = field(default_factory=list)
    newest: int = 0  # of main, that the branch has

    def build(self) -> None:
        world, rng = self.world, self.world.rng
        if self.kind.startswith("same"):
            self._same()
            return
        back = min(rng.randrange(3, 120), len(world.main) - 5)
        fork = len(world.main) - back
        tree, parents = world.main[fork][1], [world.main[fork][0]]
        is_updated = self.kind == "squash, up to date" or rng.random() < 0.1
        size = rng.choice((1, 1, 2, 3, 4, 5))
        for number in range(size):
            if is_updated and number == size // 2:
                is_late = self.kind == "squash, up to date"
                self.newest = len(world.main) - 1 if is_late else fork + back // 2
                mark, now = world.main[self.newest]
                merged = applied(now, [edit for _, edits, _, _ in self.commits for edit in edits])
                if number:
                    parents = [world.commit(tree, merged, [*parents, mark], "Update", self._when())]
                else:
                    parents = [mark]
                tree = merged
            edits = world.change(tree, [edit for _, each, _, _ in self.commits for edit in each])
            after, subject, when = applied(tree, edits), world.subject(), self._when()
            parents = [world.commit(tree, after, parents, subject, when)]
            self.commits.append((parents[0], edits, subject, when))
            tree = after
        self._land(rng.randrange(max(fork, self.newest), len(world.main)))

    def _when(self) -> int:
        return START + 60 * len(self.world.main) - self.world.rng.randrange(7, 3600)

    def _land(self, seen: int) -> None:
        world, rng = self.world, self.world.rng
        chosen = rng.randrange(len(self.commits))
        anchor = self.commits[chosen][0]
        edits = [edit for _, each, _, _ in self.commits for edit in each]
        landed, kind = None, self.kind
        if kind.startswith("squash"):
            if kind == "squash and edit":
                edits = edits + world.change(world.main[-1][1])[:1]
            landed = world.on_main(edits, self._title())
        elif kind == "rebase":
            for number, (_, each, subject, when) in enumerate(self.commits):
                mark = world.on_main(each, subject, when)
                landed = mark if number == chosen else landed
        elif kind == "cherry-pick":
            picked = rng.randrange(len(self.commits))
            _, each, subject, when = self.commits[picked]
            mark = world.on_main(each, subject, when)
            landed, kind = (mark, kind) if picked == chosen else (None, "not picked")
        elif kind == "merge":
            world.on_main(edits, f"Merge branch '{self.name}'", merged=self.commits[-1][0])
        tip = self.commits[-1][0]
        world.branches.append(Branch(self.name, kind, anchor, world.main[seen][0], tip, landed))

    def _title(self) -> str:
        """The message of a squash, by a forge or, now and then, by `git merge --squash`."""
        rng = self.world.rng
        title = self.commits[0][2] if len(self.commits) == 1 else self.world.subject()
        if rng.random() < 0.9:
            return f"{title} (#{rng.randrange(10**4)})"
        if rng.random() < 0.4:
            return title
        listed = "\n".join(f"commit {oid}\n" for oid, _, _, _ in self.commits)
        return f"{title}\n\nSquashed commit of the following:\n\n{listed}"

    def _same(self) -> None:
        """A one-line change on a branch that is given up, made by others on main all the same."""
        world, rng = self.world, self.world.rng
        mark, tree = world.main[-1]
        if self.kind == "same bump":
            text = f"version = {len(world.main)}.{rng.randrange(9)}.0"
            path, subject = "VERSION", f"Bump {text}"
        else:
            path, text = rng.choice(sorted(tree)[:-1]), f"    fixed = {rng.randrange(10**6)}"
            subject = rng.choice(("Fix typo", f"Fix {path}, which was broken"))
        at = rng.choice(tree[path])[0]
        world.lines += 1
        edit, more = Edit(path, at, ((world.lines, text),), True), []
        if self.kind == "same header":
            edit, *more = self._headers(path, tree)
        after = applied(tree, [edit])
        anchor = world.commit(tree, after, [mark], subject, self._when())
        words = subject if self.kind != "same fix" else "Correct " + path
        for _ in range(rng.choice((0, 0, 3))):
            world.on_main(world.change(world.main[-1][1]), world.subject())
        world.on_main([edit, *more], words, by="Ben")
        world.branches.append(Branch(self.name, self.kind, anchor, mark, anchor, None))

    def _headers(self, path: str, tree: Tree) -> list[Edit]:
        """The same licence at the start of `path` and of many other files."""
        rng, licence = self.world.rng, self.world.rng.randrange(10**6)
        paths = [path, *rng.sample([name for name in sorted(tree) if name != path], 12)]
        edits = []
        for name in paths:
            self.world.lines += 4
            words = [f"# Licence {licence}, clause {number}" for number in range(4)]
            lines = tuple((self.world.lines - at, text) for at, text in enumerate(words))
            edits.append(Edit(name, tree[name][0][0], lines))
        return edits
