"""Who may import whom: the plan of the house, read from the source with ast.

A module that breaks a rule here is in the wrong place; a rule is changed only with the plan.
"""

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "gitmem"

# What a part of the house may import of the others. Everybody may import `errors` and `refs`.
NOTE_TEXT = ("codec", "fields", "frontmatter_subset", "note_merge", "note_text")
MIDDLE = ("store", "index", "gates", "config")
FACE = (
    "memory",
    "moving",
    "along",
    "branches",
    "changes",
    "difference",
    "doctor",
    "doubts",
    "drafting",
    "explain",
    "glance",
    "ground",
    "history",
    "keeping",
    "lineage",
    "naming",
    "overview",
    "placing",
    "reading",
    "reads",
    "recalling",
    "sharing",
    "state",
    "state_files",
    "wiring",
    "writing",
)
MAY_IMPORT = {
    "errors": (),
    "refs": (),
    "trouble": (),
    "utf8": (),
    "core": (),
    **dict.fromkeys(NOTE_TEXT, ("core", *NOTE_TEXT)),
    "config": ("core", "store"),
    "store": ("core", "codec"),
    "gates": ("core", "codec"),
    "index": ("core", "codec", "frontmatter_subset", "store", "gates", "config"),
    "agents": ("core", "jsonio"),
    "formats": ("core", *NOTE_TEXT),
    "githooks": ("agents", "store"),
    **dict.fromkeys(FACE, ("core", *NOTE_TEXT, *MIDDLE, *FACE, "care", "agents", "githooks")),
    "care": ("core", *NOTE_TEXT, *MIDDLE, "agents", "githooks"),
    "jsonio": (),
    "quick": ("answer",),
    "finder": ("quick",),
    "capture": ("core", "store", "index", "agents"),
    "showing": ("core", "store", "index", "trouble"),
    "nested": ("store", "agents"),
    "opening": ("core", "store", "index", "agents", "trouble", "showing", "state"),
    "deliver": (
        *("core", "store", "index", "agents", "trouble", "quick"),
        *("showing", "capture", "opening", "nested"),
    ),
    "answer": ("core", "index", "agents", "deliver", "trouble", "utf8", "jsonio", "quick"),
    "hook": ("quick",),
    "cli": (
        *("core", *NOTE_TEXT, *MIDDLE, *FACE, "care", "agents", "githooks", "formats"),
        "capture",
    ),
    "__main__": ("cli", "quick", "finder", "utf8"),
}

# Each third-party package has one home.
HOMES = {
    "pygit2": ("gitmem.store.pygit2_backend",),
    "click": ("gitmem.cli",),
    "frontmatter": ("gitmem.codec",),
    "yaml": ("gitmem.codec",),
    "pathspec": ("gitmem.gates.breadth",),
}

# An import that goes against the direction, and why.
EXCEPTIONS = {
    (
        "gitmem.cli.commands.hook",
        "gitmem.quick",
    ): "help and completion know `hook` like any command",
}

HOT_IMPORTS = {"gc", "os", "sys", "time", "marshal", "zlib"}

# What a pure module has no business with.
IMPURE = {
    *("asyncio", "ctypes", "fcntl", "getpass", "glob", "http", "io", "logging", "msvcrt", "os"),
    *("pathlib", "random", "secrets", "select", "shutil", "signal", "socket", "sqlite3"),
    *("subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid"),
}


@dataclass(frozen=True)
class Import:
    """`importer` imports `name`; `is_lazy` inside a function only."""

    importer: str
    name: str
    is_lazy: bool

    def __str__(self) -> str:
        return f"{self.importer} imports {self.name}"


