"""What the processes above a pre-push hook say about the push."""

import os

import pytest

from gitmem.githooks.pushing import is_dry_run, is_quiet, look_at, push_arguments, sends_memory


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", False),
        ("origin main", False),
        ("--dry-run", True),
        ("--dry", True),
        ("-n origin", True),
        ("-fn", True),
        ("origin main -n", True),
        ("--dry-run --no-dry-run", False),
        ("-o n origin", False),
        ("-on origin", False),
        ("-fo n", False),
        ("--push-option -n", False),
        ("--receive-pack -n origin", False),
        ("--no-verify --delete x", False),
        ("-- -n", False),
    ],
)
def test_a_dry_run_is_known_by_its_option(line: str, expected: bool) -> None:
    assert is_dry_run(line.split()) is expected


def test_a_quiet_push_is_known_by_its_option() -> None:
    assert [is_quiet(line.split()) for line in ("-q", "--quiet", "-u origin")] == [
        True,
        True,
        False,
    ]


def test_a_push_that_sends_our_refs_itself_is_known() -> None:
    assert sends_memory(["--mirror"])
    assert sends_memory(["origin", "+refs/*:refs/*"])
    assert sends_memory(["origin", "refs/memory/facts"])
    assert not sends_memory(["origin", "main", "--all"])


def test_the_push_is_found_above_a_hook_a_manager_and_a_shell() -> None:
    world = {
        9: (8, ["/usr/bin/python", "git-mem", "githook", "pre-push", "origin", "url"]),
        8: (7, ["git", "mem", "githook", "pre-push", "origin", "url"]),
        7: (6, ["sh", ".husky/_/pre-push", "origin", "url"]),
        6: (5, ["/usr/lib/git-core/git", "-C", "push", "-c", "a.b=c", "push", "-n", "origin"]),
        5: (1, ["bash"]),
    }
    assert push_arguments(9, world.get) == ["-n", "origin"]


def test_without_a_push_above_nothing_is_known() -> None:
    world = {9: (8, ["git", "mem", "push"]), 8: (1, ["bash", "-c", "git push -n"])}
    assert push_arguments(9, world.get) is None


def test_a_running_process_is_seen_with_its_parent() -> None:
    found = look_at(os.getpid())
    assert found is not None
    assert found[0] == os.getppid()
    assert any("pytest" in argument or "python" in argument for argument in found[1])
