# SPDX-License-Identifier: Apache-2.0
"""Table figures: one row per configuration, one column per value, the paper's rows below.

On the page they are tables; in the files they are drawn, to be compared with the paper's.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures.ask import Ask
from outcore_analysis.records import rows
from outcore_analysis.words import plain, quantity

Json = dict[str, Any]
NOTHING = "-"
# Units that a column may have, the same for all of its rows, ours and the paper's.
SIZES = {"KiB": 2**10, "MB": 10**6}
PAPER = "paper"
OURS = "here"


def table(ask: Ask) -> Chart:
    """Make one table."""
    named = list(ask.wanted("rows"))
    columns: list[Json] = ask.wanted("columns")
    data = pd.DataFrame(columns=named)
    for column in columns:
        found = ask.values(
            named, column["value"], column.get("over"), column.get("unit", ""),
            column.get("ratio_to"), ["graph", *(c for c in named if c != "graph")],
        )  # fmt: skip
        found = found[[*named, "median"]].rename(columns={"median": column["title"]})
        data = found if data.empty else data.merge(found, on=named, how="outer", sort=False)
    # Includes columns for which no run has a value.
    data = data.reindex(columns=[*named, *(c["title"] for c in columns)])
    head = ["", *(name.replace("_", " ") for name in named), *map(_titled, columns)]
    body = [
        [OURS, *(ask.words(name, row[name]) for name in named)]
        + [_text(row[c["title"]], c.get("unit", "")) for c in columns]
        for row in rows(_in_order(ask, data, named))
    ]
    theirs = [[PAPER, *map(_paper_text, row)] for row in ask.figure.get("paper_rows", [])]
    paper_data = pd.DataFrame(
        ask.figure.get("paper_rows", []), columns=[*named, *(c["title"] for c in columns)]
    )
    both = pd.concat(
        [
            part.assign(whose=whose)
            for part, whose in ((data, OURS), (paper_data, PAPER))
            if len(part)
        ]
        or [data]
    )
    shown = [head, *body, *theirs]
    panel = Panel("", partial(draw, shown=shown), None, inches_of(shown))
    return ask.chart(both, [panel] if body else [], shown if body else [])


def _in_order(ask: Ask, data: pd.DataFrame, named: list[str]) -> pd.DataFrame:
    """Sort rows in the order of the experiment's graphs and layouts."""
    known: dict[str, list[Any]] = {
        "graph": list(ask.experiment.graphs),
        "layout": list(ask.experiment.layouts),
    }
    for column in reversed([name for name in named if name in known]):
        places = data[column].map(known[column].index)
        data = data.loc[places.sort_values(kind="stable").index]
    return data


def _titled(column: Json) -> str:
    unit = column.get("unit", "")
    return f"{column['title']}, {unit}" if unit in SIZES else str(column["title"])


def _text(value: Any, unit: str) -> str:
    if value is None or pd.isna(value):
        return NOTHING
    if unit in SIZES:
        return plain(float(value) / SIZES[unit])
    return quantity(float(value), unit)


def _paper_text(value: Any) -> str:
    if value is None:
        return NOTHING
    return plain(float(value)) if isinstance(value, int | float) else str(value)


def _widths(shown: list[list[str]]) -> list[int]:
    lines = [[max(map(len, cell.split("\n"))) for cell in row] for row in shown]
    return [max(3, *column) for column in zip(*lines, strict=True)]


def inches_of(shown: list[list[str]]) -> tuple[float, float]:
    """Return the size of a drawn table."""
    return (max(6.1, 0.085 * (sum(_widths(shown)) + 3 * len(shown[0]))), 0.25 * len(shown) + 0.45)


def draw(axes: Axes, shown: list[list[str]]) -> None:
    """Draw a table: the head, then rows, each with whose it is."""
    axes.set_axis_off()
    widths = [w + 3 for w in _widths(shown)]
    total = sum(widths)
    first_number = next(
        (i for i in range(1, len(shown[0])) if shown[1][i][:1].isdigit()), len(shown[0])
    )
    step = 1 / len(shown)
    for i, row in enumerate(shown):
        left = 0.0
        height = 1 - (i + 0.5) * step
        for j, cell in enumerate(row):
            right = j >= first_number
            place = left + (widths[j] - 1.5 if right else 0.5)
            axes.text(
                place / total, height, cell, ha="right" if right else "left", va="center",
                fontsize=8.5, transform=axes.transAxes, weight="bold" if i == 0 else "normal",
                style="italic" if row[0] == PAPER else "normal",
            )  # fmt: skip
            left += widths[j]
        if i == 0 or (row[0] == PAPER and shown[i - 1][0] == OURS):
            line = 1 - step if i == 0 else 1 - i * step
            axes.plot([0, 1], [line] * 2, color=INK, linewidth=0.8, transform=axes.transAxes)
