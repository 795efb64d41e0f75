"""Forty sentences about the files of a project, none with a trigger: each finds its own file."""

import pytest
from running import Mem

AREAS = ("billing", "search", "auth", "mail", "sync")
PARTS = ("api", "models", "jobs", "views")
FILES = ("handler.py", "queue.py", "schema.py", "cache.py", "limits.py", "index.py", "errors.py")
SENTENCES = (
    "{file} retries three times before it gives up.",
    "The order of the imports in `{file}` matters: the second patches the first.",
    "Never call {file} from a request; it blocks.",
    "Since the outage, {file}:42 keeps its own copy of the settings.",
    "See ./{file}, which needs PostgreSQL 15.",
    'Its twin is generated from "{file}", so edit only that one.',
    "Times in {file} are UTC without a zone.",
    "({file} is read by the nightly job as well.)",
)


@pytest.fixture
def forty(mem: Mem) -> tuple[Mem, list[tuple[str, str, str]]]:
    """The program in a project of a few hundred files, and (file, sibling, sentence) forty times.

    A sibling lies in the same directory; most have a namesake in the other directories.
    """
    files = [f"{area}/{part}/{name}" for area in AREAS for part in PARTS for name in FILES]
    extra = [f"docs/{area}/{number}.md" for area in AREAS for number in range(40)]
    mem.repo.commit("generate", **{name: f"# {name}\n" for name in files + extra})
    cases = []
    for number in range(40):
        area, part = AREAS[number % 5], PARTS[number // 5 % 4]
        name = FILES[number % len(FILES)]
        sibling = FILES[(number + 3) % len(FILES)]
        sentence = SENTENCES[number % len(SENTENCES)].format(file=f"{area}/{part}/{name}")
        cases.append((f"{area}/{part}/{name}", f"{area}/{part}/{sibling}", sentence))
    return mem, cases


def test_every_sentence_fires_on_its_file_and_none_on_a_sibling(forty):
    mem, cases = forty
    given = []
    for number, (_, _, sentence) in enumerate(cases):
        text = mem.repo.git_dir / f"{number}.txt"
        text.write_text(sentence)
        given += ["-F", str(text)]
    added = mem.json("add", *given)
    assert [item["derived"] for item in added["notes"]] == [[file] for file, _, _ in cases]
    about = {file for file, _, _ in cases}
    for file, sibling, sentence in cases:
        assert sentence in mem.shown(mem.touch(file)), file
        if sibling not in about:
            assert mem.hook(mem.touch(sibling)) == "", sibling
    file, _, sentence = cases[0]
    name = added["notes"][0]["id"]
    why = mem("why", file).split("\n")
    assert why[:4] == [
        f"{file}: 1 of 40 notes fire",
        "",
        f"fires   {name}: {sentence[:59].rstrip()}…",
        f"        paths: {file} matches '{file}'",
    ]
    assert why[-2] == f"silent  29 more; all of them: git mem why {file} --json"
    silent = mem.json("why", file)["silent"]
    assert len(silent) == 39
    assert {item["reason"] for item in silent} == {
        f"no path trigger matches: '{other}'" for other, _, _ in cases[1:]
    }
