# SPDX-License-Identifier: Apache-2.0
"""Waterfalls: a value at the first rung of a ladder and at the last, and each step between them.

The first bar and the last are whole values. Each bar between them reaches from the value of the
rung below to that of its own, so its length is what the step is worth.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, MaxNLocator

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import LEVELS, Ask
from outcore_analysis.figures.bars import below
from outcore_analysis.ladder import Rung
from outcore_analysis.palette import OTHERS
from outcore_analysis.records import groups, rows
from outcore_analysis.stats import summarise
from outcore_analysis.words import quantity

Json = dict[str, Any]
WHOLE, LESS, MORE = "whole", "less", "more"
COLOURS = {WHOLE: OTHERS[0], LESS: OTHERS[2], MORE: OTHERS[1]}
COLUMNS = ["rung", "says", "from", "to", *LEVELS]


def waterfall(ask: Ask) -> Chart:
    """Make a panel for each engine with a ladder, within each value of the panel columns."""
    keys = list(dict.fromkeys(["engine", *ask.panels]))
    table = _with_rungs(ask)
    parts = []
    for key, part in groups(table, keys):
        named = dict(zip(keys, key, strict=True))
        ladder = ask.experiment.ladders[named["engine"]]
        parts.append((named, _steps(part, ladder)))
    panels = [
        Panel(
            ask.named(keys if "engine" in ask.panels else ask.panels, named),
            partial(_draw, ask=ask, part=part),
            _hover(ask, part),
            (9.2, 1.4 + 0.3 * len(part)),
            ask.of(named),
        )
        for named, part in parts
        if len(part)
    ]
    every = [part.assign(**named)[[*keys, *COLUMNS]] for named, part in parts]
    data = pd.concat(every) if every else pd.DataFrame(columns=[*keys, *COLUMNS])
    return ask.chart(data, panels)


def _with_rungs(ask: Ask) -> pd.DataFrame:
    """Return the runs of ladders, each with the number of its rung and its value."""
    numbers = {
        cell.key: number
        for cell in ask.experiment.cells
        for number, rung in enumerate(ask.experiment.ladders.get(cell.engine, []))
        if rung.is_of(cell)
    }
    table = ask.rows()
    table = table[table["config"].isin(numbers)]
    values = pd.to_numeric(table[ask.wanted("value")]).astype(float)
    table = table.assign(rung=table["config"].map(numbers), drawn=values)
    return table[table["drawn"].notna()]


def _steps(part: pd.DataFrame, ladder: list[Rung]) -> pd.DataFrame:
    """Return a row for each rung that has runs: from which value to which its bar reaches."""
    found: list[Json] = []
    for (number,), runs in groups(part.sort_values("rung", kind="stable"), ["rung"]):
        level = summarise(runs["drawn"].tolist())
        begin = found[-1]["to"] if found else 0.0
        found.append(
            {"rung": number, "says": ladder[number].says, "from": begin, "to": level.median}
            | dict(zip(LEVELS, (level.median, level.low, level.high, level.trials), strict=True))
        )
    return pd.DataFrame(found, columns=COLUMNS)


def _bars(ask: Ask, part: pd.DataFrame) -> list[Json]:
    """Return the bars, with the last one once more as a whole value."""
    found = []
    for at, row in enumerate(rows(part)):
        low, high = sorted((row["from"], row["to"]))
        kind = WHOLE if at == 0 else LESS if row["to"] < row["from"] else MORE
        change = f" ({row['to'] / row['from'] - 1:+.0%})" if at and row["from"] else ""
        text = f"{quantity(row['to'], ask.unit)}{change}"
        found.append(row | {"low": low, "high": high, "kind": kind, "text": text})
    last = found[-1]
    if len(found) > 1:
        over = f" ({last['to'] / found[0]['to']:.2f} of the first)" if found[0]["to"] else ""
        text = f"{quantity(last['to'], ask.unit)}{over}"
        ends = {"low": 0.0, "high": last["to"], "kind": WHOLE, "text": text}
        found.append({"says": "all of it"} | ends)
    return found


def _draw(axes: Axes, ask: Ask, part: pd.DataFrame) -> None:
    bars = _bars(ask, part)
    for at, bar in enumerate(bars):
        axes.barh(at, bar["high"] - bar["low"], 0.62, left=bar["low"], color=COLOURS[bar["kind"]])
        axes.text(bar["high"], at, f" {bar['text']}", va="center", fontsize=8.5)
        if 0 < at < len(bars) - 1:
            axes.plot([bar["from"]] * 2, [at - 0.69, at + 0.31], color=INK, linewidth=0.8)
    axes.set_yticks(range(len(bars)), [bar["says"] for bar in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1.3 * max(bar["high"] for bar in bars))
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    axes.set_xlabel(ask.figure.get("label", ask.wanted("value")))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    if ask.unit in ("s", "bytes"):
        unit = {"s": "s", "bytes": "B"}[ask.unit]
        axes.xaxis.set_major_formatter(EngFormatter(unit=unit, sep=" "))
    below(axes, [Patch(facecolor=colour, label=kind) for kind, colour in COLOURS.items()])


def _hover(ask: Ask, part: pd.DataFrame) -> Json:
    bars = _bars(ask, part)
    shown = [
        {"row": bar["says"], "from": bar["low"], "to": bar["high"], "kind": bar["kind"]}
        | {"says": f"{bar['says']}: {bar['text']}"}
        for bar in bars
    ]
    kinds = list(COLOURS)
    colour = {
        "field": "kind",
        "type": "nominal",
        "sort": kinds,
        "scale": {"domain": kinds, "range": [COLOURS[kind] for kind in kinds]},
        "legend": {},
    }
    names = [bar["says"] for bar in bars]
    layer = {
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "row", "type": "nominal", "sort": names, "axis": {"title": None}},
            "x": hover.quantity_axis("from", str(ask.figure.get("label", "")), ask.unit),
            "x2": {"field": "to"},
            "color": colour,
            "tooltip": hover.TOOLTIP,
        },
    }
    return hover.specification(shown, [layer], height=max(80, 26 * len(names)))
