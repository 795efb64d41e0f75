"""Installing into an agent: only what is ours comes and goes, whatever the files look like."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.settings_file import DENY_ONCE, Block, Entries, HookFile, Place, Whole
from gitmem.errors import GitMemError
from gitmem.githooks import settings
from gitmem.githooks.settings import AGENTS, SCOPES, Plan
from gitmem.githooks.shipped import hook_script, shipped

INTERPRETER = "/opt/tools/bin/python3"
SCRIPT = "/opt/tools/lib/gitmem/hook.py"
TOOLS = "Read|Edit|Write|MultiEdit|NotebookEdit|Bash|Grep|Glob"

# Every way to install: (agent, scope, whether it may deny).
WAYS = [
    (row.name, scope, deny_once)
    for row in AGENTS.values()
    for scope in SCOPES
    for deny_once in (False, True)
    if (row.can_deny_once or not deny_once) and (scope == "project" or row.files[0].user)
]
IDS = [f"{agent}-{scope}{DENY_ONCE * deny_once}" for agent, scope, deny_once in WAYS]
JSON_WAYS = [way for way in WAYS if isinstance(AGENTS[way[0]].files[0], Entries)]
JSON_IDS = [f"{agent}-{scope}{DENY_ONCE * deny_once}" for agent, scope, deny_once in JSON_WAYS]

Install = Callable[..., tuple[Plan, ...]]


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    top = tmp_path / "work"
    top.mkdir()
    return Place(str(top), str(home), {})


@pytest.fixture
def install(place: Place) -> Install:
    def plan(
        agent: str = "claude",
        scope: str = "project",
        deny_once: bool = False,
        place: Place = place,
        **paths: str,
    ) -> tuple[Plan, ...]:
        given = {"interpreter": INTERPRETER, "hook_script": SCRIPT} | paths
        return settings.plan_install(agent, scope, place, deny_once=deny_once, **given)

    return plan


def run(plans: tuple[Plan, ...]) -> None:
    for plan in plans:
        settings.apply(plan)


def files_below(place: Place) -> dict[str, bytes]:
    """Every file of the work tree and of the home directory."""
    assert place.root is not None
    tops = (Path(place.root), Path(place.home))
    return {
        str(path): path.read_bytes()
        for top in tops
        for path in sorted(top.rglob("*"))
        if path.is_file()
    }


def write(path: str, content: bytes) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def first_file(agent: str, scope: str, place: Place) -> str:
    return AGENTS[agent].path(AGENTS[agent].files[0], scope, place)


def handler_of(file: Entries, command: str) -> Any:
    value: Any = command
    for step in reversed(file.command):
        value = {step: value}
    return value


def of_others(agent: str, scope: str) -> str:
    """A settings file with an entry of another tool at a place of ours, and comments."""
    file = AGENTS[agent].files[0]
    assert isinstance(file, Entries)
    at = file.at if scope == "project" else file.user_at
    theirs = handler_of(file, "guard.sh --all")
    theirs = {"matcher": "Bash", file.inner: [theirs]} if file.inner else theirs
    shipped_hooks: Any = json.loads(Path(shipped(file.snippet)).read_text())
    for step in file.at:
        shipped_hooks = shipped_hooks[step]
    value: Any = [theirs]
    if isinstance(shipped_hooks, dict):
        value = {next(iter(shipped_hooks)): [theirs], "SomethingElse": [theirs]}
    for step in reversed(at):
        value = {step: value}
    if isinstance(value, dict):
        value = {"theme": "dark", **value, "list": [1, {"a": None}]}
    text = json.dumps(value, indent=4)
    return text.replace('"theme"', '// ours to keep\n    "theme"') + "\n/* the end */\n"


# --- laws of every agent ------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_installing_twice_is_installing_once(
    way: tuple[str, str, bool], install: Install, place: Place
) -> None:
    run(install(*way))
    once = files_below(place)
    assert settings.installed_commands(*way[:2], place)
    again = install(*way)
    assert [plan.path for plan in again if plan.is_change] == []
    run(again)
    assert files_below(place) == once


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_planning_writes_nothing_and_the_diff_applies_with_patch(
    way: tuple[str, str, bool], install: Install, place: Place, tmp_path: Path
) -> None:
    before = files_below(place)
    plans = install(*way)
    diffs = [plan.diff() for plan in plans]
    assert files_below(place) == before
    for plan, diff in zip(plans, diffs, strict=True):
        assert patched(tmp_path, plan, diff) == plan.after
    run(plans)
    for plan in settings.plan_uninstall(*way[:2], place):
        assert patched(tmp_path, plan, plan.diff()) == (plan.after or b"")
    assert files_below(place) == before | {plan.path: plan.after for plan in plans}


def patched(aside: Path, plan: Plan, diff: str) -> bytes:
    program = shutil.which("patch")
    if program is None:
        pytest.skip("there is no patch")
    old, new = aside / "old", aside / "new"
    old.write_bytes(plan.before or b"")
    args = [program, "--binary", "--silent", "--output", str(new), str(old)]
    done = subprocess.run(args, input=diff.encode(), capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return new.read_bytes()


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_uninstalling_leaves_no_file_where_there_was_none(
    way: tuple[str, str, bool], install: Install, place: Place
) -> None:
    before = files_below(place)
    run(install(*way))
    assert files_below(place) != before
    run(settings.plan_uninstall(*way[:2], place))
    assert files_below(place) == before
    assert not any(plan.is_change for plan in settings.plan_uninstall(*way[:2], place))
    assert settings.installed_commands(*way[:2], place) == ()


@pytest.mark.parametrize("way", JSON_WAYS, ids=JSON_IDS)
def test_a_settings_file_is_as_before_after_install_and_uninstall(
    way: tuple[str, str, bool], install: Install, place: Place
) -> None:
    others = of_others(*way[:2])
    for before in (
        *("", "\n", "{}", '{"theme": "dark"}', '{\n  "theme": "dark"\n}\n'),
        *(others, others.rstrip("\n"), others.replace("\n", "\r\n"), "\ufeff" + others),
    ):
        file = write(first_file(*way[:2], place), before.encode())
        run(install(*way))
        after = file.read_bytes().decode()
        assert settings.installed_commands(*way[:2], place)
        assert [word for word in ("// ours", "guard.sh", "the end") if word in before] == [
            word for word in ("// ours", "guard.sh", "the end") if word in after
        ]
        assert not any(plan.is_change for plan in install(*way))
        run(settings.plan_uninstall(*way[:2], place))
        assert file.read_bytes() == before.encode()


@pytest.mark.parametrize("way", JSON_WAYS, ids=JSON_IDS)
def test_an_older_spelling_of_ours_is_brought_up_to_date_where_it_stands(
    way: tuple[str, str, bool], install: Install, place: Place
) -> None:
    (plan, *_) = install(*way)
    new = json.loads(plan.after or b"")
    old = json.dumps(new, indent=1).replace(": 10", ": 77").replace("Bash", "Sh")
    file = write(plan.path, old.encode())
    assert settings.installed_commands(*way[:2], place)
    run(install(*way))
    assert json.loads(file.read_bytes()) == new
    (left, *_) = settings.plan_uninstall(*way[:2], place)
    assert left.after in (None, b"{}") or b"mem" not in left.after


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_a_project_gets_the_shipped_files_to_the_byte_and_a_user_an_absolute_interpreter(
    way: tuple[str, str, bool], install: Install, place: Place
) -> None:
    agent, scope, deny_once = way
    row = AGENTS[agent]
    plans = install(*way)
    texts = [(plan.after or b"").decode() for plan in plans]
    if scope == "project":
        names = [file.shipped(deny_once=deny_once) for file in row.files]
        assert texts == [Path(shipped(name)).read_text() for name in names]
    commands = "\n".join(installed_by(plans, row.files))
    direct = f"{INTERPRETER} -I -S {SCRIPT} {agent}"
    if not isinstance(row.files[0], Block):
        assert (direct in commands) is (scope == "user")
        assert (row.project_command in commands) is (scope == "project")
        assert (DENY_ONCE in commands) is deny_once
    words = ("python", "echo ", "cat ", "\\", "/bin") if scope == "project" else ("\\", "echo ")
    assert [word for word in words if word in commands] == []


def installed_by(plans: tuple[Plan, ...], files: tuple[HookFile, ...]) -> list[str]:
    """What the files that are written run, as text."""
    found: list[str] = []
    for plan, file in zip(plans, files, strict=True):
        if isinstance(file, Entries):
            found += strings(json.loads(plan.after or b""))
        elif isinstance(file, Whole):
            lines = (plan.after or b"").decode().splitlines()
            found += [line for line in lines if "hook" in line and not line.startswith(("//", "#"))]
    return found


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):  # PowerShell's command stays as shipped
        value = [item for key, item in value.items() if key != "powershell"]
    items = value if isinstance(value, list) else ()
    return [text for item in items for text in strings(item)]


def test_events_are_installed_only_where_the_agent_is_understood() -> None:
    for agent, row in AGENTS.items():
        if agent == "agents-md":
            continue
        known = events_read_of(agent)
        for file in row.files:
            for name in {file.snippet, file.deny_snippet} - {"", "goose/plugin.json"}:
                assert events_in(file, Path(shipped(name))) - known == set(), name


def events_read_of(agent: str) -> set[str]:
    module = import_module(f"gitmem.agents.{agent}")
    if agent == "cursor":
        return {module.START, module.FORGET, *module.BEFORE, *module.AFTER}
    if agent == "windsurf":
        return {*module.BEFORE, *module.AFTER}
    if agent == "copilot":  # its own names, which its payloads do not say
        own = {"sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse"}
        return {*module.EVENTS, *own, "postToolUseFailure"}
    return set(module.EVENTS)


def events_in(file: HookFile, snippet: Path) -> set[str]:
    if isinstance(file, Whole):
        is_plugin = snippet.suffix == ".ts"
        known = events_read_of("opencode") if is_plugin else set()
        text = snippet.read_text()
        return {name for name in known if f'"{name}"' not in text} or (
            set() if is_plugin else {snippet.name}
        )
    hooks: Any = json.loads(snippet.read_text())
    assert isinstance(file, Entries)
    for step in file.at:
        hooks = hooks[step]
    return set(hooks) if isinstance(hooks, dict) else {hook["trigger"] for hook in hooks}


# --- the shapes in particular -------------------------------------------------------------------


def claude_entries(content: bytes | None, command: str) -> dict[str, str | None]:
    """Each event that has a group of ours alone, with its matcher."""
    hooks = json.loads(content or b"{}")["hooks"]
    ours = [{"type": "command", "command": command, "timeout": 10}]
    return {
        event: group.get("matcher")
        for event, groups in hooks.items()
        for group in groups
        if group["hooks"] == ours
    }


def test_claude_gets_every_event_at_which_it_takes_text(install: Install) -> None:
    (plan,) = install()
    assert claude_entries(plan.after, "git mem hook claude") == {
        "SessionStart": None,
        "SubagentStart": None,
        "UserPromptSubmit": None,
        "PreToolUse": TOOLS,
        "PostToolUse": "Bash",
        "PostToolUseFailure": TOOLS,
        "Stop": None,
        "PreCompact": None,
    }


def test_in_a_group_shared_with_others_only_our_handler_goes(
    install: Install, place: Place
) -> None:
    ours = {"type": "command", "command": "git mem hook claude"}
    theirs = {"type": "command", "command": "guard.sh"}
    old = {
        "PreToolUse": [
            {"matcher": "Edit", "hooks": [ours]},
            {"matcher": "Bash", "hooks": [theirs, ours]},
        ],
        "Notification": [{"hooks": [ours]}],
    }
    file = write(first_file("claude", "project", place), json.dumps({"hooks": old}).encode())
    run(install())
    hooks = json.loads(file.read_text())["hooks"]
    new = {"matcher": TOOLS, "hooks": [ours | {"timeout": 10}]}
    assert hooks["PreToolUse"] == [new, {"matcher": "Bash", "hooks": [theirs]}]
    assert "Notification" not in hooks
    run(settings.plan_uninstall("claude", "project", place))
    left = {"PreToolUse": [{"matcher": "Bash", "hooks": [theirs]}]}
    assert json.loads(file.read_text()) == {"hooks": left}


def test_installing_without_deny_once_takes_an_earlier_one_back(
    install: Install, place: Place
) -> None:
    for agent in (name for name, row in AGENTS.items() if row.can_deny_once):
        run(install(agent))
        plain = files_below(place)
        run(install(agent, deny_once=True))
        assert any(DENY_ONCE in one for one in settings.installed_commands(agent, "project", place))
        run(install(agent))
        assert values_of(files_below(place)) == values_of(plain)


def values_of(files: dict[str, bytes]) -> dict[str, Any]:
    return {path: json.loads(text) for path, text in files.items() if path.endswith(".json")}


@pytest.mark.parametrize("text", ["", "A note.\n\n"])
def test_a_wrapper_that_denies_says_the_note_on_stderr_and_else_nothing(
    text: str, install: Install, place: Place, tmp_path: Path
) -> None:
    (plan,) = install("windsurf", deny_once=True)
    command = json.loads(plan.after or b"")["hooks"]["pre_write_code"][0]["command"]
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/seen\nprintf '%s' '{text}'\n")
    program.chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", command],
        input=b'{"a": "\\n"}',
        capture_output=True,
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        2 if text else 0,
        b"",
        text.rstrip("\n").encode(),
    )
    assert (tmp_path / "seen").read_bytes() == b'{"a": "\\n"}'


def test_a_copilot_hook_never_fails_because_a_failure_denies_the_tool(
    install: Install, tmp_path: Path
) -> None:
    (plan,) = install("copilot")
    entry = json.loads(plan.after or b"")["hooks"]["preToolUse"][0]
    (tmp_path / "git").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "git").chmod(0o755)
    done = subprocess.run(["/bin/sh", "-c", entry["bash"]], env={"PATH": str(tmp_path)})
    assert done.returncode == 0
    assert entry["powershell"] == "git mem hook copilot; exit 0"
    (plan,) = install(
        "copilot", "user", interpreter="C:\\a b\\py.exe", hook_script="C:\\gitmem/hook.py"
    )
    entry = json.loads(plan.after or b"")["hooks"]["preToolUse"][0]
    assert entry["bash"] == '"C:/a b/py.exe" -I -S C:/gitmem/hook.py copilot || :'
    assert entry["powershell"] == "git mem hook copilot; exit 0"


def test_goose_rules_have_no_matcher_because_a_star_drops_them() -> None:
    hooks = json.loads(Path(shipped("goose/hooks/hooks.json")).read_text())["hooks"]
    assert [group for groups in hooks.values() for group in groups if "matcher" in group] == []


def test_devin_keeps_the_hooks_of_a_user_below_a_key_of_its_settings(install: Install) -> None:
    (project,) = install("devin")
    (user,) = install("devin", "user")
    direct = f"{INTERPRETER} -I -S {SCRIPT} devin"
    text = (project.after or b"").decode().replace("git mem hook devin", direct)
    assert json.loads(user.after or b"") == {"hooks": json.loads(text)}


def test_a_cline_hook_is_executable_and_never_replaces_one_of_the_user(
    install: Install, place: Place
) -> None:
    run(install("cline"))
    path = Path(first_file("cline", "project", place))
    assert os.access(path, os.X_OK)
    path.write_text("#!/bin/sh\necho mine\n")
    with pytest.raises(GitMemError) as caught:
        install("cline")
    assert caught.value.message == f"{path} is not ours, so it stays as it is"
    assert caught.value.hints == (
        "let it call 'git mem hook cline' with its input and print the answer, or move it away",
    )
    run(settings.plan_uninstall("cline", "project", place))
    assert [name for name in files_below(place) if ".clinerules" in name] == [str(path)]


def test_an_older_program_of_ours_is_replaced(install: Install, place: Place) -> None:
    for agent in ("cline", "opencode"):
        (plan, *_) = install(agent)
        write(plan.path, b"// to take this out: git mem uninstall\nold\n")
        run(install(agent))
        assert Path(plan.path).read_bytes() == plan.after


def test_the_directory_of_the_goose_plugin_goes_with_it(install: Install, place: Place) -> None:
    for scope in SCOPES:
        run(install("goose", scope))
        folder = Path(first_file("goose", scope, place)).parent.parent
        assert sorted(path.name for path in folder.rglob("*")) == [
            "hooks",
            "hooks.json",
            "plugin.json",
        ]
        run(settings.plan_uninstall("goose", scope, place))
        assert not folder.exists()
        assert folder.parent.exists()


# --- where, and what is refused -----------------------------------------------------------------


def test_user_scope_follows_the_agents_own_variable(install: Install, tmp_path: Path) -> None:
    aside = str(tmp_path / "conf")
    for agent, variable in (
        ("claude", "CLAUDE_CONFIG_DIR"),
        ("codex", "CODEX_HOME"),
        ("opencode", "XDG_CONFIG_HOME"),
    ):
        (plan,) = install(agent, "user", place=Place(None, "", {variable: aside}))
        assert plan.path == os.path.join(aside, AGENTS[agent].files[0].user)


@pytest.mark.parametrize(
    ("interpreter", "script", "command"),
    [
        (INTERPRETER, SCRIPT, f"{INTERPRETER} -I -S {SCRIPT} claude"),
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
    interpreter: str, script: str, command: str, install: Install, place: Place
) -> None:
    assert settings.direct_command(AGENTS["claude"], interpreter, script) == command
    assert AGENTS["claude"].is_ours(command)
    for agent, row in AGENTS.items():
        if row.files[0].user:
            run(install(agent, "user", interpreter=interpreter, hook_script=script))
            found = settings.installed_commands(agent, "user", place)
            assert [one.removesuffix(" || :") for one in found] == [
                command.replace("claude", agent)
            ]


@pytest.mark.parametrize(
    "command",
    [
        *("git mem hook codex", "echo git mem hook claude | tee log", "hook.py claude", None, 7),
        *("git mem hook claude; rm -r x", "git mem hook claude --deny", "m=$(date); x claude"),
    ],
)
def test_other_commands_are_not_ours(command: object) -> None:
    assert AGENTS["claude"].is_ours("git mem hook claude")
    assert not AGENTS["claude"].is_ours(command)


def test_a_symbolic_link_stays_a_link_and_the_mode_is_kept(
    install: Install, place: Place, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    real.chmod(0o640)
    file = Path(first_file("claude", "project", place))
    file.parent.mkdir()
    file.symlink_to(real)
    run(install())
    assert file.is_symlink()
    assert claude_entries(real.read_bytes(), "git mem hook claude")
    assert real.stat().st_mode & 0o777 == 0o640
    run(settings.plan_uninstall("claude", "project", place))
    assert file.is_symlink()
    assert real.read_text() == "{}\n"


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
    install: Install, place: Place, content: bytes, message: str
) -> None:
    file = write(first_file("claude", "project", place), content)
    with pytest.raises(GitMemError) as caught:
        install()
    assert caught.value.message == message.format(file=file)
    assert file.read_bytes() == content


def test_a_file_changed_since_the_plan_is_not_overwritten(install: Install, place: Place) -> None:
    plans = install()
    file = write(plans[0].path, b'{"mine": 1}')
    with pytest.raises(GitMemError, match="was changed meanwhile"):
        run(plans)
    assert file.read_text() == '{"mine": 1}'


def test_installing_needs_a_place_a_known_agent_and_one_that_can_be_denied(
    install: Install, home: Path, place: Place
) -> None:
    with pytest.raises(GitMemError) as outside:
        install(place=Place(None, str(home), {}))
    assert outside.value.kind == "not-a-repository"
    with pytest.raises(GitMemError, match="no home directory"):
        install("claude", "user", place=Place(None, "", {}))
    with pytest.raises(GitMemError) as unknown:
        settings.plan_uninstall("clod", "user", place)
    assert unknown.value.hints == (f"known agents: {', '.join(AGENTS)}",)
    with pytest.raises(GitMemError) as denied:
        install("claude", deny_once=True)
    assert (denied.value.message, denied.value.hints) == (
        "--deny-once is not for 'claude'",
        ("it is for agents that take no note before a step: cursor, kiro, windsurf",),
    )
    with pytest.raises(GitMemError) as nowhere:
        install("agents-md", "user")
    assert (nowhere.value.message, nowhere.value.hints) == (
        "'agents-md' has no file of yours to install into, only one of a project",
        ("git mem install agents-md --project",),
    )


def test_the_hook_program_is_part_of_the_package() -> None:
    assert AGENTS["claude"].is_ours(f'"{hook_script()}" claude')
