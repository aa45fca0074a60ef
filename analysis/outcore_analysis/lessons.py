# SPDX-License-Identifier: Apache-2.0
"""What the lessons (analysis/lessons) share: a prediction beside what came out, prose, axes."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outcore_analysis.charts import INK, PANEL_INCHES, STYLE


def beside(what: str, predicted: float | None, came_out: float) -> None:
    """Print a prediction beside what came out; without a prediction, ask for one."""
    if predicted is None:
        print(f"{what}: {_shown(came_out)}. You wrote no prediction: do it first next time.")
        return
    said = f"{what}: you predicted {_shown(predicted)}; it is {_shown(came_out)}"
    print(f"{said}{_compared(predicted, came_out)}.")


def say(text: str) -> None:
    """Show Markdown whose numbers were computed."""
    display(Markdown(text))  # type: ignore[no-untyped-call]


def panels(*titles: str) -> tuple[Figure, list[Axes]]:
    """A figure in the house's style, with axes for each title, side by side.

    A cell shows it by ending with its name.
    """
    plt.style.use(STYLE)
    width, height = PANEL_INCHES
    wide = max(len(titles) * width, 1.5 * width)
    figure, axes = plt.subplots(
        1, len(titles), figsize=(wide, height), squeeze=False, layout="constrained"
    )
    plt.close(figure)  # else a notebook shows it a second time
    for one, title in zip(axes[0], titles, strict=True):
        one.set_title(title)
    return figure, list(axes[0])


def bars(axes: Axes, groups: list[str], series: dict[str, list[float]], **looks: Any) -> None:
    """Draw a bar of each series beside each other, with its number above it, in each group.

    `looks` are keyword arguments of each series by its name, such as its colour.
    """
    width = 0.84 / len(series)
    for at, (name, values) in enumerate(series.items()):
        places = np.arange(len(groups)) + (at - (len(series) - 1) / 2) * width
        drawn = axes.bar(places, values, width * 0.9, label=name, **looks.get(name, {}))
        axes.bar_label(drawn, [_shown(value, 3) for value in values], fontsize=8, padding=2)
    axes.set_xticks(range(len(groups)), groups)
    axes.margins(y=0.12)


def dots(axes: Axes, groups: list[str], series: dict[str, list[float]], **looks: Any) -> None:
    """Draw a mark for each series in each group, joined, with its number beside; for log axes."""
    for at, (name, values) in enumerate(series.items()):
        side = -1 if at == 0 else 1
        look = {"marker": "o"} | looks.get(name, {})
        axes.plot(range(len(groups)), values, linestyle="", label=name, zorder=2, **look)
        for place, value in enumerate(values):
            axes.annotate(
                _shown(value, 3),
                (place, value),
                xytext=(7 * side, 0),
                textcoords="offset points",
                ha="right" if side < 0 else "left",
                va="center",
                fontsize=8,
            )
    ends = np.array(list(series.values()))
    axes.vlines(range(len(groups)), ends.min(0), ends.max(0), colors=INK, alpha=0.3, zorder=1)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_xlim(-0.6, len(groups) - 0.4)


def _shown(number: float, digits: int = 4) -> str:
    """Round to some digits, but never a whole number."""
    if number == round(number):
        return f"{number:,.0f}"
    return f"{number:,.0f}" if number >= 10**digits else f"{number:.{digits}g}"


def _compared(predicted: float, came_out: float) -> str:
    if abs(predicted - came_out) <= 0.1 * abs(came_out):
        return ", within a tenth of it"
    if predicted <= 0 or came_out <= 0:
        return ""  # no factor leads from one to the other
    if came_out > predicted:
        return f", {_shown(came_out / predicted, 3)} times as much"
    return f", {_shown(predicted / came_out, 3)} times less"
