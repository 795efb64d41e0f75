"""`doctor`, `reindex`, `install` and `uninstall`."""

import json
import sys

from running import note


def test_doctor_lists_what_it_checked_and_exits_with_0_when_all_is_well(library):
    git = library.repo.git("--version")
    lines = library("doctor").splitlines()
    assert [line for line in lines if not line.startswith("ok      remote: ")] == [
        f"ok      git: {git}",
        f"ok      repository: {library.repo.path}",
        "ok      layer local: 1 note",
        "ok      layer shared: 7 notes",
        f"ok      index: 8 rows in {library.repo.git_dir}/gitmem/index",
        "ok      hooks agents: none installed; to do it: git mem install claude",
    ]
    document = library.json("doctor")
    assert (document["version"], document["ok"]) == (1, True)
    checks = [item["check"] for item in document["findings"]]
    assert [check for check in checks if check != "remote"] == [
        "git",
        "repository",
        "layer local",
        "layer shared",
        "index",
        "hooks agents",
    ]


def test_doctor_as_json_says_what_is_wrong_and_exits_with_1(mem):
    mem.hook(b"{")
    done = mem.run("doctor", "--json")
    assert (done.code, done.err) == (1, "")
    document = json.loads(done.out)
    assert document["ok"] is False
    assert document["findings"][-1] == {
        "check": "hooks",
        "ok": False,
        "message": "a hook had trouble at <time>: ValueError: the input is not a JSON document",
        "hints": [],
    }


def test_reindex_ends_with_the_orphan_report(mem):
    mem.store(note("fine", paths=["src/a.py"]), note("lost", paths=["gone/**", "old.py"]))
    mem.store(note("fine", paths=["src/b.py"]), layer="local")
    done = mem.run("reindex")
    assert (done.code, done.out) == (
        0,
        "indexed 2 notes\norphan lost: no tracked file matches gone/**, old.py\n",
    )
    assert (
        done.err
        == "hint: change the triggers: git mem edit ID -p 'src/**' --remove-path 'old/**'\n"
    )
    assert mem.json("reindex") == {"version": 1, "indexed": 2, "orphans": ["lost"], "broken": []}
    assert mem("reindex", "--quiet") == ""


def test_install_says_what_it_did_and_how_to_undo_it_and_uninstall_undoes_it(mem):
    settings = mem.repo.path / ".claude" / "settings.json"
    diff = mem("install", "claude", "--dry-run")
    assert diff.startswith(f"--- /dev/null\n+++ {settings}\n@@ -0,0 +1,")
    assert not settings.exists()
    assert mem("install", "claude") == (
        f"installed the claude hooks in {settings}\nto undo: git mem uninstall claude\n"
    )
    assert mem("install", "claude") == f"claude: already installed in {settings}\n"
    assert mem.json("status")["hooks"]["claude"] is True
    assert "ok      hooks claude: installed (project); notes arrive " in mem("doctor")
    assert mem("uninstall", "claude") == f"claude: removed the hooks from {settings}\n"
    assert not settings.exists()
    assert mem("uninstall", "claude") == f"claude: no hooks of ours in {settings}\n"


def test_other_entries_of_the_settings_survive_both_ways(mem):
    settings = mem.repo.path / ".claude" / "settings.json"
    settings.parent.mkdir()
    entry = {"hooks": [{"type": "command", "command": "say"}]}
    mine = json.dumps({"model": "x", "hooks": {"Stop": [entry]}}, indent=4)
    settings.write_text(mine)
    mem("install", "claude")
    assert json.loads(settings.read_text())["hooks"]["Stop"][0] == entry
    mem("uninstall", "claude")
    assert settings.read_text() == mine


def test_what_a_project_commits_names_no_machine_and_passes_input_straight_through(mem):
    mem("install", "claude")
    hooks = json.loads((mem.repo.path / ".claude" / "settings.json").read_text())["hooks"]
    commands = {
        entry["command"]
        for groups in hooks.values()
        for group in groups
        for entry in group["hooks"]
    }
    assert commands == {"git mem hook claude"}
    assert set(hooks) == {
        "SessionStart",
        "SubagentStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "PreCompact",
    }
    text = json.dumps(hooks)
    assert not any(word in text for word in ("echo", "cat ", "python", "\\", "$"))


def test_the_command_that_install_user_writes_answers_an_event(mem, home):
    import subprocess

    mem.store(note("about-a", paths=["src/a.py"]))
    settings = home / ".claude" / "settings.json"
    assert mem("install", "claude", "--user") == (
        f"installed the claude hooks in {settings}\nto undo: git mem uninstall claude --user\n"
    )
    assert list(mem.repo.path.glob(".claude*")) == []
    entry = json.loads(settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    assert " -I -S " in entry["command"] and "\\" not in entry["command"]
    done = subprocess.run(
        entry["command"],
        shell=True,
        input=json.dumps(mem.touch("src/a.py")).encode(),
        capture_output=True,
        cwd=home,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"What about-a says." in done.stdout
    assert sys.executable.rsplit("/", 1)[0] in entry["command"]
