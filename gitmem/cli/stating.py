"""How commands print where the work stands. Loads no click (see `plain.py`)."""

from gitmem import state
from gitmem.cli import output
from gitmem.core import state_text
from gitmem.core.state import DONE, Item, Picture
from gitmem.store.discover import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.keeping import Kept


def lines(
    repository: Repository,
    branch: str | None = None,
    layer: str | None = None,
    *,
    every: bool = False,
    as_json: bool = False,
) -> list[str]:
    """What `git mem state` prints: the picture of the branch that HEAD is on, of `branch`, or of
    all branches that are not over."""
    world = state.State(repository, layer)
    if every:
        found = world.every()
        if as_json:
            return _document({"branches": [picture_json(picture) for picture in found]})
        return [line for picture in found for line in ["", *state_text.lines(picture)]][1:]
    name = state.branch_of(world) if branch is None else branch
    if branch is None:
        state.begin_recent(repository)
    picture = world.picture(name)
    if branch is None:
        state.add_recent(picture, repository)
    return _document(picture_json(picture)) if as_json else state_text.lines(picture)


def picture_json(picture: Picture) -> "dict[str, Any]":
    """The picture as the JSON contract has it."""
    return {
        "branch": picture.branch,
        "inherited_from": picture.inherited_from,
        "focus": picture.text("focus"),
        "next": picture.text("next"),
        "blockers": [item.text for item in picture.many("blocker")],
        "todos": [item_json(item) for item in picture.many("todo")],
        "behind": picture.behind,
        "blocker_ids": [item.id for item in picture.many("blocker")],
        "written": picture.written or None,
        "recent": [{"commit": oid, "subject": said} for oid, said in picture.commits],
        "changed": list(picture.changed),
    }


def item_json(item: Item) -> "dict[str, Any]":
    """A todo item. One that was dropped is neither open nor done."""
    return {
        "id": item.id,
        "text": item.text,
        "done": item.reason == DONE,
        "dropped": item.reason not in (None, DONE),
        "layer": item.layer,
    }


def kept_lines(kept: "Kept", verb: str) -> list[str]:
    """What was written, a line for each item."""
    if not kept.items:
        return ["unchanged"]
    where = "" if kept.layer == "shared" else f" ({kept.layer})"
    found = [
        f"{verb} {' '.join(part for part in (item.kind, item.id) if part)}{where}: "
        f"{output.summary(item.text)}"
        for item in kept.items
    ]
    if kept.taken:
        source = f" from {kept.source}" if kept.source else ""
        found.append(f"  with {output.counted(kept.taken, 'more thing')}{source}")
    return found


def kept_json(kept: "Kept") -> "dict[str, Any]":
    """The same as a document."""
    return {
        "branch": kept.branch,
        "layer": kept.layer,
        "inherited_from": kept.source,
        "unchanged": not kept.items,
        "items": [{"kind": item.kind, **item_json(item)} for item in kept.items],
    }


def listed_lines(items: "Sequence[Item]") -> list[str]:
    """A line for each todo item, whole."""
    marks = {None: "  ", DONE: "x "}
    return [
        f"{marks.get(item.reason, '- ')}{item.id}  "
        f"{'' if item.layer == 'shared' else f'[{item.layer}] '}{item.text}"
        for item in items
    ]


def _document(values: "dict[str, Any]") -> list[str]:
    import json  # only for those who ask for it

    return [json.dumps({"version": output.VERSION, **values}, indent=2, ensure_ascii=False)]
