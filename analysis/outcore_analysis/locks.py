# SPDX-License-Identifier: Apache-2.0
"""Locks that nobody has to clean up: the kernel drops them with the last process that has them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class TakenError(Exception):
    """Somebody else holds the lock."""


def take(path: str | Path, wait: bool = True) -> int:
    """Takes the lock and returns its descriptor; it is held while any process has that open."""
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError as error:
        os.close(descriptor)
        raise TakenError(str(place)) from error
    return descriptor


@contextmanager
def held(path: str | Path | None) -> Iterator[tuple[int, ...]]:
    """Holds a lock; gives the descriptors that children inherit, so that they hold it as well.

    A run whose wrapper was killed goes on, and keeps the lock until it has ended: nothing is timed
    beside it.
    """
    if path is None:
        yield ()
        return
    descriptor = take(path)
    try:
        yield (descriptor,)
    finally:
        os.close(descriptor)
