# SPDX-License-Identifier: Apache-2.0
"""Heat maps: when a run asked for which blocks, from its access trace (see heat.py)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.ticker import MaxNLocator

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.timeline import MOST_MARKS
from outcore_analysis.records import rows, runs_of

Json = dict[str, Any]
# Perceptually uniform, also in grey and for people who do not distinguish red and green.
MAP = "cividis"


def heat(ask: Ask) -> Chart:
    """A panel for each traced run of the experiment."""
    keys = {cell.key for cell in ask.cells()}
    panels, tables = [], []
    for found in ask.heats:
        if found["config"] not in keys:
            continue
        (row,) = rows(runs_of([found["run"] | {key: found[key] for key in PLACE}]))
        named = list(dict.fromkeys([*ask.panels, *ask.series]))
        if found["status"] != "ok":
            continue
        grid = np.array(found["grid"])
        tables.append(_tidy(found, grid).assign(record=found["record"]))
        panels.append(
            Panel(
                ask.named(named, row),
                partial(_draw, found=found, grid=grid),
                _hover(found, grid),
                of=ask.of(row),
            )
        )
    columns = ["access", "unit", "accesses", "record"]
    data = pd.concat(tables) if tables else pd.DataFrame(columns=columns)
    return ask.chart(data, panels)


PLACE = ["record", "trial", "config", "host", "campaign", "traced"]


def _tidy(found: Json, grid: Any) -> pd.DataFrame:
    """Return a row for each field that is not empty: where it begins, and its count."""
    high, wide = np.nonzero(grid)
    return pd.DataFrame(
        {
            "access": wide * found["accesses"] // grid.shape[1],
            "unit": high * found["units"] // grid.shape[0],
            "accesses": grid[high, wide],
        }
    )


def _draw(axes: Axes, found: Json, grid: Any) -> None:
    extent = (0, found["accesses"], 0, found["units"])
    shown = np.ma.masked_equal(grid, 0)
    image = axes.imshow(
        shown, origin="lower", aspect="auto", extent=extent, cmap=MAP, interpolation="nearest",
        norm=LogNorm(1, max(2, int(grid.max()))),
    )  # fmt: skip
    if len(found["rounds"]) <= MOST_MARKS:
        for start in found["rounds"][1:]:
            axes.axvline(start, color=INK, linewidth=0.7, linestyle=":")
    axes.grid(visible=False)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel("access, in order; dotted: a round begins")
    axes.set_ylabel(f"block of {found['unit_bytes'] // 1024} KB")
    assert axes.figure is not None
    axes.figure.colorbar(image, ax=axes, label="accesses", pad=0.02)


def _hover(found: Json, grid: Any) -> Json:
    tall, broad = grid.shape
    wide, high = found["accesses"] / broad, found["units"] / tall
    # There are thousands of fields: plain numbers, one line each, take a fifth of the bytes of
    # objects.
    shown = [f"{i} {j} {grid[i, j]}" for i, j in zip(*np.nonzero(grid), strict=True)]
    form = {"type": "dsv", "delimiter": " ", "parse": dict.fromkeys("ijn", "number")}
    data = {"values": "\n".join(["i j n", *shown]), "format": form}
    places = [
        {"calculate": f"round(({index}) * {size})", "as": name}
        for name, index, size in (
            *(("x", "datum.j", wide), ("x2", "datum.j + 1", wide)),
            *(("y", "datum.i", high), ("y2", "datum.i + 1", high)),
        )
    ]
    field = {
        "mark": {"type": "rect"},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "axis": {"title": "access, in order", "grid": False},
                "scale": {"domain": [0, found["accesses"]], "nice": False},
            },
            "x2": {"field": "x2"},
            "y": {
                "field": "y",
                "type": "quantitative",
                "axis": {"title": f"block of {found['unit_bytes'] // 1024} KB", "grid": False},
                "scale": {"domain": [0, found["units"]], "nice": False},
            },
            "y2": {"field": "y2"},
            "color": {
                "field": "n",
                "type": "quantitative",
                "scale": {"type": "log", "scheme": MAP},
                "legend": {"title": "accesses"},
            },
            "tooltip": [
                {"field": "x", "title": "from access"},
                {"field": "y", "title": "from block"},
                {"field": "n", "title": "accesses"},
            ],
        },
    }
    marks = found["rounds"][1:] if len(found["rounds"]) <= MOST_MARKS else []
    rule = {
        "data": {"values": [{"x": start} for start in marks]},
        "mark": {"type": "rule", "color": hover.INK, "strokeDash": [2, 2]},
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }
    layers = [field, rule] if marks else [field]
    return hover.specification([], layers, data=data, transform=places)
