# SPDX-License-Identifier: Apache-2.0
"""Read the events of a run, as `outcore run --events` writes them (docs/events.md)."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from outcore_analysis.faults import ToldError

VERSION = 1
HEAD = struct.Struct("<BIII")  # type, bytes stored, bytes plain, crc32
Numbers = npt.NDArray[np.uint64]


class EventsError(ToldError):
    """A file that holds no events, or damaged ones; the message names it, and the offset."""


@dataclass
class Lane:
    """The events of one thread, in the order of time, as columns."""

    kind: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    time: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    block: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    count: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    value: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    # A row a kind: events, count, value; exact, also where events were left out.
    totals: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), np.int64))

    def __len__(self) -> int:
        """Return the number of events held."""
        return len(self.kind)


@dataclass
class Events:
    """The events of one run."""

    path: Path
    header: dict[str, Any]
    kinds: list[str]
    files: list[dict[str, Any]]
    lanes: list[Lane]
    end: dict[str, Any] | None  # None: the run was killed
    cut: int | None  # the offset at which a file without an end ends

    def kind(self, name: str) -> int:
        """Return the number of a kind."""
        return self.kinds.index(name)

    def total(self, name: str) -> tuple[int, int, int]:
        """Return the exact sums of a kind over all lanes: events, count, value."""
        rows = [lane.totals[self.kind(name)] for lane in self.lanes if len(lane.totals)]
        sums = np.sum(rows, axis=0) if rows else np.zeros(3, np.int64)
        return int(sums[0]), int(sums[1]), int(sums[2])

    @property
    def sampled(self) -> int:
        """Return how many events one stands for at most: 1 if none was left out."""
        sampled = self.kind("sampled")
        most = [int(lane.value[lane.kind == sampled].max(initial=0)) for lane in self.lanes]
        return int(2 ** max(most, default=0))


def decode_numbers(plain: bytes) -> Numbers:
    """Return all LEB128 numbers of the bytes."""
    raw = np.frombuffer(plain, np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if len(raw) and (not len(ends) or ends[-1] != len(raw) - 1):
        raise ValueError("the last number has no end")
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    within = np.arange(len(raw)) - np.repeat(starts, ends - starts + 1)
    if len(within) and within.max() > 9:
        raise ValueError("a number of more than 64 bits")
    groups = (raw & 0x7F).astype(np.uint64) << (7 * within).astype(np.uint64)
    return np.add.reduceat(groups, starts) if len(starts) else groups


def encode_numbers(numbers: npt.ArrayLike) -> bytes:
    """Return the numbers as LEB128, one after another."""
    left = np.asarray(numbers, np.uint64)
    lengths = np.ones(len(left), np.int64)
    for bits in range(7, 64, 7):
        lengths += left >= np.uint64(1 << bits)
    raw = np.zeros(int(lengths.sum()), np.uint8)
    at = np.concatenate(([0], np.cumsum(lengths)[:-1])) if len(left) else lengths
    for place in range(10):
        has = lengths > place
        if not has.any():
            break
        more = (lengths[has] > place + 1).astype(np.uint8) << 7
        group = (left[has] >> np.uint64(7 * place)) & np.uint64(0x7F)
        raw[at[has] + place] = group.astype(np.uint8) | more
    return raw.tobytes()


def zigzag(numbers: npt.ArrayLike) -> Numbers:
    """Return numbers of either sign as numbers from 0: 0, -1, 1, -2 as 0, 1, 2, 3."""
    signed = np.asarray(numbers, np.int64)
    return ((signed << 1) ^ (signed >> 63)).astype(np.uint64)


def unzigzag(numbers: Numbers) -> npt.NDArray[np.int64]:
    """Return what zigzag() was given."""
    halves = (numbers >> np.uint64(1)).astype(np.int64)
    return halves ^ -(numbers & np.uint64(1)).astype(np.int64)


class _Reader:
    """Reads one file from front to back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.bytes = path.read_bytes()
        except OSError as error:
            raise EventsError(f"{path}: cannot be read: {error.strerror}") from error
        self.at = 0
        self.parts: dict[int, list[Lane]] = {}
        self.files: list[dict[str, Any]] = []
        self.end: dict[str, Any] | None = None
        self.header = self._header()
        self.kinds = list(self.header["kinds"])

    def refuse(self, found: str, expected: str) -> EventsError:
        return EventsError(
            f"{self.path}, byte {self.at}: found {found}, expected {expected}; "
            "record the run again: outcore run ... --events FILE"
        )

    def _header(self) -> dict[str, Any]:
        line, newline, _ = self.bytes.partition(b"\n")
        try:
            header = json.loads(line) if newline else None
        except ValueError:
            header = None
        if not isinstance(header, dict) or "outcore_events" not in header:
            raise self.refuse("no such line", "the header of a file of events")
        if header["outcore_events"] != VERSION:
            raise self.refuse(
                f"events of version {header['outcore_events']}",
                f"version {VERSION}, which this program reads",
            )
        self.at = len(line) + 1
        return header

    def read(self) -> Events:
        while self.end is None and self._record():
            pass
        if self.end is not None and self.at != len(self.bytes):
            raise self.refuse(f"{len(self.bytes) - self.at} bytes behind the end", "nothing")
        lanes = [_joined(self.parts.get(i, [])) for i in range(max(self.parts, default=-1) + 1)]
        cut = self.at if self.end is None else None
        return Events(self.path, self.header, self.kinds, self.files, lanes, self.end, cut)

    def _record(self) -> bool:
        """Take the next record; False where the file was cut."""
        if len(self.bytes) - self.at < HEAD.size:
            return False
        kind, stored, plain, checksum = HEAD.unpack_from(self.bytes, self.at)
        if chr(kind) not in "JS":
            raise self.refuse(f"a record of type {kind}", "'J' or 'S'")
        packed = self.bytes[self.at + HEAD.size : self.at + HEAD.size + stored]
        if len(packed) < stored:
            return False
        if zlib.crc32(packed) != checksum:
            raise self.refuse(f"a record with checksum {zlib.crc32(packed):08x}", f"{checksum:08x}")
        try:
            self._take(chr(kind), pa.Codec("zstd").decompress(packed, plain).to_pybytes())
        except (ValueError, OSError, IndexError) as error:
            raise self.refuse(
                f"a record that does not decode ({error})", "docs/events.md"
            ) from None
        self.at += HEAD.size + stored
        return True

    def _take(self, kind: str, plain: bytes) -> None:
        if kind == "J":
            record = json.loads(plain)
            self.files += record.get("files", [])
            self.end = record.get("end", self.end)
            return
        numbers = decode_numbers(plain)
        head = 1 + 3 * len(self.kinds)
        count = int(numbers[head])
        columns = numbers[head + 1 :]
        if len(columns) != 5 * count:
            raise ValueError(f"{len(columns)} numbers for {count} events")
        kinds, times, blocks, counts, values = columns.reshape(5, count)
        self.parts.setdefault(int(numbers[0]), []).append(
            Lane(
                kinds.astype(np.uint8),
                np.cumsum(times).astype(np.int64),
                np.cumsum(unzigzag(blocks)),
                counts.astype(np.int64),
                values.astype(np.int64),
                numbers[1:head].reshape(-1, 3).astype(np.int64),
            )
        )


def _joined(parts: list[Lane]) -> Lane:
    if not parts:
        return Lane()

    def column(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return Lane(
        column("kind"),
        column("time"),
        column("block"),
        column("count"),
        column("value"),
        parts[-1].totals,
    )


def read_events(path: Path) -> Events:
    """Read a file of events; one that was cut is read up to there."""
    return _Reader(path).read()
