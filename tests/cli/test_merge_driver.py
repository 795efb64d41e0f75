"""`git mem merge-driver`, called by hand and by a real merge, rebase and cherry-pick."""

import subprocess
from pathlib import Path

import pytest
from conftest import Repo
from running import Done, Mem

from gitmem.codec import parse
from gitmem.core.note import Note, Triggers

BASE = """\
---
id: scripts
# why it is here
kind: fact
triggers:
  paths: [package.json, "scripts/**"]
tags: [node]
---
Scripts use CommonJS.

They run in CI.

Ask before changing them.
"""


class Driver:
    """The driver, on three files that stand beside each other."""

    def __init__(self, mem: Mem, place: Path) -> None:
        self.mem = mem
        self.files = {name: place / name for name in ("base", "ours", "theirs")}

    def __call__(self, base: str | bytes, ours: str | bytes, theirs: str | bytes) -> Done:
        for file, text in zip(self.files.values(), (base, ours, theirs), strict=True):
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        return self.mem.run("merge-driver", *map(str, self.files.values()), "notes/scripts.md")

    @property
    def result(self) -> bytes:
        return self.files["ours"].read_bytes()

    @property
    def note(self) -> Note:
        return parse(self.result, "result")


@pytest.fixture
def driver(mem: Mem, tmp_path: Path) -> Driver:
    return Driver(mem, tmp_path)


def changed(*pairs: tuple[str, str], text: str = BASE) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_both_sides_changes_are_there_and_what_was_typed_stays_as_typed(driver: Driver) -> None:
    ours = changed(("tags: [node]", "tags: [node, ci]"), ("in CI", "in CI, live"))
    theirs = changed(("kind: fact", "kind: gotcha"), ("Ask before", "Ask Ada before"))
    assert driver(BASE, ours, theirs) == Done(0, "", "")
    assert driver.result.decode() == changed(
        ("kind: fact", "kind: gotcha"),
        ("tags: [node]", "tags: [node, ci]"),
        ("in CI", "in CI, live"),
        ("Ask before", "Ask Ada before"),
    )


def test_one_side_removes_a_trigger_and_the_other_adds_one(driver: Driver) -> None:
    ours = changed(('[package.json, "scripts/**"]', '["scripts/**"]'))
    theirs = changed(('[package.json, "scripts/**"]', '[package.json, "scripts/**", Makefile]'))
    assert driver(BASE, ours, theirs) == Done(0, "", "")
    assert driver.note.triggers == Triggers(paths=("scripts/**", "Makefile"))
    assert "# why it is here\n" in driver.result.decode()


def test_text_that_clashes_gets_markers_and_the_result_is_a_note(driver: Driver) -> None:
    ours = changed(("They run in CI.", "They run in CI only."), ("tags: [node]", "tags: [a]"))
    theirs = changed(("They run in CI.", "They never run."), ("tags: [node]", "tags: [node, b]"))
    assert driver(BASE, ours, theirs) == Done(1, "", "")
    assert driver.note.tags == ("b", "a")
    assert driver.note.body == (
        "Scripts use CommonJS.\n\n<<<<<<< ours\nThey run in CI only.\n=======\nThey never run.\n"
        ">>>>>>> theirs\n\nAsk before changing them.\n"
    )


def test_a_field_that_both_changed_is_the_newer_ones_and_the_other_is_told(driver: Driver) -> None:
    ours = changed(("kind: fact", "kind: rule\nwritten: 2026-01-01T00:00:00Z"))
    theirs = changed(("kind: fact", "kind: gotcha\nwritten: 2026-01-02T00:00:00Z"))
    assert driver(BASE, ours, theirs) == Done(
        0, "", "warning: notes/scripts.md: kind: kept 'gotcha' (theirs); ours had 'rule'\n"
    )
    assert (driver.note.kind, driver.note.written) == ("gotcha", "2026-01-02T00:00:00Z")
    assert driver(BASE, changed(("fact", "rule")), changed(("fact", "gotcha"))) == Done(
        0, "", "warning: notes/scripts.md: kind: kept 'rule' (ours); theirs had 'gotcha'\n"
    )


def test_a_note_that_both_added_is_one_note(driver: Driver) -> None:
    theirs = changed(("tags: [node]", "tags: [ci]"), ("They run in CI.\n\n", ""))
    assert driver("", BASE, theirs) == Done(0, "", "")
    assert driver.note.tags == ("ci", "node")
    assert driver.note.body == parse(BASE.encode(), "base").body


def test_two_notes_with_different_ids_at_one_path_both_keep_all_of_their_text(
    driver: Driver,
) -> None:
    theirs = changed(("id: scripts", "id: other"), ("CommonJS", "modules"))
    done = driver("", BASE, theirs)
    assert done.code == 1
    lines = driver.result.decode().splitlines()
    assert set(BASE.splitlines()) | set(theirs.splitlines()) <= set(lines)


