# SPDX-License-Identifier: Apache-2.0
"""Pieces of Vega-Lite specifications: how the page draws panels that one can point at.

Text and rules take the page's colour (`currentColor`), so one drawing serves dark and light mode.
Each point carries its finished text, `says`, which the pointer shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from outcore_analysis.palette import colours

Json = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
INK = "currentColor"
HEIGHT = 240
# The font of report.css.
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'


def specification(rows: list[Json], layers: list[Json], height: int = HEIGHT, **more: Any) -> Json:
    """Return a panel as wide as its place on the page."""
    return {
        "$schema": SCHEMA,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": None,
        "data": {"values": rows},
        "layer": layers,
        "config": CONFIG,
    } | more


CONFIG: Json = {
    # Named, because Vega measures text before it is on the page.
    "font": FONT,
    # The chart's element is an image with a name; its marks need none.
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": INK,
        "gridOpacity": 0.14,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 220,
        "labelOverlap": "parity",
        "labelSeparation": 6,
    },
    "axisXBand": {"labelAngle": 0},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "orient": "bottom",
        "title": None,
        "labelLimit": 260,
        "columns": 3,
        "symbolBaseFillColor": INK,
        "symbolBaseStrokeColor": INK,
    },
}


def colour_of(names: list[str], field: str = "series") -> Json:
    """Give each series its colour, in this order, and a legend if there are several."""
    given = colours(names)
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": names, "range": [given[name] for name in names]},
        "legend": {} if len(names) > 1 else None,
        "sort": names,
    }


def shaped(name: str, shapes: dict[str, str]) -> Json:
    """Name a mark in a layer that it shares with other shapes; the legend shows them."""
    scale = {"domain": list(shapes), "range": list(shapes.values())}
    return {"datum": name, "type": "nominal", "scale": scale, "legend": {}}


def quantity_axis(field: str, title: str, unit: str, drawn: Sequence[float] | None = None) -> Json:
    """Return an axis of values with its unit; with `drawn`, logarithmic from a power of ten."""
    axis: Json = {"title": title}
    if unit == "s":
        # As matplotlib writes it: 10 ms, 1 s.
        axis["labelExpr"] = (
            "datum.value == 0 ? '0' : datum.value < 1 ? format(1000 * datum.value, '~r') + ' ms' : "
            "format(datum.value, '~r') + ' s'"
        )
    elif unit == "bytes":
        axis["format"] = "~s"
    encoding: Json = {"field": field, "type": "quantitative", "axis": axis | {"tickCount": 6}}
    if drawn is not None:
        low, high = log_ends(drawn)
        axis["values"] = log_ticks(low, high)
        encoding |= {"axis": axis, "scale": {"type": "log", "domain": [low, high]}}
    return encoding


def power_below(values: Sequence[float]) -> float:
    """The power of ten at which a logarithmic axis of these values begins, but for zeros."""
    lowest = min((value for value in values if 0 < value < math.inf), default=1.0)
    return float(10.0 ** math.floor(math.log10(lowest)))


def log_ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis, which are ticks with a label."""
    low, high = power_below(values), tick_above(values)
    return low, high if high < 200 * low else 10.0 ** math.ceil(math.log10(high))


def tick_above(values: Sequence[float]) -> float:
    """The tick at which a logarithmic axis of these values ends: 1, 2 or 5 of a power of ten."""
    highest = max((value for value in values if 0 < value < math.inf), default=1.0)
    power = 10.0 ** math.floor(math.log10(highest))
    return next(float(sub * power) for sub in (1, 2, 5, 10) if sub * power >= highest)


def tick_below(values: Sequence[float]) -> float:
    """Return the first tick of an axis that need not begin at a power of ten."""
    power = power_below(values)
    return max(sub * power for sub in (1, 2, 5) if sub * power <= min(values, default=1.0))


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of each power of ten; over many powers only the powers themselves."""
    powers = range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high)) + 1)
    found = [
        sub * 10.0**power for power in powers for sub in ((1, 2, 5) if high < 200 * low else (1,))
    ]
    return [float(f"{tick:.3g}") for tick in found if low <= tick <= 1.001 * high]


TOOLTIP: Json = {"field": "says", "type": "nominal"}
