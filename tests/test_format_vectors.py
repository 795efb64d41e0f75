"""The test vectors of docs/spec/format.md, run one by one.

A vector is an input (`NN-name.md`, `NN-name.gone`) and what it must give (`NN-name.json`). All are
run with each YAML reader there is, so that the format does not depend on which one is installed.
"""

import dataclasses
import json
import re
from pathlib import Path

import pytest
import yaml

from gitmem import codec
from gitmem.core.note import Note
from gitmem.store import layout

VECTORS = Path(__file__).parent / "vectors"
NOTES = sorted(VECTORS.glob("*.md"))
GONE = sorted(VECTORS.glob("*.gone"))


@pytest.fixture(params=["C", "Python"], autouse=True)
def yaml_reader(request, monkeypatch):
    if request.param == "C" and not yaml.__with_libyaml__:
        pytest.skip("PyYAML without libyaml")
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


def said(value, unset):
    """What `value` says beyond `unset`, as JSON has it."""
    out = {}
    for field in dataclasses.fields(value):
        item, blank = getattr(value, field.name), getattr(unset, field.name)
        if dataclasses.is_dataclass(item):
            item = said(item, type(item)()) if item != blank else blank
        if item != blank or field.name == "id":
            out[field.name] = item
    return json.loads(json.dumps(out))


def expected(path):
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def refused(bad):
    # what YAML itself says depends on the reader
    hints = [hint for hint in bad.hints if not hint.startswith("YAML says")]
    return {"error": bad.message, "hints": hints, "line": bad.line, "key": bad.key}


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_a_note_is_read_or_refused_as_the_vector_says(path):
    try:
        note = codec.parse(path.read_bytes(), path.name)
    except codec.BadNote as bad:
        assert refused(bad) == expected(path)
        return
    stored = codec.encode(note)
    assert {
        "note": said(note, Note("")),
        "stored": stored.decode(),
        "rev": codec.revision_name(stored),
    } == expected(path)
    assert codec.encode(codec.parse(stored, path.name)) == stored


@pytest.mark.parametrize("path", GONE, ids=lambda path: path.stem)
def test_a_purged_revision_is_read_as_the_vector_says(path):
    replaces, anchor = codec.decode_gone(path.read_bytes(), path.name)
    assert {
        "replaces": list(replaces),
        "anchor": anchor and said(anchor, type(anchor)()),
        "stored": codec.encode_gone(replaces, anchor).decode(),
    } == expected(path)


def test_revisions_are_kept_where_the_vector_says():
    wanted = json.loads((VECTORS / "90-tree-paths.json").read_text(encoding="utf-8"))
    assert layout.FORMAT.decode() == wanted["format"]
    for row in wanted["paths"]:
        assert layout.path_of(row["id"], row["rev"], row["gone"]) == row["path"]


def test_every_vector_is_run():
    inputs = {path.stem for path in NOTES + GONE} | {"90-tree-paths"}
    assert {path.stem for path in VECTORS.glob("*.json")} == inputs
    assert len(NOTES) > 40


def test_the_specification_cites_every_vector():
    spec = (VECTORS.parents[1] / "docs" / "spec" / "format.md").read_text(encoding="utf-8")
    cited = set(re.findall(r"`\[(\d\d)\]`", spec))
    assert cited == {path.name[:2] for path in VECTORS.glob("*.json")}
