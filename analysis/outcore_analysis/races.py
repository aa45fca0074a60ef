# SPDX-License-Identifier: Apache-2.0
"""Races: which engine is the quickest for a workload on a graph, by what factor, and why.

A race is one workload on one graph. All engines in it have the same machine, parameters, threads,
memory limit, device and pool. Each engine runs with its usual settings, on the layout on which it
was quickest. If there are several pools, the race is the one at the pool that most engines have.
`in_memory` is a reference: it holds the whole graph, so it neither wins nor loses.

Factors are of the end-to-end time, trial by trial. They are explained by an identity:

    time ratio = start-up x edges processed x bytes an edge x (1 / rate got) x residual

Start-up is by how much opening, building and collecting change the ratio of the algorithms' times.
Bytes are those requested from the device. The rate is what the kernel says was read per second of
the algorithm. The residual is what is left over, because the factors are medians over trials, and
because the page cache answered some of the reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from outcore_analysis.records import groups, rows
from outcore_analysis.stats import LEAST_TRIALS, Summary, paired_ratios, summarise

Json = dict[str, Any]
REFERENCE = "in_memory"
SAME = ["host", "graph", "workload", "parameters", "threads"]
SAME += ["memory_limit_bytes", "modelled", "dilation"]
FACTORS = ("start-up", "edges", "bytes", "rate", "residual")


@dataclass(frozen=True)
class Entry:
    """An engine in a race: its time, and by what factor it is slower than the best."""

    engine: str
    config: str
    layout: str
    seconds: Summary | None
    # Why it has no time.
    trouble: str = ""
    # This engine's time divided by the best one's, trial by trial; 1 for the best one.
    factor: Summary | None = None
    # What the factor consists of; empty if a number to divide by is 0.
    why: dict[str, float] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """Return the name of the factor that makes it slower than the others do."""
        return max(self.why, key=lambda name: self.why[name]) if self.why else ""


@dataclass(frozen=True)
class Race:
    """A workload on a graph, and how the engines did."""

    graph: str
    workload: str
    parameters: str
    pool: str
    entries: tuple[Entry, ...]
    reference: Entry | None = None

    @property
    def finished(self) -> list[Entry]:
        """Return the engines that have a time, the quickest first."""
        timed = [entry for entry in self.entries if entry.seconds]
        return sorted(timed, key=_median)

    @property
    def best(self) -> Entry | None:
        """Return the quickest engine; None if there is no other to compare it with."""
        found = self.finished
        return found[0] if len(found) > 1 else None

    @property
    def trials(self) -> int:
        """Return the number of trials of the engine that has the fewest."""
        return min((e.seconds.trials for e in self.finished if e.seconds), default=0)

    @property
    def indicative(self) -> bool:
        """Tell whether there are too few trials to distinguish a difference from chance."""
        return self.trials < LEAST_TRIALS

    @property
    def close(self) -> bool:
        """Tell whether the second engine's interval reaches down to the best one's time."""
        second = self.finished[1].factor if self.best else None
        return second is not None and second.low is not None and second.low <= 1

    @property
    def slowest(self) -> Entry:
        """Return the engine with the largest factor."""
        return max(self.finished, key=lambda e: e.factor.median if e.factor else 0)


def races(runs: pd.DataFrame) -> list[Race]:
    """Return all races, workload by workload in the table's order."""
    chosen = runs[~runs["traced"].astype(bool) & (runs["options"] == "")].reset_index(drop=True)
    chosen = chosen[~chosen["depth_asked"].fillna(value=False).astype(bool)]
    asked = chosen["backend_asked"].fillna(value=False).astype(bool)
    chosen = chosen[~asked | chosen["backend"].isin(chosen["backend"].mode())]
    if chosen.empty:
        return []
    usual_pool = chosen["pool"].mode()
    found: dict[tuple[str, str], list[tuple[tuple[int, ...], Race]]] = {}
    for key, part in _groups(chosen, SAME):
        named = dict(zip(SAME, key, strict=True))
        for race in _by_pool(named, part):
            rank = (
                sum(entry.seconds is not None for entry in race.entries),
                named["modelled"] is None,
                named["memory_limit_bytes"] is None,
                race.pool in set(usual_pool),
                race.trials,
            )
            place = (named["workload"], named["graph"])
            found.setdefault(place, []).append((tuple(map(int, rank)), race))
    # Of equal ones the first, because max keeps it.
    best = [max(those, key=lambda pair: pair[0])[1] for those in found.values()]
    workloads, graphs = (list(dict.fromkeys(chosen[name])) for name in ("workload", "graph"))
    return sorted(best, key=lambda r: (workloads.index(r.workload), graphs.index(r.graph)))


