"""Talk to a remote about memory refs: list, fetch, push. The only place that uses the network.

Nothing here ever waits for a person: no prompt, no terminal, and a time limit on every call. A
push is judged by its porcelain status and not by message text. The user's own refspecs, hooks,
signing and prune settings have no say in what is sent or kept.
"""

import math
import os
import shlex
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gitmem import refs
from gitmem.errors import GitMemError
from gitmem.store import process

# Seconds for one call. Asking comes first and is short: a host that is away, or a prompt that no
# one answers, ends it there; notes may take their time on a slow line.
ASKING, FETCHING, SENDING = 30.0, 600.0, 120.0
PUSHING = "GITMEM_PUSHING"  # set while we push, so that our own pre-push hook stays out of it
NO_PROMPT = {"SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never", PUSHING: "1"}
BATCH = "-o BatchMode=yes -o ConnectTimeout=15"


class RemoteFailed(GitMemError):
    """The remote cannot be reached, or git could not talk to it."""

    kind = "remote"


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote by name (or address), and how memory travels there.

    `cwd` is where a relative address counts from, as for plain git: the top of the work tree.
    `label` is what its tracking refs are called, since an address is no part of a ref name.
    `transport` is "refs" (refs/memory/*) or "branch", for hosts that take only branches.
    `ssh_command` is the user's core.sshCommand, '' for none. No call goes on after `deadline`, in
    seconds of `time.monotonic`.
    """

    name: str
    git_dir: str
    cwd: str
    label: str = ""
    transport: str = "refs"
    ssh_command: str = ""
    is_partial: bool = False
    deadline: float = math.inf

    @property
    def is_named(self) -> bool:
        """Whether it is a remote of the configuration, and no mere address."""
        return self.label in ("", self.name)

    @property
    def by_other_transport(self) -> "Remote":
        """The same remote as it is seen with the other `mem.transport`."""
        return replace(self, transport="refs" if self.transport == "branch" else "branch")

    def theirs(self, ref: str) -> str:
        """What `ref` is called at the remote."""
        return refs.branch_of(ref) if self.transport == "branch" else ref

    def tracking(self, ref: str) -> str:
        """Where what was last fetched of `ref` is kept here."""
        return refs.tracking(self.label or self.name, ref)


@dataclass(frozen=True, slots=True)
class Pushed:
    """The answer to a push of one ref. `reason` is the remote's, for a person to read."""

    accepted: bool
    reason: str = ""


def tips(remote: Remote) -> dict[str, str]:
    """What the remote has of the memory refs: ref (as it is called here) → commit id."""
    names = {remote.theirs(ref): ref for ref in refs.SHARED}
    out = _call(remote, ("ls-remote", "--refs", remote.name, *names), ASKING)
    found = {}
    for line in out.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition("\t")
        if name in names:
            found[names[name]] = oid
    return found


def fetch(remote: Remote, wanted: Iterable[str], *, again: bool = False) -> None:
    """Fetch `wanted` refs into their tracking refs, whole, whatever the user configured.

    `again` brings every object anew: for a partial clone, where a plain fetch left some out.
    """
    specs = [f"+{remote.theirs(ref)}:{remote.tracking(ref)}" for ref in wanted]
    options = ["--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--refmap="]
    options += ["--no-recurse-submodules", "--no-auto-maintenance"]
    options += ["--no-filter"] * remote.is_partial + ["--refetch"] * again
    settings = ("-c", "core.logAllRefUpdates=always")
    _call(remote, (*settings, "fetch", *options, remote.name, *specs), FETCHING)


def push(remote: Remote, ref: str, new: str, *, replaces: str | None = None) -> Pushed:
    """Push commit `new` to `ref`. With `replaces`, a tip that is not an ancestor may be replaced,
    if the remote still has exactly that one."""
    target = remote.theirs(ref)
    settings = ["push.gpgSign=false", "push.followTags=false", "push.recurseSubmodules=no"]
    settings += [f"remote.{remote.name}.mirror=false"] * remote.is_named
    args = [part for text in settings for part in ("-c", text)]
    args += ["push", "--porcelain", "--no-verify", "--no-progress"]
    if replaces is not None:
        args.append(f"--force-with-lease={target}:{replaces}")
    code, out, said = _attempt(remote, (*args, remote.name, f"{new}:{target}"), SENDING)
    answers = []  # one for each address that pushes to the remote go to
    for line in out.decode("utf-8", "replace").splitlines():
        flag, _, rest = line.partition("\t")
        names, _, summary = rest.partition("\t")
        if names.endswith(f":{target}"):
            answers.append(Pushed(flag != "!", summary))
    if not answers:
        raise _failed(remote, code, said)
    return min(answers, key=lambda answer: answer.accepted)


def _call(remote: Remote, args: tuple[str, ...], limit: float) -> bytes:
    code, out, said = _attempt(remote, args, limit)
    if code:
        raise _failed(remote, code, said)
    return out


def _attempt(remote: Remote, args: tuple[str, ...], limit: float) -> tuple[int, bytes, str]:
    env = NO_PROMPT | _ssh(remote, os.environ)
    timeout = max(0.0, min(limit, remote.deadline - time.monotonic()))
    return process.converse(args, git_dir=remote.git_dir, cwd=remote.cwd, env=env, timeout=timeout)


def _ssh(remote: Remote, environ: Mapping[str, str]) -> dict[str, str]:
    """ssh that never asks. Another program than ssh keeps its own ways; the time limit holds."""
    command = environ.get("GIT_SSH_COMMAND") or remote.ssh_command
    if not command:
        return {} if environ.get("GIT_SSH") else {"GIT_SSH_COMMAND": f"ssh {BATCH}"}
    try:
        program = os.path.basename(shlex.split(command)[0])
    except (ValueError, IndexError):
        return {}
    return {"GIT_SSH_COMMAND": f"{command} {BATCH}"} if program in ("ssh", "ssh.exe") else {}


def _failed(remote: Remote, code: int, said: str) -> RemoteFailed:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    reason = first.partition(" ")[2] or (lines[-1] if lines else f"git ended with {code}")
    return RemoteFailed(
        f"cannot exchange memory with '{remote.name}': {reason}",
        "nothing is lost; try again with: git mem sync",
    )
