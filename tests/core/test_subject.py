"""The files a note is about: found without trying every file, and none missed."""

from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.derive import Tracked
from gitmem.core.gitignore import match_list
from gitmem.core.note import Note, Triggers
from gitmem.core.subject import matching_files, subject_files

NAMES = st.sampled_from(["a", "b", "src", "x.py", "y.py", "[s]", "a b", ".env", "#h"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(
    ["a", "src", "x.py", "*.py", "*", "**", "[ab]", "?", "[s]", "\\[s\\]", ".env", "a b", "#h"]
)
PATTERNS = st.builds(
    lambda sign, start, parts, end: sign + start + "/".join(parts) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


@given(st.lists(PATHS, max_size=12), st.lists(PATTERNS, min_size=1, max_size=3).map(tuple))
def test_matching_files_are_exactly_those_that_the_patterns_match(
    paths: list[str], patterns: tuple[str, ...]
) -> None:
    tracked = Tracked(paths)
    expected = {path for path in paths if match_list(patterns, path) is not None}
    assert set(matching_files(patterns, tracked)) == expected


def test_a_note_is_about_what_its_triggers_match_and_its_text_names() -> None:
    tracked = Tracked(["src/a.py", "src/b.py", "lib/c.py", "README.md"])
    note = Note("n", "See src/b.py, not README.md.", Triggers(paths=("lib/**",)))
    assert subject_files(note, tracked) == {"src/b.py", "lib/c.py"}
