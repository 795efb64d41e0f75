"""`git mem install`, `uninstall` and `init --agent`: what they say, for each kind of agent."""

from pathlib import Path

import pytest
from running import Mem

from gitmem.githooks.settings import AGENTS

SAID = {
    "gemini": [
        "gemini: notes arrive at session start, with a prompt and after a step, not before it"
    ],
    "cursor": [
        "cursor: notes arrive at session start only",
        "cursor: to stop a step once with the note: git mem install cursor --deny-once",
    ],
    "codex": ["codex: Codex skips hooks until you trust them: type /hooks in Codex"],
    "windsurf": [
        "windsurf: no note arrives, because it shows the model nothing that a hook prints",
        "windsurf: to stop a step once with the note: git mem install windsurf --deny-once",
        "windsurf: to tell it how to ask: git mem install agents-md",
    ],
    "goose": [
        "goose: no note arrives, because it shows the model nothing that a hook prints",
        "goose: to tell it how to ask: git mem install agents-md",
    ],
    "claude": [],
    "copilot": [],
    "cline": [],
}


def paths_of(mem: Mem, agent: str) -> list[str]:
    return [str(mem.repo.path / file.project) for file in AGENTS[agent].files]


@pytest.mark.parametrize("agent", SAID)
def test_installing_says_what_was_written_what_to_expect_and_how_to_undo_it(
    agent: str, mem: Mem
) -> None:
    paths = paths_of(mem, agent)
    assert mem("install", agent).splitlines() == [
        *(f"installed the {agent} hooks in {path}" for path in paths),
        *SAID[agent],
        f"to undo: git mem uninstall {agent}",
    ]
    assert mem("install", agent).splitlines() == [
        f"{agent}: already installed in {path}" for path in paths
    ]
    assert mem("uninstall", agent).splitlines() == [
        f"{agent}: removed the hooks from {path}" for path in paths
    ]
    assert mem("uninstall", agent).splitlines() == [
        f"{agent}: no hooks of ours in {path}" for path in paths
    ]


def test_who_asked_for_it_is_not_told_again_that_a_step_is_stopped_once(mem: Mem) -> None:
    (path,) = paths_of(mem, "kiro")
    assert mem("install", "kiro", "--deny-once", "--dry-run").startswith("--- /dev/null\n")
    assert not Path(path).exists()
    assert mem("install", "kiro", "--deny-once").splitlines() == [
        f"installed the kiro hooks in {path}",
        "to undo: git mem uninstall kiro",
    ]


def test_the_block_of_agents_md_is_called_a_block(mem: Mem) -> None:
    (path,) = paths_of(mem, "agents-md")
    assert mem("install", "agents-md").splitlines() == [
        f"installed the block in {path}",
        "agents-md: the agent reads there how to ask for notes",
        "to undo: git mem uninstall agents-md",
    ]
    assert mem("uninstall", "agents-md") == f"agents-md: removed the block from {path}\n"
    assert mem("uninstall", "agents-md") == f"agents-md: no block of ours in {path}\n"


def test_several_agents_are_installed_together_or_not_at_all(mem: Mem) -> None:
    done = mem.run("install", "claude", "clod")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "error: 'clod' is not an agent that can be installed into"
    assert list(mem.repo.path.glob(".claude*")) == []
    mem("install", *AGENTS)
    assert {name for name, there in mem.json("status")["hooks"].items() if there} >= set(AGENTS)
    before = mem.repo.git("status", "--porcelain", "--untracked-files=all")
    assert len(before.splitlines()) == sum(len(row.files) for row in AGENTS.values())
    mem("uninstall", *AGENTS)
    assert mem.repo.git("status", "--porcelain", "--untracked-files=all") == ""


def test_init_installs_agents_too_and_says_how_to_undo_each(mem: Mem) -> None:
    said = mem("init", "--agent", "gemini", "--agent", "agents-md").splitlines()
    gemini, agents_md = paths_of(mem, "gemini")[0], paths_of(mem, "agents-md")[0]
    assert said[said.index(f"done: gemini hooks: in {gemini}") :] == [
        f"done: gemini hooks: in {gemini}",
        f"    {SAID['gemini'][0]}",
        "    undo: git mem uninstall gemini",
        f"done: agents-md block: in {agents_md}",
        "    agents-md: the agent reads there how to ask for notes",
        "    undo: git mem uninstall agents-md",
        "to undo the rest: git mem uninstall",
    ]
    again = mem("init", "--agent", "gemini")
    assert f"already: gemini hooks: in {gemini}\n" in again
    assert "    gemini" not in again


def test_undoing_init_leaves_the_agents(mem: Mem) -> None:
    mem("init", "--agent", "gemini")
    mem("uninstall")
    assert mem.json("status")["hooks"]["gemini"] is True
    assert "hooks gemini: installed (project)" in mem("doctor")
