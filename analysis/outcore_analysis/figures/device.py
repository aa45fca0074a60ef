# SPDX-License-Identifier: Apache-2.0
"""What the device can do, by size of requests and by number in flight."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.bars import below
from outcore_analysis.palette import DASHES, MARKERS, SHAPES, SIZES
from outcore_analysis.records import groups, rows

Json = dict[str, Any]
NAMES = {4096: "4 KB", 16384: "16 KB", 65536: "64 KB", 262144: "256 KB", 1048576: "1 MB"}


def device(tables: dict[str, pd.DataFrame]) -> Chart:
    """Make a panel for random reads and one for sequential reads."""
    data = tables["device"]
    drawn = data[data["bytes"].isin(NAMES) & data["concurrency"].map(_power_of_two)]
    panels = [
        Panel(f"{pattern.capitalize()} reads", partial(_draw, part=part), _hover(part))
        for (pattern,), part in groups(drawn, ["pattern"])
    ]
    caption = (
        "Reads past the page cache, as outcore probe measured them. "
        "The dotted line is k_r: the fewest random reads of 4 KB in flight that get 90% of the "
        "most that such reads get. Both axes are logarithmic."
    )
    notes = []
    if data.empty:
        notes.append(
            "The device was not probed. build/release/outcore probe graphs measures it, in a "
            "minute; snakemake, called again, then draws what it found."
        )
    else:
        first = data.iloc[0]
        caption += f" {first['source']} ({first['filesystem']}) of {first['host']}."
        others = sorted(set(tables["runs"]["host"].dropna()) - {first["host"]})
        if others:
            notes.append(f"Other machines with runs here were not probed: {', '.join(others)}.")
    return Chart("device", "What the device can do", caption, data, panels, [], notes)


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def _lines(part: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [
        (NAMES[size], line.sort_values("concurrency", kind="stable"))
        for (size,), line in groups(part.sort_values("bytes", kind="stable"), ["bytes"])
    ]


def _place(name: str) -> int:
    """Return the number of a size, whose mark and dash are the same in both panels."""
    return list(NAMES.values()).index(name)


def _draw(axes: Axes, part: pd.DataFrame) -> None:
    handles = []
    for name, line in _lines(part):
        i = _place(name)
        handles += axes.plot(
            line["concurrency"], line["mb_per_s"], color=SIZES[name], marker=MARKERS[i],
            linestyle=DASHES[i], label=name,
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted(set(part["concurrency"]))
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("requests in flight")
    axes.set_ylabel("MB/s")
    if part["pattern"].iloc[0] == "random":
        k_r = int(part["k_r"].iloc[0])
        axes.axvline(k_r, color=INK, linewidth=0.9, linestyle=":")
        across = axes.get_xaxis_transform()
        axes.text(k_r, 0.02, f" k_r = {k_r}", transform=across, va="bottom", fontsize=8.5)
    below(axes, handles, 5)


def _hover(part: pd.DataFrame) -> Json:
    shown: list[Json] = [
        {
            "x": int(row["concurrency"]),
            "y": row["mb_per_s"],
            "series": name,
            "says": f"{name}, {row['concurrency']} in flight: {row['mb_per_s']:.4g} MB/s, "
            f"{row['p50_us']:.4g} µs in the median, {row['p99_us']:.4g} µs at 99%",
        }
        for name, line in _lines(part)
        for row in rows(line)
    ]
    names = [name for name, _ in _lines(part)]
    along = {
        "field": "x",
        "type": "quantitative",
        "scale": {"type": "log", "base": 2},
        "axis": {"title": "requests in flight", "grid": False, "format": "d"},
    }
    up = hover.quantity_axis("y", "MB/s", "", [row["y"] for row in shown])
    colour = hover.colour_of(names)
    shape: Json = {"field": "series", "type": "nominal", "sort": names}
    shape["scale"] = {"domain": names, "range": [SHAPES[_place(name)] for name in names]}
    point = {"x": along, "y": up, "color": colour, "shape": shape, "tooltip": hover.TOOLTIP}
    layers: list[Json] = [
        {"mark": "line", "encoding": {"x": along, "y": up, "color": colour}},
        {"mark": {"type": "point", "filled": True, "size": 55, "opacity": 1}, "encoding": point},
    ]
    if part["pattern"].iloc[0] == "random":
        k_r = int(part["k_r"].iloc[0])
        rule = {"type": "rule", "color": hover.INK, "strokeDash": [2, 3]}
        says = {"value": f"k_r = {k_r}"}
        once: Json = {"values": [{}]}
        layers.append(
            {"data": once, "mark": rule, "encoding": {"x": {"datum": k_r}, "tooltip": says}}
        )
        words = {"type": "text", "color": hover.INK, "align": "left", "dx": 4, "dy": -4}
        at = {"x": {"datum": k_r}, "y": {"value": hover.HEIGHT}, "text": says}
        layers.append({"data": once, "mark": words, "encoding": at})
    return hover.specification(shown, layers)
