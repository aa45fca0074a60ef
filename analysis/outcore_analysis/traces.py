# SPDX-License-Identifier: Apache-2.0
"""Read an access trace, as `outcore run --trace` writes it (storage/trace/trace.h)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from outcore_analysis.events import decode_numbers, unzigzag
from outcore_analysis.faults import ToldError

if TYPE_CHECKING:
    from outcore_analysis.events import Numbers

VERSION = 1
ACCESS, RUN, ROUND, END = range(4)


class TraceError(ToldError):
    """A file that holds no access trace, or a damaged one; the message names it."""


@dataclass(frozen=True)
class Trace:
    """The accesses of one run, by round."""

    path: Path
    header: dict[str, Any]
    rounds: list[list[int]]  # units; the first list is what precedes all rounds

    @property
    def units(self) -> int:
        """Return the number of units of all files: ids are below it."""
        return sum(self.header["file_units"])

    @property
    def accesses(self) -> int:
        """Return how many units were asked for."""
        return sum(map(len, self.rounds))


def read_trace(path: Path) -> Trace:
    """Read a whole trace; one that is too long for memory belongs to `outcore cachesim`."""
    try:
        line, newline, packed = path.read_bytes().partition(b"\n")
        header = json.loads(line) if newline else None
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("outcore_trace") != VERSION:
        raise TraceError(
            f"{path}: found no header of an access trace of version {VERSION}; record one: "
            "outcore run ... --trace FILE"
        )
    try:
        with pa.input_stream(pa.BufferReader(packed), compression="zstd") as stream:
            rounds = _rounds_of(decode_numbers(stream.read()))
    except (ValueError, IndexError, OSError) as error:
        raise TraceError(f"{path}: does not decode ({error}); record the run again") from None
    return Trace(path, header, rounds)


def _rounds_of(numbers: Numbers) -> list[list[int]]:
    rounds: list[list[int]] = [[]]
    values, signed = numbers.tolist(), unzigzag(numbers >> np.uint64(2)).tolist()
    at = previous = 0
    while (kind := values[at] & 3) != END:
        if kind == ROUND:
            rounds.append([])
        else:
            first = previous + signed[at]
            at += kind == RUN
            previous = first + (values[at] if kind == RUN else 1)
            rounds[-1].extend(range(first, previous))
        at += 1
    if values[at + 1] != sum(map(len, rounds)):
        raise ValueError(f"it ends after {sum(map(len, rounds))} of {values[at + 1]} accesses")
    return rounds
