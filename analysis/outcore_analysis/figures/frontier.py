# SPDX-License-Identifier: Apache-2.0
"""Frontiers: time against memory, one dot per configuration, pools of one engine along a line.

A configuration is on the frontier if none in its panel is quicker with no more memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask, number_of
from outcore_analysis.figures.bars import below, value_ticks
from outcore_analysis.palette import DASHES, colours
from outcore_analysis.records import groups, rows
from outcore_analysis.stats import summarise
from outcore_analysis.words import quantity

Json = dict[str, Any]
MIB = 1 << 20
NO_POOL = ""
ON, OFF = "on the frontier", "beaten"
# A file has room for the whole sentence; a phone has not.
OFF_IN_FULL = "another is as small and quicker"
SHAPES_OF = {ON: "circle", OFF: "cross"}
COLUMNS = ["mib", "seconds", "low", "high", "trials", "on_frontier"]
LABEL = "greatest resident memory, MiB"


def frontier(ask: Ask) -> Chart:
    """Make a panel for each value of the panel columns."""
    keys = list(dict.fromkeys([*ask.panels, *ask.series, "pool"]))
    table = ask.rows().fillna({"pool": NO_POOL})
    table = table[table["seconds"].notna() & table["peak_rss_bytes"].notna()]
    ask.check_alone(table, keys)
    found = [dict(zip(keys, key, strict=True)) | _levels(part) for key, part in groups(table, keys)]
    data = pd.DataFrame(found, columns=[*keys, *COLUMNS[:-1]])
    parts = [
        (dict(zip(ask.panels, key, strict=True)), part.assign(on_frontier=on_frontier(part)))
        for key, part in groups(data, ask.panels)
    ]
    panels = [
        Panel(
            ask.named(ask.panels, named),
            partial(_draw, ask=ask, part=part),
            _hover(ask, part),
            of=ask.of(named),
        )
        for named, part in parts
    ]
    every = pd.concat([part for _, part in parts]) if parts else data.assign(on_frontier=None)
    return ask.chart(every, panels)


def _levels(part: pd.DataFrame) -> Json:
    time = summarise(part["seconds"].tolist())
    return {
        "mib": float(part["peak_rss_bytes"].astype(float).median()) / MIB,
        "seconds": time.median,
        "low": time.low,
        "high": time.high,
        "trials": time.trials,
    }


def on_frontier(part: pd.DataFrame) -> list[bool]:
    """Tell for each point whether no other is at least as quick and as small, and not the same."""
    points = list(zip(part["mib"], part["seconds"], strict=True))
    return [
        not any(
            mib <= mine and seconds <= time and (mib, seconds) != (mine, time)
            for mib, seconds in points
        )
        for mine, time in points
    ]


def _lines(ask: Ask, part: pd.DataFrame) -> list[tuple[str, list[Json]]]:
    """Return each series with its configurations, the smallest pool first."""
    return [
        (
            ask.named(ask.series, dict(zip(ask.series, key, strict=True))),
            sorted(rows(line), key=lambda row: number_of(row["pool"]) or 0),
        )
        for key, line in groups(part, ask.series)
    ]


def _ends(line: Iterable[Json]) -> list[Json]:
    """Return the configurations with the smallest and the largest pool, which are labelled."""
    pooled = [row for row in line if row["pool"] != NO_POOL]
    return pooled if len(pooled) < 2 else [pooled[0], pooled[-1]]


def _draw(axes: Axes, ask: Ask, part: pd.DataFrame) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    lines = _lines(ask, part)
    shades = colours([name for name, _ in lines])
    handles: list[Any] = []
    for i, (name, line) in enumerate(lines):
        x, y = [row["mib"] for row in line], [row["seconds"] for row in line]
        axes.plot(x, y, color=shades[name], linestyle=DASHES[i % len(DASHES)], linewidth=1.3)
        handles.append(Line2D([], [], color=shades[name], linewidth=3, label=name))
        for row in line:
            form = "o" if row["on_frontier"] else "x"
            axes.plot(row["mib"], row["seconds"], form, color=shades[name], markersize=6)
        for row in _ends(line):
            axes.annotate(
                row["pool"], (row["mib"], row["seconds"]), (0, 7 if i % 2 == 0 else -14),
                textcoords="offset points", ha="center", fontsize=8.5,
            )  # fmt: skip
    axes.set_xlim(*_ends_of_memory(part))
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(LABEL)
    axes.set_ylabel("time end to end")
    value_ticks(axes, ask)
    handles += [
        Line2D([], [], color=INK, marker=form, linestyle="", label=words)
        for words, form in ((ON, "o"), (OFF_IN_FULL, "x"))
    ]
    below(axes, handles, 2)


def _ends_of_memory(part: pd.DataFrame) -> tuple[float, float]:
    """Return the ticks below the smallest and above the largest value."""
    return hover.tick_below(list(part["mib"])), hover.tick_above(list(part["mib"]))


def _hover(ask: Ask, part: pd.DataFrame) -> Json:
    lines = _lines(ask, part)
    shown = []
    for name, line in lines:
        for row in line:
            pool = f", pool {row['pool']}" if row["pool"] != NO_POOL else ""
            says = f"{name}{pool}: {quantity(row['seconds'], 's')}, {row['mib']:.3g} MiB"
            sure = row["low"] is not None
            shown.append(
                {"x": row["mib"], "y": row["seconds"], "series": name, "on": row["on_frontier"]}
                | {"says": f"{says}, {row['trials']} trials" if sure else says}
                | ({"low": row["low"], "high": row["high"]} if sure else {})
                | ({"end": row["pool"]} if row in _ends(line) else {})
                | {"pool": number_of(row["pool"]) or 0}
            )
    names = [name for name, _ in lines]
    times = [row[key] for row in shown for key in ("y", "low", "high") if key in row]
    along = hover.quantity_axis("x", LABEL, "", [row["x"] for row in shown])
    ends = list(_ends_of_memory(part))
    along["axis"] |= {"grid": False, "values": hover.log_ticks(*ends)}
    along["scale"]["domain"] = ends
    up = hover.quantity_axis("y", "time end to end", "s", times)
    colour = hover.colour_of(names)
    place: Json = {"x": along, "y": up, "color": colour}
    layers: list[Json] = [
        {
            "mark": {"type": "line", "strokeWidth": 1.3},
            "encoding": place | {"order": {"field": "pool", "type": "quantitative"}},
        }
    ]
    if any("low" in row for row in shown):
        rule = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
        layers.append({"mark": "rule", "encoding": place | rule})
    for words, on in ((ON, "datum.on"), (OFF, "!datum.on")):
        dot = {"type": "point", "filled": True, "size": 70, "opacity": 1}
        shape = {"shape": hover.shaped(words, SHAPES_OF), "tooltip": hover.TOOLTIP}
        layers.append({"mark": dot, "transform": [{"filter": on}], "encoding": place | shape})
    for i, name in enumerate(names):
        layers.append(
            {
                "mark": {"type": "text", "color": hover.INK, "dy": -11 if i % 2 == 0 else 13},
                "transform": [{"filter": f"datum.series == '{name}' && isValid(datum.end)"}],
                "encoding": {"x": along, "y": up, "text": {"field": "end"}},
            }
        )
    return hover.specification(shown, layers)
