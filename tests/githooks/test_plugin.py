"""The plugin folder of Claude Code: what it declares, and that it is the snippet once more."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from gitmem.cli.app import CONTEXT, app
from gitmem.githooks.shipped import shipped

PLUGIN = Path(shipped("claude-code"))
PAGES = sorted([*PLUGIN.glob("commands/*.md"), *PLUGIN.glob("skills/*/SKILL.md")])

# What Claude Code knows; it rejects or ignores the rest.
MANIFEST = {
    *("name", "version", "description", "displayName", "author", "homepage", "repository"),
    *("license", "keywords", "defaultEnabled", "dependencies", "optionalDependencies", "metadata"),
    *("engines", "hooks", "commands", "agents", "skills", "mcpServers", "lspServers"),
    *("outputStyles", "userConfig"),
}
EVENTS = {
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit"),
    *("SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact"),
}
HANDLER = {"type", "command", "args", "if", "shell", "timeout", "statusMessage", "once", "async"}
COMMAND = {"description", "argument-hint", "allowed-tools", "model", "disable-model-invocation"}
SKILL = {"name", "description", "allowed-tools", "disable-model-invocation", "user-invocable"}


def read(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text())


def front_matter(page: Path) -> Any:
    found = re.match(r"---\n(.*?)\n---\n", page.read_text(), re.DOTALL)
    assert found, page
    return yaml.safe_load(found[1])


def test_the_manifest_names_the_plugin_and_only_known_fields() -> None:
    manifest = read(".claude-plugin/plugin.json")
    assert set(manifest) <= MANIFEST
    assert manifest["name"] == "git-mem"
    assert set(manifest["author"]) <= {"name", "email", "url"}
    assert manifest["license"] == "MIT"
    # Without a version, every commit is one: nobody can forget to raise it.
    assert "version" not in manifest


def test_the_marketplace_leads_to_the_plugin() -> None:
    file = PLUGIN.parent / ".claude-plugin" / "marketplace.json"
    market = json.loads(file.read_text())
    assert set(market) == {"name", "owner", "plugins"}
    (entry,) = market["plugins"]
    assert set(entry) <= {"name", "source", "description", "version", "category"}
    assert (PLUGIN.parent / entry["source"]).resolve() == PLUGIN.resolve()
    assert entry["name"] == read(".claude-plugin/plugin.json")["name"]
    assert entry["description"] == read(".claude-plugin/plugin.json")["description"]


def test_its_hooks_are_those_of_the_snippet() -> None:
    hooks = read("hooks/hooks.json")
    assert set(hooks) == {"description", "hooks"}
    assert hooks["hooks"] == read("settings.json")["hooks"]
    assert set(hooks["hooks"]) <= EVENTS
    for groups in hooks["hooks"].values():
        for group in groups:
            assert set(group) <= {"matcher", "hooks"}
            for handler in group["hooks"]:
                assert set(handler) <= HANDLER
                assert handler["command"] == "git mem hook claude"


def test_there_are_commands_and_a_skill_and_nothing_else() -> None:
    names = [path.relative_to(PLUGIN).as_posix() for path in PLUGIN.rglob("*") if path.is_file()]
    assert sorted(names) == [
        ".claude-plugin/plugin.json",
        "commands/memory-diff.md",
        "commands/recall.md",
        "commands/remember.md",
        "hooks/hooks.json",
        "settings.json",
        "skills/git-mem/SKILL.md",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_says_what_it_is_for_and_which_tools_it_may_use(page: Path) -> None:
    fields = front_matter(page)
    is_skill = page.name == "SKILL.md"
    assert set(fields) <= (SKILL if is_skill else COMMAND)
    assert isinstance(fields["description"], str)
    assert len(fields["description"]) < 1024
    if is_skill:
        assert fields["name"] == page.parent.name
    for tool in fields["allowed-tools"].split(", "):
        found = re.fullmatch(r"Bash\(git mem ([a-z]+):\*\)", tool)
        assert found, tool
        assert app.get_command(click.Context(app, **CONTEXT), found[1])
        assert found[1] not in ("forget", "undo", "push", "sync", "land")
    assert len(page.read_text().splitlines()) < 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_shows_exists_with_its_options(page: Path) -> None:
    context = click.Context(app, **CONTEXT)
    body = page.read_text().rpartition("\n---\n")[2].replace("\\\n", " ")
    calls = re.findall(r"git mem ([a-z]+)([^`\n]*)", body)
    assert len(calls) > 1
    for name, rest in calls:
        command = app.get_command(context, name)
        assert command is not None, name
        known = {option for item in command.params for option in item.opts}
        plain = re.sub(r'"[^"]*"', "", rest.partition("#")[0].partition(" | ")[0])
        assert set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", plain)) <= known, (name, rest)
