# SPDX-License-Identifier: Apache-2.0
"""The matrix of the first screen: one row per race, one column per engine, and the reason."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup, escape

from outcore_analysis.answers import TIMES, Words, described
from outcore_analysis.races import FACTORS, REFERENCE, Entry, Race, engines_of
from outcore_analysis.words import times, workload_name

Json = dict[str, Any]
# The words beside a bar.
SHORT = {
    "start-up": "start-up",
    "edges": "edges processed",
    "bytes": "bytes an edge",
    "rate": "rate got",
}
STACKED = tuple(name for name in FACTORS if name != "start-up")
WIDTH, BAR, APART, GAP = 160, 10, 4, 3
HEIGHT = BAR + GAP + APART
# A loser's field is darkest from this factor on.
DARKEST = 10


def matrix(found: list[Race], graph: Words) -> Json:
    """Return everything that the template shows about the races.

    Where engines race at all, one that runs by itself tells nothing here.
    """
    found = [race for race in found if len(race.entries) > 1] or found
    engines = engines_of(found)
    reach = _reach([entry for race in found for entry in race.entries])
    rows = [
        {
            "graph": race.graph,
            "graph_title": graph(race.graph),
            "workload": race.workload,
            "workload_title": workload_name(race.workload),
            "told": ", ".join(
                filter(None, [race.parameters, f"pool {race.pool}" * bool(race.pool)])
            ),
            "cells": [_cell(race, engine, reach) for engine in engines],
            "reference": _reference(race.reference),
        }
        for race in found
    ]
    return {
        "engines": engines,
        "rows": rows,
        "reference": REFERENCE if any(race.reference for race in found) else "",
        "pools": sorted({race.pool for race in found if race.pool}),
        "factors": [(name, SHORT.get(name, name)) for name in (*STACKED, "start-up")],
    }


def _cell(race: Race, engine: str, reach: tuple[float, float]) -> Json | None:
    """Return a field of the matrix; None if the engine is not in that race."""
    entry = next((e for e in race.entries if e.engine == engine), None)
    if entry is None:
        return None
    if entry.factor is None:
        return {"trouble": entry.trouble or "no trial in common with the best", "value": ""}
    factor, best = entry.factor.median, race.best
    is_best = best is not None and best.engine == engine
    return {
        "trouble": "",
        "value": f"{factor:.6g}",
        "text": f"{TIMES}{times(factor)}",
        "seconds": entry.seconds.median if entry.seconds else None,
        "config": entry.config,
        "best": is_best,
        "close": not is_best and entry.factor.low is not None and entry.factor.low <= 1,
        "alone": best is None,
        "share": round(100 * min(1.0, math.log(max(1.0, factor)) / math.log(DARKEST))),
        "bar": Markup("") if is_best or best is None else why_bar(entry, reach),
        "reason": "" if is_best or best is None else _reason(entry),
    }


def _reason(entry: Entry) -> str:
    """Return the largest factor in a few words."""
    if not entry.why:
        return "nothing to divide: no edge or no byte"
    value = entry.why[entry.reason]
    if entry.reason == "rate":
        return f"rate got {TIMES}{times(1 / value)}"
    return f"{SHORT.get(entry.reason, entry.reason)} {TIMES}{times(value)}"


def _reference(entry: Entry | None) -> Json | None:
    if entry is None:
        return None
    if entry.factor is None:
        return {"trouble": entry.trouble, "value": ""}
    return {
        "trouble": "",
        "value": f"{entry.factor.median:.6g}",
        "text": f"{TIMES}{times(entry.factor.median)}",
        "config": entry.config,
    }


def _logs(entry: Entry, names: tuple[str, ...]) -> tuple[float, float]:
    """Return how far the stack reaches below and above 1, in logarithms."""
    logs = [math.log(entry.why[name]) for name in names if name in entry.why]
    return sum(v for v in logs if v < 0), sum(v for v in logs if v > 0)


def _reach(entries: list[Entry]) -> tuple[float, float]:
    """Return the ends of the scale that all bars share."""
    ends = [_logs(entry, names) for entry in entries for names in (STACKED, ("start-up",))]
    least, greatest = min((low for low, _ in ends), default=0), max((h for _, h in ends), default=0)
    return least, max(greatest, least + math.log(2))


def why_bar(entry: Entry, reach: tuple[float, float]) -> Markup:
    """The identity as a stack on a logarithmic scale; what is right of 1 makes it slower.

    Start-up is apart, below; the upright line is the factor itself.
    """
    if not entry.why or entry.factor is None:
        return Markup("")
    low, high = reach

    def x(value: float) -> float:
        return 2 + (WIDTH - 4) * (value - low) / (high - low)

    parts = _stack(entry, STACKED, 0, BAR, x) + _stack(entry, ("start-up",), BAR + GAP, APART, x)
    one, all_of_it = x(0), x(math.log(entry.factor.median))
    parts.append(f'<path class="one" d="M{one:.1f} 0V{HEIGHT}"/>')
    parts.append(f'<path class="all" d="M{all_of_it:.1f} 0V{HEIGHT}"/>')
    told = escape(described(entry))
    return Markup(
        f'<svg class="why" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{told}">'
        f"<title>{told}</title>{''.join(parts)}</svg>"
    )


def _stack(entry: Entry, names: tuple[str, ...], top: int, height: int, x: Any) -> list[str]:
    ends = {True: 0.0, False: 0.0}
    parts = []
    for name in names:
        value = math.log(entry.why[name])
        start = ends[value > 0]
        ends[value > 0] = start + value
        left, right = sorted((x(start), x(start + value)))
        if right - left >= 0.2:
            parts.append(
                f'<rect class="why-{name}" x="{left:.1f}" y="{top}" width="{right - left:.1f}" '
                f'height="{height}"/>'
            )
    return parts
