# SPDX-License-Identifier: Apache-2.0
"""A run as it would have been with a perfect cache: Belady's OPT beside what was measured.

The blocks are used in the order and at the moments in which the measured run used them. Only what
is read differs: a block where OPT misses, at the moment of its use.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from outcore_analysis.events import Lane
from outcore_analysis.viewer.optimum import frames_of, misses_of, uses_of
from outcore_analysis.viewer.pack import merged

if TYPE_CHECKING:
    import numpy.typing as npt

    from outcore_analysis.events import Events
    from outcore_analysis.viewer.pack import Columns

SHARED = ("round_began", "round_ended", "activated", "found")  # do not depend on the cache


def perfect_run(events: Events) -> Events | None:
    """Return the run with a perfect cache; None if its events do not tell the order of use."""
    columns = merged(events)
    uses = uses_of(events, columns)
    if uses is None or not len(uses) or not frames_of(events):
        return None
    used = _columns_where(columns, columns["kind"] == events.kind("processed"))
    found = misses_of(uses, frames_of(events))
    when = np.repeat(used["time"], used["count"])[found.at]
    rows = [_columns_where(columns, np.isin(columns["kind"], _kinds(events, SHARED)))]
    for name, blocks, at in (
        ("dropped", found.evicted[found.evicted >= 0], when[found.evicted >= 0]),
        ("asked", uses[found.at], when),
        ("arrived", uses[found.at], when),
    ):
        rows.append(_rows(events.kind(name), at, blocks))
    lane = _lane_of(events, [*rows, used])
    return replace(events, lanes=[lane], header=events.header | {"perfect": True})


def _kinds(events: Events, names: tuple[str, ...]) -> list[int]:
    return [events.kind(name) for name in names if name in events.kinds]


def _columns_where(columns: Columns, chosen: npt.NDArray[np.bool_]) -> Columns:
    return {name: columns[name][chosen] for name in ("time", "kind", "block", "count", "value")}


def _rows(kind: int, times: npt.NDArray[np.int64], blocks: npt.NDArray[np.int64]) -> Columns:
    ones = np.ones(len(blocks), np.int64)
    return {"time": times, "kind": kind * ones, "block": blocks, "count": ones, "value": 0 * ones}


def _lane_of(events: Events, parts: list[Columns]) -> Lane:
    """Join the parts by time; of one moment what comes in an earlier part comes first."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(joined["time"], kind="stable")
    rows = {name: column[order] for name, column in joined.items()}
    ticks_per_us = 1000 // int(events.header["tick_ns"])
    kinds = rows["kind"]
    totals = np.column_stack(
        [
            np.bincount(kinds, weights=weights, minlength=len(events.kinds)).astype(np.int64)
            for weights in (None, rows["count"], rows["value"])
        ]
    )
    return Lane(
        kinds.astype(np.uint8),
        rows["time"] * ticks_per_us,
        rows["block"],
        rows["count"],
        rows["value"],
        totals,
    )
