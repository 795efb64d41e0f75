"""Which branch work lands on: as the remote says, or by its usual name.

Read from files where these settle it, else asked of git.
"""

import os

from gitmem.store import process
from gitmem.store.discover import Uncertain, read_refs, read_tip
from gitmem.store.questions import DEFAULT_BRANCH

HEADS = "refs/heads/"
REMOTES = "refs/remotes/"
USUAL = ("main", "master", "trunk")


def default_branch(git_dir: str) -> str | None:
    """The full name of the ref that work lands on; None when nothing says which.

    What the remote calls HEAD (origin, or the only remote that says); else init.defaultBranch,
    main, master or trunk, here or on a remote. At most two processes, mostly one or none.
    """
    try:
        return _by_files(git_dir)
    except Uncertain:
        return _as_git_says(git_dir)


def _by_files(git_dir: str) -> str | None:
    """Where no remote has a branch, or one alone says which. Raises Uncertain for the rest."""
    if os.path.exists(os.path.join(git_dir, "commondir")):
        raise Uncertain("refs are elsewhere")
    heads = _remote_heads(git_dir)
    said = heads.get("origin") or (next(iter(heads.values())) if len(heads) == 1 else None)
    if said is not None and said.startswith(REMOTES) and read_tip(git_dir, said):
        return said
    if heads or read_refs(git_dir, REMOTES):
        raise Uncertain("remote branches may have the usual name")
    for name in _names(git_dir):
        if read_tip(git_dir, HEADS + name):
            return HEADS + name
    return None


def _remote_heads(git_dir: str) -> dict[str, str]:
    """Remote → what its HEAD is, where that is a symbolic ref."""
    directory = os.path.join(git_dir, *REMOTES.split("/"))
    found = {}
    try:
        for remote in os.listdir(directory):
            path = os.path.join(directory, remote, "HEAD")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    text = file.read(4096)
                if text.startswith("ref:"):
                    found[remote] = text[4:].strip()
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise Uncertain(str(error)) from error
    return found


def _names(git_dir: str) -> dict[str, None]:
    """What a default branch may be called, best first."""
    code, out, _ = process.attempt(DEFAULT_BRANCH, git_dir=git_dir)
    configured = out.decode("utf-8", "surrogateescape").strip() if code == 0 else ""
    return dict.fromkeys(name for name in (configured, *USUAL) if name)


def _as_git_says(git_dir: str) -> str | None:
    shape = "--format=%(refname)%00%(symref)"
    out = process.run(("for-each-ref", shape, HEADS, REMOTES), git_dir=git_dir)
    lines = (line.split("\0") for line in out.decode("utf-8", "surrogateescape").splitlines())
    targets = {line[0]: line[1] for line in lines}
    remote_heads = {name: to for name, to in targets.items() if _is_remote_head(name) and to}
    said = remote_heads.get(f"{REMOTES}origin/HEAD")
    if said is None and len(remote_heads) == 1:
        said = next(iter(remote_heads.values()))
    if said in targets:
        return said
    for name in _names(git_dir):
        for ref in (f"{HEADS}{name}", f"{REMOTES}origin/{name}", *_on_remotes(name, targets)):
            if ref in targets:
                return ref
    return None


def _is_remote_head(ref: str) -> bool:
    return ref.startswith(REMOTES) and ref.endswith("/HEAD") and ref.count("/") == 3


def _on_remotes(name: str, refs: dict[str, str]) -> list[str]:
    return [ref for ref in sorted(refs) if ref.startswith(REMOTES) and ref.endswith(f"/{name}")]
