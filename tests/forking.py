"""Run commands of the program in forks of a process that has already imported it.

Why: a command starts an interpreter and imports click, which is most of what a test of one output
would wait for. Everything else is as in life: a process of its own with its directory, environment
and streams. Hooks, pipes, terminals and locales are tested with the program itself.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

_server: list[subprocess.Popen[bytes]] = []


def run(
    args: list[str], cwd: str, env: Mapping[str, str], stdin: bytes
) -> tuple[int, bytes, bytes]:
    """(exit code, stdout, stderr) of `git mem ARGS`."""
    if not _server:
        command = [sys.executable, os.path.abspath(__file__)]
        _server.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/")
        )
        atexit.register(_stop)
    pipe = _server[0]
    assert pipe.stdin is not None and pipe.stdout is not None
    with tempfile.TemporaryDirectory() as place:
        streams = [os.path.join(place, name) for name in ("in", "out", "err")]
        Path(streams[0]).write_bytes(stdin)
        request = {"args": args, "cwd": cwd, "env": dict(env), "streams": streams}
        pipe.stdin.write(json.dumps(request).encode() + b"\n")
        pipe.stdin.flush()
        code = int(pipe.stdout.readline())
        return code, Path(streams[1]).read_bytes(), Path(streams[2]).read_bytes()


def _stop() -> None:
    process = _server.pop()
    process.communicate()


def _serve() -> None:
    from click import Context

    from gitmem.cli.app import COMMANDS, app

    for name in COMMANDS:
        app.get_command(Context(app), name)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    while line := requests.readline():
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(request: dict[str, object]) -> None:
    from gitmem.cli.app import main

    code = 70
    try:
        os.chdir(str(request["cwd"]))
        os.environ.clear()
        os.environ.update(request["env"])  # type: ignore[call-overload]
        flags = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
        for number, (path, flag) in enumerate(zip(request["streams"], flags, strict=True)):  # type: ignore[call-overload]
            os.dup2(os.open(path, flag), number)
        code = main(request["args"])  # type: ignore[arg-type]
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve()
