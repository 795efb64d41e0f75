"""Ask git one thing from a hook: a process without `subprocess`, whose import costs more. Hot."""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.store.discover import Repository


def output(
    repository: "Repository", args: "list[str]", deadline: float, stdin: bytes = b""
) -> "bytes | None":
    """Standard output of git in the repository; None when it fails, is not done at `deadline` (an
    instant of `time.monotonic`), or cannot be started like this. `stdin` is at most 60 kB, so that
    it fits a pipe."""
    if not hasattr(os, "posix_spawnp") or len(stdin) > 60_000:
        return None
    from select import select

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    env |= {"GIT_OPTIONAL_LOCKS": "0"}
    argv = ["git", "--no-pager", f"--git-dir={repository.git_dir}", "-c", "color.ui=false"]
    if repository.root is not None:
        argv.append(f"--work-tree={repository.root}")
    reading, writing = os.pipe()
    given, giving = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, given, 0), (os.POSIX_SPAWN_DUP2, writing, 1)]
    actions.append((os.POSIX_SPAWN_DUP2, null, 2))
    try:
        child = os.posix_spawnp("git", [*argv, *args], env, file_actions=actions)
        os.write(giving, stdin)
    except OSError:
        os.close(reading)
        return None
    finally:
        for handle in (writing, given, giving, null):
            os.close(handle)
    chunks = []
    is_late = False
    try:
        while not is_late:
            left = deadline - time.monotonic()
            is_late = left <= 0 or not select([reading], [], [], left)[0]
            chunk = b"" if is_late else os.read(reading, 1 << 16)
            if not chunk:
                break
            chunks.append(chunk)
    finally:
        os.close(reading)
        if is_late:
            os.kill(child, 9)
        code = os.waitpid(child, 0)[1]
    return None if is_late or code else b"".join(chunks)
