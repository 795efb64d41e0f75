"""The one entry: `hook` goes to `hook.py` before click is imported, all else to `cli`.

The `git-mem` script sends `hook` to its place without this module; here is the same dispatch for
`python -m gitmem`. It must import nothing else at the top.
"""

import sys


def main(argv: list[str]) -> int:
    """Run `git mem ARGV…` and give its exit code."""
    if argv[:1] == ["hook"] and "-h" not in argv and "--help" not in argv:
        from gitmem.hook import main as hook

        return hook(argv[1:])
    if sys.getfilesystemencoding() != "utf-8":
        from gitmem.utf8 import start_again

        start_again()
    try:
        from gitmem.cli.app import main as cli

        return cli(argv)
    except KeyboardInterrupt:  # while something is imported
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
