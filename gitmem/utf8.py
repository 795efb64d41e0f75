"""Start again in UTF-8 where the locale asks for another encoding of paths.

Why: paths, ids and texts are UTF-8 as in git, whatever the locale says. Python fixes the encoding
of arguments and paths when it starts, so nothing but another start changes it. Hot: only os, sys.
"""

import os
import sys


def start_again() -> None:
    """Replace this process by one in UTF-8 mode. Returns where that cannot be done."""
    if os.name != "posix":
        return
    # The streams keep the encoding they have, so that `git mem doctor` can name it.
    os.environ.setdefault("PYTHONIOENCODING", sys.stdin.encoding if sys.stdin else "utf-8")
    try:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606
    except OSError:
        pass
