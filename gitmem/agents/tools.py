"""What a tool call touches, runs and prints, whatever its agent calls it. Hot: imports nothing.

The same file is `file_path`, `filePath` or a line of a patch; the same command `command` or `cmd`.
Names of all agents stand in one place because agents borrow each other's tools. Tolerant: what has
another type than expected counts as absent. A new agent adds words here, rarely code.
"""

PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "absolute_path")
MANY_PATHS = ("edits", "operations", "paths", "files")
PATCHES = ("command", "patch", "patchText", "input", "diff")
COMMANDS = ("command", "cmd", "command_line", "commands")
OUTPUTS = (
    *("error", "stderr", "stdout", "output", "content", "text", "message", "result"),
    *("llmContent", "text_result_for_llm", "textResultForLlm"),
)
EXIT_CODES = ("exit_code", "exitCode", "exit")

PATCH = "*** Begin Patch"
PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
EXITS = ("process exited with code ", "exited with exit code ", "exit code: ", "exit code ")
DEPTH = 4  # how deep an output may nest

# Tools by the last part of their name, in lower case.
SHELLS = {
    *("bash", "powershell", "shell", "shell_command", "local_shell", "exec", "exec_command"),
    *("execute", "execute_bash", "execute_command", "run_command", "run_commands"),
    "run_shell_command",
}
EDITORS = {
    *("edit", "multiedit", "write", "create", "delete", "replace", "insert", "editor", "patch"),
    *("strreplace", "str_replace", "str_replace_editor", "replace_in_file", "text_editor"),
    *("applypatch", "apply_patch", "git_apply_patch", "notebookedit", "notebook_edit"),
    *("write_file", "write_to_file", "edit_file", "create_file", "delete_file", "fs_write"),
}
# What a search tool may name instead of a pattern: a file.
SEARCHES = {
    "glob": ("pattern",),
    "grep": ("glob", "include"),
    "grep_search": ("include_pattern",),
    "list_directory": (),
    "read_many_files": ("include",),
    "search_files": ("file_pattern",),
}


# --- values of any type -------------------------------------------------------------------------


def text_of(value: object) -> str:
    """`value` if it is text, else ''. Lone surrogates become '?', so that it can be encoded."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def mapping_of(value: object) -> "dict[str, object]":
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def texts_of(value: object) -> "list[str]":
    """The texts of a list, or the one text."""
    items = value if isinstance(value, list) else [value]
    return [text for item in items if (text := text_of(item))]


def first(fields: "dict[str, object]", *names: str) -> str:
    """The first text that stands under one of `names`; '' for none."""
    for name in names:
        if text := text_of(fields.get(name)):
            return text
    return ""


# --- what is touched ----------------------------------------------------------------------------


def paths_of(given: object) -> "list[str]":
    """Every path that a tool's input names. An input that is text is a patch."""
    if isinstance(given, str):
        return patch_paths(text_of(given))
    fields = mapping_of(given)
    found = [path for name in PATHS if (path := text_of(fields.get(name)))]
    for name in MANY_PATHS:
        items = fields.get(name)
        items = items if isinstance(items, list) else []
        found += [text_of(item) or first(mapping_of(item), *PATHS) for item in items]
    for name in PATCHES:
        found += patch_paths(text_of(fields.get(name)))
    return [path for path in dict.fromkeys(found) if path]


def patch_paths(text: str) -> "list[str]":
    """The files of an `apply_patch` text, those it moves to as well."""
    if "*** " not in text:
        return []
    return [
        line[len(mark) :].strip().strip("\"'")
        for line in text.split("\n")
        for mark in PATCHED
        if line.startswith(mark)
    ]


def searched(tool: str, given: object, cwd: str) -> "list[str]":
    """What a search looks into: a directory, and a file where its pattern is none."""
    names = SEARCHES.get(plain_name(tool))
    if names is None:
        return []
    fields = mapping_of(given)
    base = first(fields, "path", "dir_path") or cwd
    found = [
        f"{base}/{pattern}"
        for name in names
        for pattern in texts_of(fields.get(name))
        if not any(char in pattern for char in "*?[{")
    ]
    return texts_of(fields.get("dir_path")) + found


def commands_of(given: object) -> "list[str]":
    """The shell commands of a tool's input. Beside a path, `command` is the verb of an editor."""
    fields = mapping_of(given)
    if first(fields, *PATHS):
        return []
    found = []
    for name in COMMANDS:
        value = fields.get(name)
        if isinstance(value, list) and name != "commands":
            found.append(" ".join(texts_of(value)))
        else:
            found += texts_of(value)
    return [text for text in found if not text.lstrip().startswith(PATCH)]


def plain_name(tool: str) -> str:
    """`mcp__files__Write` and `MCP:write` → `write`."""
    return tool.rpartition("__")[2].rpartition(":")[2].lower()


def is_shell(tool: str) -> bool:
    """Whether `tool` runs commands, so that an error may stand in what it prints."""
    return plain_name(tool) in SHELLS


def is_writer(tool: str, given: object) -> bool:
    """Whether the call changes the files it names."""
    return plain_name(tool) in EDITORS and mapping_of(given).get("command") != "view"


# --- what is printed ----------------------------------------------------------------------------


def printed(value: object, depth: int = DEPTH) -> "list[str]":
    """The texts of a tool's output: itself, or those in its fields and content blocks."""
    if isinstance(value, str):
        return [text] if (text := text_of(value)) else []
    if depth and isinstance(value, dict):
        return [text for name in OUTPUTS for text in printed(value.get(name), depth - 1)]
    if depth and isinstance(value, list):
        return [text for item in value for text in printed(item, depth - 1)]
    return []


def exit_code(response: object) -> "int | None":
    """The exit code that an output says, in a field or in words at its beginning or end."""
    fields = mapping_of(response)
    for where in (fields, mapping_of(fields.get("metadata"))):
        for name in EXIT_CODES:
            code = where.get(name)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    for text in printed(response):
        code = _said_code(text)
        if code is not None:
            return code
    return None


def _said_code(text: str) -> "int | None":
    for line in f"{text[:1000]}\n{text[-1000:]}".lower().split("\n"):
        line = line.strip(" \t\r<>()[].")
        for mark in EXITS:
            number = line[len(mark) :] if line.startswith(mark) else ""
            if number.removeprefix("-").isdecimal():
                return int(number)
    return None
