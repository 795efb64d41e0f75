"""`git mem hook AGENT`: event JSON on stdin → the notes that matter now on stdout.

Hot: this runs before every tool call, so it imports next to nothing and asks git only where files
do not settle an answer. It must never stop an agent: whatever goes wrong, it exits 0 with empty
output and leaves the reason in a small log that `git mem doctor` shows.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.trouble import Trouble

SILENCE = 0.3
CATCH_UP = 0.3
MAX_INPUT = 32_000_000
OFF = "GIT_MEM_HOOK"
NO = ("0", "off", "false", "no")


def main(argv: "list[str]") -> int:
    """Answer one event. Always 0."""
    if os.environ.get(OFF, "").lower() in NO:  # before any import: off must cost nothing
        return 0
    if sys.getfilesystemencoding() != "utf-8":
        from gitmem.utf8 import start_again  # for odd locales only

        start_again()
    from gitmem.trouble import Trouble

    trouble = Trouble()
    try:
        answer = _answer(argv, trouble)
        if answer:
            _write(answer)
    except BaseException as error:  # an agent must never be stopped, not even by Ctrl-C
        trouble.note(error)
    try:
        _log(trouble)
    except OSError:
        pass
    return 0


def _answer(argv: "list[str]", trouble: "Trouble") -> str:
    from gitmem.agents import AGENTS

    name = next((word for word in argv if not word.startswith("-")), "")
    if name not in AGENTS:
        raise ValueError(f"there is no agent '{name}'; known: {', '.join(AGENTS)}")
    agent = __import__("gitmem.agents." + AGENTS[name], fromlist=["read"])
    payload = _read_event()
    if payload is None:
        return ""
    call = agent.read(payload)
    if call is None:
        return ""
    from gitmem.deliver import deliver

    text = deliver(call, trouble, time.monotonic() + CATCH_UP)
    return _to_json(agent.answer(call, text)) if text else ""


def _log(trouble: "Trouble") -> None:
    if not trouble.reasons:
        return
    from gitmem.index.errorlog import append

    append(trouble.common_dir, trouble.reasons, time.time())


# --- stdin and stdout ---------------------------------------------------------------------------


def _read_event() -> object:
    """The first JSON document on stdin, read no further than its end; None for empty input.

    ValueError when what arrived before the input fell silent is not one.
    """
    chunks: list[bytes] = []
    total = 0
    while total < MAX_INPUT and _has_input():
        chunk = os.read(0, 1 << 20)
        if not chunk:
            break
        chunks.append(chunk)
        total += len(chunk)
        if chunk.rstrip()[-1:] in (b"}", b"]"):
            try:
                return _from_json(b"".join(chunks))
            except ValueError:
                continue
    data = b"".join(chunks)
    return _from_json(data) if data.strip() else None


def _has_input() -> bool:
    """Whether stdin says something within SILENCE seconds (where the platform can wait)."""
    try:
        from select import select

        return bool(select([0], [], [], SILENCE)[0])
    except (ImportError, OSError, ValueError):
        return True


def _from_json(data: bytes) -> object:
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return _scanner()(text, 0)[0]
    except (StopIteration, RecursionError, MemoryError, SystemError) as error:
        # SystemError: the C scanner looks for `json.decoder`, which was never imported, to raise
        raise ValueError("the input is not a JSON document") from error


def _scanner() -> "Callable[[str, int], tuple[object, int]]":
    """What `json.JSONDecoder` scans with, without `json`: its import costs an interpreter start."""
    try:
        from _json import make_scanner
    except ImportError:
        from json.decoder import JSONDecoder

        return JSONDecoder(strict=False).raw_decode
    scanner: Callable[[str, int], tuple[object, int]] = make_scanner(_Strictness())  # type: ignore
    return scanner


class _Strictness:
    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}


def _to_json(value: object) -> str:
    """JSON of text in nested objects, all that an answer is made of. ASCII only."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_to_json(name)}:{_to_json(value[name])}" for name in value) + "}"
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return str(encode_basestring_ascii(str(value)))


def _write(text: str) -> None:
    data = text.encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os._exit(main(sys.argv[1:]))
