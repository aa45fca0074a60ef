# SPDX-License-Identifier: Apache-2.0
"""COST: how many executors another program needs until it passes one core of ours.

F. McSherry, M. Isard, D. G. Murray. Scalability! But at what COST? HotOS 2015.

The time of n executors is fitted as serial + parallel / n, by least squares over all numbers of
executors that raced. That is kind to the other program: what grows with n is not in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from outcore_analysis.charts import Chart, Panel
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.tables import draw, inches_of
from outcore_analysis.records import groups
from outcore_analysis.words import format_seconds

EXECUTORS = re.compile(r"\bexecutors=(\d+)")
KEYS = ["graph", "workload"]
HEAD = ["graph", "workload", "ours, one core", "s", "executors: s", "serial s", "executors needed"]


def executors_needed(seconds: Mapping[int, float], ours: float) -> tuple[float, float]:
    """Return the serial seconds of a fit, and how many executors pass `ours`; inf: none does.

    REQUIRES: two different numbers of executors.
    """
    inverse = np.array([1 / n for n in seconds])
    parallel, serial = map(float, np.polyfit(inverse, np.array(list(seconds.values())), 1))
    if min(seconds.values()) <= ours:
        return serial, min(n for n, s in seconds.items() if s <= ours)
    if parallel <= 0 or serial >= ours:
        return serial, math.inf
    return serial, math.ceil(round(parallel / (ours - serial), 6))


def cost(ask: Ask) -> Chart:
    """Make the table: a row for each graph and workload."""
    value = ask.figure.get("value", "seconds")
    found, shown = [], [["", *HEAD]]
    for (graph, workload), part in groups(ask.rows(), KEYS):
        numbers = part["contestant"].str.extract(EXECUTORS, expand=False)
        own = part[numbers.isna()].groupby("who")[value].median()
        theirs = part[numbers.notna()].assign(n=numbers.dropna().astype(int))
        medians = theirs.groupby("n")[value].median()
        by_number = dict(zip(medians.index.astype(int), medians.astype(float), strict=True))
        if own.empty or len(by_number) < 2:
            continue
        best, ours = str(own.idxmin()), float(own.min())
        serial, needed = executors_needed(by_number, ours)
        found.append(
            {"graph": graph, "workload": workload, "ours": best, "seconds": ours}
            | {f"seconds_{n}": s for n, s in by_number.items()}
            | {"serial_s": serial, "executors": needed}
        )
        each = ", ".join(f"{n}: {format_seconds(s)}" for n, s in by_number.items())
        words = [ask.words("graph", graph), ask.words("workload", workload), best]
        words += [format_seconds(ours), each, format_seconds(max(serial, 0.0))]
        shown.append(["here", *words, "none" if math.isinf(needed) else f"{needed:.0f}"])
    panel = Panel("", partial(draw, shown=shown), None, inches_of(shown))
    return ask.chart(pd.DataFrame(found), [panel] if found else [], shown if found else [])
