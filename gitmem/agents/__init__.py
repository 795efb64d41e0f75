"""One file per agent, and who is speaking. Hot: the registry names modules and imports none."""

# What `git mem hook NAME` accepts → the module of gitmem.agents that speaks its protocol.
AGENTS = {
    name: name
    for name in (
        *("claude", "codex", "copilot", "gemini", "cursor", "cline", "opencode", "kiro", "goose"),
        *("droid", "windsurf", "devin", "generic"),
    )
}


def speaker(name: str, payload: object) -> str:
    """Which agent's protocol a call really speaks.

    Other agents run Claude Code's settings and plugins too. The answer must be in their own shape,
    and say nothing where they take nothing. The session ids of a host's two hooks are the same, so
    a note that one of them brought does not come again with the other.
    """
    if name != "claude" or not isinstance(payload, dict):
        return name
    if "cursor_version" in payload:
        return "cursor"
    if "turn_id" in payload:
        return "codex"
    if "hookEventName" in payload:
        return "droid"
    if "transcript_path" in payload:
        return name
    if "sessionId" in payload or "timestamp" in payload:
        return "copilot"
    tool = payload.get("tool_name")
    if "cwd" not in payload and isinstance(tool, str) and tool.islower():
        return "devin"  # at a prompt and a session's start it takes what Claude Code does
    return name
