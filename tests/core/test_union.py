"""Joining tips: laws on trees, and meshes of replicas that must end on one commit id."""

import random
from dataclasses import dataclass, field
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.union import GONE, Join, Side, gone, is_clean, join, unite

NAMES = st.sampled_from(["aa/one@1", "aa/two@2", "bb/three@3", "cc/four@4"])
TREES = st.dictionaries(
    st.one_of(NAMES.map("{}.md".format), NAMES.map("{}.gone".format), st.just("other/file")),
    st.sampled_from(["1", "2"]),
)


@given(TREES, TREES, TREES)
def test_union_is_commutative_associative_and_idempotent(a, b, c):
    assert unite((a, b)) == unite((b, a))
    assert unite((unite((a, b)), c)) == unite((a, unite((b, c)))) == unite((a, b, c))
    assert unite((unite((a, b)), b)) == unite((a, b))
    assert unite((a, a)) == unite((a,))


@given(TREES, TREES)
def test_union_holds_everything_but_what_is_gone(a, b):
    united = unite((a, b))
    for path in {*a, *b}:
        is_purged = path.endswith(".md") and path.removesuffix(".md") + GONE in {*a, *b}
        assert (path in united) is not is_purged
    assert gone(united) == gone(a) | gone(b)


def test_a_landed_pair_is_undone_by_its_gone_file():
    assert unite(({"ab/old/new": "1", "ab/old/x": "1"}, {"ab/old/new.gone": "1"})) == {
        "ab/old/new.gone": "1",
        "ab/old/x": "1",
    }


# --- replicas -----------------------------------------------------------------------------------


@dataclass
class Commits:
    """Commits by id; an id is made of everything that a commit holds, as git's is."""

    known: dict[str, tuple[dict[str, str], tuple[str, ...], int]] = field(default_factory=dict)

    def make(self, tree, parents, date, salt=""):
        content = (sorted(tree), sorted(parents), date, salt)
        oid = sha256(str(content).encode()).hexdigest()[:12]
        self.known[oid] = (dict(tree), tuple(parents), date)
        return oid

    def past(self, tip):
        seen, todo = set(), [tip]
        while todo:
            oid = todo.pop()
            if oid not in seen:
                seen.add(oid)
                todo += self.known[oid][1]
        return seen

    def is_ancestor(self, old, new):
        return old in self.past(new)

    def root_trees(self, tip):
        return [self.known[oid][0] for oid in self.past(tip) if not self.known[oid][1]]

    def side(self, tip):
        tree, _, date = self.known[tip]
        return Side(tip, date, tree)

    def take(self, left, right, *, publishing, others=()):
        sides = self.side(left), self.side(right)
        found = join(*sides, self, publishing=publishing, others=others)
        if found.adopted:
            return found.adopted
        return self.make(found.tree, found.parents, found.date)