def _module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}
HOT = {name for name, tree in TREES.items() if "Hot" in (ast.get_docstring(tree) or "")}


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _found(importer: str, node: ast.AST, *, is_lazy: bool) -> list[Import]:
    """The imports below `node`, those for types only left out."""
    found: list[Import] = []
    for child in ast.iter_child_nodes(node):
        names: list[str] = []
        if isinstance(child, ast.Import):
            names = [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{importer}: imports are absolute"
            inner = [f"{child.module}.{alias.name}" for alias in child.names]
            names = [name if name in MODULES else str(child.module) for name in inner]
        found += [Import(importer, name, is_lazy) for name in dict.fromkeys(names)]
        if not _is_for_types(child):
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            found += _found(importer, child, is_lazy=is_lazy or is_function)
    return found


IMPORTS = [each for name, tree in TREES.items() for each in _found(name, tree, is_lazy=False)]
OURS = [each for each in IMPORTS if each.name.split(".")[0] == "gitmem"]


def _part(module: str) -> str:
    """The part of the house: the second word of a module's name."""
    return ".".join(module.split(".")[1:2])


def _is_allowed(each: Import) -> bool:
    importer, imported = _part(each.importer), _part(each.name)
    if imported in ("", "errors", "refs", importer):
        return True
    if (each.importer, each.name) in EXCEPTIONS:
        return True
    return imported in MAY_IMPORT.get(importer, ())


def test_every_part_of_the_house_is_in_the_plan() -> None:
    assert {_part(name) for name in MODULES} - {""} <= set(MAY_IMPORT)


def test_imports_follow_the_direction_of_the_plan() -> None:
    assert [str(each) for each in OURS if not _is_allowed(each)] == []


def test_every_exception_is_still_needed() -> None:
    assert set(EXCEPTIONS) <= {(each.importer, each.name) for each in OURS}


def test_nobody_imports_the_command_line_or_the_hook() -> None:
    entries = ("gitmem.__main__", "gitmem.cli.commands.hook")
    assert [
        str(each)
        for each in OURS
        if _part(each.name) in ("cli", "hook", "__main__")
        and _part(each.importer) != _part(each.name)
        and each.importer not in entries
    ] == []


def test_each_third_party_package_has_one_home() -> None:
    foreign = [
        each
        for each in IMPORTS
        if each.name.split(".")[0] not in {"gitmem", *sys.stdlib_module_names}
    ]
    assert {each.name.split(".")[0] for each in foreign} <= set(HOMES)
    assert [
        str(each)
        for each in foreign
        if not any(
            f"{each.importer}.".startswith(f"{home}.") for home in HOMES[each.name.split(".")[0]]
        )
    ] == []


@pytest.mark.parametrize("module", sorted(HOT))
def test_a_hot_file_imports_next_to_nothing_at_its_top(module: str) -> None:
    assert [
        str(each)
        for each in IMPORTS
        if each.importer == module
        and not each.is_lazy
        and each.name not in HOT_IMPORTS | HOT | {"gitmem"}
        and each.name not in {name for name in MODULES if MODULES[name].name == "__init__.py"}
    ] == []


def test_what_the_hook_loads_before_it_does_anything_says_that_it_is_hot() -> None:
    reached, waiting = set(), ["gitmem.hook", "gitmem.deliver", "gitmem.agents.claude"]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [each.name for each in OURS if each.importer == module and not each.is_lazy]
    packages = {name for name in reached if MODULES[name].name == "__init__.py"}
    assert reached - packages - HOT == set()


def test_the_packages_on_the_hot_path_import_nothing() -> None:
    packages = {name.rpartition(".")[0] for name in HOT}
    assert [str(each) for each in IMPORTS if each.importer in packages] == []


def test_the_core_does_no_input_or_output() -> None:
    assert [
        str(each)
        for each in IMPORTS
        if _part(each.importer) == "core" and each.name.split(".")[0] in IMPURE
    ] == []
    assert [
        f"{name}: {node.func.id}() in line {node.lineno}"
        for name, tree in TREES.items()
        if _part(name) == "core"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("open", "print", "input")
    ] == []


def test_only_the_command_line_prints() -> None:
    assert [
        f"{name}: line {node.lineno}"
        for name, tree in TREES.items()
        if _part(name) != "cli"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "input")
    ] == []
