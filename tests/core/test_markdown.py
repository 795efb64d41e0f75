"""The comment of a pull request: whole texts, and what no note can do to it."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.markdown import MARKER, MAX_COMMENT, comment
from gitmem.core.note import Anchor, Note, Revision, Triggers
from gitmem.core.notediff import NoteDiff, compare
from gitmem.core.render import visible
from gitmem.core.stale import Commit, Stale
from gitmem.core.view import Everywhere, Shown, fold


def shown(note, layer="shared"):
    folded = fold(note.id, [Revision("r", note)], Everywhere())
    return Shown(note, folded, (layer,))


def commit(subject, *paths):
    return Commit("0123456789abcdef", subject, "Ben", "2026-01-01T00:00:00Z", frozenset(paths))


# --- examples -----------------------------------------------------------------------------------


def test_nothing_to_report_is_one_line():
    assert comment(NoteDiff(), ()) == f"{MARKER}\n**Memory:** nothing changes.\n"


def test_a_comment_has_a_fold_for_each_note():
    old = shown(Note("cents", "Amounts are integer cents.\n", Triggers(paths=("lib/**",))))
    new = shown(
        Note(
            "cents",
            "Amounts are whole cents.\n",
            Triggers(paths=("src/**",)),
            strength=5,
            author="Ann <ann@example.com>",
            anchor=Anchor("c", branch="feature/x"),
        )
    )
    added = shown(
        Note("new", "Call it `once`.\n", Triggers(always=True, errors=("E `x`",)), "rule")
    )
    gone = shown(Note("old", "Call it twice.\n"))
    stale = Stale(shown(Note("far", "See a.")), (commit("rename <a>", "src/a.py", "src/b.py"),))
    diff = compare(
        {"cents": old, "old": gone}, {"cents": new, "new": added}, reasons={"old": "slow"}
    )
    assert (
        comment(diff, (stale,))
        == f"""\
{MARKER}
**Memory:** 1 note added, 1 changed, 1 removed, 1 may be stale

### Added

<details>
<summary><code>new</code> (<code>rule</code>, <code>shared</code>)</summary>

- always: at the start of every session
- errors: `` E `x` ``

```diff
+ Call it `once`.
```

</details>

### Changed

<details>
<summary><code>cents</code> (<code>fact</code>, <code>shared</code>; by <code>Ann</code> on \
<code>feature/x</code>)</summary>

- `strength`: `3` → `5`
- added path `src/**`
- removed path `lib/**`

```diff
  Amounts are [-integer-]{{+whole+}} cents.
```

</details>

### Removed

<details>
<summary><code>old</code> (<code>fact</code>, <code>shared</code>)</summary>

- forgotten: `slow`

```diff
- Call it twice.
```

</details>

### May be stale

<details>
<summary><code>far</code> (<code>fact</code>, <code>shared</code>)</summary>

- 0123456789 `rename <a>` changes `src/a.py` and 1 more

```diff
  See a.
```

</details>
"""
    )


def test_a_comment_that_would_be_too_long_names_what_it_leaves_out():
    notes = [shown(Note(f"note-{number:02}", "word " * 1_000)) for number in range(40)]
    text = comment(NoteDiff(tuple(notes)), ())
    assert MAX_COMMENT - 8_000 < len(text) <= MAX_COMMENT
    kept = re.findall(r"<summary><code>(note-\d\d)</code>", text)
    named = ", ".join(f"`note-{number}`" for number in range(len(kept), len(kept) + 12))
    more = 40 - len(kept) - 12
    assert text.splitlines()[-1] == f"Left out here, see `git mem diff`: {named} and {more} more"


# --- laws ---------------------------------------------------------------------------------------

TRICKS = (
    *(
        "\n```\n",
        "\n````\n",
        "\n  ```\n",
        "```",
        "````",
        "`",
        "~~~",
        "\n",
        "\n\n",
        "<details>",
        "</details>",
        "</summary>",
        MARKER,
    ),
    *("<!--", "-->", "<", ">", "&lt;", "@ada", "#12", "/close", "\u202e", "\u200b", "\r", "\t"),
    *("    ", "- ", "</code>", "\x1b[31m", "<script>", "![x](y)", "word", "\u2028", "<\u200b!--"),
)
texts = st.lists(st.sampled_from(TRICKS) | st.text(max_size=4), max_size=12).map("".join)
lists = st.lists(texts, max_size=2).map(tuple)
notes = st.builds(
    Note,
    id=texts,
    body=texts,
    kind=texts,
    author=texts,
    triggers=st.builds(Triggers, paths=lists, errors=lists),
    tags=lists,
    supersedes=lists,
    anchor=st.builds(Anchor, branch=texts),
    extra=st.dictionaries(st.sampled_from(("owner", "@x")) | texts, texts, max_size=1).map(
        lambda found: tuple(found.items())
    ),
)
OURS = re.compile(
    r"\*\*Memory:\*\* [a-z0-9, .]+"
    r"|### (Added|Changed|Removed|May be stale)"
    r"|</?details>"
    r"|<summary>(T|\(T, T(; by T)?( on T)?\)| )+</summary>"
    r"|- ([a-z]+|T)?:? ?([0-9a-f]{10} )?[A-Za-z0-9 ,→T]*"
    r"|Left out here, see T: T.*"
    r"|"
)


def outside(text):
    """The lines outside of fences, as CommonMark sees fences."""
    fence = ""
    for line in text.split("\n"):
        mark = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not mark[2].strip()
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        else:
            yield line
    assert not fence


def without_texts(line):
    """A line with `T` for each code span, and for each `<code>` in a summary."""
    if line.startswith("<summary>"):
        return re.sub(r"<code>[^<>]*</code>", "T", line)
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "T", line)


@settings(max_examples=60, deadline=None)
@given(notes, notes, notes, notes, texts)
def test_no_text_of_a_note_leaves_its_place(old, new, added, gone, text):
    before = {"n": shown(old), "gone": shown(gone)}
    after = {"n": shown(new), "added": shown(added)}
    diff = compare(before, after, reasons={"gone": text})
    made = comment(diff, (Stale(shown(old), (commit(text, text),)),))
    assert made.startswith(MARKER + "\n") and made.count("<!--") == 1
    assert visible(made) == made
    lines = made.split("\n")
    assert lines.count("<details>") == made.casefold().count("<details")
    assert lines.count("</details>") == made.casefold().count("</details")
    folds = [line for line in outside(made) if line in ("<details>", "</details>")]
    assert folds == ["<details>", "</details>"] * (len(folds) // 2) != []
    assert [line for line in lines if line.startswith("/")] == []
    assert [
        line for line in list(outside(made))[1:] if not OURS.fullmatch(without_texts(line))
    ] == []


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(("`" * 900, "🙂" * 2_000, "a b " * 1_000)), max_size=60))
def test_a_comment_is_never_longer_than_a_host_takes(bodies):
    added = tuple(shown(Note(f"n{n}", body, tags=(body,))) for n, body in enumerate(bodies))
    assert len(comment(NoteDiff(added), ()).encode("utf-16-le")) // 2 <= MAX_COMMENT
