"""Where Claude Code keeps its hooks. The protocol its hooks speak is another file's subject."""

from gitmem.agents.settings_file import SettingsFile

CLAUDE = SettingsFile(
    agent="claude",
    snippet="claude-code/settings.json",
    project_file=".claude/settings.json",
    user_dir=".claude",
    user_dir_variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
)
