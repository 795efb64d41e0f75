"""One hook event answered: JSON on stdin → the notes that matter now on stdout.

Hot: this runs before every tool call, so it imports next to nothing and asks git only where files
do not settle an answer. It must never stop an agent: whatever goes wrong, it returns 0 with empty
output and leaves the reason in a small log that `git mem doctor` shows.
"""

import os
import sys
import time

from gitmem import quick
from gitmem.agents import AGENTS, speaker
from gitmem.jsonio import from_json, to_json
from gitmem.trouble import Trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SILENCE = 0.3
CATCH_UP = 0.3
MAX_INPUT = 32_000_000
DENY_ONCE = "--deny-once"


def answer(argv: "list[str]") -> int:
    """Answer one event. Always 0."""
    if sys.getfilesystemencoding() != "utf-8":
        from gitmem.utf8 import start_again  # for odd locales only

        start_again()
    trouble = Trouble()
    try:
        text = _text(argv, trouble)
        if text:
            _write(text)
    except BaseException as error:  # an agent must never be stopped, not even by Ctrl-C
        trouble.note(error)
    try:
        _log(trouble)
    except OSError:
        pass
    return 0


def _text(argv: "list[str]", trouble: Trouble) -> str:
    name = next((word for word in argv if not word.startswith("-")), "")
    if name not in AGENTS:
        raise ValueError(f"there is no agent '{name}'; known: {', '.join(AGENTS)}")
    payload = _read_event()
    if payload is None:
        return ""
    name = speaker(name, payload)
    module = "gitmem.agents." + AGENTS[name]
    quick.load((module,))
    agent = __import__(module, fromlist=["read"])
    call = agent.read(payload, DENY_ONCE in argv)
    if call is None:
        return ""
    from gitmem.deliver import deliver  # not for an event that says nothing

    call.agent = name
    text = deliver(call, trouble, time.monotonic() + CATCH_UP)
    answer = agent.answer(call, text) if text else ""
    return answer if isinstance(answer, str) else to_json(answer)


def _log(trouble: Trouble) -> None:
    if not trouble.reasons:
        return
    from gitmem.index.errorlog import append  # only where something went wrong

    append(trouble.common_dir, trouble.reasons, time.time())


def _read_event() -> object:
    """The first JSON document on stdin, read no further than its end; None for empty input.

    ValueError when what arrived before the input fell silent is not one.
    """
    end_silence = _silence_ends_input()
    chunks: list[bytes] = []
    total = 0
    while total < MAX_INPUT:
        end_silence(SILENCE)
        chunk = os.read(0, 1 << 16)
        end_silence(0)
        if not chunk:
            break
        chunks.append(chunk)
        total += len(chunk)
        if chunk.rstrip()[-1:] in (b"}", b"]"):
            try:
                return from_json(b"".join(chunks))
            except ValueError:
                continue
    data = b"".join(chunks)
    return from_json(data) if data.strip() else None


def _silence_ends_input() -> "Callable[[float], object]":
    """What sets, or with 0 stops, the clock by which a silent stdin comes to its end.

    An alarm puts an empty file in the place of stdin, on which the read that waits goes on: so
    nothing that was read is lost. `select` would be another library to load.
    """
    try:
        import _signal  # type: ignore[import-not-found]

        _signal.signal(_signal.SIGALRM, _end_input)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGALRM,))
    except (ImportError, AttributeError, ValueError):  # Windows; another thread
        return lambda _: None
    return lambda seconds: _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _end_input(*_: object) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


def _write(text: str) -> None:
    data = text.encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]
