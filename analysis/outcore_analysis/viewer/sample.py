# SPDX-License-Identifier: Apache-2.0
"""Fewer events, where a run has more than a page should hold.

Blocks and vertices are kept or left out whole, by a hash, as outcore itself does (docs/events.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from outcore_analysis.events import Events
    from outcore_analysis.viewer.pack import Columns

MOST_EVENTS = 400_000  # of a run in a page
NEIGHBOURS = 6  # blocks are chosen in groups of 2 to the power of that
DRAWN_VERTICES = 2000  # a run tells of all of so few
TOLD_VERTICES = 512  # and of more than that of so many at most
LONG_RUN = 64  # longer runs of blocks are always kept
OF_BLOCKS = ("asked", "arrived", "writing", "written", "processed", "dropped", "kept")
OF_ROUNDS = ("round_began", "round_ended")
AMOUNTS = ("processed", "activated")


def mixed(numbers: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Return mix() of common/hash.h."""
    x = np.asarray(numbers).astype(np.uint64)
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def of_kinds(events: Events, columns: Columns, names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Say which events are of these kinds."""
    return np.isin(columns["kind"], [events.kind(name) for name in names if name in events.kinds])


def told_of(id_space: int) -> int:
    """Return of how many vertices a run tells of one."""
    return (
        1 if id_space <= DRAWN_VERTICES else 1 << (-(-id_space // TOLD_VERTICES) - 1).bit_length()
    )


def told_of_all(events: Events, columns: Columns) -> Columns:
    """Leave out the vertices of which a lane kept no more than the beginning."""
    found = of_kinds(events, columns, ("found",))
    told = told_of(int(events.header.get("id_space") or 0))
    in_sample = (mixed(columns["block"]) // np.uint64(told)) % np.uint64(events.sampled) == 0
    return {name: column[~found | in_sample] for name, column in columns.items()}


def numbers_on_lanes(columns: Columns) -> npt.NDArray[np.int64]:
    """Return of each event how many of its kind its lane had before."""
    order = np.lexsort((np.arange(len(columns["kind"])), columns["kind"], columns["lane"]))
    lane, kind = columns["lane"][order], columns["kind"][order]
    begins = np.flatnonzero(np.diff(lane, prepend=-1) | np.diff(kind, prepend=-1))
    numbers = np.empty(len(order), np.int64)
    sizes = np.diff(begins, append=len(order))
    numbers[order] = np.arange(len(order)) - np.repeat(begins, sizes)
    return numbers


def sampled(events: Events, columns: Columns, shift: int) -> Columns:
    """Keep one event in 2^shift; amounts go with the next that is kept on their lane."""
    mask = np.uint64((1 << shift) - 1)
    of_blocks = of_kinds(events, columns, OF_BLOCKS)
    # The upper bits: the lower ones have chosen what the run kept.
    block = mixed(columns["block"] >> NEIGHBOURS) >> np.uint64(40)
    vertex = mixed(columns["block"]) >> np.uint64(40)
    by = numbers_on_lanes(columns).astype(np.uint64)
    by = np.where(of_kinds(events, columns, OF_ROUNDS), columns["block"].astype(np.uint64), by)
    by = np.where(of_kinds(events, columns, ("found",)), vertex, by)
    by = np.where(of_blocks, block, by)
    keep = ((by & mask) == 0) | (of_blocks & (columns["count"] > LONG_RUN))
    keep |= of_kinds(events, columns, ("sampled",))
    value = columns["value"].copy()
    value[of_kinds(events, columns, ("sampled",))] += shift
    for name in AMOUNTS:
        for lane in np.unique(columns["lane"]):
            mine = np.flatnonzero(of_kinds(events, columns, (name,)) & (columns["lane"] == lane))
            kept = mine[keep[mine]]
            if len(kept) == 0:
                continue
            so_far = np.cumsum(columns["value"][mine])[keep[mine]]
            value[kept] = np.diff(so_far, prepend=0)
    thinner = {name: column[keep] for name, column in (columns | {"value": value}).items()}
    lanes = np.unique(columns["lane"])
    first = {
        "time": np.zeros_like(lanes),
        "lane": lanes,
        "kind": np.full_like(lanes, events.kind("sampled")),
        "block": np.zeros_like(lanes),
        "count": np.zeros_like(lanes),
        "value": np.full_like(lanes, shift),
    }
    return {name: np.concatenate((first[name], thinner[name])) for name in thinner}


def with_what_is_owed(events: Events, columns: Columns) -> Columns:
    """Add the amounts that were left out after the last event that tells of them, at the end."""
    rows = []
    for name in AMOUNTS:
        told = int(columns["value"][of_kinds(events, columns, (name,))].sum())
        if (owed := events.total(name)[2] - told) > 0:
            rows.append({"kind": events.kind(name), "value": owed})
    end = {"time": int(columns["time"].max(initial=0)), "lane": 0, "block": 0, "count": 0}
    return {
        name: np.concatenate((column, np.array([(end | row)[name] for row in rows], np.int64)))
        for name, column in columns.items()
    }


def few_enough(events: Events, columns: Columns, most: int = MOST_EVENTS) -> tuple[Columns, int]:
    """Return at most about `most` events, and of how many blocks one is kept."""
    fewer, shift = columns, 0
    while len(fewer["time"]) > most and shift < 16:
        shift += 1
        fewer = sampled(events, columns, shift)
    return fewer, 1 << shift
