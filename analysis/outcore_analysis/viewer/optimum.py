# SPDX-License-Identifier: Apache-2.0
"""The least that could have been read: each used block once, or what Belady's OPT reads."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from outcore_analysis.events import Events
    from outcore_analysis.viewer.pack import Columns

MOST_USES = 3_000_000  # of more it takes too long
LEAST_TOLD = 0.9  # of the blocks that were read the run tells when it used them
NEVER = np.iinfo(np.int64).max


def layout_blocks(events: Events) -> int:
    """Return the number of blocks of the layout's files, which are numbered first."""
    return int(sum(events.header["layout_blocks"]))


def used_blocks(events: Events, columns: Columns) -> int:
    """Return how many different blocks of the layout were asked for.

    Of a run whose blocks were sampled, those of the sample.
    """
    touched = np.zeros(layout_blocks(events) + 1, np.int64)
    asked = columns["kind"] == events.kind("asked")
    first = columns["block"][asked].clip(0, layout_blocks(events))
    end = (columns["block"] + columns["count"])[asked].clip(0, layout_blocks(events))
    np.add.at(touched, first, 1)
    np.add.at(touched, end, -1)
    return int((np.cumsum(touched)[:-1] > 0).sum())


def uses_of(events: Events, columns: Columns) -> npt.NDArray[np.int64] | None:
    """Return the blocks in their order of use: None if they are too many, or some are missing."""
    processed = (columns["kind"] == events.kind("processed")) & (columns["count"] > 0)
    counts = columns["count"][processed]
    total = int(counts.sum())
    if events.sampled > 1 or total > MOST_USES:
        return None
    begins = np.cumsum(counts) - counts
    within = np.arange(total) - np.repeat(begins, counts)
    return np.asarray(np.repeat(columns["block"][processed], counts) + within, np.int64)


@dataclass(frozen=True)
class Misses:
    """Where OPT misses: the number of the use, and the block that leaves for it, or -1."""

    at: npt.NDArray[np.int64]
    evicted: npt.NDArray[np.int64]


def fewest_reads(uses: npt.NDArray[np.int64], frames: int) -> int:
    """Return how many blocks OPT reads with so many frames."""
    return len(misses_of(uses, frames).at)


def misses_of(uses: npt.NDArray[np.int64], frames: int) -> Misses:
    """Return what OPT reads, and drops, with so many frames."""
    next_use = np.full(len(uses), NEVER)
    order = np.argsort(uses, kind="stable")
    same = uses[order[1:]] == uses[order[:-1]]
    next_use[order[:-1][same]] = order[1:][same]
    held: dict[int, int] = {}  # next use, by block
    farthest: list[tuple[int, int]] = []  # (-next use, block), with entries that are past
    at: list[int] = []
    evicted: list[int] = []
    for number, (block, after) in enumerate(zip(uses.tolist(), next_use.tolist(), strict=True)):
        if block not in held:
            at.append(number)
            evicted.append(-1)
            if len(held) >= frames:
                while held.get(farthest[0][1]) != -farthest[0][0]:
                    heapq.heappop(farthest)
                evicted[-1] = heapq.heappop(farthest)[1]
                del held[evicted[-1]]
        held[block] = after
        heapq.heappush(farthest, (-after, block))
    return Misses(np.array(at, np.int64), np.array(evicted, np.int64))


def frames_of(events: Events) -> int:
    """Return how many blocks the run's frames hold; 0 if it has none."""
    frames_bytes = int(events.header["asked"].get("frames_bytes") or 0)
    return max(1, frames_bytes // int(events.header["block_bytes"])) if frames_bytes else 0


def optimum_bytes(events: Events, columns: Columns) -> int | None:
    """Return the bytes that a perfect cache of the run's frames reads in its order of use.

    None if the events do not tell that order: of psw they do not for all of its files.
    """
    uses = uses_of(events, columns)
    if uses is None or len(uses) == 0 or not frames_of(events):
        return None
    if len(np.unique(uses)) < LEAST_TOLD * used_blocks(events, columns):
        return None
    return fewest_reads(uses, frames_of(events)) * int(events.header["block_bytes"])