class Mesh:
    """Replicas that write at random and exchange over hubs, in a ring, or by gossip."""

    def __init__(self, seed, replicas=5, hubs=1):
        self.random = random.Random(seed)
        self.commits = Commits()
        root = self.commits.make({"FORMAT": "f"}, (), 0)
        self.tips = [root] * replicas
        self.hubs = [root] * hubs
        self.purged, self.added = set(), set()
        self.seen = [dict.fromkeys(range(hubs), root) for _ in range(replicas)]
        self.forced = []

    def write(self, time):
        at = self.random.randrange(len(self.tips))
        tree = dict(self.commits.known[self.tips[at]][0])
        notes = sorted(path for path in tree if path.endswith(".md"))
        if self.random.random() < 0.08 and notes:
            path = self.random.choice(notes)
            del tree[path]
            tree[path.removesuffix(".md") + GONE] = "g"
            self.purged.add(path)
            self.tips[at] = self.commits.make(tree, (), time, f"purge {time}")
            return
        name = f"n{time}" if self.random.random() < 0.7 else f"same{self.random.randrange(3)}"
        if f"aa/{name}.md" in tree or f"aa/{name}.gone" in tree:
            return
        tree[f"aa/{name}.md"] = "1"
        self.added.add(f"aa/{name}.md")
        self.tips[at] = self.commits.make(tree, (self.tips[at],), time, f"{at} {time}")

    def sync(self, at, hub):
        """Take the hub's tip and push: only an unclean tip of the hub is ever replaced."""
        there = self.hubs[hub]
        others = [tip for place, tip in self.seen[at].items() if place != hub]
        mine = self.commits.take(self.tips[at], there, publishing=True, others=others)
        self.tips[at] = self.seen[at][hub] = mine
        if mine == there:
            return
        if not self.commits.is_ancestor(there, mine):
            known = gone(self.commits.known[mine][0])
            assert not is_clean(there, known, self.commits), "a clean tip would be lost"
            self.forced.append(there)
        self.hubs[hub] = mine

    def gossip(self, at, other):
        self.tips[at] = self.commits.take(self.tips[at], self.tips[other], publishing=False)

    def ids(self, topology):
        return {*self.tips, *(self.hubs if topology == "hub" else ())}

    def round(self, topology):
        order = self.random.sample(range(len(self.tips)), len(self.tips))
        for at in order:
            if topology == "hub":
                for hub in range(len(self.hubs)):
                    self.sync(at, hub)
            elif topology == "ring":
                self.gossip(at, (at + 1) % len(self.tips))
            else:
                self.gossip(at, self.random.randrange(len(self.tips)))


@pytest.mark.parametrize(("topology", "hubs"), [("hub", 1), ("hub", 2), ("ring", 0), ("gossip", 0)])
@pytest.mark.parametrize("seeds", [range(60), range(60, 120)])
def test_replicas_end_on_one_commit_id_and_purged_texts_never_come_back(topology, hubs, seeds):
    for seed in seeds:
        mesh = Mesh(seed, hubs=hubs)
        for time in range(1, 41):
            mesh.write(time)
            if mesh.random.random() < 0.4:
                at, other = mesh.random.sample(range(5), 2)
                if topology == "hub":
                    mesh.sync(at, mesh.random.randrange(hubs))
                else:
                    mesh.gossip(at, other)
        rounds = 0
        while len(mesh.ids(topology)) > 1:
            mesh.round(topology)
            rounds += 1
            assert rounds < 60, f"seed {seed} does not end"
        if topology == "hub" and hubs == 1:
            assert rounds <= 2
        final = mesh.tips[0]
        tree = mesh.commits.known[final][0]
        assert mesh.added - mesh.purged == {path for path in tree if path.endswith(".md")}
        reachable = {
            path for oid in mesh.commits.past(final) for path in mesh.commits.known[oid][0]
        }
        assert not mesh.purged & reachable


def test_joining_unrelated_sides_gives_the_same_commit_whoever_joins():
    commits = Commits()
    left = commits.make({"FORMAT": "f", "aa/x.md": "1"}, (), 5, "left")
    right = commits.make({"FORMAT": "f", "bb/y.md": "1"}, (), 7, "right")
    tree = {"FORMAT": "f", "aa/x.md": "1", "bb/y.md": "1"}
    expected = Join(None, tuple(sorted((left, right))), tree, 7)
    for publishing in (True, False):
        for one, other in ((left, right), (right, left)):
            assert (
                join(commits.side(one), commits.side(other), commits, publishing=publishing)
                == expected
            )


def test_a_clone_that_only_reads_keeps_its_tip_when_the_other_adds_nothing():
    commits = Commits()
    small = commits.make({"FORMAT": "f"}, (), 9, "small")
    large = commits.make({"FORMAT": "f", "aa/x.md": "1"}, (), 5, "large")
    assert commits.take(large, small, publishing=False) == large
    assert commits.take(small, large, publishing=False) == large
    assert commits.take(large, small, publishing=True) not in (small, large)
