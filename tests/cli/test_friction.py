"""`git mem friction`: one line where something got in the way, by tool, until it is closed."""

from running import Mem


def test_friction_is_recalled_with_its_tool_and_listed_by_it(mem: Mem) -> None:
    out = mem(
        *("friction", "It hides the exit code of pytest"),
        *("--tool", "make test", "--kind", "wrong-result"),
    )
    assert out == (
        "added it-hides-the-exit-code-of-pytest (shared)\n"
        "  commands: make test\n"
        "  seen everywhere\n"
    )
    mem("friction", "It stops without a word", "--tool", "make test", "--kind", "blocked")
    mem("friction", "Two ways are described", "--tool", "README.md", "--kind", "confusing")
    assert mem("friction", "list").splitlines()[0] == "make test: 2 (1 wrong-result, 1 blocked)"
    assert mem("friction", "list", "--tool", "README.md") == (
        "README.md: 1 (1 confusing)\n  two-ways-are-described  Two ways are described\n"
    )
    assert mem("friction", "list", "--kind", "blocked") == (
        "make test: 1 (1 blocked)\n  it-stops-without-a-word  It stops without a word\n"
    )
    found = mem.json("friction", "list", "--kind", "confusing")
    [item] = found["notes"]
    assert (found["version"], item["kind"], item["tool"], item["how"]) == (
        *(1, "friction", "README.md"),
        "confusing",
    )
    assert item["triggers"]["paths"] == ["README.md"]

    def recalled(*event: str) -> list[str]:
        return sorted(hit["id"] for hit in mem.json("recall", *event)["hits"])

    both = ["it-hides-the-exit-code-of-pytest", "it-stops-without-a-word"]
    assert recalled("--command", "make test -k x") == both
    assert recalled("--path", "README.md") == ["two-ways-are-described"]
    mem.repo.git("switch", "--quiet", "--orphan", "elsewhere")
    assert recalled("--command", "make test") == both
    assert mem("friction", "close", "it-stops") == (
        "forgotten it-stops-without-a-word (shared)\n  seen everywhere\n"
    )
    assert recalled("--command", "make test") == both[:1]
    assert mem.json("list", "--forgotten")["notes"][0]["id"] == "it-stops-without-a-word"


def test_what_is_no_friction_is_told(mem: Mem) -> None:
    mem("add", "src/a.py is odd")
    done = mem.run("friction", "close", "src-a-py-is-odd")
    assert (done.code, done.err) == (
        *(1,),
        "error: note 'src-a-py-is-odd' is no friction\nhint: see: git mem friction list\n",
    )
    assert mem.run("friction", "close", "nothing").code == 1
    assert mem.run("friction", "close").code == 2
    assert mem.run("friction", "It is slow").code == 2
    assert mem.run("friction", "It is slow", "--tool", "x", "--kind", "slow").code == 2
    assert mem.run("friction", " ", "--tool", "make", "--kind", "blocked").code == 1
    assert mem("friction", "list") == ""
