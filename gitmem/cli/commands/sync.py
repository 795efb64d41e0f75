"""`git mem sync`: fetch, join and publish memory."""

from typing import Any

import click

from gitmem import refs
from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.memory import Memory
from gitmem.store.sync import Exchange


@click.command("sync")
@click.argument("remote", required=False)
@click.option("--dry-run", is_flag=True, help="Only say what would be exchanged.")
@json_option
def command(*, remote: str | None, dry_run: bool, as_json: bool) -> int:
    """Exchange memory with a remote: fetch, join with ours, push, and again if it moved.

    Nothing is ever lost on either side. Branches are not touched. Where the remote rewrote or
    deleted its memory, nothing is pushed and the exit code is 1: 'git mem push' gives back what
    it had, 'git mem fetch --follow' goes along.
    """
    memory = Memory.open(environ=True)
    if dry_run:
        return _preview(memory, remote, as_json=as_json)
    done = memory.sync(remote)
    show(done, as_json=as_json)
    return 1 if done.rewritten else 0  # then nothing was published


def show(done: Exchange, *, as_json: bool) -> None:
    """Print what an exchange did."""
    if as_json:
        output.print_json(exchange_json(done))
        return
    for ref in done.rewritten:
        name = refs.short(ref)
        output.warn(
            f"'{done.remote}' rewrote or deleted its {name}; {done.kept} notes it had are kept here"
        )
        output.hint(f"to give them back: git mem push {done.remote}")
        output.hint(f"to follow it and drop them: git mem fetch --follow {done.remote}")
    parts = [
        f"{count} {what}"
        for count, what in (
            (done.fetched, "fetched"),
            (done.landed, "landed"),
            (done.pushed, "pushed"),
        )
        if count
    ]
    if done.merged:
        parts.append("joined with ours")
    said = ", ".join(parts) or "nothing to do"
    again = f" (tried {done.retries + 1} times)" if done.retries else ""
    output.say(f"{done.remote}: {said}{again}")


def exchange_json(done: Exchange) -> dict[str, Any]:
    return {
        "remote": done.remote,
        "fetched": done.fetched,
        "merged": done.merged,
        "pushed": done.pushed,
        "landed": done.landed,
        "retries": done.retries,
        "kept": done.kept,
        "rewritten": list(done.rewritten),
    }


def _preview(memory: Memory, remote: str | None, *, as_json: bool) -> int:
    found = memory.preview(remote)
    if as_json:
        document = {"fetch": list(found.fetch), "push": found.push, "dry_run": True}
        output.print_json({"remote": found.remote, **document})
        return 0
    for ref in found.fetch:
        output.say(f"would fetch {refs.short(ref)} from {found.remote}")
    for ref, count in found.push.items():
        revisions = "revision" if count == 1 else "revisions"
        output.say(f"would push {count} {revisions} of {refs.short(ref)} to {found.remote}")
    if not found.fetch and not found.push:
        output.say(f"{found.remote}: nothing to do")
    return 0
