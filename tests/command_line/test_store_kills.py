# SPDX-License-Identifier: Apache-2.0
"""A store on a disk whose writer is killed, again and again.

The parent feeds the stream by a pipe and reads the acknowledgements from another: only it knows
what was handed over and what was acknowledged. OUTCORE_KILLS is how often (50).
"""

import json
import os
import random
import subprocess
import threading
from pathlib import Path
from typing import IO

from .conftest import BINARY, outcore
from .test_ingest import Updates, text, updates

KILLS = int(os.environ.get("OUTCORE_KILLS", "50"))
# A log of 32 pages: it is written round many times, and runs are merged.
ENGINE = "evolving:log=128K,group=16K,group_ms=1,factor=3"


class Writer:
    """A process that ingests what it is fed, and what is known about it from outside."""

    def __init__(self, store: Path, stream: Updates, begin: int) -> None:
        """Start it; it is fed the updates from `begin` on."""
        reading, writing = os.pipe()
        words = ["ingest", "-", "--format", "text", "--store", store, "--ack", writing]
        self.process = subprocess.Popen(
            [str(BINARY), *map(str, words), "--engine", ENGINE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[writing],
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

    def kill_after(self, acknowledgements: int) -> None:
        """Kill it when it has said so many numbers, or let it end."""
        for said, line in enumerate(self.acknowledgements):
            assert int(line) > self.acknowledged
            self.acknowledged = int(line)
            if said == acknowledgements:
                self.process.kill()
        self.process.wait()
        self.feeder.join()


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    source = random.Random(38)
    stream = updates(40_000, 0.3)
    file = tmp_path / "stream.txt"
    file.write_text(text(stream))
    store = tmp_path / "store"
    there = kills = stores = 0
    while kills < KILLS:
        writer = Writer(store, stream, there)
        writer.kill_after(source.randrange(20))
        ended = writer.process.returncode == 0
        kills += not ended
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
    outcore("ingest", file, "--store", store, "--resume", "--engine", ENGINE, "--verify")
    assert json.loads(outcore("inspect", store, "--json").stdout)["updates"] == len(stream)
