"""The boundary for errors: each becomes `error: …` and `hint: …` lines, or one JSON document, and
an exit code; a bug leaves a report that can be pasted. Loads no click (see `plain.py`).
"""

import os
import sys

from gitmem import __version__
from gitmem.cli import output
from gitmem.errors import EXIT_CODES, GitMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def guarded(args: "Sequence[str]", work: "Callable[[], object]") -> int:
    """Do the work of `git mem ARGS`; the exit code, which is that of `work` if it returns one."""
    try:
        result = work()
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except GitMemError as error:
        report(args, error.kind, error.message, error.hints)
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_CODES["interrupted"]
    except BrokenPipeError:
        silence_stdout()
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        report(args, "system", f"{where}{error.strerror or error}", ())
        return 1
    except Exception as error:
        _report_bug(args, error)
        return EXIT_CODES["bug"]


def report(args: "Sequence[str]", kind: str, message: str, hints: "Sequence[str]") -> None:
    """Say what is wrong."""
    message = message.rstrip(".")
    if "--json" in args:
        output.print_json({"error": {"kind": kind, "message": message, "hints": list(hints)}})
        return
    output.error(message)
    for hint in hints:
        output.hint(hint)


def _report_bug(args: "Sequence[str]", error: Exception) -> None:
    import traceback  # only when something is wrong with us

    report(
        args, "bug", f"{type(error).__name__}: {error}", ("please report this with the text below",)
    )
    python = ".".join(map(str, sys.version_info[:3]))
    sys.stderr.write(f"\ngit mem {__version__}, Python {python}, {sys.platform}\n")
    sys.stderr.write(f"command: git mem {' '.join(args)[:500]}\n")
    traceback.print_exception(error, file=sys.stderr)


def silence_stdout() -> None:
    """The reader went away; keep the interpreter from complaining about it at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
