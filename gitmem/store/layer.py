"""Layers: which repository and ref a note is kept in.

A local-only ref is private only where no push of the project can reach it, so the local layer is
a bare repository of its own inside the common directory. It is made on the first write.
"""

import os
from threading import get_ident
from typing import NamedTuple

from gitmem import refs
from gitmem.errors import GitMemError
from gitmem.store import process
from gitmem.store.discover import Repository

LOCAL = os.path.join("gitmem", "local.git")


class Layer(NamedTuple):
    """A repository (its common directory, absolute) and the ref that holds the notes.

    `modelled_on` is the repository whose object format a layer gets when it has to be made; None
    for one that is always there.
    """

    name: str
    git_dir: str
    ref: str = refs.FACTS
    modelled_on: str | None = None

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
    except OSError as error:
        if not layer.exists:  # else another process was first
            raise GitMemError(
                f"cannot make the {layer.name} layer at {layer.git_dir}: {error.strerror}",
                kind="store",
            ) from error
    finally:
        import shutil  # once in the life of a layer

        shutil.rmtree(aside, ignore_errors=True)


def _init(path: str, object_format: str) -> None:
    args = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", path)
    # Plain files, which a hook can read by itself; git before 2.45 knows no other kind.
    process.run(args, env={"GIT_DEFAULT_REF_FORMAT": "files"})
