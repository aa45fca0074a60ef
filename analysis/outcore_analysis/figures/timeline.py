# SPDX-License-Identifier: Apache-2.0
"""Timelines: how fast a run read and how busy its processors were, with a mark where rounds begin.

One panel per run, from the first trial of each configuration: samples of several runs have no
common time.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
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
ALONG = "seconds since the engine began to be built"
READ, BUSY, CEILING, BEGINS = "read", "processors", "the device's ceiling", "a round begins"
LEGEND: Json = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 1.5}
VEGA_DASHES = {READ: [1, 0], BUSY: [5, 3], CEILING: [9, 3, 2, 3], BEGINS: [2, 2]}
# More marks than this would form a wall.
MOST_MARKS = 80


def first_trials(ask: Ask) -> list[tuple[Json, str, Json]]:
    """Return (row of the table of runs, title, record) for each configuration's first trial."""
    table = ask.rows().sort_values("trial", kind="stable").drop_duplicates("config")
    whole = {record["record"]: record for record in ask.records}
    keys = list(dict.fromkeys([*ask.panels, *ask.series]))
    return [
        (row, ask.named(keys, row), whole[row["record"]])
        for row in rows(table)
        if row["record"] in whole
    ]


@dataclass(frozen=True)
class Drawn:
    """What one panel draws."""

    samples: pd.DataFrame
    marks: list[float]
    shade: str
    # What the device gives for such requests, in MB/s; None if it was not probed.
    ceiling: float | None
    # Where the axis of rates ends, the same in all panels.
    top: float


def timeline(ask: Ask) -> Chart:
    """A panel for each configuration."""
    found, tables, short, limits, ceilings = [], [], [], [], {}
    for row, title, record in first_trials(ask):
        samples = sampled(record)
        if len(samples) < 2:
            short.append(title)
            continue
        if seconds := bound_seconds(record):
            spent = ", ".join(f"{name} {passed:.2g} s" for name, passed in seconds.items())
            limits.append(f"{title} ({spent})")
        ceilings[title] = ceiling(ask.tables.get("device"), row)
        tables.append(samples.assign(record=row["record"]))
        shade = colours([ask.named(ask.series, row)])[ask.named(ask.series, row)]
        found.append((row, title, samples, round_starts(record), shade))
    highest = [samples["mb_per_s"].max() for _, _, samples, _, _ in found]
    top = 1.08 * max([1e-9, *highest, *(rate for rate, _ in filter(None, ceilings.values()))])
    panels = []
    for row, title, samples, marks, shade in found:
        known = ceilings[title]
        drawn = Drawn(samples, marks, shade, known[0] if known else None, top)
        panels.append(Panel(title, partial(_draw, drawn=drawn), _hover(drawn), of=ask.of(row)))
    columns = [*SAMPLED, "record"]
    data = pd.concat(tables) if tables else pd.DataFrame(columns=columns)
    chart = ask.chart(data, panels)
    chart.notes.extend(_notes(limits, ceilings, short))
    return chart


def _notes(
    limits: list[str], ceilings: dict[str, tuple[float, str] | None], short: list[str]
) -> list[str]:
    lines = []
    if limits:
        lines.append(f"What was at its limit, and for how long: {'; '.join(limits)}")
    told = [f"{title}: {known[1]}" for title, known in ceilings.items() if known]
    if told:
        lines.append(f"The device's ceiling, as it was probed: {'; '.join(told)}")
    if len(told) < len(ceilings):
        lines.append("No line of the device's ceiling where the device was not probed.")
    if short:
        lines.append(f"Over before there were two samples: {'; '.join(short)}")
    return lines


def ceiling(device: pd.DataFrame | None, row: Json) -> tuple[float, str] | None:
    """What the probed device gives for random reads like those of a run: MB/s, and of what.

    Uses the largest probed size and number in flight that the run's own reach.
    """
    if device is None or device.empty or row["modelled"] or not row["requests"]:
        return None
    probed = device[(device["pattern"] == "random") & (device["host"] == row["host"])]
    for column, wanted in (
        ("bytes", row["requested_bytes"] / row["requests"]),
        ("concurrency", row["depth"] or 1),
    ):
        known = sorted(set(probed[column]))
        chosen = max([value for value in known if value <= wanted], default=min(known, default=0))
        probed = probed[probed[column] == chosen]
    if probed.empty:
        return None
    found = rows(probed)[0]
    words = f"{found['bytes'] // 1024} KB at random, {found['concurrency']} in flight"
    return float(found["mb_per_s"]), f"{found['mb_per_s']:.0f} MB/s ({words})"


