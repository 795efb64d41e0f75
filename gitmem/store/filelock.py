"""A lock file among ourselves, best effort: it makes writers wait in turn, and never fails.

No lock (a read-only directory, a network file system, a holder that hangs) only means that
compare-and-swap on the ref decides alone. The file stays; the lock goes with its process.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLL = 0.002, 0.012  # seconds between looks, jittered


@contextmanager
def file_lock(
    path: str,
    *,
    wait: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[bool]:
    """Hold the lock `path` inside the block; yields whether it is held after `wait` seconds."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield False
        return
    try:
        deadline = clock() + wait
        while not (held := _take(descriptor)) and clock() < deadline:
            import random  # only where somebody else holds it

            sleep(random.uniform(*POLL))  # noqa: S311 - jitter
        yield held
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
