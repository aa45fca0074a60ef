# SPDX-License-Identifier: Apache-2.0
"""Bars: one group per value of a column, one bar per series, normalised or not.

On a logarithmic axis the length of a bar would mean nothing, so dots are drawn there. A whisker is
the interval, a hollow diamond a second value, a bracket or a stroke of ink the paper's own number.
What is missing is written upright in its place.
"""

from __future__ import annotations

import re
import textwrap
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask, ordered
from outcore_analysis.palette import HATCHES, MARKERS, colours, hatches
from outcore_analysis.records import groups, rows
from outcore_analysis.words import quantity

Json = dict[str, Any]
WIDTH = 0.82
PAPERS = "the paper's"


class Mark(NamedTuple):
    """A mark beside the values: its field, its words in the legend, its shape and size."""

    field: str
    says: str
    shape: str
    size: int


def bars(ask: Ask) -> Chart:
    """Make a panel for each value of the panel columns."""
    x = ask.figure.get("x", "workload")
    keys = list(dict.fromkeys([*ask.panels, x, *ask.series]))
    base = ask.figure.get("normalise")
    data = ask.values(
        keys, ask.wanted("value"), ask.figure.get("over"), ask.unit, base, [*ask.panels, x]
    )
    if "points" in ask.figure:
        second = ask.values(keys, ask.figure["points"], ask.figure.get("over"), ask.unit)
        data = data.merge(second[[*keys, "median"]].rename(columns={"median": "point"}), on=keys)
    data = data.assign(missing=None)
    data = _with_missing(ask, data, keys)
    panels = [
        Panel(
            ask.named(ask.panels, dict(zip(ask.panels, key, strict=True))) if ask.panels else "",
            partial(_draw, ask=ask, part=part, x=x),
            _hover(ask, part, x),
            _inches(part, x, ask.series),
            ask.of(dict(zip(ask.panels, key, strict=True))),
        )
        for key, part in (groups(data, ask.panels) if ask.panels else [([], data)])
    ]
    return ask.chart(data, panels if data["median"].notna().any() else [])


