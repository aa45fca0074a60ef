# SPDX-License-Identifier: Apache-2.0
"""What a perfect cache would have read: Belady's OPT over the order in which blocks were used."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from outcore_analysis.events import Events
    from outcore_analysis.viewer.pack import Columns

MOST_USES = 3_000_000  # of more it takes too long
NEVER = np.iinfo(np.int64).max


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


def fewest_reads(uses: npt.NDArray[np.int64], frames: int) -> int:
    """Return how many blocks OPT reads with so many frames."""
    next_use = np.full(len(uses), NEVER)
    order = np.argsort(uses, kind="stable")
    same = uses[order[1:]] == uses[order[:-1]]
    next_use[order[:-1][same]] = order[1:][same]
    held: dict[int, int] = {}  # next use, by block
    farthest: list[tuple[int, int]] = []  # (-next use, block), with entries that are past
    reads = 0
    for block, after in zip(uses.tolist(), next_use.tolist(), strict=True):
        if block not in held:
            reads += 1
            if len(held) >= frames:
                while held.get(farthest[0][1]) != -farthest[0][0]:
                    heapq.heappop(farthest)
                del held[heapq.heappop(farthest)[1]]
        held[block] = after
        heapq.heappush(farthest, (-after, block))
    return reads


def optimum_bytes(events: Events, columns: Columns) -> int | None:
    """Return the bytes that a perfect cache of the run's frames reads in its order of use."""
    uses = uses_of(events, columns)
    frames_bytes = events.header["asked"].get("frames_bytes")
    block_bytes = int(events.header["block_bytes"])
    if uses is None or len(uses) == 0 or not frames_bytes:
        return None
    return fewest_reads(uses, max(1, int(frames_bytes) // block_bytes)) * block_bytes
