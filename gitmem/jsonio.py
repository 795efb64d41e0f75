"""JSON in and out without `json`, whose import costs an interpreter start. Hot: C parts only.

What is read is any document; what is written is text in nested objects, all that an answer is
made of.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def from_json(data: bytes) -> object:
    """The first JSON document of `data`, which may begin with a byte order mark. ValueError."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return _scanner()(text, 0)[0]
    except (StopIteration, RecursionError, MemoryError, SystemError) as error:
        # SystemError: the C scanner looks for `json.decoder`, which was never imported, to raise
        raise ValueError("the input is not a JSON document") from error


def to_json(value: object) -> str:
    """JSON of nested objects whose values are text, true or false. ASCII only."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{to_json(name)}:{to_json(value[name])}" for name in value) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return str(encode_basestring_ascii(str(value)))


def _scanner() -> "Callable[[str, int], tuple[object, int]]":
    """What `json.JSONDecoder` scans with."""
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
