# SPDX-License-Identifier: Apache-2.0
"""The heat maps: a panel for each engine, a row for each graph, a column for each workload."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm

from outcore_analysis.charts import Panel
from outcore_analysis.shapes.cells import RED, Cell
from outcore_analysis.words import times

# From hardly seen at the best's own number to orange at the limit; beyond it all is red.
MAP = LinearSegmentedColormap.from_list("shapes", ["#dbe7ec", "#9cc3d5", "#e3b04b"]).with_extremes(
    over="#c22f2f", bad="none"
)
FAILED = {"late": "·", "failed": "+", "wrong": "≠"}
ROW, COLUMN, BESIDE, ABOVE = 0.15, 0.19, 2.0, 1.5


def panels(cells: list[Cell], number: str) -> list[Panel]:
    """Return a panel for each engine; `number` is time or vain."""
    labels, workloads, engines = (
        list(dict.fromkeys(getattr(cell, name) for cell in cells))
        for name in ("label", "workload", "engine")
    )
    inches = (BESIDE + COLUMN * len(workloads), ABOVE + ROW * len(labels))
    return [
        Panel(
            engine,
            partial(
                _draw,
                cells=[cell for cell in cells if cell.engine == engine],
                labels=labels,
                workloads=workloads,
                number=number,
            ),
            inches=inches,
        )
        for engine in engines
    ]


def _draw(
    axes: Axes, cells: list[Cell], labels: list[str], workloads: list[str], number: str
) -> None:
    values: Any = np.full((len(labels), len(workloads)), np.nan)
    for cell in cells:
        row, column = labels.index(cell.label), workloads.index(cell.workload)
        value = getattr(cell, number)
        # A run without a number lost more than any that has one.
        values[row, column] = value if value is not None else np.inf
        if cell.status in FAILED:
            mark = FAILED[cell.status]
            axes.text(column, row, mark, ha="center", va="center", color="white", fontsize=8)
    image = axes.imshow(
        np.ma.masked_invalid(np.where(np.isinf(values), 1e9, values)),
        norm=LogNorm(1, RED),
        cmap=MAP,
        aspect="auto",
    )
    axes.set_xticks(range(len(workloads)), workloads, rotation=90, fontsize=7)
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    assert axes.figure is not None
    bar = axes.figure.colorbar(image, ax=axes, extend="max", pad=0.02, aspect=40)
    bar.set_ticks([1, 2, 5, RED], labels=[times(n).rstrip("0").rstrip(".") for n in (1, 2, 5, RED)])
    bar.minorticks_off()
    bar.ax.tick_params(labelsize=7)
