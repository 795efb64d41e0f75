"""The plugin for OpenCode, run in a host that calls it as OpenCode does."""

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from running import Mem, note, scrubbed

from gitmem.githooks.shipped import shipped

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no node")
SOURCE = Path(shipped("opencode/git-mem.ts"))

HOST = """
import { GitMem } from "./plugin.mjs"
const calls = JSON.parse(process.argv[2])
const hooks = await GitMem({ directory: process.argv[3] })
for (const [name, input, output] of calls) await hooks[name](input, output)
console.log(JSON.stringify(calls.map(([, , output]) => output)))
"""


def run(aside: Path, directory: Path, calls: list[Any], command: str = "") -> Any:
    """What the outputs of hook calls [name, input, output] became."""
    text = SOURCE.read_text()
    if command:
        assert '"git mem hook opencode"' in text
        text = text.replace('"git mem hook opencode"', json.dumps(command))
    (aside / "plugin.mjs").write_text(text)
    (aside / "host.mjs").write_text(HOST)
    args = [str(NODE), str(aside / "host.mjs"), json.dumps(calls), str(directory)]
    done = subprocess.run(args, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def edit(path: str, session: str = "s1") -> list[Any]:
    given = {"filePath": path, "oldString": "a", "newString": "b"}
    asked = {"tool": "edit", "sessionID": session, "callID": "c", "args": given}
    return ["tool.execute.after", asked, {"title": path, "output": "edited", "metadata": {}}]


def system(session: str = "s1") -> list[Any]:
    return ["experimental.chat.system.transform", {"sessionID": session}, {"system": ["Be brief."]}]


def test_a_note_follows_the_output_of_the_tool_and_comes_once(mem: Mem, tmp_path: Path) -> None:
    mem.store(note("about-a", "Mind a.", paths=["src/a.py"]))
    path = str(mem.repo.path / "src" / "a.py")
    one, two, other = run(
        tmp_path, mem.repo.path, [edit(path), edit(path), edit(path.replace("a.py", "b.py"))]
    )
    assert one["output"].startswith("edited\n\n<git-memory>\n")
    assert "Mind a." in one["output"]
    assert (two["output"], other["output"]) == ("edited", "edited")


def test_notes_of_a_start_stay_in_the_system_prompt_and_those_of_a_prompt_join_them(
    mem: Mem, tmp_path: Path
) -> None:
    mem.store(note("rule", "Be kind.", always=True), note("ask", "Ship.", prompts=["release"]))
    words = {"parts": [{"type": "text", "text": "do the release"}, {"type": "file"}]}
    prompt = ["chat.message", {"sessionID": "s1"}, words]
    first, same, _, both = run(tmp_path, mem.repo.path, [system(), system(), prompt, system()])
    assert first["system"][0] == "Be brief."
    assert "Be kind." in first["system"][1]
    assert same == first
    assert both["system"][:2] == first["system"]
    assert len(both["system"]) == 3
    assert "Ship." in both["system"][2]


@pytest.mark.parametrize(
    "command",
    [
        "exit 3",
        "echo no json",
        "echo '{\"context\": '",
        "echo null",
        "no-such-program-anywhere",
        "kill -9 $$",
    ],
)
def test_whatever_goes_wrong_the_tool_goes_on(command: str, mem: Mem, tmp_path: Path) -> None:
    tool, start = run(tmp_path, mem.repo.path, [edit("src/a.py"), system()], command)
    assert (tool["output"], start["system"]) == ("edited", ["Be brief."])


def test_an_answer_that_takes_too_long_is_none(mem: Mem, tmp_path: Path) -> None:
    start = time.monotonic()
    (tool,) = run(tmp_path, mem.repo.path, [edit("src/a.py")], "sleep 30")
    assert tool["output"] == "edited"
    assert 2 <= time.monotonic() - start < 8


def test_odd_calls_are_survived(mem: Mem, tmp_path: Path) -> None:
    odd: list[Any] = [
        [name, given, output]
        for name in (
            "tool.execute.after",
            "chat.message",
            "experimental.chat.system.transform",
            "event",
        )
        for given in (None, {})
        for output in (None, {}, {"output": 7, "system": "x", "parts": [None]})
    ]
    command = 'echo \'{"context": "told"}\''
    assert run(tmp_path, mem.repo.path, odd, command) == [output for _, _, output in odd]


def test_after_compaction_what_was_shown_comes_again(mem: Mem, tmp_path: Path) -> None:
    mem.store(note("about-a", "Mind a.", paths=["src/a.py"]), note("rule", always=True))
    compacted = {"event": {"type": "session.compacted", "properties": {"sessionID": "s1"}}}
    other = {"event": {"type": "session.idle", "properties": {"sessionID": "s1"}}}
    calls = [system(), edit("src/a.py"), ["event", other, None], edit("src/a.py")]
    again = [["event", compacted, None], system(), edit("src/a.py")]
    first, one, _, two, _, start, three = run(tmp_path, mem.repo.path, [*calls, *again])
    assert start == first
    assert "What rule says." in start["system"][1]
    assert two["output"] == "edited"
    assert three == one


def test_a_finished_command_is_told_with_its_exit_code(mem: Mem, tmp_path: Path) -> None:
    asked = {"tool": "bash", "sessionID": "s1", "callID": "c", "args": {"command": "make"}}
    output = {"title": "", "output": "No rule", "metadata": {"exit": 2}}
    command = 'read -r event; printf "%s" "$event" > seen'
    assert run(tmp_path, mem.repo.path, [["tool.execute.after", asked, output]], command) == [
        output
    ]
    assert json.loads((mem.repo.path / "seen").read_text()) == {
        "hook_event_name": "PostToolUse",
        "session_id": "s1",
        "cwd": str(mem.repo.path),
        "tool_name": "bash",
        "tool_input": {"command": "make"},
        "tool_response": {"output": "No rule", "exit": 2},
    }


def test_the_shown_text_is_the_same_as_for_other_agents(mem: Mem, tmp_path: Path) -> None:
    mem.store(note("about-a", "Mind a.", paths=["src/a.py"]))
    (tool,) = run(tmp_path, mem.repo.path, [edit("src/a.py", "s9")])
    text = tool["output"].removeprefix("edited\n\n")
    assert scrubbed(text.encode()) == mem.shown(mem.touch("src/a.py"))
