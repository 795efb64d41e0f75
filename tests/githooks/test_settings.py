"""Installing into an agent's settings: only our entries come and go."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.agents.settings_file import Place
from gitmem.errors import GitMemError
from gitmem.githooks import settings
from gitmem.githooks.settings import AGENTS, Plan
from gitmem.githooks.shipped import hook_script, shipped

INTERPRETER = "/opt/tools/bin/python3"
SCRIPT = "/opt/tools/lib/gitmem/hook.py"
DIRECT = f"{INTERPRETER} -I -S {SCRIPT} claude"
TOOLS = "Read|Edit|Write|MultiEdit|NotebookEdit|Bash|Grep|Glob"

OTHERS = """\
{
  // our team's settings
  "permissions": {"allow": ["Bash(npm test)"]},
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{"type": "command", "command": "guard.sh"}] // theirs
      },
    ],
    "Stop": []
  }
}
"""

Install = Callable[..., Plan]


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    return Place(str(tmp_path), str(home), {})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


@pytest.fixture
def install(place: Place) -> Install:
    def plan(scope: str = "project", place: Place = place, **paths: str) -> Plan:
        given = {"interpreter": INTERPRETER, "hook_script": SCRIPT} | paths
        return settings.plan_install("claude", scope, place, **given)

    return plan


def entries(content: bytes | None, command: str = "git mem hook claude") -> dict[str, str | None]:
    """Each event that has a group of ours alone, with its matcher."""
    hooks = json.loads(content or b"{}")["hooks"]
    ours = [{"type": "command", "command": command, "timeout": 10}]
    return {
        event: group.get("matcher")
        for event, groups in hooks.items()
        for group in groups
        if group["hooks"] == ours
    }


EVENTS = {
    "SessionStart": None,
    "UserPromptSubmit": None,
    "PreToolUse": TOOLS,
    "PostToolUse": "Bash",
    "PostToolUseFailure": TOOLS,
}


def test_a_new_project_file_is_the_shipped_snippet_to_the_byte(
    install: Install, place: Place, tmp_path: Path
) -> None:
    plan = install()
    assert plan.path == str(tmp_path / ".claude" / "settings.json")
    assert plan.before is None
    assert plan.after == Path(shipped("claude-code/settings.json")).read_bytes()
    assert entries(plan.after) == EVENTS
    assert not os.path.exists(plan.path)
    settings.apply(plan)
    assert Path(plan.path).read_bytes() == plan.after
    assert settings.installed_commands("claude", "project", place) == ("git mem hook claude",)


def test_an_empty_object_becomes_the_shipped_snippet_too(install: Install, file: Path) -> None:
    file.write_text("{}\n")
    assert install().after == Path(shipped("claude-code/settings.json")).read_bytes()


def test_the_command_needs_no_interpreter_name_and_passes_stdin_straight_through(
    install: Install,
) -> None:
    after = install().after
    assert after is not None
    text = after.decode()
    assert "git mem hook claude" in text
    assert [word for word in ("python", "echo", "cat ", "\\", "/") if word in text] == []


def test_other_entries_comments_and_formatting_survive_install_and_uninstall(
    install: Install, place: Place, file: Path
) -> None:
    for before in (OTHERS, OTHERS.replace("\n", "\r\n"), "\ufeff" + OTHERS, OTHERS.rstrip("\n")):
        file.write_bytes(before.encode())
        plan = install()
        settings.apply(plan)
        kept = [line for line in before.splitlines() if line.strip() not in ("}", "]", "},")]
        after = plan.after.decode() if plan.after else ""
        assert [line for line in kept if line not in after and line + "," not in after] == []
        assert settings.installed_commands("claude", "project", place)
        assert not install().is_change
        settings.apply(settings.plan_uninstall("claude", "project", place))
        assert file.read_bytes() == before.encode()


def test_a_file_that_only_we_filled_goes_away_on_uninstall(
    install: Install, place: Place, file: Path
) -> None:
    settings.apply(install())
    assert file.exists()
    plan = settings.plan_uninstall("claude", "project", place)
    assert plan.after is None
    settings.apply(plan)
    assert not file.exists()
    assert not settings.plan_uninstall("claude", "project", place).is_change


def test_an_older_snippet_is_brought_up_to_date_where_it_stands(
    install: Install, place: Place, file: Path
) -> None:
    ours = {"type": "command", "command": "git mem hook claude"}
    theirs = {"type": "command", "command": "guard.sh"}
    old = {
        "PreToolUse": [
            {"matcher": "Edit", "hooks": [ours]},
            {"matcher": "Bash", "hooks": [theirs, ours]},
        ],
        "Stop": [{"hooks": [ours]}],
    }
    file.write_text(json.dumps({"hooks": old}, indent=4))
    settings.apply(install())
    hooks = json.loads(file.read_text())["hooks"]
    new = {"matcher": TOOLS, "hooks": [ours | {"timeout": 10}]}
    assert hooks["PreToolUse"] == [new, {"matcher": "Bash", "hooks": [theirs]}]
    assert list(hooks) == ["PreToolUse", "SessionStart", "UserPromptSubmit", *list(EVENTS)[3:]]
    settings.apply(settings.plan_uninstall("claude", "project", place))
    left = {"PreToolUse": [{"matcher": "Bash", "hooks": [theirs]}]}
    assert json.loads(file.read_text()) == {"hooks": left}


def test_user_scope_writes_the_interpreter_of_this_installation(
    install: Install, place: Place, home: Path
) -> None:
    plan = install("user")
    assert plan.path == str(home / ".claude" / "settings.json")
    assert entries(plan.after, DIRECT) == EVENTS
    settings.apply(plan)
    moved = install("user", interpreter="/new/python")
    assert entries(moved.after, DIRECT.replace(INTERPRETER, "/new/python")) == EVENTS
    assert (moved.after or b"").decode() == (plan.after or b"").decode().replace(
        INTERPRETER, "/new/python"
    )
    assert settings.plan_uninstall("claude", "user", place).after is None


def test_user_scope_follows_the_agents_own_variable(install: Install, tmp_path: Path) -> None:
    place = Place(None, "", {"CLAUDE_CONFIG_DIR": str(tmp_path / "conf")})
    assert install("user", place).path == str(tmp_path / "conf" / "settings.json")


@pytest.mark.parametrize(
    ("interpreter", "script", "command"),
    [
        (INTERPRETER, SCRIPT, DIRECT),
        (
            "C:\\Users\\a b\\x.exe",
            "C:\\Users\\a b\\gitmem\\hook.py",
            '"C:/Users/a b/x.exe" -I -S "C:/Users/a b/gitmem/hook.py" claude',
        ),
        ("C:\\x\\y.exe", "D:/gitmem/hook.py", "C:/x/y.exe -I -S D:/gitmem/hook.py claude"),
        ("/a$b/python", "/ü/gitmem/hook.py", "'/a$b/python' -I -S \"/ü/gitmem/hook.py\" claude"),
    ],
)
def test_paths_are_written_for_sh_with_forward_slashes(
    interpreter: str, script: str, command: str
) -> None:
    assert settings.direct_command(AGENTS["claude"], interpreter, script) == command
    assert AGENTS["claude"].is_ours(command)


@pytest.mark.parametrize(
    "command",
    ["git mem hook codex", "echo git mem hook claude | tee log", "hook.py claude", None, 7],
)
def test_other_commands_are_not_ours(command: object) -> None:
    assert AGENTS["claude"].is_ours("git mem hook claude")
    assert not AGENTS["claude"].is_ours(command)


def test_a_dry_run_is_a_unified_diff_and_writes_nothing(install: Install, file: Path) -> None:
    file.write_text('{\n  "hooks": {"SessionStart": []}\n}')
    plan = install()
    lines = plan.diff().splitlines()
    assert lines[:5] == [
        f"--- {file}",
        f"+++ {file}",
        "@@ -1,3 +1,13 @@",
        " {",
        '-  "hooks": {"SessionStart": []}',
    ]
    assert lines[-2:] == [" }", "\\ No newline at end of file"]
    assert file.read_text() == '{\n  "hooks": {"SessionStart": []}\n}'
    settings.apply(plan)
    assert install().diff() == ""


def test_a_symbolic_link_stays_a_link_and_the_mode_is_kept(
    install: Install, place: Place, file: Path, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    real.chmod(0o640)
    file.symlink_to(real)
    settings.apply(install())
    assert file.is_symlink()
    assert entries(real.read_bytes()) == EVENTS
    assert real.stat().st_mode & 0o777 == 0o640
    settings.apply(settings.plan_uninstall("claude", "project", place))
    assert file.is_symlink()
    assert real.read_text() == "{}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".claude", "dotfiles.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{\n "hooks": {,}\n}', "{file}:2: expected a key in double quotes, or '}}'"),
        (b'{\n "hooks": {"PreToolUse": {}}\n}', "{file}:2: 'hooks.PreToolUse' is not an array"),
        (b"[1]", "{file}:1: the top is not an object"),
        (b'{\n\n"a": "\xff"}', "{file}:3: not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_refused_and_left_alone(
    install: Install, file: Path, content: bytes, message: str
) -> None:
    file.write_bytes(content)
    with pytest.raises(GitMemError) as caught:
        install()
    assert caught.value.message == message.format(file=file)
    assert file.read_bytes() == content


def test_a_file_changed_since_the_plan_is_not_overwritten(install: Install, file: Path) -> None:
    plan = install()
    file.write_text('{"mine": 1}')
    with pytest.raises(GitMemError, match="was changed meanwhile"):
        settings.apply(plan)
    assert file.read_text() == '{"mine": 1}'


def test_installing_needs_a_place_and_a_known_agent(install: Install, home: Path) -> None:
    with pytest.raises(GitMemError) as outside:
        install("project", Place(None, str(home), {}))
    assert outside.value.kind == "not-a-repository"
    with pytest.raises(GitMemError, match="no home directory"):
        install("user", Place(None, "", {}))
    with pytest.raises(GitMemError) as unknown:
        settings.plan_uninstall("clod", "user", Place(None, str(home), {}))
    assert unknown.value.hints == ("known agents: claude",)


def test_every_row_has_a_shipped_snippet_with_one_group_an_event() -> None:
    for row in AGENTS.values():
        hooks = json.loads(Path(shipped(row.snippet)).read_text())["hooks"]
        assert {event: len(groups) for event, groups in hooks.items()} == dict.fromkeys(hooks, 1)
        assert row.is_ours(row.project_command)


def test_the_hook_program_is_part_of_the_package() -> None:
    assert AGENTS["claude"].is_ours(f'"{hook_script()}" claude')
