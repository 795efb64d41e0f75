"""`git mem doctor`: check everything a note passes on its way to an agent."""

import os
import sys

import click

from gitmem.cli import output
from gitmem.cli.params import json_option


@click.command("doctor")
@json_option
def command(*, as_json: bool) -> int:
    """Check repository, notes, index and hooks; exit 1 when something is wrong.

    What hooks could not do since the last time is shown once.
    """
    from gitmem.doctor import examine

    found = examine(".", os.environ, output.encodings())
    problems = [item for item in found if item.is_problem]
    if as_json:
        output.print_json(
            {
                "ok": not problems,
                "findings": [
                    {
                        "check": item.check,
                        "ok": not item.is_problem,
                        "message": item.message,
                        "hints": list(item.hints),
                    }
                    for item in found
                ],
            }
        )
        return 1 if problems else 0
    for item in found:
        output.say(f"{'PROBLEM' if item.is_problem else 'ok     '} {item.check}: {item.message}")
        for hint in item.hints:
            output.say(f"        {hint}")
    sys.stdout.flush()
    return 1 if problems else 0
