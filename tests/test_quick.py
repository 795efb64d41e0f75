"""Loading compiled modules in one go gives what `import` gives, or leaves it to `import`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gitmem
from gitmem import quick

LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
from gitmem import quick
quick.load(quick.PACKAGES + quick.EVENT + quick.HIT)
names = quick.PACKAGES[1:] + quick.EVENT + quick.HIT
print(*[name for name in names if name in sys.modules and sys.modules[name].__spec__ is None])
import gitmem.showing, gitmem.core.render
from gitmem.core import gitignore, event
from gitmem.index.usage import read_usage
print(gitignore.__file__, gitmem.showing is sys.modules["gitmem.showing"], gitmem.core.__path__)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, compiled."""
    copy = tmp_path / "lib" / "gitmem"
    shutil.copytree(
        Path(gitmem.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(copy)], check=True)
    return copy


def run(package: Path, *flags: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", *flags, "-c", LOADED, str(package.parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_every_module_on_the_lists_is_loaded_in_an_order_that_works(package: Path) -> None:
    names, then = run(package)
    assert names.split() == [*quick.PACKAGES[1:], *quick.EVENT, *quick.HIT]
    file = package / "core" / "gitignore.py"
    assert then == f"{file} True ['{package / 'core'}']"


def test_what_changed_since_it_was_compiled_is_left_to_import(package: Path) -> None:
    source = package / "core" / "render.py"
    source.write_text(source.read_text() + "\n# longer\n")
    os.utime(package / "trouble.py", (1, 1))
    names = run(package)[0].split()
    assert "gitmem.core.gitignore" in names
    assert not {"gitmem.core.render", "gitmem.trouble"} & set(names)


def test_what_is_not_compiled_or_damaged_is_left_to_import(package: Path) -> None:
    tag = sys.implementation.cache_tag
    (package / "core" / "__pycache__" / f"ids.{tag}.pyc").unlink()
    (package / "core" / "__pycache__" / f"event.{tag}.pyc").write_bytes(b"torn")
    shutil.rmtree(package / "agents" / "__pycache__")
    names = run(package)[0].split()
    assert "gitmem.store.discover" in names
    assert not {"gitmem.core.ids", "gitmem.core.event", "gitmem.agents"} & set(names)


def test_a_python_with_other_rules_uses_import_alone(package: Path) -> None:
    assert run(package, "-O")[0] == ""
