"""The block in AGENTS.md: everything outside of it stays to the byte."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.agents.installs import AGENTS_MD
from gitmem.agents.settings_file import Block, Place
from gitmem.errors import GitMemError
from gitmem.githooks import settings
from gitmem.githooks.marked_block import BadBlock, has_block, with_block, without_block
from gitmem.githooks.shipped import shipped

SHIPPED = Path(shipped("agents-md/block.md")).read_bytes()
BLOCK = Block("agents-md/block.md", "AGENTS.md", "")
BEGIN, END = BLOCK.begin.encode(), BLOCK.end.encode()


def install(before: bytes | None, text: bytes = SHIPPED) -> bytes:
    return with_block(before, text, BLOCK, "AGENTS.md")


def uninstall(before: bytes | None) -> bytes | None:
    return without_block(before, BLOCK, "AGENTS.md")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, SHIPPED),
        (b"", SHIPPED.rstrip(b"\n")),
        (b"# Ours\n", b"# Ours\n\n" + SHIPPED),
        (b"# Ours", b"# Ours\n\n" + SHIPPED.rstrip(b"\n")),
        (b"# Ours\r\n", b"# Ours\r\n\r\n" + SHIPPED.replace(b"\n", b"\r\n")),
        (b"\xef\xbb\xbf# Ours\n\n\n", b"\xef\xbb\xbf# Ours\n\n\n\n" + SHIPPED),
    ],
)
def test_the_block_goes_to_the_end_and_away_again(before: bytes | None, after: bytes) -> None:
    assert install(before) == after
    assert install(after) == after
    assert uninstall(after) == before
    assert uninstall(before) == before


LINES = st.lists(st.sampled_from(["a", "# b", "", "<!-- -->", "  x "]), max_size=5)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(LINES, ENDS, st.booleans())
def test_whatever_the_file_is_it_comes_back(lines: list[str], end: str, is_ended: bool) -> None:
    before = (end.join(lines) + end * is_ended).encode()
    after = install(before)
    assert after.startswith(before)
    assert has_block(after, BLOCK, "AGENTS.md")
    assert install(after) == after
    assert uninstall(after) == before


@given(LINES, LINES)
def test_a_block_that_was_moved_is_renewed_in_place_and_taken_out(
    above: list[str], below: list[str]
) -> None:
    head = "".join(f"{line}\n" for line in above).encode()
    tail = "".join(f"{line}\n" for line in below).encode()
    old = head + BEGIN + b"  \nold text\n" + END + b"\n" + tail
    assert install(old) == head + SHIPPED + tail
    left = uninstall(install(old)) or b""
    assert left in (head + tail, head[:-1] + tail)


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"a\n" + BEGIN + b"\nb\n", 2, f"no '{BLOCK.end}' after this line"),
        (b"a\nb\n" + END + b"\n", 3, f"no '{BLOCK.begin}' before this line"),
        (END + b"\n" + BEGIN + b"\n", 2, f"no '{BLOCK.end}' after this line"),
        (SHIPPED + SHIPPED, 12, f"'{BLOCK.begin}' stands here a second time"),
        ("a".encode("utf-16"), 1, "not UTF-8"),
    ],
)
def test_a_damaged_block_is_refused_with_its_line(content: bytes, line: int, problem: str) -> None:
    for call in (install, uninstall):
        with pytest.raises(BadBlock) as caught:
            call(content)
        assert caught.value.message == f"AGENTS.md:{line}: {problem}"
        assert caught.value.line == line
        assert caught.value.hints == ("repair AGENTS.md by hand, then run this again",)


def test_marks_inside_of_a_line_are_no_block() -> None:
    text = b"Write `" + BEGIN + b"` and `" + END + b"`.\n"
    assert not has_block(text, BLOCK, "AGENTS.md")
    assert uninstall(install(text)) == text


def test_a_link_to_another_file_stays_a_link(tmp_path: Path, home: Path) -> None:
    place = Place(str(tmp_path), str(home), {})
    real = tmp_path / "CLAUDE.md"
    real.write_text("# Ours\n")
    link = tmp_path / "AGENTS.md"
    link.symlink_to("CLAUDE.md")
    paths = {"interpreter": "/python", "hook_script": "/gitmem/hook.py"}
    for plan in settings.plan_install("agents-md", "project", place, **paths):
        settings.apply(plan)
    assert link.is_symlink()
    assert real.read_bytes() == b"# Ours\n\n" + SHIPPED
    for plan in settings.plan_uninstall("agents-md", "project", place):
        settings.apply(plan)
    assert link.is_symlink()
    assert real.read_bytes() == b"# Ours\n"


def test_a_damaged_block_stops_installing_before_anything_is_written(
    tmp_path: Path, home: Path
) -> None:
    place = Place(str(tmp_path), str(home), {})
    (tmp_path / "AGENTS.md").write_bytes(BEGIN + b"\n")
    with pytest.raises(GitMemError) as caught:
        settings.plan_uninstall("agents-md", "project", place)
    assert caught.value.message.startswith(f"{tmp_path / 'AGENTS.md'}:1: no ")


def test_the_text_is_short_and_says_what_to_do_before_a_change_and_after_an_error() -> None:
    assert len(SHIPPED) < 900
    text = SHIPPED.decode()
    for words in (
        "git mem recall --path <file>",
        "git mem recall --error -",
        "git mem add",
        "state",
    ):
        assert words in text
    assert text.startswith(BLOCK.begin + "\n")
    assert text.endswith(BLOCK.end + "\n")
    assert AGENTS_MD.files == (BLOCK,)
