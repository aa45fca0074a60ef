# SPDX-License-Identifier: Apache-2.0
"""A store on a disk whose writer is killed, again and again.

The parent feeds the stream by a pipe and reads the acknowledgements from another: only it knows
what was handed over and what was acknowledged. OUTCORE_KILLS is how often (50). One half is killed
by the parent after some acknowledgements, the other kills itself at a named hook
(tests/crash/kill_at.cc).
"""

import ctypes
import errno
import json
import os
import random
import subprocess
import threading
from pathlib import Path
from typing import IO

import pytest

from .conftest import BINARY, outcore
from .test_ingest import Updates, text, updates

KILLS = int(os.environ.get("OUTCORE_KILLS", "50"))
# A log of 32 pages: it is written round many times, and runs are merged.
ENGINE = "evolving:log=128K,group=16K,group_ms=1,factor=3"
KILL_AT = BINARY.parent / "tests" / "crash" / "libkill_at.so"
# Hooks, and how often a writer of all of the stream comes there at least. What comes first is
# recovery: it syncs the log, and then writes, syncs and renames a manifest.
HOOKS = {
    **{"group.begin": 12, "group.end": 12},
    "write.begin": 20,
    **{"sync.begin": 20, "sync.end": 20, "folder.begin": 9, "folder.end": 9},
    **{"rename.begin": 4, "rename.end": 4},
    **{"remove.begin": 6, "remove.end": 6},
}


def hooks() -> list[str]:
    """Return the hooks to which a writer comes here; without io_uring not those of groups."""
    io_uring_setup = 425
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(io_uring_setup, 0, None)
    refused = ctypes.get_errno() in (errno.ENOSYS, errno.EPERM)
    return [hook for hook in HOOKS if not (refused and hook.startswith("group."))]


class Writer:
    """A process that ingests what it is fed, and what is known about it from outside."""

    def __init__(self, store: Path, stream: Updates, begin: int, kill_at: str = "") -> None:
        """Start it; it is fed the updates from `begin` on. `kill_at` is a hook, as HOOK:N."""
        reading, writing = os.pipe()
        preloaded = {"LD_PRELOAD": str(KILL_AT), "OUTCORE_KILL_AT": kill_at} if kill_at else {}
        words = ["ingest", "-", "--format", "text", "--store", store, "--ack", writing]
        self.process = subprocess.Popen(
            [str(BINARY), *map(str, words), "--engine", ENGINE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[writing],
            env=os.environ | preloaded,
        )
        os.close(writing)
        self.handed_over = begin
        self.acknowledged = 0
        self.acknowledgements = os.fdopen(reading)
        self.feeder = threading.Thread(target=self.feed, args=(stream,))
        self.feeder.start()

    def feed(self, stream: Updates) -> None:
        """Hand over all that is left, in portions; one that is cut off may have come in whole."""
        pipe: IO[bytes] | None = self.process.stdin
        assert pipe is not None
        try:
            while self.handed_over < len(stream):
                portion = stream[self.handed_over : self.handed_over + 700]
                self.handed_over += len(portion)
                pipe.write(text(portion).encode())
                pipe.flush()
            pipe.close()
        except BrokenPipeError:
            pass

    def wait(self, acknowledgements: int = -1) -> None:
        """Kill it when it has said so many numbers (-1: do not), or let it end."""
        for said, line in enumerate(self.acknowledgements):
            assert int(line) > self.acknowledged
            self.acknowledged = int(line)
            if said == acknowledgements:
                self.process.kill()
        self.process.wait()
        self.feeder.join()


@pytest.mark.timeout(max(900, 5 * KILLS))
def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert KILL_AT.exists(), f"{KILL_AT}: without it no writer is killed at a hook; build kill_at"
    source = random.Random(38)
    stream = updates(40_000, 0.3)
    file = tmp_path / "stream.txt"
    file.write_text(text(stream))
    store = tmp_path / "store"
    there = kills = stores = 0
    wanted = hooks()
    struck: list[str] = []  # of these
    while kills < KILLS:
        hook = wanted[kills // 2 % len(wanted)] if kills % 2 else ""
        if hook:
            writer = Writer(store, stream, there, f"{hook}:{source.randint(1, HOOKS[hook])}")
            writer.wait()
        else:
            writer = Writer(store, stream, there)
            writer.wait(source.randrange(20))
        ended = writer.process.returncode == 0
        kills += not ended
        if hook and not ended:
            struck.append(hook)
        if not store.exists() or not (store / "store.json").exists():
            assert writer.acknowledged == 0
            continue
        facts = json.loads(outcore("inspect", store, "--json").stdout)
        assert max(writer.acknowledged, there) <= facts["updates"] <= writer.handed_over
        there = facts["updates"]
        outcore("check", store, "--against", file)
        if ended:  # the rest went in; begin anew, with another store
            assert there == len(stream)
            stores += 1
            store = tmp_path / f"store{stores}"
            there = 0
    assert len(struck) == KILLS // 2
    assert set(struck) == set(wanted[: KILLS // 2])
    outcore("ingest", file, "--store", store, "--resume", "--engine", ENGINE, "--verify")
    assert json.loads(outcore("inspect", store, "--json").stdout)["updates"] == len(stream)
