# SPDX-License-Identifier: Apache-2.0
"""Timelines: how fast a run read and how busy its processors were, with a mark where rounds begin.

One panel a run, the first trial of each configuration: samples of several runs have no common time.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.bars import below
from outcore_analysis.palette import colours
from outcore_analysis.records import bound_seconds, rows

Json = dict[str, Any]
AT_START: Json = {"t": 0.0, "kernel_bytes": 0, "cpu_s": 0.0}
SAMPLED = ["from", "t", "mb_per_s", "cpu_percent"]
# More marks than this make a wall.
MOST_MARKS = 80


def first_trials(ask: Ask) -> list[tuple[Json, str, Json]]:
    """(row of the table of runs, title, record) of the first trial of each configuration drawn."""
    table = ask.rows().sort_values("trial", kind="stable").drop_duplicates("config")
    whole = {record["record"]: record for record in ask.records}
    keys = list(dict.fromkeys([*ask.panels, *ask.series]))
    return [
        (row, ask.named(keys, row), whole[row["record"]])
        for row in rows(table)
        if row["record"] in whole
    ]


def timeline(ask: Ask) -> Chart:
    """A panel for each configuration."""
    panels, tables, short, limits = [], [], [], []
    for row, title, record in first_trials(ask):
        samples = sampled(record)
        if len(samples) < 2:
            short.append(title)
            continue
        marks = round_starts(record)
        if seconds := bound_seconds(record):
            spent = ", ".join(f"{name} {passed:.2g} s" for name, passed in seconds.items())
            limits.append(f"{title} ({spent})")
        tables.append(samples.assign(record=row["record"]))
        shade = colours([ask.named(ask.series, row)])[ask.named(ask.series, row)]
        panels.append(
            Panel(
                title,
                partial(_draw, samples=samples, marks=marks, shade=shade),
                _hover(samples, marks, shade),
            )
        )
    columns = [*SAMPLED, "record"]
    data = pd.concat(tables) if tables else pd.DataFrame(columns=columns)
    chart = ask.chart(data, panels)
    if limits:
        chart.notes.append(f"What was at its limit, and for how long: {'; '.join(limits)}")
    if short:
        chart.notes.append(f"Over before there were two samples: {'; '.join(short)}")
    return chart


def sampled(record: Json) -> pd.DataFrame:
    """Rates from the start and from each sample to the next: seconds, MB/s, % of all processors."""
    samples = [s for s in record.get("timeline") or [] if s["kernel_bytes"] is not None]
    cores = (record.get("machine") or {}).get("cores") or 1
    found = [
        {
            "from": a["t"],
            "t": b["t"],
            "mb_per_s": (b["kernel_bytes"] - a["kernel_bytes"]) / (b["t"] - a["t"]) / 1e6,
            "cpu_percent": 100 * (b["cpu_s"] - a["cpu_s"]) / (b["t"] - a["t"]) / cores,
        }
        for a, b in itertools.pairwise([AT_START, *samples])
        if b["t"] > a["t"]
    ]
    return pd.DataFrame(found, columns=SAMPLED)


def round_starts(record: Json) -> list[float]:
    """Seconds at which rounds begin, on the clock of the samples."""
    seconds = [row["seconds"] for row in record.get("rounds") or []]
    begin = (record.get("phases") or {}).get("prepare_s", 0.0)
    starts = [begin + passed for passed in itertools.accumulate([0.0, *seconds])]
    return starts[:-1] if len(seconds) <= MOST_MARKS else []


def _draw(axes: Axes, samples: pd.DataFrame, marks: list[float], shade: str) -> None:
    # A rate holds from one sample to the next.
    times = [samples["from"].iloc[0], *samples["t"]]
    read, busy = (
        [samples[column].iloc[0], *samples[column]] for column in ("mb_per_s", "cpu_percent")
    )
    axes.fill_between(times, read, step="pre", color=shade, alpha=0.35, linewidth=0)
    axes.step(times, read, where="pre", color=shade)
    axes.set_ylim(0, 1.15 * max(1e-9, samples["mb_per_s"].max()))
    axes.set_xlim(0, samples["t"].max())
    axes.set_xlabel("seconds since the engine began to be built")
    axes.set_ylabel("MB/s read")
    for mark in marks:
        axes.axvline(mark, color=INK, linewidth=0.7, linestyle=":")
    right = axes.twinx()
    right.step(times, busy, where="pre", color=INK, linestyle="--", linewidth=1.2)
    right.set_ylim(0, 105)
    right.set_ylabel("processors busy, %")
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    handles = [
        Line2D([], [], color=shade, linewidth=4, alpha=0.6, label="read"),
        Line2D([], [], color=INK, linestyle="--", linewidth=1.2, label="processors"),
    ]
    if marks:
        handles.append(
            Line2D([], [], color=INK, linestyle=":", linewidth=0.7, label="a round begins")
        )
    below(axes, handles)


def _hover(samples: pd.DataFrame, marks: list[float], shade: str) -> Json:
    # The first rate begins at the first sample.
    found = rows(samples)
    shown: list[Json] = [
        {
            "t": t,
            "read": row["mb_per_s"],
            "cpu": row["cpu_percent"],
            "says": "to {t:.2f} s: {mb_per_s:.0f} MB/s, {cpu_percent:.0f}% busy".format(**row),
        }
        for t, row in [(found[0]["from"], found[0]), *((row["t"], row) for row in found)]
    ]
    along = {
        "field": "t",
        "type": "quantitative",
        "axis": {"title": "seconds since the engine began to be built", "grid": False},
        "scale": {"domain": [0, float(samples["t"].max())], "nice": False},
    }
    read = {"field": "read", "type": "quantitative", "axis": {"title": "MB/s read"}}
    busy = {
        "field": "cpu",
        "type": "quantitative",
        "axis": {"title": "processors busy, %", "grid": False},
        "scale": {"domain": [0, 105]},
    }
    left: list[Json] = [
        {
            "mark": {
                "type": "area",
                "color": shade,
                "opacity": 0.35,
                "line": {"color": shade},
                "interpolate": "step-before",
            },
            "encoding": {"x": along, "y": read},
        },
        {
            "mark": {"type": "point", "filled": True, "color": shade, "size": 45, "opacity": 1},
            "encoding": {"x": along, "y": read, "tooltip": hover.TOOLTIP},
        },
    ]
    if marks:
        left.append(
            {
                "data": {
                    "values": [
                        {"t": mark, "says": f"round {i} begins at {mark:.3f} s"}
                        for i, mark in enumerate(marks)
                    ]
                },
                "mark": {"type": "rule", "color": hover.INK, "strokeDash": [2, 2], "opacity": 0.6},
                "encoding": {"x": along, "tooltip": hover.TOOLTIP},
            }
        )
    right = {
        "mark": {
            "type": "line",
            "color": hover.INK,
            "strokeDash": [5, 3],
            "interpolate": "step-before",
        },
        "encoding": {"x": along, "y": busy},
    }
    return hover.specification(
        shown, [{"layer": left}, right], resolve={"scale": {"y": "independent"}}
    )
