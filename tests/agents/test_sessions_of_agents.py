"""What a session was shown: forgotten when its context is compacted, and never denied twice."""

import importlib
import time

import pytest
from recorded import FILES, HELD_BACK, printed, recorded, root, run

from gitmem.core.note import Note, Triggers
from gitmem.deliver import deliver
from gitmem.drafting import Draft
from gitmem.index.refresh import refresh
from gitmem.memory import Memory
from gitmem.trouble import Trouble

__all__ = ["root"]

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

# A call that brings a note, and the one by which the agent says that its context was compacted.
COMPACTED = {
    "cline": ("before-edit", "compaction"),
    "devin": ("after-edit", "compaction"),
    "gemini": ("after-edit", "compaction"),
}


@pytest.mark.parametrize("agent", COMPACTED)
def test_after_a_compaction_notes_come_again(root, tmp_path, agent):
    edit, compaction = COMPACTED[agent]
    call = recorded(f"{agent}/{edit}", root, f"compacted {agent}")
    where = {"env": call.get("env"), "cwd": tmp_path}
    assert run(agent, call["in"], **where) == printed(call["out"])
    assert run(agent, call["in"], **where) == b""
    compacted = recorded(f"{agent}/{compaction}", root, f"compacted {agent}")["in"]
    assert run(agent, compacted, **where) == b""
    assert run(agent, call["in"], **where) == printed(call["out"])


@pytest.fixture
def crowded(repo):
    """A repository in which more notes are about one file than can be shown at once."""
    memory = Memory.open(str(repo.path))
    text = "word " * 300 + "\n"
    memory.add([Draft(Note(f"n{i}", text, Triggers(paths=("src/a.py",))), "") for i in range(9)])
    refresh(memory.repository).close()
    return repo


DENIALS = ["cursor/before-edit-deny-once", "kiro/before-edit-deny-once"]


@pytest.mark.parametrize("name", DENIALS)
def test_a_call_is_denied_once_however_many_notes_there_are(crowded, name):
    agent = name.partition("/")[0]
    given = recorded(name, str(crowded.path))["in"]
    first = run(agent, given, "--deny-once").decode()
    assert HELD_BACK[:40] in first and "omitted" in first
    assert run(agent, given, "--deny-once") == b""


@pytest.mark.parametrize("name", DENIALS)
def test_nothing_is_denied_where_it_cannot_be_recorded(crowded, monkeypatch, name):
    def fail(*_):
        raise OSError("read-only")

    def shown(name):
        agent = importlib.import_module(f"gitmem.agents.{name.partition('/')[0]}")
        call = agent.read(recorded(name, str(crowded.path))["in"], may_deny=True)
        return deliver(call, Trouble(), time.monotonic() + 5)

    with monkeypatch.context() as patch:
        patch.setattr("gitmem.showing.Session.claim", fail)
        assert (shown(name), shown("claude/before-edit") != "") == ("", True)
    with monkeypatch.context() as patch:
        patch.setattr("gitmem.showing.writable_home", lambda _: None)
        assert (shown(name), shown("claude/before-edit") != "") == ("", True)
    assert shown(name) != ""


def test_every_agent_that_says_so_is_here():
    said = {name.partition("/")[0] for name in FILES if name.endswith("/compaction")}
    assert said - {"codex"} == set(COMPACTED)  # Codex starts a session anew after it
