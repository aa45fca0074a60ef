# SPDX-License-Identifier: Apache-2.0
"""Races against other programs: seconds of each, a mark for each limit of memory.

A panel is one question on one graph. Who has no time stands at its place with the reason, so that a
program that was killed is seen beside those that went on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.contest.record import OURS
from outcore_analysis.contest.shown import Held, limit_text
from outcore_analysis.figures import hover
from outcore_analysis.figures.bars import below
from outcore_analysis.palette import MARKERS, OTHERS, SHAPES
from outcore_analysis.records import groups, rows
from outcore_analysis.words import format_seconds, workload_name

Json = dict[str, Any]
COLUMNS = ["programme", "graph", "workload", "limit", "name", "median", "low", "high", "ended"]
LABEL = "seconds, logarithmic"
WIDTH = 0.7
CAPTION = (
    "Wall clock of the whole program, with reading its graph and writing its answer: the median of "
    "all turns, and from three turns on its interval. The axis is logarithmic. Limits of memory "
    "are for everything that a program starts, page cache included."
)


def races_chart(held: Sequence[Held], titles: Mapping[str, str]) -> Chart:
    """Return the figure of all races that were held."""
    data = pd.DataFrame([row for one in held for row in _rows_of(one)], columns=COLUMNS)
    panels = []
    for (programme, graph, workload), part in groups(data, ["programme", "graph", "workload"]):
        title = f"{workload_name(workload)} on {titles.get(graph, graph)}"
        panels.append(
            Panel(
                title,
                partial(_draw, part=part),
                _hover(part),
                (9.2 if len(part) > 12 else 4.6, 3.4),
                {"graph": graph, "workload": workload, "programme": programme},
            )
        )
    lost = [
        f"{row['name']}, {workload_name(row['workload'])}, {row['limit']}: {row['ended']}"
        for row in rows(data[data["ended"] != ""])
    ]
    title = "Other programs in the same race"
    return Chart("races", title, CAPTION, data, panels, notes=lost, source="races")


def _rows_of(one: Held) -> list[Json]:
    race = one.race
    if race is None:
        return []
    bout = one.bout
    same = {"programme": bout.programme, "graph": bout.graph, "workload": bout.workload}
    same |= {"limit": limit_text(bout.memory)}
    found = []
    for name in race.names:
        time = race.summary(name, "wall_s")
        level = {"median": time.median, "low": time.low, "high": time.high} if time else {}
        said = "Outcore" if name == OURS else race.contestant(name)["title"]
        found.append(same | {"name": said, "ended": race.ended(name)} | level)
    return found


def _places(part: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the programs and the limits, each in the order of the races."""
    names, limits = (list(dict.fromkeys(part[key])) for key in ("name", "limit"))
    return names, limits


def _draw(axes: Axes, part: pd.DataFrame) -> None:
    names, limits = _places(part)
    axes.set_yscale("log")
    for row in rows(part):
        at = limits.index(row["limit"])
        step = WIDTH / len(limits)
        x = names.index(row["name"]) - WIDTH / 2 + (at + 0.5) * step
        if row["ended"]:
            across = axes.get_xaxis_transform()
            axes.text(
                x, 0.02, row["ended"], transform=across, rotation=90, ha="center", va="bottom",
                fontsize=7.5, color=OTHERS[at],
            )  # fmt: skip
            continue
        if not pd.isna(row["low"]) and row["high"] > row["low"]:
            ends = [[row["median"] - row["low"]], [row["high"] - row["median"]]]
            axes.errorbar(x, row["median"], yerr=ends, color=INK, linewidth=1.1)
        axes.plot(x, row["median"], MARKERS[at], color=OTHERS[at], markersize=6)
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylabel(LABEL)
    axes.yaxis.set_major_formatter(EngFormatter(unit="s", sep=" "))
    low, high = hover.log_ends([axes.dataLim.minposy, axes.dataLim.y1])
    high = max(high, 2 * low)  # where all times are one
    axes.set_ylim(low, high)
    if high / low < 200:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    below(
        axes,
        [
            Line2D([], [], color=OTHERS[i], marker=MARKERS[i], linestyle="", label=limit)
            for i, limit in enumerate(limits)
        ],
    )


def _hover(part: pd.DataFrame) -> Json:
    names, limits = _places(part)
    shown: list[Json] = []
    for row in rows(part):
        words = f"{row['name']}, {row['limit']}"
        point = {"x": row["name"], "series": row["limit"]}
        if row["ended"]:
            shown.append(point | {"lost": "\u2715", "says": f"{words}: {row['ended']}"})
            continue
        says = f"{words}: {format_seconds(row['median'])}"
        shown.append(point | {"y": row["median"], "says": says})
    base: Json = {
        "x": {"field": "x", "type": "nominal", "sort": names, "axis": {"title": None}},
        "xOffset": {"field": "series", "type": "nominal", "sort": limits},
        "tooltip": hover.TOOLTIP,
    }
    scale = {"domain": limits, "range": OTHERS[: len(limits)]}
    colour = {"field": "series", "type": "nominal", "sort": limits, "scale": scale, "legend": {}}
    shape_scale = {"domain": limits, "range": SHAPES[: len(limits)]}
    shape = {"field": "series", "type": "nominal", "sort": limits, "scale": shape_scale}
    value = hover.quantity_axis("y", LABEL, "s", [row["y"] for row in shown if "y" in row])
    mark: Json = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    lost: Json = {"type": "text", "baseline": "bottom", "fontSize": 14}
    layers: list[Json] = [
        {"mark": mark, "encoding": base | {"y": value, "color": colour, "shape": shape}},
        {
            "mark": lost,
            "encoding": base
            | {
                "text": {"field": "lost"},
                "y": {"value": hover.HEIGHT},
                "color": {k: v for k, v in colour.items() if k != "legend"},
            },
        },
    ]
    return hover.specification(shown, layers)
