# SPDX-License-Identifier: Apache-2.0
"""Locks that need no cleaning up: the kernel drops them with the last process that holds them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class TakenError(Exception):
    """Another process holds the lock."""


def take(path: str | Path, wait: bool = True) -> int:
    """Take the lock and return its descriptor; it is held while any process has that open."""
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
    """Hold a lock; yield the descriptors that children inherit, so that they hold it too.

    A run whose wrapper was killed continues and keeps the lock until it has ended, so nothing is
    timed at the same time.
    """
    if path is None:
        yield ()
        return
    descriptor = take(path)
    try:
        yield (descriptor,)
    finally:
        os.close(descriptor)
