"""Start answering a hook as fast as Python can: the off switch, then our modules in one go.

`import` takes longer to find thirty modules than a hook takes for all else it does. So the modules
that an event needs stand here in the order of their imports, and `load` takes each straight from
where Python keeps it compiled, by Python's own rule: size and date of the source. What is not there
like that is left to the `import` statement, which finds and compiles it. Hot.
"""

import gc
import os
import sys
from marshal import loads

OFF = "GIT_MEM_HOOK"
NO = ("0", "off", "false", "no")
SUFFIX = f".{sys.implementation.cache_tag}.pyc"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

PACKAGES = ("gitmem", "gitmem.agents", "gitmem.core", "gitmem.store", "gitmem.index")
EVENT = (
    "gitmem.trouble",
    "gitmem.jsonio",
    "gitmem.agents.tools",
    "gitmem.agents.base",
    "gitmem.answer",
    "gitmem.core.event",
    "gitmem.refs",
    "gitmem.store.discover",
    "gitmem.store.outer",
    "gitmem.index.freshness",
    "gitmem.index.place",
    "gitmem.core.gitignore",
    "gitmem.core.ids",
    "gitmem.core.ranking",
    "gitmem.index.schema",
    "gitmem.index.segment",
    "gitmem.index.read",
    "gitmem.store.worktree",
    "gitmem.nested",
    "gitmem.deliver",
)
HIT = (
    "gitmem.core.render",
    "gitmem.index.ledger",
    "gitmem.index.stale",
    "gitmem.store.odb",
    "gitmem.index.bodies",
    "gitmem.index.sessions",
    "gitmem.index.wording",
    "gitmem.showing",
)
WORDS = ("gitmem.core.text", "gitmem.core.shell", "gitmem.index.texts")
START = (
    "gitmem.core.prose",
    "gitmem.core.said",
    "gitmem.store.rule_files",
    "gitmem.store.spawn",
    "gitmem.opening",
)


def main(argv: "list[str]") -> int:
    """Answer one event. Always 0."""
    if os.environ.get(OFF, "").lower() in NO:  # before any other import: off must cost nothing
        return 0
    gc.disable()  # a process this short leaves no garbage worth collecting
    load(PACKAGES + EVENT)
    from gitmem.answer import answer

    return answer(argv)


def load(names: "tuple[str, ...]") -> None:
    """Import what of `names` is compiled, and for whose source that still holds.

    Each module must come after those it imports, and a package before its modules.
    """
    header = header_of_compiled()
    for name in names:
        if not header or name in sys.modules:
            continue
        parent, _, file = name.rpartition(".")
        folder = f"{ROOT}/{parent.replace('.', '/')}"
        if name in PACKAGES:
            folder, file = f"{folder}/{file}".replace("//", "/"), "__init__"
        code = compiled(folder, file, header)
        if code:
            _run(name, f"{folder}/{file}.py", loads(code))  # noqa: S302


def compiled(folder: str, file: str, header: bytes) -> "memoryview | None":
    """The compiled code of `folder`/`file`.py, None where there is none that is up to date."""
    try:
        source = os.stat(f"{folder}/{file}.py")
        data = _bytes_of(f"{folder}/__pycache__/{file}{SUFFIX}")
    except OSError:
        return None
    stamp = int(source.st_mtime) & 0xFFFFFFFF | (source.st_size & 0xFFFFFFFF) << 32
    is_current = data[:16] == header + stamp.to_bytes(8, "little")
    return memoryview(data)[16:] if is_current else None


def header_of_compiled() -> bytes:
    """What compiled files begin with that are told by date; b'' where this Python has others."""
    try:
        from _frozen_importlib_external import MAGIC_NUMBER
        from _imp import check_hash_based_pycs
    except ImportError:  # another Python than CPython
        return b""
    is_usual = not (sys.flags.optimize or sys.pycache_prefix or check_hash_based_pycs == "always")
    return MAGIC_NUMBER + bytes(4) if is_usual else b""


def _bytes_of(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)


def _run(name: str, file: str, code: object) -> None:
    """Run a module's code as `import` does."""
    module = type(sys)(name)
    module.__file__ = file
    parent = name.rpartition(".")[0]
    module.__package__ = parent
    if name in PACKAGES:
        module.__path__ = [os.path.dirname(file)]
        module.__package__ = name
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)  # type: ignore[arg-type]  # noqa: S102
    except BaseException:
        del sys.modules[name]  # then `import` meets the same error, where it can be told
        return
    if parent:
        setattr(sys.modules[parent], name.rpartition(".")[2], module)
