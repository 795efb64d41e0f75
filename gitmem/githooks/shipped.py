"""The files of `hooks/`: beside the package in a checkout, inside it once installed."""

import os

import gitmem

_PACKAGE = os.path.dirname(os.path.abspath(gitmem.__file__))


def shipped(name: str) -> str:
    """The absolute path of `hooks/<name>`; `name` is relative, with `/`."""
    parts = name.split("/")
    installed = os.path.join(_PACKAGE, "_hooks", *parts)
    if os.path.exists(installed):
        return installed
    return os.path.join(os.path.dirname(_PACKAGE), "hooks", *parts)


def hook_script() -> str:
    """The absolute path of the program that answers an agent's events."""
    return os.path.join(_PACKAGE, "hook.py")