def test_unknown_fields_and_line_ends_survive(driver: Driver) -> None:
    base = changed(("tags: [node]", "x-own: {a: [1, 2]}\ntags: [node]"))
    files = (base, changed(("node", "ci"), text=base), changed(("They run", "It runs"), text=base))
    expected = changed(("node", "ci"), ("They run", "It runs"), text=base)
    assert driver(*(text.replace("\n", "\r\n").encode() for text in files)).code == 0
    assert driver.result == expected.replace("\n", "\r\n").encode()
    mark = b"\xef\xbb\xbf"
    assert driver(*(mark + text.encode() for text in files)).code == 0
    assert driver.result == mark + expected.encode()


@pytest.mark.parametrize(
    "texts",
    [
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"),  # no front matter
        ("a\nb\nc\n", "A\nb\nc\n", "X\nb\nc\n"),
        ("", "one\n", "two\n"),
        ("---\nid: [\n---\na\n", "---\nid: [\n---\nb\n", "---\nid: [\n---\na\nc\n"),
        (BASE, BASE.replace("---\n", "", 1), BASE.replace("CI", "the CI")),
        (BASE, BASE.replace("CI", "C\rI"), BASE.replace("CI", "the CI")),
    ],
)
def test_any_other_file_is_merged_as_git_does(driver: Driver, texts: tuple[str, ...]) -> None:
    files = [driver.mem.repo.write(f"{at}.txt", "") for at in range(3)]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text.encode())
    labels = ["-L", "ours", "-L", "base", "-L", "theirs"]
    expected = subprocess.run(
        ["git", "merge-file", "-p", *labels, files[1], files[0], files[2]], capture_output=True
    )
    assert driver(*texts) == Done(min(expected.returncode, 1), "", "")
    assert driver.result == expected.stdout


def test_a_binary_file_stays_ours_and_is_a_conflict(driver: Driver) -> None:
    done = driver(b"\0a", b"\0b", b"\0c")
    assert done.code == 1
    assert done.err.startswith("error: notes/scripts.md: ")
    assert driver.result == b"\0b"


def test_a_side_without_changes_gives_the_other_to_the_byte(driver: Driver) -> None:
    odd = "---\nid:   scripts   # odd\n---\n\n\ntext\n\n\n"
    assert driver(odd, odd, BASE) == Done(0, "", "")
    assert driver.result == BASE.encode()
    assert driver(BASE, odd, BASE) == Done(0, "", "")
    assert driver.result == odd.encode()


def test_files_that_are_not_there_are_an_error(mem: Mem, tmp_path: Path) -> None:
    done = mem.run("merge-driver", *(str(tmp_path / name) for name in "abc"))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: ")


@pytest.fixture
def notes(mem: Mem) -> Repo:
    """A repository with a note as a file, and two branches that changed it: main and topic."""
    mem("init", "--no-hooks")
    repo = mem.repo
    path = "notes/a b's.md"
    repo.commit("note", **{path: BASE, ".gitattributes": "*.md merge=gitmem\n"})
    repo.git("switch", "--quiet", "--create", "topic")
    repo.commit("theirs", **{path: changed(("[package.json, ", "["), ("Ask", "Please ask"))})
    repo.git("switch", "--quiet", "main")
    repo.commit("ours", **{path: changed(('"scripts/**"]', '"scripts/**", Makefile]'))})
    return repo


@pytest.mark.parametrize(
    "command",
    [("merge", "--no-edit", "topic"), ("rebase", "topic"), ("cherry-pick", "topic")],
)
def test_real_git_merges_notes_by_their_meaning(notes: Repo, command: tuple[str, ...]) -> None:
    notes.git(*command)
    merged = parse((notes.path / "notes/a b's.md").read_bytes(), "result")
    assert merged.triggers.paths == ("scripts/**", "Makefile")
    assert merged.body == parse(BASE.encode(), "base").body.replace("Ask", "Please ask")
    assert notes.git("status", "--porcelain") == ""


def test_real_git_stops_at_a_clash_and_the_file_is_still_a_note(notes: Repo) -> None:
    path = "notes/a b's.md"
    text = (notes.path / path).read_text()
    notes.commit("clash", **{path: text.replace("Ask before", "Never mind")})
    with pytest.raises(AssertionError, match="exit code 1"):
        notes.git("merge", "topic")
    assert notes.git("diff", "--name-only", "--diff-filter=U", "-z") == path + "\0"
    merged = parse((notes.path / path).read_bytes(), "result")
    assert merged.triggers.paths == ("scripts/**", "Makefile")
    assert "<<<<<<< ours\nNever mind" in merged.body
