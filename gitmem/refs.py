"""The only place that spells ref names and refspecs. Hot: imports nothing."""

FACTS = "refs/memory/facts"
STATE = "refs/memory/state"
LANDED = "refs/memory/landed"

TRACKING = "refs/memory-remotes"

SHARED = (FACTS, STATE, LANDED)

NAMESPACES = {"facts": FACTS, "state": STATE}


def tracking(remote: str, ref: str = FACTS) -> str:
    """The tracking ref of `ref` as last fetched from `remote`."""
    return f"{TRACKING}/{remote}/{ref.removeprefix('refs/memory/')}"


def short(ref: str) -> str:
    """`facts` for refs/memory/facts."""
    return ref.removeprefix("refs/memory/")


def fetch_refspecs(remote: str, transport: str = "refs") -> list[str]:
    """What `git fetch` is told, so that nothing fetched ever moves a ref we write."""
    if transport == "branch":
        return [f"+{branch_of(ref)}*:{tracking(remote, ref)}*" for ref in SHARED]
    return [f"+refs/memory/*:{TRACKING}/{remote}/*"]


def branch_of(ref: str) -> str:
    """The branch that stands for `ref` at a host that takes only branches."""
    name = short(ref)
    return f"refs/heads/git-mem/{'memory' if name == 'facts' else name}"
