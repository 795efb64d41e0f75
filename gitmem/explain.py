"""Say where a note is seen, and why it does not fire for a path. Pure."""

from collections.abc import Sequence

from gitmem.core.gitignore import match_list, matches
from gitmem.core.note import Anchor, Note
from gitmem.core.view import Shown

OUTSIDE = {"workspace": "in every project of the workspace", "self": "in every project of yours"}


def who_sees(anchor: Anchor | None, default: str | None, layer: str = "shared") -> str:
    """Half a sentence: where a revision is seen. `default` is where work lands, as a ref."""
    if anchor is None:
        return OUTSIDE.get(layer, "everywhere")
    if anchor.pending:
        about = f"a commit changes {anchor.paths[0]}" if anchor.paths else "the first commit"
        return f"in this work tree, until {about}; from then on where that commit is"
    commit = (anchor.commit or "")[:10]
    main = default.removeprefix("refs/heads/").removeprefix("refs/remotes/") if default else None
    if anchor.merge_base is None and anchor.patch_id is None:
        return f"on {main} and every branch with {commit}" if main else f"wherever {commit} is"
    return f"on {anchor.branch or commit}; on {main or 'other branches'} when {commit} lands there"


def not_here(shown: Shown) -> str:
    """Where a note is that is not seen here: `on feature/x`, as half a sentence."""
    anchor = shown.folded.live[-1].anchor
    if anchor is None:
        return "on another branch"
    if anchor.pending:
        return f"pending in work tree '{anchor.worktree}'" if anchor.worktree else "pending"
    return f"on {anchor.branch or (anchor.commit or '')[:10]}"


def silence(note: Note, names: Sequence[str], *, is_superseded: bool = False) -> str:
    """The reason, as half a sentence."""
    if not names:
        return "the path is outside the repository"
    if is_superseded:
        return "another note supersedes it"
    patterns = note.triggers.paths
    positive = [pattern for pattern in patterns if not pattern.startswith("!")]
    for name in names:
        if any(matches(pattern, name) for pattern in positive) and not match_list(patterns, name):
            excluding = next(
                item for item in reversed(patterns) if item[0] == "!" and matches(item[1:], name)
            )
            return f"excluded by '{excluding}'"
    if positive:
        shown = ", ".join(f"'{pattern}'" for pattern in positive[:3])
        more = f" and {len(positive) - 3} more" if len(positive) > 3 else ""
        return f"no path trigger matches: {shown}{more}"
    others = [kind for kind in ("commands", "errors", "prompts") if getattr(note.triggers, kind)]
    if note.triggers.always:
        return "it is shown at session start"
    if others:
        return f"it has no path trigger, only {' and '.join(others)}"
    return "it has no path trigger; it is recalled by name"
