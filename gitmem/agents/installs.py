"""Every agent that `git mem install` knows: one row of data each. Cold, no I/O.

Which events are installed, with which tools, stands in the snippets below `hooks/`: exactly those
at which the agent takes text, or tells what becomes of commands and files. The protocol that an
agent's hooks speak is another file's subject.
"""

from gitmem.agents.settings_file import Agent, Block, Entries, Whole

EVERYWHERE = "notes arrive at session start, with a prompt, before a step and after an error"
NEVER = "no note arrives, because it shows the model nothing that a hook prints"
NOT_BEFORE = "notes arrive at session start, with a prompt and after a step, not before it"
CLINE_EVENTS = ("TaskStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact")

CLAUDE = Agent(
    "claude",
    (Entries("claude-code/settings.json", ".claude/settings.json", "settings.json"),),
    arrives=EVERYWHERE,
    home=".claude",
    variable="CLAUDE_CONFIG_DIR",
    needs="Claude Code 2.1.9",
)
CODEX = Agent(
    "codex",
    (Entries("codex/hooks.json", ".codex/hooks.json", "hooks.json"),),
    arrives=EVERYWHERE,
    home=".codex",
    variable="CODEX_HOME",
    remarks=("Codex skips hooks until you trust them: type /hooks in Codex",),
)
COPILOT = Agent(
    "copilot",
    (
        Entries(
            "copilot/git-mem.json",
            ".github/hooks/git-mem.json",
            "hooks/git-mem.json",
            inner="",
            command=("bash",),
        ),
    ),
    arrives=EVERYWHERE,
    home=".copilot",
    needs="Copilot CLI 1.0.51",
)
GEMINI = Agent(
    "gemini",
    (Entries("gemini/settings.json", ".gemini/settings.json", "settings.json"),),
    arrives=NOT_BEFORE,
    home=".gemini",
    is_early=False,
)
CURSOR = Agent(
    "cursor",
    (
        Entries(
            "cursor/hooks.json",
            ".cursor/hooks.json",
            "hooks.json",
            "cursor/hooks-deny-once.json",
            inner="",
        ),
    ),
    arrives="notes arrive at session start only",
    home=".cursor",
    is_early=False,
)
CLINE = Agent(
    "cline",
    tuple(
        Whole(f"cline/{event}", f".clinerules/hooks/{event}", event, is_program=True)
        for event in CLINE_EVENTS
    ),
    arrives=EVERYWHERE,
    home="Documents/Cline/Hooks",
)
OPENCODE = Agent(
    "opencode",
    (Whole("opencode/git-mem.ts", ".opencode/plugin/git-mem.ts", "opencode/plugin/git-mem.ts"),),
    arrives=NOT_BEFORE,
    home=".config",
    variable="XDG_CONFIG_HOME",
    is_early=False,
)
KIRO = Agent(
    "kiro",
    (
        Entries(
            "kiro/git-mem.json",
            ".kiro/hooks/git-mem.json",
            "hooks/git-mem.json",
            "kiro/git-mem-deny-once.json",
            inner="",
            command=("action", "command"),
        ),
    ),
    arrives="notes arrive at session start and with a prompt only",
    home=".kiro",
    is_early=False,
)
GOOSE = Agent(
    "goose",
    (
        Entries(
            "goose/hooks/hooks.json",
            ".agents/plugins/git-mem/hooks/hooks.json",
            "hooks/hooks.json",
        ),
        Whole(
            "goose/plugin.json",
            ".agents/plugins/git-mem/plugin.json",
            "plugin.json",
            mark='"git-mem"',
        ),
    ),
    arrives=NEVER,
    home=".agents/plugins/git-mem",
    folder="git-mem",
    is_early=False,
)
DROID = Agent(
    "droid",
    (Entries("droid/hooks.json", ".factory/hooks.json", "hooks.json", at=(), user_at=()),),
    arrives=NOT_BEFORE,
    home=".factory",
    is_early=False,
)
WINDSURF = Agent(
    "windsurf",
    (
        Entries(
            "windsurf/hooks.json",
            ".windsurf/hooks.json",
            "hooks.json",
            "windsurf/hooks-deny-once.json",
            inner="",
        ),
    ),
    arrives=NEVER,
    home=".codeium/windsurf",
    is_early=False,
)
DEVIN = Agent(
    "devin",
    (Entries("devin/hooks.v1.json", ".devin/hooks.v1.json", "config.json", at=()),),
    arrives=NOT_BEFORE,
    home=".config/devin",
    is_early=False,
)
AGENTS_MD = Agent(
    "agents-md",
    (Block("agents-md/block.md", "AGENTS.md", ""),),
    arrives="the agent reads there how to ask for notes",
    is_early=False,
)

ROWS = {
    row.name: row
    for row in (
        *(CLAUDE, CODEX, COPILOT, GEMINI, CURSOR, CLINE, OPENCODE, KIRO, GOOSE, DROID),
        *(WINDSURF, DEVIN, AGENTS_MD),
    )
}
