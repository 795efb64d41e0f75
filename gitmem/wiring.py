"""Wire a repository up, so that plain `git fetch`, `pull` and `push` carry memory; and unwire it.

Every part is a step that says what was done, or why not, and how to undo it by hand. Nothing here
uses the network, sets `remote.*.push`, or touches a ref: unwiring leaves every note where it is.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gitmem import refs
from gitmem.errors import GitMemError
from gitmem.githooks import git_hooks
from gitmem.githooks.git_hooks import EVENTS, HookPlace, HookPlan
from gitmem.index.ledger import LEDGER, OLD, USES
from gitmem.index.place import ERRORS, INDEX, LAST_ERROR, SESSIONS, index_homes
from gitmem.sharing import chosen
from gitmem.store import process
from gitmem.store.discover import Repository
from gitmem.store.layer import ensure, layers_of
from gitmem.store.remotes import NoRemote, Remotes, read_remotes
from gitmem.store.transaction import LOCK

DRIVER = {
    "merge.gitmem.name": "git mem: notes kept as files",
    "merge.gitmem.driver": "git mem merge-driver %O %A %B %P",
}
DONE, ALREADY, SKIPPED, KEPT = "done", "already", "skipped", "kept"


DOES = {
    "pre-push": "publishes memory",
    "post-merge": "takes what was fetched",
    "post-rewrite": "notes what a rebase or an amend rewrote",
}


@dataclass(frozen=True)
class Step:
    """One part of the wiring. `state` is "done", "already" (nothing to do), "skipped" or "kept".

    `undo` is a command or a sentence, '' for what needs no undoing.
    """

    name: str
    state: str
    message: str
    undo: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wiring:
    """Changes the wiring of one repository; with `dry_run` only says what it would do."""

    repository: Repository
    dry_run: bool = False

    def init(self, names: Sequence[str] = (), *, with_hooks: bool = True) -> list[Step]:
        """Wire up for the remotes `names`, or for the one that memory travels through. NoRemote
        for a name that is none; what only one step cannot do is told in that step."""
        remotes = read_remotes(self.repository.common_dir, self.repository.root)
        for name in names:
            remotes.chosen(name)  # a mistyped name stops everything, before anything is done
        steps = [*self._fetches(remotes, names), self._local_layer(), self._driver()]
        if with_hooks:
            steps[-2:-2] = self._hooks_installed()
        return steps

    def uninstall(self) -> list[Step]:
        """Undo `init`, and remove what can be derived again. Every note stays."""
        steps = [*self._fetches_removed(), *self._hooks_removed(), *self._driver_removed()]
        return [*steps, *self._derived_removed(), self._left()]

    # --- fetch -----------------------------------------------------------------------------

    def _fetches(self, remotes: Remotes, names: Sequence[str]) -> Iterator[Step]:
        try:
            usual = chosen(self.repository, None).name
        except NoRemote as error:
            usual = ""
            if not names:
                later = "once there is one: git mem init" if not remotes.names else ""
                hints = (later,) if later else ("git mem init --remote <name>", *error.hints[:1])
                yield Step("fetch", SKIPPED, error.message, hints=hints)
        for name in dict.fromkeys(names) or [usual] * bool(usual):
            yield from self._fetch(remotes, name, usual)

    def _fetch(self, remotes: Remotes, name: str, usual: str) -> Iterator[Step]:
        existing = remotes.fetches(name)
        for spec in existing:
            if overwrites(spec):
                yield Step(
                    "fetch",
                    SKIPPED,
                    f"remote.{name}.fetch has {spec}, by which every fetch overwrites your notes",
                    hints=_against(name, spec),
                )
        if remotes.is_mirror(name):
            message = f"'{name}' is a mirror: a push there replaces its memory with yours"
            yield Step("fetch", SKIPPED, message, hints=("git config mem.remote <another>",))
        elif not existing or name not in remotes.names:
            message = f"'{name}' has no fetch refspec, and with ours alone it would get no branches"
            yield Step("fetch", SKIPPED, message, hints=(f"git mem fetch {name}",))
        elif not any(map(overwrites, existing)):
            yield self._refspecs(remotes, name, usual)

    def _refspecs(self, remotes: Remotes, name: str, usual: str) -> Step:
        remote = remotes.remote(name)
        wanted = refs.fetch_refspecs(name, remote.transport)
        missing = [spec for spec in wanted if spec not in remotes.fetches(name)]
        for spec in missing:
            self._config("--add", f"remote.{name}.fetch", spec)
        hints = []
        if remote.is_partial:
            hints.append(f"in a partial clone the notes come whole with: git mem fetch {name}")
        if name != usual and usual:
            hints.append(
                f"notes are published to '{usual}'; to change: git config mem.remote {name}"
            )
        return Step(
            "fetch",
            DONE if missing else ALREADY,
            f"'git fetch {name}' brings memory ({', '.join(wanted)})",
            "; ".join(_unset(f"remote.{name}.fetch", spec) for spec in wanted),
            tuple(hints),
        )

    def _fetches_removed(self) -> Iterator[Step]:
        ours = [
            (key, spec)
            for key, spec in self._local(r"^remote\..*\.fetch$")
            if spec.partition(":")[2].startswith(refs.TRACKING + "/")
        ]
        for key, spec in dict.fromkeys(ours):
            self._config("--fixed-value", "--unset-all", key, spec)
            yield Step("fetch", DONE, f"{spec} taken out of {key}")

    # --- hooks -----------------------------------------------------------------------------

    def _hooks_installed(self) -> list[Step]:
        return self._each_hook(git_hooks.plan_install, self._installed)

    def _hooks_removed(self) -> list[Step]:
        return [
            step
            for step in self._each_hook(git_hooks.plan_uninstall, self._removed)
            if step.state == DONE
        ]

    def _each_hook(
        self,
        plan_of: Callable[[HookPlace, str], HookPlan],
        step_of: Callable[[HookPlace, HookPlan], Step],
    ) -> list[Step]:
        steps = []
        place = git_hooks.hook_place(self.repository)
        for event in EVENTS:
            try:
                plan = plan_of(place, event)
                if not self.dry_run:
                    git_hooks.apply(plan, place)
                steps.append(step_of(place, plan))
            except (GitMemError, OSError) as error:
                steps.append(Step(event, SKIPPED, str(error)))
        return steps

    def _installed(self, place: HookPlace, plan: HookPlan) -> Step:
        if plan.problem:
            return Step(plan.event, SKIPPED, plan.problem, hints=plan.advice)
        state = DONE if plan.is_change else ALREADY
        does = DOES[plan.event]
        message = f"the hook {does} ({plan.where})"
        if not place.has_config_hooks:
            return Step(plan.event, state, message, "git mem uninstall")
        section = f"hook.gitmem-{plan.event}"
        return Step(plan.event, state, message, f"git config --remove-section {section}")

    def _removed(self, place: HookPlace, plan: HookPlan) -> Step:
        where = [file.path for file in plan.files] + list(plan.settings)
        return Step(plan.event, DONE if where else ALREADY, f"taken out of {', '.join(where)}")

    # --- the rest --------------------------------------------------------------------------

    def _local_layer(self) -> Step:
        layer = layers_of(self.repository)[0]
        state = ALREADY if layer.exists else DONE
        if not self.dry_run:
            ensure(layer)
        message = f"notes for this clone alone go to {layer.git_dir}"
        return Step("local layer", state, message, "remove that directory, and its notes with it")

    def _driver(self) -> Step:
        there = dict(self._local(r"^merge\.gitmem\."))
        missing = {key: value for key, value in DRIVER.items() if there.get(key) != value}
        for key, value in missing.items():
            self._config(key, value)
        return Step(
            "merge driver",
            DONE if missing else ALREADY,
            "notes kept as files merge by meaning, where .gitattributes says '*.md merge=gitmem'",
            "git config --remove-section merge.gitmem",
        )

    def _driver_removed(self) -> Iterator[Step]:
        keys = [key for key, _ in self._local(r"^merge\.gitmem\.(name|driver)$")]
        for key in keys:
            self._config("--unset-all", key)
        if keys:
            yield Step("merge driver", DONE, "merge.gitmem taken out of the configuration")

    def _derived_removed(self) -> Iterator[Step]:
        names: tuple[str, ...] = (INDEX, SESSIONS, ERRORS, f"{ERRORS}.old", os.path.basename(LOCK))
        names += (LEDGER, OLD, USES, LAST_ERROR)
        homes = [os.path.dirname(index) for index in index_homes(self.repository.common_dir)]
        there = [path for path in _joined(homes, names) if os.path.exists(path)]
        if not self.dry_run:
            for path in there:
                _remove(path)
        if there:
            yield Step("derived files", DONE, f"removed: {', '.join(there)}")

    def _left(self) -> Step:
        local = layers_of(self.repository)[0]
        kept = ["refs/memory*"] + [local.git_dir] * local.exists
        return Step("notes", KEPT, f"left as they are: {' and '.join(kept)}")

    def _config(self, *args: str) -> None:
        if not self.dry_run:
            process.run(("config", "--local", *args), git_dir=self.repository.common_dir)

    def _local(self, pattern: str) -> list[tuple[str, str]]:
        """(key, value) of the repository's own configuration."""
        args = ("config", "--local", "--null", "--get-regexp", pattern)
        _, out, _ = process.attempt(args, git_dir=self.repository.common_dir)
        entries = [entry.partition("\n") for entry in os.fsdecode(out).split("\0") if entry]
        return [(key, value) for key, _, value in entries]


def overwrites(spec: str) -> bool:
    """Whether a fetch by `spec` moves the refs that we write."""
    target = spec.partition(":")[2]
    head, star, tail = target.partition("*")
    if not star:
        return target in refs.SHARED
    return any(
        ref.startswith(head) and ref.endswith(tail) and len(ref) >= len(head + tail)
        for ref in refs.SHARED
    )


def _against(name: str, spec: str) -> tuple[str, ...]:
    if spec.partition(":")[2].startswith("refs/memory/"):
        return (_unset(f"remote.{name}.fetch", spec), "git mem init")
    return (f"publish before you fetch: git mem sync {name}",)


def _unset(key: str, value: str) -> str:
    return f"git config --fixed-value --unset-all {key} '{value}'"


def _joined(directories: Iterable[str], names: Iterable[str]) -> Iterator[str]:
    names = tuple(names)
    return (os.path.join(directory, name) for directory in directories for name in names)


def _remove(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
