"""Layers: which repository and ref a note is kept in.

A local-only ref is private only where no push of the project can reach it, so the local layer is
a bare repository of its own inside the common directory. The outer layers, workspace and self, lie
outside of the project, for several projects share them. All of these are made on the first write.
"""

import os
from threading import get_ident
from typing import NamedTuple

from gitmem import refs
from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.discover import Repository
from gitmem.store.locate import locate
from gitmem.store.outer import OUTER, SELF, WORKSPACE, data_home

LOCAL = os.path.join("gitmem", "local.git")


class Layer(NamedTuple):
    """A repository (its common directory, absolute) and the ref that holds the notes.

    `modelled_on` is the repository whose object format a layer gets when it has to be made, else
    it is SHA-1. `used_by` is the project that an outer layer is read and written from.
    """

    name: str
    git_dir: str
    ref: str = refs.FACTS
    modelled_on: str | None = None
    used_by: str | None = None

    @property
    def is_outer(self) -> bool:
        """Whether it lies outside of the project."""
        return self.name in OUTER

    @property
    def exists(self) -> bool:
        """Whether there is a repository to read from."""
        return os.path.exists(os.path.join(self.git_dir, "HEAD"))


def layers_of(repository: Repository, ref: str = refs.FACTS) -> tuple[Layer, ...]:
    """The layers inside a project, the nearest first: local, then shared."""
    common_dir = repository.common_dir
    return (
        Layer("local", os.path.join(common_dir, LOCAL), ref, common_dir),
        Layer("shared", common_dir, ref),
    )


def outer_layers(
    repository: Repository, workspace: str, own: str, ref: str = refs.FACTS
) -> tuple[Layer, ...]:
    """The layers outside of a project, the nearer first, in the directories `workspace` and `own`;
    without one for ''."""
    found = ((WORKSPACE, workspace), (SELF, own))
    return tuple(
        Layer(name, git_dir, ref, used_by=repository.common_dir)
        for name, git_dir in found
        if git_dir
    )


class Unusable(GitMemError):
    """An outer layer whose directory is no repository of ours to use."""

    kind = "store"


def check_usable(layer: Layer) -> None:
    """Unusable, where an outer layer cannot be read; not for one that is not made yet."""
    if not layer.is_outer:
        return
    git_dir, name = layer.git_dir, f"mem.{layer.name}"
    if not os.path.isabs(git_dir):
        raise Unusable(
            f"{name} is '{git_dir}', which is not an absolute path",
            f"set it anew: git config --global {name} ~/{layer.name}.git",
        )
    if not os.path.lexists(git_dir):
        return
    hint = f"name another directory: git config --global {name} ~/{layer.name}.git"
    try:
        is_empty = not os.listdir(git_dir)
    except OSError as error:
        raise Unusable(f"{git_dir} cannot be read: {error.strerror}", hint) from error
    if is_empty:
        return
    try:
        found = locate(git_dir)
    except GitMemError as error:
        raise Unusable(f"{git_dir} cannot be used: {error.message}", *error.hints) from error
    if found.root is not None or found.common_dir != os.path.realpath(git_dir):
        raise Unusable(f"{git_dir} is not a bare git repository", hint)
    if found.common_dir == layer.used_by:
        raise Unusable(f"{git_dir} is the project itself", hint)


def ensure(layer: Layer) -> None:
    """Make the layer's bare repository if it is not there yet. Raises GitMemError.

    It is made aside and renamed, so that two first writers never see half of one.
    """
    if layer.exists:
        return
    object_format = "sha1"
    if layer.modelled_on is not None:
        out = process.run(("rev-parse", "--show-object-format"), git_dir=layer.modelled_on)
        object_format = out.decode("ascii").strip()
    aside = f"{layer.git_dir}.{os.getpid()}-{get_ident()}"
    try:
        os.makedirs(os.path.dirname(layer.git_dir), exist_ok=True)
        _init(aside, object_format)
        os.rename(aside, layer.git_dir)
        note_use(layer)
    except OSError as error:
        if not layer.exists:  # else another process was first
            raise GitMemError(
                f"cannot make the {layer.name} layer at {layer.git_dir}: {error.strerror}",
                kind="store",
            ) from error
    finally:
        import shutil  # once in the life of a layer

        shutil.rmtree(aside, ignore_errors=True)


def note_use(layer: Layer) -> None:
    """Let the hooks of other projects know that there are outer layers. OSError."""
    if layer.is_outer and (home := data_home()):
        os.makedirs(home, mode=0o700, exist_ok=True)


def _init(path: str, object_format: str) -> None:
    args = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", path)
    # Plain files, which a hook can read by itself; git before 2.45 knows no other kind.
    process.run(args, env={"GIT_DEFAULT_REF_FORMAT": "files"})
