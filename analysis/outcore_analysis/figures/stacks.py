# SPDX-License-Identifier: Apache-2.0
"""Stacks: a horizontal bar per row, divided into the parts of a whole (phases, memory, bytes)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, MaxNLocator

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.bars import below
from outcore_analysis.palette import HATCHES, OTHERS
from outcore_analysis.records import groups, rows
from outcore_analysis.words import quantity

Json = dict[str, Any]


def stacks(ask: Ask) -> Chart:
    """Make a panel for each value of the panel columns."""
    named = list(ask.figure.get("rows", ask.series))
    keys = list(dict.fromkeys([*ask.panels, *named]))
    parts = [
        ask.values(keys, part["value"], ask.figure.get("over"), ask.unit).assign(part=part["label"])
        for part in ask.wanted("parts")
    ]
    data = pd.concat([part.sort_values(named[0], kind="stable", key=_first) for part in parts])
    panels = [
        Panel(
            ask.named(ask.panels, dict(zip(ask.panels, key, strict=True))),
            partial(_draw, ask=ask, part=part, named=named),
            _hover(ask, part, named),
            (4.6, 1.5 + 0.27 * len(part.drop_duplicates(named))),
            ask.of(dict(zip(ask.panels, key, strict=True))),
        )
        for key, part in (groups(data, ask.panels) if ask.panels else [([], data)])
    ]
    return ask.chart(data, panels if len(data) else [])


def _first(values: pd.Series) -> pd.Series:
    """Group equal values, in the order in which they first occur."""
    return values.map({value: i for i, value in enumerate(dict.fromkeys(values))})


def _cut(ask: Ask, part: pd.DataFrame, named: list[str]) -> tuple[list[str], list[Json]]:
    """Return the names of the rows, and every part with its beginning and end."""
    labels = [entry["label"] for entry in ask.figure["parts"]]
    ends: dict[str, float] = {}
    pieces = []
    for label in labels:
        for row in rows(part[part["part"] == label]):
            name = ask.named(named, row)
            start = ends.get(name, 0.0)
            ends[name] = start + row["median"]
            pieces.append({"row": name, "part": label, "from": start, "to": ends[name]})
    return list(ends), pieces


def _draw(axes: Axes, ask: Ask, part: pd.DataFrame, named: list[str]) -> None:
    names, pieces = _cut(ask, part, named)
    labels = [entry["label"] for entry in ask.figure["parts"]]
    for piece in pieces:
        at = labels.index(piece["part"])
        axes.barh(
            names.index(piece["row"]), piece["to"] - piece["from"], 0.62, left=piece["from"],
            color=OTHERS[at % len(OTHERS)], hatch=HATCHES[at % len(HATCHES)], edgecolor="white",
            linewidth=0,
        )  # fmt: skip
    totals = {name: max(p["to"] for p in pieces if p["row"] == name) for name in names}
    for i, name in enumerate(names):
        # A unit that is a word is on the axis already.
        unit = ask.unit if ask.unit in ("s", "bytes", "%", "x") else ""
        axes.text(totals[name], i, f" {quantity(totals[name], unit)}", va="center", fontsize=8.5)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 1.28 * max([*totals.values(), *_lines(axes, ask)]))
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    axes.set_xlabel(ask.figure.get("label", "sum of the parts"))
    axes.xaxis.set_major_locator(MaxNLocator(4))
    if ask.unit in ("s", "bytes"):
        axes.xaxis.set_major_formatter(
            EngFormatter(unit={"s": "s", "bytes": "B"}[ask.unit], sep=" ")
        )
    handles = [
        Patch(facecolor=OTHERS[i % len(OTHERS)], hatch=HATCHES[i % len(HATCHES)], edgecolor="white",
              label=label)
        for i, label in enumerate(labels)
    ]  # fmt: skip
    below(axes, handles)


def _lines(axes: Axes, ask: Ask) -> list[float]:
    """Return the paper's number as a line if it belongs to the whole panel."""
    found = []
    for entry in ask.figure.get("paper", []):
        if "value" in entry and entry.get("at") == {}:
            value = entry["value"]
            for end in value if isinstance(value, list) else [value]:
                axes.axvline(end, color=INK, linewidth=0.9, linestyle=":")
                found.append(float(end))
    return found


def _hover(ask: Ask, part: pd.DataFrame, named: list[str]) -> Json:
    names, pieces = _cut(ask, part, named)
    labels = [entry["label"] for entry in ask.figure["parts"]]
    totals = {name: max(p["to"] for p in pieces if p["row"] == name) for name in names}
    for piece in pieces:
        here = quantity(piece["to"] - piece["from"], ask.unit)
        whole = quantity(totals[piece["row"]], ask.unit)
        piece["says"] = f"{piece['row']}, {piece['part']}: {here} of {whole}"
    colour = {
        "field": "part",
        "type": "nominal",
        "sort": labels,
        "scale": {"domain": labels, "range": [OTHERS[i % len(OTHERS)] for i in range(len(labels))]},
        "legend": {},
    }
    layer = {
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "row", "type": "nominal", "sort": names, "axis": {"title": None}},
            "x": hover.quantity_axis("from", ask.figure.get("label", ""), ask.unit),
            "x2": {"field": "to"},
            "color": colour,
            "tooltip": hover.TOOLTIP,
        },
    }
    return hover.specification(pieces, [layer], height=max(60, 26 * len(names)))
