# SPDX-License-Identifier: Apache-2.0
"""Lines: a value over a column (pool, threads, memory, round), with its interval as a band.

Series differ by colour, marker and dash. A level line is a reference; a bracket of ink is the
paper's own number.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask, number_of, ordered
from outcore_analysis.figures.bars import PAPERS, below, spoken, value_ticks
from outcore_analysis.palette import DASHES, MARKERS, SHAPES, colours
from outcore_analysis.records import groups, rows
from outcore_analysis.yamllines import ConfigError

Json = dict[str, Any]
# Height and words of a level line.
Level = tuple[float, str]
MOST_TICKS = 12


def lines(ask: Ask) -> Chart:
    """Make a panel for each value of the panel columns."""
    x = ask.wanted("x")
    keys = list(dict.fromkeys([*ask.panels, *ask.series, x]))
    data = ask.values(
        keys,
        ask.wanted("value"),
        ask.figure.get("over"),
        ask.unit,
        ask.figure.get("normalise"),
        [*ask.panels, x],
    )
    data = data.assign(along=data[x].map(number_of))
    data = data[data["along"].notna()].sort_values("along", kind="stable")
    parts = groups(data, ask.panels) if ask.panels else [([], data)]
    panels = []
    for key, part in parts:
        named = dict(zip(ask.panels, key, strict=True))
        levels = [found for found in (_reference(ask, named), _beside(ask, named)) if found]
        panels.append(
            Panel(
                ask.named(ask.panels, named),
                partial(_draw, ask=ask, part=part, x=x, levels=levels),
                _hover(ask, part, x, levels),
                of=ask.of(named),
            )
        )
    return ask.chart(data, panels if len(data) else [])


def _reference(ask: Ask, named: Json) -> Level | None:
    """Return the level line of a panel: height and words."""
    wanted = ask.figure.get("reference")
    if wanted is None:
        return None
    table = ask.rows()
    for column, value in named.items():
        table = table[table[column] == value]
    height = float(table[wanted["value"]].iloc[0])
    if "over" in wanted:
        height /= float(table[wanted["over"]].iloc[0])
    return height * (100 if ask.unit == "%" else 1), str(wanted["label"])


def _beside(ask: Ask, named: Json) -> Level | None:
    """Return the level line that other experiments' runs give a panel; None without them."""
    wanted = ask.figure.get("beside")
    if wanted is None:
        return None
    table = ask.tables["runs"]
    table = table[(table["status"] == "ok") & ~table["traced"].astype(bool)]
    for column, value in (named | wanted["where"]).items():
        table = table[table[column] == value]
    if table.empty:
        return None
    if table["config"].nunique() > 1:
        raise ConfigError(f"{ask.name}: `beside` is of several configurations; say more in `where`")
    heights = table[wanted["value"]].astype(float)
    if "over" in wanted:
        heights = heights / table[wanted["over"]].astype(float)
    return float(heights.median()) * (100 if ask.unit == "%" else 1), str(wanted["label"])


