"""Where revisions are kept in a memory tree."""

from hashlib import sha256

import pytest

from gitmem.store.layout import (
    Entry,
    NewerFormat,
    bucket,
    check_format,
    parse_path,
    path_of,
)

REV = "0123456789abcdef0123"


def test_a_path_names_bucket_id_revision_and_whether_it_is_purged():
    hh = sha256(b"use-npm-ci").hexdigest()[:2]
    assert path_of("use-npm-ci", REV) == f"{hh}/use-npm-ci@{REV}.md"
    assert path_of("use-npm-ci", REV, gone=True) == f"{hh}/use-npm-ci@{REV}.gone"


def test_ids_that_compare_equal_share_a_bucket():
    assert bucket("Café") == bucket("cafe\u0301") == bucket("CAFÉ")


@pytest.mark.parametrize("note_id", ["a", "ünï.code_1", "v1.2", "日本"])
@pytest.mark.parametrize("gone", [False, True])
def test_what_is_written_is_read_back(note_id, gone):
    assert parse_path(path_of(note_id, REV, gone)) == Entry(note_id, REV, gone)


def test_paths_of_any_other_shape_are_foreign():
    good = path_of("a", REV)
    assert parse_path(good) == Entry("a", REV)
    wrong_bucket = ("00" if not good.startswith("00") else "11") + good[2:]
    for path in (
        "FORMAT",
        "",
        "README.md",
        good[3:],
        f"deep/{good}",
        wrong_bucket,
        good.upper(),
        good.replace(".md", ".txt"),
        good.replace(".md", ""),
        good.replace(REV, REV[1:]),
        good.replace(REV, REV[1:] + "g"),
        good.replace("a@", "@"),
        f"{bucket('a')}/\udcff@{REV}.md",
    ):
        assert parse_path(path) is None, path


def test_only_this_format_is_accepted():
    check_format(None, "refs/memory/facts")
    check_format(b"gitmem 1\n", "refs/memory/facts")
    with pytest.raises(NewerFormat) as caught:
        check_format(b"gitmem 2\n", "refs/memory/facts")
    assert caught.value.message == (
        "refs/memory/facts has format 'gitmem 2', newer than this git mem understands"
    )
    assert caught.value.hints == ("upgrade git mem",)
    with pytest.raises(NewerFormat, match="unknown format 'other'"):
        check_format(b"other\n", "refs/memory/facts")
