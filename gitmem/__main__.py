"""The one entry: `hook` goes to `quick.py` before click is imported, all else to `cli`.

The `git-mem` script sends `hook` to its place without this module; here is the same dispatch for
`python -m gitmem`. It must import nothing else at the top.
"""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main(argv: list[str]) -> int:
    """Run `git mem ARGV…` and give its exit code."""
    if argv[:1] == ["hook"] and "-h" not in argv and "--help" not in argv:
        from gitmem.quick import main as hook

        return hook(argv[1:])
    if sys.getfilesystemencoding() != "utf-8":
        from gitmem.utf8 import start_again

        start_again()
    gc.disable()  # a command ends before its garbage matters, and imports make a lot to look at
    try:
        from gitmem.finder import find_quickly

        find_quickly()
        from gitmem.cli.plain import answer

        code = answer(argv)
        if code is not None:
            return code
        from gitmem.cli.app import main as cli

        return cli(argv)
    except KeyboardInterrupt:  # while something is imported
        return 130


def leave(code: int) -> "NoReturn":
    """End the process with this exit code, without taking it apart: that takes as long as a part of
    its imports did."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # it is when it was closed by who started us
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)  # then Python says what is wrong with it
    os._exit(code)


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
