# SPDX-License-Identifier: Apache-2.0
"""How many times as long one configuration takes as another, pair by pair.

Only runs on the same machine, with the same workload, parameters, threads and memory limit are
compared, by one clock at a time. Ratios are taken trial by trial, then summarised. Over several
graphs they are combined by their geometric mean, again trial by trial.
"""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd

from outcore_analysis.records import groups
from outcore_analysis.stats import geometric_mean, summarise

Json = dict[str, Any]
# Both clocks, each a column of the runs.
CLOCKS = {"end-to-end": "seconds", "algorithm": "run_s"}
ALL_GRAPHS = "(all)"
SAME = ["host", "workload", "parameters", "threads", "memory_limit_bytes"]
SAME += ["modelled", "dilation"]
SIDE = ["engine", "layout", "pool", "backend", "backend_asked", "depth", "depth_asked", "options"]

COMPARISONS = {
    "host": "Machine; runs of different machines are never put together.",
    "workload": "Name of the workload.",
    "parameters": "Parameters of the workload.",
    "threads": "Worker threads.",
    "memory_limit_bytes": "Limit of the whole process.",
    "modelled": "Device that was modelled; none: the real one.",
    "dilation": "By how much the model's times were drawn out.",
    "graph": f"Name of the graph; {ALL_GRAPHS}: geometric mean over those that both sides have.",
    "clock": "end-to-end: column seconds of the runs. algorithm: column run_s.",
    "slower": "The configuration above the line: engine, layout, pool, further options.",
    "faster": "The configuration below it.",
    "ratio": "Median over trials of the first's seconds over the second's; 1 and more.",
    "ratio_low": "Lower end of its 95% bootstrap interval; none with fewer than 3 trials.",
    "ratio_high": "Upper end.",
    "trials": "Trials that both sides have.",
    "noise": "(Greatest - least) / median of the ratios.",
    "graphs": "Over how many graphs.",
}


def comparisons(runs: pd.DataFrame) -> pd.DataFrame:
    """Return all pairs: first the rows of single graphs, then the means over graphs."""
    good = runs[(runs["status"] == "ok") & ~runs["traced"].astype(bool)].copy()
    rows: list[Json] = []
    if len(good):
        good["side"] = good[SIDE].apply(_side, axis=1)
        for keys, part in _groups(good, SAME):
            same = dict(zip(SAME, keys, strict=True))
            for clock, column in CLOCKS.items():
                rows += [same | row for row in _pairs(part, clock, column)]
    return pd.DataFrame(rows, columns=list(COMPARISONS))


def _groups(table: pd.DataFrame, keys: list[str]) -> list[tuple[list[Any], pd.DataFrame]]:
    """Group like `groupby`, with missing values as a value of their own."""
    marked = table.assign(
        **{key: table[key].astype(object).where(table[key].notna(), "") for key in keys}
    )
    return [
        ([None if value == "" else value for value in values], table.loc[part.index])
        for values, part in groups(marked, keys)
    ]


def _side(row: pd.Series) -> str:
    named = [row["engine"], row["layout"]]
    if isinstance(row["pool"], str):
        named.append(f"pool {row['pool']}")
    if row["backend_asked"]:
        named.append(f"backend {row['backend']}")
    if row["depth_asked"]:
        named.append(f"depth {row['depth']}")
    return " ".join([*named, row["options"]]).strip()


def _pairs(part: pd.DataFrame, clock: str, column: str) -> list[Json]:
    times = part.pivot_table(
        index=["graph", "trial"], columns="side", values=column, aggfunc="first"
    )
    rows: list[Json] = []
    for one, other in itertools.combinations(times.columns, 2):
        both = times[[one, other]].dropna()
        if both.empty:
            continue
        if both[one].median() < both[other].median():
            one, other = other, one
        ratios = both[one] / both[other]
        named = {"clock": clock, "slower": one, "faster": other}
        by_graph = list(ratios.groupby(level="graph", sort=False))
        for graph, values in by_graph:
            rows.append({**named, "graph": graph, "graphs": 1, **_summary(list(values))})
        if len(by_graph) > 1:
            # A trial counts only if all graphs have it; otherwise its mean would be over other
            # graphs.
            trials = ratios.unstack("graph").dropna()
            means = [geometric_mean(list(values)) for values in trials.to_numpy()]
            if means:
                joined = {"graph": ALL_GRAPHS, "graphs": len(by_graph)}
                rows.append({**named, **joined, **_summary(means)})
    return rows


def _summary(values: list[float]) -> Json:
    found = summarise(values)
    return {
        "ratio": found.median,
        "ratio_low": found.low,
        "ratio_high": found.high,
        "trials": found.trials,
        "noise": found.noise,
    }