def sampled(record: Json) -> pd.DataFrame:
    """Return rates from each sample to the next: seconds, MB/s, % of all processors."""
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
    """Return the seconds at which rounds begin, on the clock of the samples."""
    seconds = [row["seconds"] for row in record.get("rounds") or []]
    begin = (record.get("phases") or {}).get("prepare_s", 0.0)
    starts = [begin + passed for passed in itertools.accumulate([0.0, *seconds])]
    return starts[:-1] if len(seconds) <= MOST_MARKS else []


def _draw(axes: Axes, drawn: Drawn) -> None:
    # A rate holds from one sample to the next.
    samples, shade = drawn.samples, drawn.shade
    times = [samples["from"].iloc[0], *samples["t"]]
    read, busy = (
        [samples[column].iloc[0], *samples[column]] for column in ("mb_per_s", "cpu_percent")
    )
    axes.fill_between(times, read, step="pre", color=shade, alpha=0.35, linewidth=0)
    axes.step(times, read, where="pre", color=shade)
    axes.set_ylim(0, drawn.top)
    axes.set_xlim(0, samples["t"].max())
    axes.set_xlabel(ALONG)
    axes.set_ylabel("MB/s read")
    for mark in drawn.marks:
        axes.axvline(mark, color=INK, linewidth=0.7, linestyle=":")
    handles = [Line2D([], [], color=shade, linewidth=4, alpha=0.6, label=READ)]
    if drawn.ceiling is not None:
        handles.append(
            axes.axhline(drawn.ceiling, color=INK, linestyle="-.", linewidth=1.2, label=CEILING)
        )
    right = axes.twinx()
    handles += right.step(
        times, busy, where="pre", color=INK, linestyle="--", linewidth=1.2, label=BUSY
    )
    right.set_ylim(0, 105)
    right.set_ylabel("processors busy, %")
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    if drawn.marks:
        handles.append(Line2D([], [], color=INK, linestyle=":", linewidth=0.7, label=BEGINS))
    below(axes, handles)


def _hover(drawn: Drawn) -> Json:
    # The first rate begins at the first sample.
    found, shade = rows(drawn.samples), drawn.shade
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
        "axis": {"title": ALONG, "grid": False},
        "scale": {"domain": [0, float(drawn.samples["t"].max())], "nice": False},
    }
    read = {
        "field": "read",
        "type": "quantitative",
        "axis": {"title": "MB/s read"},
        "scale": {"domain": [0, drawn.top], "nice": False},
    }
    busy = {
        "field": "cpu",
        "type": "quantitative",
        "axis": {"title": "processors busy, %", "grid": False},
        "scale": {"domain": [0, 105]},
    }
    stepped = {"interpolate": "step-before"}
    used = [READ, BUSY]
    used += [CEILING] if drawn.ceiling is not None else []
    used += [BEGINS] if drawn.marks else []
    left: list[Json] = [
        {
            "mark": {"type": "area", "color": shade, "opacity": 0.35} | stepped,
            "encoding": {"x": along, "y": read},
        },
        {
            "mark": {"type": "line", "color": shade} | stepped,
            "encoding": {"x": along, "y": read, "strokeDash": _dashed(READ, used)},
        },
        {
            "mark": {"type": "point", "filled": True, "color": shade, "size": 45, "opacity": 1},
            "encoding": {"x": along, "y": read, "tooltip": hover.TOOLTIP},
        },
    ]
    once: Json = {"values": [{}]}
    if drawn.ceiling is not None:
        says = {"value": f"the device: {drawn.ceiling:.0f} MB/s"}
        dash = {"strokeDash": _dashed(CEILING, used)}
        at = {"y": {"datum": drawn.ceiling}, "tooltip": says}
        left.append(
            {"data": once, "mark": {"type": "rule", "color": hover.INK}, "encoding": at | dash}
        )
    if drawn.marks:
        told = [
            {"t": mark, "says": f"round {i} begins at {mark:.3f} s"}
            for i, mark in enumerate(drawn.marks)
        ]
        left.append(
            {
                "data": {"values": told},
                "mark": {"type": "rule", "color": hover.INK, "opacity": 0.6},
                "encoding": {
                    "x": along,
                    "tooltip": hover.TOOLTIP,
                    "strokeDash": _dashed(BEGINS, used),
                },
            }
        )
    right = {
        "mark": {"type": "line", "color": hover.INK} | stepped,
        "encoding": {"x": along, "y": busy, "strokeDash": _dashed(BUSY, used)},
    }
    return hover.specification(
        shown, [{"layer": left}, right], resolve={"scale": {"y": "independent"}}
    )


def _dashed(name: str, used: list[str]) -> Json:
    scale = {"domain": used, "range": [VEGA_DASHES[one] for one in used]}
    return {"datum": name, "type": "nominal", "scale": scale, "legend": LEGEND}
