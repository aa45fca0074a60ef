# SPDX-License-Identifier: Apache-2.0
"""Rounds: what share of each round's reads was used, and how many vertices were active.

Used are 4 bytes for every edge handed to the program; read is what was asked of the device. A pool
that kept blocks from an earlier round, inline lists and codecs make a round use more than it read:
the share is then cut off at 100%. A round that read nothing has no share.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.bars import below
from outcore_analysis.figures.timeline import first_trials
from outcore_analysis.palette import colours
from outcore_analysis.records import rows

Json = dict[str, Any]
EDGE_BYTES = 4
COLUMNS = ["round", "frontier", "edges", "requested_bytes", "seconds", "used_percent"]


def rounds(ask: Ask) -> Chart:
    """A panel for each configuration, its first trial."""
    panels, tables = [], []
    for row, title, record in first_trials(ask):
        table = by_round(record)
        if table.empty:
            continue
        tables.append(table.assign(record=row["record"]))
        shade = colours([ask.named(ask.series, row)])[ask.named(ask.series, row)]
        whole = used_of_all(table)
        panels.append(
            Panel(
                title,
                partial(_draw, table=table, shade=shade, whole=whole),
                _hover(table, shade, whole),
            )
        )
    data = pd.concat(tables) if tables else pd.DataFrame(columns=[*COLUMNS, "record"])
    return ask.chart(data, panels)


def by_round(record: Json) -> pd.DataFrame:
    """The rounds of a run with the share that each used of its reads."""
    table = pd.DataFrame(record.get("rounds") or [], columns=COLUMNS[:-1])
    used = 100 * EDGE_BYTES * table["edges"] / table["requested_bytes"].where(lambda b: b > 0)
    return table.assign(used_percent=used.clip(upper=100))


def used_of_all(table: pd.DataFrame) -> float | None:
    """The share of the whole run."""
    read = float(table["requested_bytes"].sum())
    return min(100.0, 100 * EDGE_BYTES * float(table["edges"].sum()) / read) if read else None


def _draw(axes: Axes, table: pd.DataFrame, shade: str, whole: float | None) -> None:
    if len(table) <= 60:
        axes.bar(table["round"], table["used_percent"], 0.8, color=shade)
    else:
        axes.fill_between(
            table["round"], table["used_percent"].fillna(0), step="mid", color=shade, linewidth=0
        )
    axes.set_ylim(0, 105)
    axes.set_xlim(-0.7, table["round"].max() + 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    axes.set_xlabel("round")
    axes.set_ylabel("used of what was read, %")
    handles: list[Any] = [Patch(color=shade, label="used")]
    if whole is not None:
        axes.axhline(whole, color=INK, linewidth=0.9, linestyle=":")
        label = f"whole run: {whole:.3g}%"
        handles.append(Line2D([], [], color=INK, linestyle=":", linewidth=0.9, label=label))
    right = axes.twinx()
    right.set_yscale("log")
    right.plot(
        table["round"], table["frontier"].clip(lower=1), color=INK, linewidth=1.1,
        marker="." if len(table) <= 60 else "",
    )  # fmt: skip
    right.set_ylabel("active vertices")
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    handles.append(Line2D([], [], color=INK, linewidth=1.1, marker=".", label="active vertices"))
    below(axes, handles)


def _hover(table: pd.DataFrame, shade: str, whole: float | None) -> Json:
    shown: list[Json] = []
    for row in rows(table):
        share = row["used_percent"]
        passed = f"{1000 * row['seconds']:.3g} ms"
        text = "read nothing" if share is None else f"{share:.3g}% used"
        megabytes = row["requested_bytes"] / 1e6
        shown.append(
            {
                "round": row["round"],
                "used": share,
                "active": max(1, row["frontier"]),
                "says": f"round {row['round']}: {text} of {megabytes:.3g} MB, "
                f"{row['frontier']:,} active, {row['edges']:,} edges, {passed}",
            }
        )
    along = {
        "field": "round",
        "type": "quantitative",
        "axis": {"title": "round", "grid": False, "tickMinStep": 1},
        "scale": {"domain": [-0.7, int(table["round"].max()) + 0.7], "nice": False},
    }
    used = {
        "field": "used",
        "type": "quantitative",
        "axis": {"title": "used of what was read, %"},
        "scale": {"domain": [0, 105]},
    }
    active = {
        "field": "active",
        "type": "quantitative",
        "axis": {"title": "active vertices", "grid": False},
        "scale": {"type": "log"},
    }
    size = max(1, min(24, 260 // max(1, len(table))))
    left: list[Json] = [
        {
            "mark": {"type": "bar", "color": shade, "size": size},
            "encoding": {"x": along, "y": used, "tooltip": hover.TOOLTIP},
        }
    ]
    if whole is not None:
        rule = {"type": "rule", "color": hover.INK, "strokeDash": [2, 3]}
        says = {"value": f"whole run: {whole:.3g}% used"}
        once: Json = {"values": [{}]}
        left.append(
            {"data": once, "mark": rule, "encoding": {"y": {"datum": whole}, "tooltip": says}}
        )
        words = {"type": "text", "color": hover.INK, "align": "right", "baseline": "bottom"}
        place = {"x": {"value": "width"}, "y": {"datum": whole}, "text": says}
        left.append({"data": once, "mark": words, "encoding": place})
    right = {
        "mark": {"type": "line", "color": hover.INK, "point": {"color": hover.INK, "size": 25}},
        "encoding": {"x": along, "y": active, "tooltip": hover.TOOLTIP},
    }
    return hover.specification(
        shown, [{"layer": left}, right], resolve={"scale": {"y": "independent"}}
    )
