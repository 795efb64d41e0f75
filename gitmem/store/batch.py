"""Read many blobs with one git process. Cold, but light: no back end is loaded."""

from collections.abc import Iterable

from gitmem.store import process


def read_blobs(
    git_dir: str, oids: Iterable[str], *, timeout: float | None = None
) -> dict[str, bytes]:
    """The contents of the blobs among `oids`, which are whole ids; those that are missing are left
    out. GitFailed, where git stops at one that it would have to fetch or after `timeout` seconds.
    """
    stdin = "".join(f"{oid}\n" for oid in oids).encode("ascii")
    if not stdin:
        return {}
    out = process.run(
        ("cat-file", "--batch", "--buffer"), git_dir=git_dir, stdin=stdin, timeout=timeout
    )
    contents = {}
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        oid, kind, *size = out[at:end].decode("ascii").split(" ")
        at = end + 1
        if size:  # else `<oid> missing`
            if kind == "blob":
                contents[oid] = out[at : at + int(size[0])]
            at += int(size[0]) + 1
    return contents
