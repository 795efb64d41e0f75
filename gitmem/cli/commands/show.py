"""`git mem show`: a note as it is stored, one of its revisions, or all of them."""

import click

from gitmem.cli import output
from gitmem.cli.params import json_option
from gitmem.codec import decode, encode
from gitmem.memory import Memory


@click.command("show")
@click.argument("name", metavar="ID")
@click.option("--history", is_flag=True, help="List every revision, newest first.")
@click.option("--raw", is_flag=True, help="The stored bytes, exactly.")
@json_option
def command(*, name: str, history: bool, raw: bool, as_json: bool) -> int:
    """Show a note as it is stored.

    ID is an id, a unique prefix, an entity or an alias; ID@REV is an older revision.
    """
    memory = Memory.open(environ=True)
    name, _, rev = name.partition("@")
    if not (rev or history or as_json) and (data := memory.stored(name)) is not None:
        if raw:
            output.write(data)
        else:
            output.page(encode(decode(data, name)).decode().splitlines())
        return 0
    from gitmem.cli import revisions  # reads the note from the refs, which most need not

    if rev:
        revisions.show_one(memory, name, rev, raw=raw, as_json=as_json)
    elif history:
        revisions.show_history(memory, name, as_json=as_json)
    else:
        revisions.show(memory, name, raw=raw, as_json=as_json)
    return 0
