# SPDX-License-Identifier: Apache-2.0
"""What the programs of contestants share: the exported graph, their own times, their answer.

A csr64 file holds n + 1 offsets of 8 bytes, then the targets of all lists, 4 bytes each. The number
of vertices is an argument, because the file does not state it.
"""

import sys
import time
from pathlib import Path

import numpy as np


class Phases:
    """Prints the seconds of each phase when it ends, in the form that configs/contestants reads."""

    def __init__(self) -> None:
        """Begin the first phase."""
        self.begin = time.monotonic()

    def end(self, name: str) -> None:
        """End a phase and begin the next."""
        now = time.monotonic()
        print(f"{name}: {now - self.begin:.6f} s", flush=True)
        self.begin = now

    def finish(self, path: str, values: np.ndarray) -> None:
        """End the run, and write the answer: one value a vertex, in the order of vertices."""
        self.end("run")
        np.save(Path(path), values)
        self.end("write")


def lists(path: str, vertices: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets and the targets, read whole."""
    words = np.fromfile(path, "<u8", vertices + 1)
    return words, np.fromfile(path, "<u4", offset=8 * (vertices + 1))


def pairs(path: str, vertices: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the sources and the targets of all edges."""
    offsets, targets = lists(path, vertices)
    sources = np.repeat(np.arange(vertices, dtype="u4"), np.diff(offsets).astype("i8"))
    return sources, targets


def pairs_once(path: str, vertices: int, symmetric: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the same; of a symmetric graph each edge in one direction."""
    sources, targets = pairs(path, vertices)
    if symmetric:
        once = sources <= targets
        sources, targets = sources[once], targets[once]
    return sources, targets


def unknown(workload: str) -> None:
    """End where the description asks for what the program does not have."""
    sys.exit(f"no such workload: {workload}")