def _with_missing(ask: Ask, data: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    there = {tuple(map(str, key)) for key in data[keys].itertuples(index=False)}
    lost = []
    for columns, why in ask.missing():
        row = {key: columns.get(key) for key in keys}
        if tuple(map(str, row.values())) not in there and None not in row.values():
            lost.append(row | {"missing": why})
    return pd.concat([data, pd.DataFrame(lost, columns=data.columns)]) if lost else data


def _inches(part: pd.DataFrame, x: str, series: list[str]) -> tuple[float, float]:
    bars_in_all = part[x].nunique() * max(1, len(part.drop_duplicates(series)))
    return (9.2 if bars_in_all > 24 else 4.6, 3.4)


def _laid_out(ask: Ask, part: pd.DataFrame, x: str) -> tuple[list[Any], list[str], list[Json]]:
    """Return the values of x, the series, and the rows with their words."""
    places = ordered(list(part[x]))
    plain = [row | {"series": ask.named(ask.series, row)} for row in rows(part)]
    names = list(dict.fromkeys(str(row["series"]) for row in plain))
    return places, names, plain


def _draw(axes: Axes, ask: Ask, part: pd.DataFrame, x: str) -> None:
    places, names, plain = _laid_out(ask, part, x)
    shades, patterns = colours(names), hatches(names)
    width = WIDTH / max(1, len(names))
    if ask.figure.get("log"):
        axes.set_yscale("log")
    for row in plain:
        name = row["series"]
        middle = places.index(row[x]) - WIDTH / 2 + (names.index(name) + 0.5) * width
        if row["missing"]:
            text = f"{name}: {str(row['missing']).split(':')[0]}"
            across = axes.get_xaxis_transform()
            axes.text(
                middle, 0.02, text, transform=across, rotation=90, ha="center", va="bottom",
                fontsize=7.5,
            )  # fmt: skip
            continue
        if ask.figure.get("log"):
            axes.plot(middle, row["median"], _dot(patterns[name]), color=shades[name], markersize=6)
        else:
            axes.bar(
                middle, row["median"], 0.92 * width, color=shades[name], hatch=patterns[name],
                edgecolor="white" if patterns[name] else "none", linewidth=0,
            )  # fmt: skip
        _details(axes, ask, row, middle, width)
    _dress(axes, ask, places, x)
    marks: list[Any] = [
        Line2D([], [], color=shades[n], marker=_dot(patterns[n]), linestyle="", label=n)
        if ask.figure.get("log")
        else Patch(facecolor=shades[n], hatch=patterns[n], edgecolor="white", label=n)
        for n in names
    ]
    _legend(axes, marks if len(names) > 1 else [], ask, any(map(ask.paper_marks, plain)))


def _dot(pattern: str) -> str:
    """Return the marker of dots; those of one colour differ by it as bars do by their hatch."""
    return MARKERS[HATCHES.index(pattern)]


def _details(axes: Axes, ask: Ask, row: Json, middle: float, width: float) -> None:
    if row["low"] is not None and row["high"] > row["low"]:
        ends = [[row["median"] - row["low"]], [row["high"] - row["median"]]]
        axes.errorbar(middle, row["median"], yerr=ends, color=INK, linewidth=1.1, zorder=3)
    if row.get("point") is not None:
        axes.plot(middle, row["point"], "D", color=INK, markersize=3.6, zorder=4, fillstyle="none")
    for low, high, _ in ask.paper_marks(row):
        left, right = middle - width * 0.44, middle + width * 0.44
        corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
        axes.plot(*zip(*corners, strict=True), color=INK, linewidth=1.6, zorder=5)


def _dress(axes: Axes, ask: Ask, places: list[Any], x: str) -> None:
    # Long names are broken, but not at a sign; if they are still too wide, they are turned.
    room = max(11, 40 // len(places))
    words = [ask.words(x, place) for place in places]
    whole = [re.sub(r" (\W) ", "\u00a0\\1\u00a0", name) for name in words]
    names = ["\n".join(textwrap.wrap(name, room, break_long_words=False)) for name in whole]
    turned = sum(max(map(len, name.split("\n"))) for name in names) > 44
    axes.set_xticks(
        range(len(places)),
        names,
        rotation=30 if turned else 0,
        ha="right" if turned else "center",
        rotation_mode="anchor",
    )
    axes.set_xlim(-0.6, len(places) - 0.4)
    if "x_label" in ask.figure:
        axes.set_xlabel(ask.figure["x_label"])
    axes.set_ylabel(ask.figure.get("label", ask.wanted("value")))
    value_ticks(axes, ask)
    if "normalise" in ask.figure:
        axes.axhline(1, color=INK, linewidth=0.9, linestyle=":")


def value_ticks(axes: Axes, ask: Ask) -> None:
    """Set the ticks of the value axis in its unit; a logarithmic axis begins at a power of ten."""
    if ask.unit == "s":
        axes.yaxis.set_major_formatter(EngFormatter(unit="s", sep=" "))
    elif ask.unit == "bytes":
        axes.yaxis.set_major_formatter(EngFormatter(unit="B", sep=" "))
    else:
        axes.yaxis.set_major_formatter(lambda value, _: quantity(value, ""))
    if ask.figure.get("log"):
        # A share that is zero has no place on such an axis.
        low, high = hover.log_ends([axes.dataLim.minposy, axes.dataLim.y1])
        axes.set_ylim(low, high)
        if high / low < 200:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_formatter(NullFormatter())


def _legend(axes: Axes, handles: list[Any], ask: Ask, paper: bool) -> None:
    if "points" in ask.figure:
        handles.append(
            Line2D([], [], color=INK, marker="D", markersize=4, linestyle="", fillstyle="none",
                   label=_second(ask))
        )  # fmt: skip
    if paper:
        handles.append(Line2D([], [], color=INK, linewidth=1.6, label=PAPERS))
    if handles:
        below(axes, handles)


def _second(ask: Ask) -> str:
    """Return the name of the second value."""
    column = str(ask.figure["points"])
    return {"run_s": "the algorithm alone"}.get(column, column)


def below(axes: Axes, handles: list[Any], columns: int = 3) -> None:
    """A legend under the panel, which constrained layout makes room for."""
    # In inches: a share of the panel's height would change while the layout makes room for it.
    lower = ScaledTranslation(0, -_labels_inches(axes), axes.figure.dpi_scale_trans)
    axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=axes.transAxes + lower,
        ncols=_fitting(handles, columns),
        columnspacing=1.2,
        handlelength=1.6,
    )


def _labels_inches(axes: Axes) -> float:
    """Return how many inches the ticks' names and the axis's name take below the panel."""
    names = [label.get_text() for label in axes.get_xticklabels()]
    if any(label.get_rotation() for label in axes.get_xticklabels()):
        return 0.87
    lines = max((name.count("\n") for name in names), default=0)
    return 0.32 + 0.18 * bool(axes.get_xlabel()) + 0.14 * lines


def _fitting(handles: list[Any], columns: int) -> int:
    """Return how many columns of a legend fit the panel's width."""
    widest = max(len(str(handle.get_label())) for handle in handles)
    return max(1, min(columns, len(handles), 46 // (widest + 4)))


def _hover(ask: Ask, part: pd.DataFrame, x: str) -> Json:
    places, names, plain = _laid_out(ask, part, x)
    shown = []
    for row in plain:
        words = f"{ask.words(x, row[x])}, {row['series']}"
        point: Json = {"x": ask.words(x, row[x]), "series": row["series"]}
        if row["missing"]:
            shown.append(point | {"says": f"{words}: {row['missing']}", "lost": "?"})
            continue
        point |= {"y": row["median"], "says": f"{words}: {spoken(row, ask.unit)}"}
        if row["low"] is not None and row["high"] > row["low"]:
            point |= {"low": row["low"], "high": row["high"]}
        if row.get("point") is not None:
            point["point"] = row["point"]
            point["says"] += f"; {ask.figure['points']} {quantity(row['point'], ask.unit)}"
        for low, high, says in ask.paper_marks(row):
            text = quantity(low, ask.unit)
            text += "" if low == high else f" to {quantity(high, ask.unit)}"
            point |= {"paper_low": low, "paper_high": high}
            point["says"] += f"; the paper: {text} ({says})"
        shown.append(point)
    drawn = _drawn(shown) if ask.figure.get("log") else None
    label = str(ask.figure.get("label", ask.figure["value"]))
    base: Json = {
        "x": {
            "field": "x",
            "type": "nominal",
            "sort": [ask.words(x, place) for place in places],
            "axis": {"title": ask.figure.get("x_label")}
            | ({"labelAngle": -30} if len(places) > 5 else {}),
        },
        "xOffset": {"field": "series", "type": "nominal", "sort": names},
    }
    value = hover.quantity_axis("y", label, ask.unit, drawn)
    has = {key for row in shown for key in row}
    main = {"y": value, "color": hover.colour_of(names), "tooltip": hover.TOOLTIP}
    dot: Json = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    layers: list[Json] = [
        {"mark": {"type": "bar"} if drawn is None else dot, "encoding": base | main}
    ]
    if "low" in has:
        ends = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
        whisker = {"mark": {"type": "rule", "color": hover.INK}, "encoding": base | ends}
        # Above a bar but below a dot, because one points at dots.
        layers.insert(1 if drawn is None else 0, whisker)
    marks = _marks(ask, has)
    for one in marks:
        mark: Json = {"type": "point", "color": hover.INK, "opacity": 1, "size": one.size}
        place = {"y": {"field": one.field, "type": "quantitative"}, "tooltip": hover.TOOLTIP}
        shape = {"shape": hover.shaped(one.says, {each.says: each.shape for each in marks})}
        layers.append({"mark": mark, "encoding": base | place | shape})
    if "lost" in has:
        mark = {"type": "text", "color": hover.INK, "baseline": "bottom", "fontSize": 14}
        place = {"text": {"field": "lost"}, "y": {"value": hover.HEIGHT}, "tooltip": hover.TOOLTIP}
        layers.append({"mark": mark, "encoding": base | place})
    return hover.specification(shown, layers)


def _marks(ask: Ask, has: set[str]) -> list[Mark]:
    """Return what is drawn beside the values: the field, and its words in the legend."""
    found = [Mark("point", _second(ask), "diamond", 40)] if "point" in has else []
    ends = [end for end in ("paper_low", "paper_high") if end in has]
    return found + [Mark(end, PAPERS, "stroke", 260) for end in ends]


def _drawn(shown: list[Json]) -> list[float]:
    """Return all values that are on the axis."""
    keys = ("y", "low", "high", "point", "paper_low", "paper_high")
    return [row[key] for row in shown for key in keys if row.get(key)]


def spoken(row: Json, unit: str) -> str:
    """Return a value with its interval and number of trials, or why there is no interval."""
    text = quantity(row["median"], unit)
    trials = f"{row['trials']:.0f} trial{'' if row['trials'] == 1 else 's'}"
    if row["low"] is None:
        return f"{text} ({trials}, no interval)"
    return f"{text} [{quantity(row['low'], unit)}, {quantity(row['high'], unit)}], {trials}"
