"""A hit says by how many commits the files it is about changed since it was true."""

from running import Mem, note


def stale(mem: Mem, path: str = "src/a.py") -> list[int]:
    return [hit["stale"] for hit in mem.json("recall", "--path", path)["hits"]]


def test_it_counts_the_commits_to_its_files_since_its_anchor(mem: Mem) -> None:
    repo = mem.repo
    mem.store(note("about-a", "Nests.", paths=["src/a.py"]))
    assert stale(mem) == [0]
    for number in range(3):
        repo.commit("change", **{"src/a.py": f"A = {number}\n"})
    repo.commit("elsewhere", **{"src/b.py": "B = 3\n"})
    assert stale(mem) == [3]
    text = mem.shown(mem.touch("src/a.py"))
    assert "may be stale: 3 commits changed its files since" in text
    assert "  may be stale: 3 commits changed its files since\n" in mem(
        "recall", "--path", "src/a.py"
    )
    repo.commit("once more", **{"src/a.py": "A = 9\n"})
    assert stale(mem) == [4]
    repo.git("checkout", "-q", "HEAD~3")
    assert stale(mem) == [2]
    repo.git("checkout", "-q", "main")
    assert stale(mem) == [4]
    mem("edit", "about-a", "Does not nest.")
    assert stale(mem) == [0]
    assert "stale" not in mem.shown(mem.touch("src/a.py"))


def test_a_date_of_verification_after_the_commits_makes_it_fresh(mem: Mem) -> None:
    mem.store(note("old", "Old.", more="verified: 2020-01-01\n", paths=["src/a.py"]))
    mem.store(note("checked", "Checked.", more="verified: 2099-01-01\n", paths=["src/a.py"]))
    mem.repo.commit("change", **{"src/a.py": "A = 2\n"})
    hits = mem.json("recall", "--path", "src/a.py")["hits"]
    assert {hit["id"]: hit["stale"] for hit in hits} == {"old": 1, "checked": 0}


def test_a_note_that_was_fetched_is_counted_since_its_own_anchor(
    mem: Mem, tmp_path: object
) -> None:
    repo = mem.repo
    mem.store(note("about-a", "Nests.", paths=["src/a.py"]))
    for number in range(2):
        repo.commit("change", **{"src/a.py": f"A = {number}\n"})
    clone = f"{tmp_path}/clone"
    repo.git("clone", "-q", str(repo.path), clone)
    ben = Mem(type(repo)(type(repo.path)(clone)))
    assert ben.run("init").code == 0
    ben("sync")
    assert stale(ben) == [2]