def _series(ask: Ask, part: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [
        (ask.named(ask.series, dict(zip(ask.series, key, strict=True))), line)
        for key, line in groups(part, ask.series)
    ]


def _draw(axes: Axes, ask: Ask, part: pd.DataFrame, x: str, levels: list[Level]) -> None:
    series = _series(ask, part)
    shades = colours([name for name, _ in series])
    if ask.figure.get("log"):
        axes.set_yscale("log")
    if ask.figure.get("log_x"):
        axes.set_xscale("log")
    handles = []
    marked = False
    for i, (name, line) in enumerate(series):
        handles += axes.plot(
            line["along"], line["median"], color=shades[name], marker=MARKERS[i % len(MARKERS)],
            linestyle=DASHES[i % len(DASHES)], label=name,
        )  # fmt: skip
        sure = line[line["low"].notna()]
        if len(sure):
            axes.errorbar(
                sure["along"], sure["median"], color=shades[name], linestyle="", linewidth=1.1,
                yerr=[sure["median"] - sure["low"], sure["high"] - sure["median"]],
            )  # fmt: skip
        for row in rows(line):
            for low, high, _ in ask.paper_marks(row | {"series": name}):
                axes.plot([row["along"]] * 2, [low, high], "_-", color=INK, markersize=9)
                marked = True
    across = axes.get_yaxis_transform()
    for height, says in levels:
        axes.axhline(height, color=INK, linewidth=0.9, linestyle=":")
        axes.text(0.02, height, says, transform=across, va="bottom", fontsize=8.5)
    _dress(axes, ask, part, x)
    if marked:
        handles.append(Line2D([], [], color=INK, marker="_", markersize=9, label=PAPERS))
    below(axes, handles, 4)


def _dress(axes: Axes, ask: Ask, part: pd.DataFrame, x: str) -> None:
    places = ordered(list(part[x]))
    if len(places) <= MOST_TICKS:
        where = [number_of(place) or 0 for place in places]
        span = (max(where) - min(where)) or 1
        # If labels would touch, the later ones are left out.
        shown: list[float] = []
        for value in where:
            far = not shown or ask.figure.get("log_x") or value - shown[-1] > 0.07 * span
            shown += [value] if far else []
        names = [ask.words(x, p) for p, w in zip(places, where, strict=True) if w in shown]
        axes.set_xticks(shown, names)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(ask.figure.get("x_label", x.replace("_", " ")))
    axes.set_ylabel(ask.figure.get("label", ask.wanted("value")))
    value_ticks(axes, ask)
    if not ask.figure.get("log"):
        axes.set_ylim(0, 1.08 * max(axes.get_ylim()[1], 0))


def _hover(ask: Ask, part: pd.DataFrame, x: str, levels: list[Level]) -> Json:
    shown: list[Json] = []
    series = _series(ask, part)
    for name, line in series:
        for row in rows(line):
            says = f"{name}, {x.replace('_', ' ')} {ask.words(x, row[x])}: {spoken(row, ask.unit)}"
            shown.append(
                {"x": row["along"], "y": row["median"], "series": name, "says": says}
                | ({"low": row["low"], "high": row["high"]} if row["low"] is not None else {})
            )
    names = [name for name, _ in series]
    label = str(ask.figure.get("label", ask.figure["value"]))
    drawn = [row[key] for row in shown for key in ("y", "low", "high") if row.get(key)]
    along = _along(ask, part, x)
    up = hover.quantity_axis("y", label, ask.unit, drawn if ask.figure.get("log") else None)
    colour = hover.colour_of(names)
    shape: Json = {"field": "series", "type": "nominal", "sort": names}
    shape["scale"] = {
        "domain": names,
        "range": [SHAPES[i % len(SHAPES)] for i in range(len(names))],
    }
    layers: list[Json] = [
        {
            "mark": {"type": "line"},
            "encoding": {"x": along, "y": up, "color": colour, "detail": {"field": "series"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {
                "x": along,
                "y": up,
                "color": colour,
                "shape": shape,
                "tooltip": hover.TOOLTIP,
            },
        },
    ]
    if any("low" in row for row in shown):
        ends = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
        layers.append({"mark": "rule", "encoding": {"x": along, "color": colour} | ends})
    for level in levels:
        layers.append(
            {
                "data": {"values": [{}]},
                "mark": {"type": "rule", "color": hover.INK, "strokeDash": [2, 3]},
                "encoding": {"y": {"datum": level[0]}, "tooltip": {"value": level[1]}},
            }
        )
        layers.append(
            {
                "data": {"values": [{}]},
                "mark": {"type": "text", "color": hover.INK, "align": "left", "baseline": "bottom"},
                "encoding": {
                    "x": {"value": 4},
                    "y": {"datum": level[0]},
                    "text": {"value": level[1]},
                },
            }
        )
    return hover.specification(shown, layers)


def _along(ask: Ask, part: pd.DataFrame, x: str) -> Json:
    """Return the x axis, with a tick at each value if these are few."""
    axis: Json = {"title": ask.figure.get("x_label", x.replace("_", " ")), "grid": False}
    places = ordered(list(part[x]))
    if len(places) <= MOST_TICKS:
        # As Vega's expressions write numbers: 0.1 and 20.
        names = {f"{number_of(place):.15g}": ask.words(x, place) for place in places}
        axis["values"] = [number_of(place) for place in places]
        axis["labelExpr"] = f"({json.dumps(names)})[datum.value]"
    scale: Json = {"type": "log"} if ask.figure.get("log_x") else {"zero": True}
    return {"field": "x", "type": "quantitative", "axis": axis, "scale": scale}
