"""The only place that spells ref names and refspecs. Hot: imports nothing."""

FACTS = "refs/memory/facts"
STATE = "refs/memory/state"
LANDED = "refs/memory/landed"

TRACKING = "refs/memory-remotes"

NAMESPACES = {"facts": FACTS, "state": STATE}


def tracking(remote: str, ref: str = FACTS) -> str:
    """The tracking ref of `ref` as last fetched from `remote`."""
    return f"{TRACKING}/{remote}/{ref.removeprefix('refs/memory/')}"


def fetch_refspec(remote: str) -> str:
    """What `git fetch` is told, so that nothing fetched ever moves a ref we write."""
    return f"+refs/memory/*:{TRACKING}/{remote}/*"
