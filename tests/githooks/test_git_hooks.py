"""Our git hooks in real repositories: what is written, what is left alone, what comes back."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Repo

from gitmem.githooks import git_hooks
from gitmem.githooks.git_hooks import (
    BEGIN,
    CONFIG_HOOKS,
    END,
    EVENTS,
    HookPlace,
    HookPlan,
    apply,
    git_version,
    hook_place,
    is_installed,
    plan_install,
    plan_uninstall,
)
from gitmem.store.locate import locate

OLD = (2, 39)
LINE = 'command -v git-mem >/dev/null 2>&1 && git mem githook pre-push "$@" </dev/null || :'
LINES = f"""\
if [ -z "${{GITMEM_PRE_PUSH-}}" ]; then
    GITMEM_PRE_PUSH=1 "$0" "$@" || exit
    {LINE}
    exit 0
fi"""
BLOCK = f"{BEGIN}\n# 'git mem uninstall' takes this block out again.\n{LINES}\n{END}"
MADE = f"""\
#!/bin/sh
{BEGIN}
# 'git mem uninstall' takes this block out again.
# git mem made this file
{LINES}
{END}
"""


def place_of(repo: Repo, version: tuple[int, ...] = OLD) -> HookPlace:
    return hook_place(locate(str(repo.path)), version)


def installed(repo: Repo, version: tuple[int, ...] = OLD) -> list[HookPlan]:
    place = place_of(repo, version)
    plans = [plan_install(place, event) for event in EVENTS]
    for plan in plans:
        apply(plan, place)
    return plans


def removed(repo: Repo) -> None:
    place = place_of(repo)
    for event in EVENTS:
        apply(plan_uninstall(place, event), place)


def tree_of(*directories: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode and content."""
    return {
        str(path): (path.stat().st_mode, path.read_bytes())
        for directory in directories
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def hook(repo: Repo, content: str | bytes, mode: int = 0o755, name: str = "pre-push") -> Path:
    path = repo.git_dir / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `git-mem` that says how it was called, and fails. The file is what it said."""
    said = tmp_path / "said"
    program = tmp_path / "bin" / "git-mem"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n{{ echo "$@"; cat; }} >>"{said}"\nexit 70\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return said


@pytest.fixture
def remote(repo: Repo, make_repo: Callable[..., Repo]) -> Repo:
    made = make_repo("remote.git", "--bare")
    repo.git("remote", "add", "origin", str(made.path))
    return made


def test_a_hook_file_that_is_not_there_is_made_and_goes_away_again(repo: Repo) -> None:
    before = tree_of(repo.git_dir)
    installed(repo)
    path = repo.git_dir / "hooks" / "pre-push"
    assert path.read_text() == MADE
    assert path.stat().st_mode & 0o777 == 0o755
    assert all(is_installed(place_of(repo), event) for event in EVENTS)
    removed(repo)
    assert tree_of(repo.git_dir) == before
    assert not any(is_installed(place_of(repo), event) for event in EVENTS)


def test_a_second_install_changes_nothing(repo: Repo) -> None:
    hook(repo, "#!/bin/sh\nexec true\n")
    assert all(plan.is_change for plan in installed(repo))
    before = tree_of(repo.git_dir)
    assert not any(plan.is_change for plan in installed(repo))
    assert tree_of(repo.git_dir) == before


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        ("#!/bin/sh\nexec true\n", 0o755),
        ("#!/bin/sh", 0o700),
        ("#!/bin/sh\n", 0o755),
        ("#!/usr/bin/env bash\n\nset -euo pipefail\ntrue", 0o775),
        ("#!/usr/bin/env -S bash -e\ntrue\n", 0o755),
        ("true\n", 0o755),
        ("", 0o755),
        (b"#!/bin/sh\n# caf\xe9\ntrue\n\n\n", 0o755),
    ],
)
def test_an_existing_script_keeps_its_mode_and_comes_back_to_the_byte(
    repo: Repo, content: str | bytes, mode: int
) -> None:
    path = hook(repo, content, mode)
    before = tree_of(repo.git_dir)
    installed(repo)
    assert path.stat().st_mode & 0o777 == mode
    assert BLOCK.encode() in path.read_bytes()
    removed(repo)
    assert tree_of(repo.git_dir) == before


def test_what_a_person_adds_around_the_block_stays(repo: Repo) -> None:
    path = hook(repo, "#!/bin/sh\necho one\n")
    installed(repo)
    path.write_text(path.read_text() + "echo two\n")
    removed(repo)
    assert path.read_text() == "#!/bin/sh\necho one\necho two\n"


def test_what_a_person_adds_to_a_file_that_we_made_stays(repo: Repo) -> None:
    installed(repo)
    path = repo.git_dir / "hooks" / "pre-push"
    path.write_text(path.read_text() + "echo two\n")
    removed(repo)
    assert path.read_text() == "#!/bin/sh\necho two\n"


def test_an_older_block_is_brought_up_to_date_where_it_stands(repo: Repo) -> None:
    path = hook(repo, f"#!/bin/sh\necho one\n{BEGIN}\nold\n{END}\necho two\n")
    installed(repo)
    assert path.read_text() == f"#!/bin/sh\necho one\n{BLOCK}\necho two\n"


def test_a_script_that_reads_stdin_still_gets_it_and_its_exit_code_counts(
    repo: Repo, remote: Repo, stub: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    hook(repo, f'#!/bin/sh\ncat >"{seen}"\nexit 1\n')
    installed(repo)
    with pytest.raises(AssertionError, match="failed to push"):
        repo.git("push", "origin", "main")
    head = repo.git("rev-parse", "HEAD")
    assert seen.read_text() == f"refs/heads/main {head} refs/heads/main {'0' * 40}\n"
    assert not stub.exists()  # what a push is refused for must not be published
    hook(repo, f'#!/bin/sh\ncat >"{seen}"\nexit 0\n')
    installed(repo)
    repo.git("push", "origin", "main")
    assert stub.read_text() == f"githook pre-push origin {remote.path}\n"


def test_a_script_that_ends_in_exec_still_calls_us_and_our_failure_stops_nothing(
    repo: Repo, remote: Repo, stub: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    hook(repo, f'#!/bin/sh -eu\nexec cat >"{seen}"\n')
    installed(repo)
    repo.git("push", "origin", "main")
    assert seen.read_text().startswith("refs/heads/main ")
    assert stub.read_text() == f"githook pre-push origin {remote.path}\n"
    assert remote.git("rev-parse", "main") == repo.git("rev-parse", "HEAD")


def test_a_script_under_every_strict_option_goes_on(
    repo: Repo, remote: Repo, stub: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    hook(repo, f'#!/usr/bin/env bash\nset -Eeuo pipefail\ncat >"{seen}"\n')
    installed(repo)
    repo.git("push", "origin", "main")
    assert seen.read_text().startswith("refs/heads/main ")


def test_without_git_mem_on_the_path_nothing_happens(repo: Repo, remote: Repo) -> None:
    programs = [
        directory
        for directory in os.environ["PATH"].split(os.pathsep)
        if not os.path.exists(os.path.join(directory, "git-mem"))
    ]
    installed(repo)
    assert repo.git("push", "origin", "main", env={"PATH": os.pathsep.join(programs)}) == ""
    assert remote.git("rev-parse", "main") == repo.git("rev-parse", "HEAD")


def test_a_merge_calls_us(repo: Repo, stub: Path) -> None:
    installed(repo)
    repo.git("switch", "--quiet", "--create", "topic")
    repo.commit("more", c="1")
    repo.git("switch", "--quiet", "main")
    repo.git("merge", "--quiet", "topic")
    assert stub.read_text() == "githook post-merge 0\n"


def test_all_worktrees_share_the_hooks(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    installed(Repo(tmp_path / "linked"))
    assert (repo.path / ".git" / "hooks" / "pre-push").read_text() == MADE


def refused(repo: Repo, *directories: Path) -> HookPlan:
    """The plan for pre-push, of which nothing is written in the repository or `directories`."""
    before = tree_of(repo.path, *directories)
    place = place_of(repo)
    plan = plan_install(place, "pre-push")
    apply(plan, place)
    assert tree_of(repo.path, *directories) == before
    assert plan.problem and not plan.is_change
    return plan


def test_a_directory_outside_the_repository_is_never_written(
    repo: Repo, home: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "everybody"
    outside.mkdir()
    (outside / "pre-push").write_text("#!/bin/sh\n")
    (outside / "pre-push").chmod(0o755)
    repo.git("config", "--global", "core.hooksPath", str(outside))
    plan = refused(repo, outside, home)
    assert plan.problem == f"{outside}/pre-push is outside this repository"
    assert plan.advice == (f"add to {outside}/pre-push:", LINE)
    assert not is_installed(place_of(repo), "pre-push")
    (outside / "pre-push").write_text(f"#!/bin/sh\n{LINE}\n")
    assert is_installed(place_of(repo), "pre-push")
    before = tree_of(outside)
    removed(repo)
    assert tree_of(outside) == before


def test_a_hooks_directory_that_leads_outside_is_never_written(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "everybody"
    outside.mkdir()
    hooks = repo.git_dir / "hooks"
    hooks.rename(tmp_path / "before")
    hooks.symlink_to(outside)
    assert refused(repo, outside).problem == f"{outside}/pre-push is outside this repository"


def test_huskys_directory_is_never_written(repo: Repo) -> None:
    repo.write(".husky/_/pre-push", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    repo.write(".husky/_/.gitignore", "*\n")
    (repo.path / ".husky/_/pre-push").chmod(0o755)
    repo.git("config", "core.hooksPath", ".husky/_")
    plan = refused(repo)
    assert plan.problem == f"{repo.path}/.husky/_/pre-push belongs to husky"
    assert plan.advice == ("add to .husky/pre-push:", LINE)
    repo.write(".husky/pre-push", f"{LINE}\n")
    assert is_installed(place_of(repo), "pre-push")
    assert installed(repo)[0] == HookPlan("pre-push", str(repo.path / ".husky/pre-push"))


@pytest.mark.parametrize(
    ("content", "name", "file"),
    [
        (
            "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n",
            "pre-commit",
            ".pre-commit-config.yaml, under 'repos'",
        ),
        ('#!/bin/sh\ncall_lefthook run "pre-push" "$@"\n', "lefthook", "lefthook.yml"),
    ],
)
def test_a_file_that_a_hooks_manager_generates_is_never_written(
    repo: Repo, content: str, name: str, file: str
) -> None:
    path = hook(repo, content)
    plan = refused(repo)
    assert plan.problem == f"{path} belongs to {name}"
    assert plan.advice[0] == f"add to {file}:"
    assert any("git mem githook pre-push" in line for line in plan.advice)


def test_a_hook_that_pre_commit_moved_aside_still_counts_and_goes_away(repo: Repo) -> None:
    before = tree_of(repo.git_dir)
    installed(repo)
    hooks = repo.git_dir / "hooks"
    (hooks / "pre-push").rename(hooks / "pre-push.legacy")
    hook(repo, "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n")
    assert is_installed(place_of(repo), "pre-push")
    removed(repo)
    (hooks / "pre-push").unlink()
    assert tree_of(repo.git_dir) == before


def test_hooks_that_are_committed_are_never_written(repo: Repo) -> None:
    repo.commit("hooks", **{".githooks/commit-msg": "#!/bin/sh\n"})
    repo.git("config", "core.hooksPath", ".githooks")
    plan = refused(repo)
    assert plan.problem == f"{repo.path}/.githooks holds committed hooks"
    assert plan.advice == (f"add to {repo.path}/.githooks/pre-push:", LINE)


def test_a_hooks_directory_of_ones_own_in_the_work_tree_is_written(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", ".githooks")
    installed(repo)
    assert (repo.path / ".githooks" / "pre-push").read_text() == MADE
    removed(repo)
    assert not (repo.path / ".githooks" / "pre-push").exists()


@pytest.mark.parametrize(
    ("content", "mode", "problem"),
    [
        ("#!/usr/bin/env python3\nprint()\n", 0o755, "is not a shell script"),
        ("#!/usr/bin/env fish\n", 0o755, "is not a shell script"),
        (b"\x7fELF\0\0", 0o755, "is not a shell script"),
        ("#!/bin/sh\n", 0o644, "is not executable, so git does not run it"),
        (f"#!/bin/sh\n{BEGIN}\n", 0o755, f"has a line '{BEGIN}' without '{END}'"),
    ],
)
def test_a_hook_that_cannot_take_the_block_is_never_written(
    repo: Repo, content: str | bytes, mode: int, problem: str
) -> None:
    path = hook(repo, content, mode)
    plan = refused(repo)
    assert plan.problem == f"{path} {problem}"
    assert plan.advice == (f"add to {path}:", LINE)


def test_a_symbolic_link_is_never_written(repo: Repo) -> None:
    script = repo.write("scripts/pre-push", "#!/bin/sh\n")
    script.chmod(0o755)
    path = repo.git_dir / "hooks" / "pre-push"
    path.symlink_to(script)
    assert refused(repo).problem == f"{path} is a symbolic link"


def test_newer_git_gets_settings_and_no_file(repo: Repo) -> None:
    before = tree_of(repo.git_dir)
    installed(repo, CONFIG_HOOKS)
    assert repo.git("config", "--local", "hook.gitmem-pre-push.event") == "pre-push"
    assert repo.git("config", "--local", "hook.gitmem-pre-push.command") == (
        f"run() {{ {LINE}; }}; run"
    )
    assert set(tree_of(repo.git_dir)) == set(before)
    place = place_of(repo, CONFIG_HOOKS)
    assert all(is_installed(place, event) for event in EVENTS)
    assert not any(plan_install(place, event).is_change for event in EVENTS)
    removed(repo)
    assert tree_of(repo.git_dir) == before


def test_an_upgraded_git_does_not_run_a_hook_twice(repo: Repo) -> None:
    installed(repo)
    installed(repo, CONFIG_HOOKS)
    assert not (repo.git_dir / "hooks" / "pre-push").exists()
    assert is_installed(place_of(repo, CONFIG_HOOKS), "pre-push")


@pytest.mark.skipif(git_version() < CONFIG_HOOKS, reason="git runs configured hooks since 2.54")
def test_newer_git_runs_us_beside_a_hooks_manager(
    repo: Repo, remote: Repo, stub: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    repo.write(".husky/_/pre-push", f'#!/bin/sh\ncat >"{seen}"\n')
    (repo.path / ".husky/_/pre-push").chmod(0o755)
    repo.git("config", "core.hooksPath", ".husky/_")
    installed(repo, git_hooks.git_version())
    repo.git("push", "origin", "main")
    assert seen.read_text().startswith("refs/heads/main ")
    assert stub.read_text() == f"githook pre-push origin {remote.path}\n"
