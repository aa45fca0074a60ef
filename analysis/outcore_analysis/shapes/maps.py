# SPDX-License-Identifier: Apache-2.0
"""The heat map: a panel for each engine, a row for each graph, a column for each workload."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from outcore_analysis.charts import INK
from outcore_analysis.shapes.cells import RED, Cell
from outcore_analysis.words import times

# From hardly seen at the best's own number to orange at the limit; beyond it all is red.
MAP = LinearSegmentedColormap.from_list("shapes", ["#dbe7ec", "#9cc3d5", "#e3b04b"]).with_extremes(
    over="#c22f2f", bad="none"
)
FAILED = {"late": "•", "failed": "+", "wrong": "≠"}
# Panels beside each other, and inches: of a field, of the labels beside and below.
PANELS = 3
ROW, COLUMN, BESIDE, BELOW = 0.13, 0.155, 2.2, 1.3


def picture(cells: list[Cell], number: str) -> Figure:
    """Draw a panel for each engine; `number` is time or vain. Graphs are named at the left only."""
    labels, workloads, engines = (
        list(dict.fromkeys(getattr(cell, name) for cell in cells))
        for name in ("label", "workload", "engine")
    )
    rows, columns = -(-len(engines) // PANELS), min(PANELS, len(engines))
    size = (
        BESIDE + COLUMN * len(workloads) * columns,
        (BELOW + ROW * len(labels)) * rows,
    )
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes, engine in zip(grid.flat, engines, strict=False):
        mine = [cell for cell in cells if cell.engine == engine]
        image = _draw(axes, mine, labels, workloads, number)
        axes.set_title(engine)
        axes.set_yticks([])
    for axes in grid.flat[len(engines) :]:
        axes.set_axis_off()
    for row in grid:
        row[0].set_yticks(range(len(labels)), labels, fontsize=7)
        _scale(row, image)
    return figure


def _draw(
    axes: Axes, cells: list[Cell], labels: list[str], workloads: list[str], number: str
) -> AxesImage:
    values: Any = np.full((len(labels), len(workloads)), np.nan)
    for cell in cells:
        row, column = labels.index(cell.label), workloads.index(cell.workload)
        value = getattr(cell, number)
        # A run without a number lost more than any that has one.
        values[row, column] = value if value is not None else 1e9
        if cell.status in FAILED:
            ink = "white" if values[row, column] > RED else INK
            mark = FAILED[cell.status]
            axes.text(column, row, mark, ha="center", va="center", color=ink, fontsize=6)
    image = axes.imshow(np.ma.masked_invalid(values), norm=LogNorm(1, RED), cmap=MAP, aspect="auto")
    axes.set_xticks(range(len(workloads)), workloads, rotation=90, fontsize=7)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return image


def _scale(row: Any, image: AxesImage) -> None:
    """Draw the colours beside a row of panels."""
    bar = row[0].figure.colorbar(image, ax=list(row), extend="max", pad=0.01, aspect=50)
    bar.set_ticks([1, 2, 5, RED], labels=[times(n).rstrip("0").rstrip(".") for n in (1, 2, 5, RED)])
    bar.minorticks_off()
    bar.ax.tick_params(labelsize=7)