def _groups(table: pd.DataFrame, keys: list[str]) -> list[tuple[list[Any], pd.DataFrame]]:
    """Group like `groups`, with missing values as a value of their own."""
    marked = table.assign(
        **{key: table[key].astype(object).where(table[key].notna(), "") for key in keys}
    )
    return [
        ([None if value == "" else value for value in values], table.loc[part.index])
        for values, part in groups(marked, keys)
    ]


def _by_pool(named: Json, part: pd.DataFrame) -> list[Race]:
    rivals = part[part["engine"] != REFERENCE]
    held = [_entry(one) for _, one in groups(part[part["engine"] == REFERENCE], ["config"])]
    found = []
    for (pool,), same in _groups(rivals, ["pool"]):
        by_engine: dict[str, list[pd.DataFrame]] = {}
        for (engine, _), one in groups(same, ["engine", "config"]):
            by_engine.setdefault(engine, []).append(one)
        quickest = [min(ones, key=lambda one: _median(_entry(one))) for ones in by_engine.values()]
        entries = [_entry(one) for one in quickest]
        best = min(range(len(entries)), key=lambda i: _median(entries[i]))
        found.append(
            Race(
                named["graph"],
                named["workload"],
                named["parameters"] or "",
                pool or "",
                tuple(_compared(one, quickest[best]) for one in quickest),
                _compared_reference(held, part, quickest[best]),
            )
        )
    return found


def _compared_reference(held: list[Entry], part: pd.DataFrame, best: pd.DataFrame) -> Entry | None:
    if not held:
        return None
    quickest = min(held, key=_median)
    return _compared(part[part["config"] == quickest.config], best)


def _median(entry: Entry) -> float:
    return entry.seconds.median if entry.seconds else math.inf


def _entry(one: pd.DataFrame) -> Entry:
    good = one[one["status"] == "ok"]
    row = rows(one)[0]
    trouble = "" if len(good) else f"{row['status']}: {row['reason']}"
    seconds = summarise(good["seconds"].tolist()) if len(good) else None
    return Entry(row["engine"], row["config"], row["layout"], seconds, trouble)


def _compared(one: pd.DataFrame, best: pd.DataFrame) -> Entry:
    entry = _entry(one)
    pair = [part[part["status"] == "ok"].set_index("trial") for part in (one, best)]
    both = pair[0].index.intersection(pair[1].index)
    if not len(both):
        return entry
    mine, other = (part.loc[both] for part in pair)
    factor = summarise(paired_ratios(mine["seconds"].tolist(), other["seconds"].tolist()))
    why = explained(factor.median, mine, other)
    return Entry(entry.engine, entry.config, entry.layout, entry.seconds, "", factor, why)


def explained(ratio: float, one: pd.DataFrame, other: pd.DataFrame) -> dict[str, float]:
    """Return the ratio of two configurations' times as the product of FACTORS; see the module.

    It is empty if one of them processed no edge or read no byte.
    """
    a, b = _totals(one), _totals(other)
    if not all((*a.values(), *b.values())):
        return {}
    found = {
        "start-up": (a["seconds"] / a["run_s"]) / (b["seconds"] / b["run_s"]),
        "edges": a["edges"] / b["edges"],
        "bytes": (a["asked"] / a["edges"]) / (b["asked"] / b["edges"]),
        "rate": (b["read"] / b["run_s"]) / (a["read"] / a["run_s"]),
    }
    return found | {"residual": ratio / math.prod(found.values())}


def _totals(part: pd.DataFrame) -> dict[str, float]:
    """Return medians over trials; if the kernel counted no bytes, those requested count as read."""
    columns = {"seconds": "seconds", "run_s": "run_s", "edges": "edges_processed"}
    columns |= {"asked": "requested_bytes", "read": "kernel_bytes"}
    found = {name: float(part[column].astype(float).median()) for name, column in columns.items()}
    if not found["read"] > 0:
        found["read"] = found["asked"]
    return {name: 0.0 if math.isnan(value) else value for name, value in found.items()}


def engines_of(found: Iterable[Race]) -> list[str]:
    """Return the engines that race, those with most wins first."""
    listed = list(found)
    wins = [race.best.engine for race in listed if race.best]
    names = dict.fromkeys(entry.engine for race in listed for entry in race.entries)
    return sorted(names, key=lambda name: -wins.count(name))
