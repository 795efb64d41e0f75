"""What a memory stands on: a repository, its layers, its configuration and where HEAD is.

Found when it is asked for, and once. The face is `memory.py`.
"""

from __future__ import annotations

import os
import time
from functools import cached_property

from gitmem.errors import GitMemError
from gitmem.store.discover import Repository
from gitmem.store.locate import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from gitmem.config import Config
    from gitmem.core.derive import Tracked
    from gitmem.store.ancestry import Viewpoint
    from gitmem.store.backend import Backend
    from gitmem.store.identity import Identities
    from gitmem.store.layer import Layer
    from gitmem.store.place import Place


UNSET = {
    "workspace": (
        "there is no workspace here: mem.workspace names no directory",
        "choose one: git config --global mem.workspace ~/workspace.git",
        "for the projects below one directory only, see includeIf in git help config",
    ),
    "self": (
        "there is no layer self: no home directory is known",
        "choose a directory: git config --global mem.self /path/to/self.git",
    ),
}


class UnknownLayer(GitMemError):
    kind = "usage"


class Ground:
    """A repository, and what is known of it. Nothing is read before it is asked for."""

    def __init__(
        self,
        repository: Repository,
        *,
        cwd: str,
        clock: Callable[[], float] = time.time,
        bulk: bool = False,
    ) -> None:
        self.repository = repository
        self.cwd = cwd
        self.clock = clock
        self.is_bulk = bulk
        self._backends: dict[str, Backend] = {}

    @classmethod
    def open(
        cls,
        path: str = ".",
        *,
        environ: bool = False,
        clock: Callable[[], float] = time.time,
        bulk: bool = False,
    ) -> Self:
        """The memory of the repository that contains `path`. Asks git.

        `environ` honours GIT_DIR and the like, as a git command does. `bulk` is for a process that
        writes a lot: one back end stays open, and the index follows at the end of the `with` block
        or at the next question that needs it. Raises GitMemError of kind "not-a-repository", or
        git's own refusal.
        """
        cwd = os.path.abspath(path)
        return cls(locate(cwd, environ=environ), cwd=cwd, clock=clock, bulk=bulk)

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers, nearest first."""
        from gitmem.store.layer import layers_of, outer_layers

        config = self.config
        outer = outer_layers(self.repository, config.workspace, config.own)
        return layers_of(self.repository) + outer

    def layer(self, name: str) -> Layer:
        """The layer called `name`; UnknownLayer, Unusable."""
        from gitmem.store.layer import check_usable

        for layer in self.layers:
            if layer.name == name:
                check_usable(layer)
                return layer
        if name in UNSET:
            raise UnknownLayer(*UNSET[name], kind="refused")
        names = ", ".join(layer.name for layer in self.layers)
        raise UnknownLayer(f"there is no layer '{name}' here", f"layers: {names}")

    @cached_property
    def config(self) -> Config:
        from gitmem.config import read_config

        return read_config(self.repository.common_dir)

    @cached_property
    def identity(self) -> Identities:
        from gitmem.store.identity import identities

        return identities(self.repository.common_dir)

    @cached_property
    def tracked(self) -> Tracked:
        """The tracked files of the work tree; of HEAD where there is none."""
        from gitmem.core.derive import Tracked
        from gitmem.store.tracked import tracked_files

        return Tracked(tracked_files(self.repository))

    @cached_property
    def default_branch(self) -> str | None:
        """The branch that work lands on, as a ref."""
        from gitmem.store.default_branch import default_branch

        return default_branch(self.repository.git_dir)

    def place(self) -> Place:
        """Where HEAD is now."""
        from gitmem.store.place import place_of

        return place_of(self.repository)

    def viewpoint(self, place: Place) -> Viewpoint:
        """What notes are seen from at a place, its pending ones included."""
        from gitmem.store.ancestry import Viewpoint
        from gitmem.store.landed import read_landed

        landed = read_landed(self.repository.common_dir)
        return Viewpoint(self.repository, place.head, landed, place.worktree)

    def backend(self, layer: Layer) -> Backend | None:
        """The back end that stays open; None where each question chooses its own."""
        if not self.is_bulk or not layer.exists:
            return None
        if layer.git_dir not in self._backends:
            from gitmem.store.choose import backend_for

            self._backends[layer.git_dir] = backend_for(layer.git_dir, bulk=True)
        return self._backends[layer.git_dir]
