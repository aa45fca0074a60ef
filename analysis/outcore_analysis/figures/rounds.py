# SPDX-License-Identifier: Apache-2.0
"""Rounds: what share of each round's reads was used, and how many vertices were active.

"Used" is 4 bytes for every edge handed to the program; "read" is what was requested from the
device. With a pool that kept blocks from an earlier round, inline lists or a codec, a round may use
more than it read: the share is then cut off at 100%. A round that read nothing has no share. A run
without rounds has one dot for everything, so both kinds of engine can be shown together.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from outcore_analysis.charts import INK, Chart, Panel
from outcore_analysis.figures import hover
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.bars import below
from outcore_analysis.figures.timeline import first_trials
from outcore_analysis.palette import colours
from outcore_analysis.records import rows

Json = dict[str, Any]
EDGE_BYTES = 4
USED, ACTIVE = "used", "active vertices"
NO_ROUNDS = "the whole run: this engine has no rounds"
COLUMNS = ["round", "frontier", "edges", "requested_bytes", "seconds", "used_percent"]


def rounds(ask: Ask) -> Chart:
    """Make a panel for each configuration, from its first trial."""
    found = []
    for row, title, record in first_trials(ask):
        table = by_round(record)
        if table.empty:
            table = whole_run(record)
        found.append((row, title, table.assign(record=row["record"])))
    data = pd.DataFrame(columns=[*COLUMNS, "record"])
    if found:
        data = pd.concat([table for _, _, table in found])
    least = _least(data)
    panels = []
    for row, title, table in found:
        shade = colours([ask.named(ask.series, row)])[ask.named(ask.series, row)]
        drawing = partial(_draw, table=table, shade=shade, least=least)
        panels.append(Panel(title, drawing, _hover(table, shade, least), of=ask.of(row)))
    return ask.chart(data, panels)


def by_round(record: Json) -> pd.DataFrame:
    """Return the rounds of a run with the share that each used of its reads."""
    return _with_share(pd.DataFrame(record.get("rounds") or [], columns=COLUMNS[:-1]))


def whole_run(record: Json) -> pd.DataFrame:
    """Return a run without rounds as the only row of such a table."""
    line = {
        "round": 0,
        "frontier": None,
        "edges": record["work"]["edges_processed"],
        "requested_bytes": record["io"]["requested_bytes"],
        "seconds": record["phases"]["run_s"],
    }
    return _with_share(pd.DataFrame([line], columns=COLUMNS[:-1]))


def _with_share(table: pd.DataFrame) -> pd.DataFrame:
    used = 100 * EDGE_BYTES * table["edges"] / table["requested_bytes"].where(lambda b: b > 0)
    return table.assign(used_percent=used.clip(upper=100))


def used_of_all(table: pd.DataFrame) -> float | None:
    """Return the share of the whole run."""
    read = float(table["requested_bytes"].sum())
    return min(100.0, 100 * EDGE_BYTES * float(table["edges"].sum()) / read) if read else None


def _of_all(table: pd.DataFrame) -> str:
    whole = used_of_all(table)
    return "nothing was read" if whole is None else f"whole run: {whole:.3g}% used"


def _has_rounds(table: pd.DataFrame) -> bool:
    return bool(table["frontier"].notna().any())


def _least(table: pd.DataFrame) -> float:
    """Return where the logarithmic axis of shares begins in all panels; it ends at 100%."""
    shares = [share for share in table["used_percent"].dropna() if share > 0]
    return hover.power_below([10.0, *shares])


def _draw(axes: Axes, table: pd.DataFrame, shade: str, least: float) -> None:
    axes.set_yscale("log")
    handles: list[Any] = axes.plot(
        table["round"], table["used_percent"], "o", color=shade, markersize=4, label=USED
    )
    axes.set_ylim(least, 115)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlim(-0.7, table["round"].max() + 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    axes.set_ylabel("used of what was read, %")
    whole = used_of_all(table)
    if whole is not None:
        label = _of_all(table)
        handles.append(axes.axhline(whole, color=INK, linewidth=0.9, linestyle=":", label=label))
    if not _has_rounds(table):
        axes.set_xticks([])
        axes.set_xlabel(NO_ROUNDS)
        below(axes, handles)
        return
    axes.set_xlabel("round")
    right = axes.twinx()
    right.set_yscale("log")
    handles += right.plot(
        table["round"], table["frontier"].clip(lower=1), color=INK, linewidth=1.1, label=ACTIVE
    )
    right.set_ylabel("active vertices")
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    below(axes, handles)


def _hover(table: pd.DataFrame, shade: str, least: float) -> Json:
    has_rounds = _has_rounds(table)
    shown = [
        {"round": row["round"], "used": row["used_percent"], "says": _says(row)}
        | ({"active": max(1, row["frontier"])} if has_rounds else {})
        for row in rows(table)
    ]
    along = {
        "field": "round",
        "type": "quantitative",
        "axis": {"title": "round", "grid": False, "tickMinStep": 1}
        if has_rounds
        else {"title": NO_ROUNDS, "grid": False, "ticks": False, "labels": False},
        "scale": {"domain": [-0.7, int(table["round"].max()) + 0.7], "nice": False},
    }
    used = {
        "field": "used",
        "type": "quantitative",
        "axis": {
            "title": "used of what was read, %",
            "format": "~g",
            "values": [10.0**power for power in range(round(math.log10(least)), 3)],
        },
        "scale": {"type": "log", "domain": [least, 100]},
    }
    names = {USED: shade, ACTIVE: hover.INK} if has_rounds else {USED: shade}
    dot: Json = {"type": "point", "filled": True, "size": 40, "opacity": 1}
    left: list[Json] = [
        {
            "mark": dot,
            "transform": [{"filter": "datum.used > 0"}],
            "encoding": {
                "x": along,
                "y": used,
                "color": _coloured(USED, names),
                "tooltip": hover.TOOLTIP,
            },
        }
    ]
    whole = used_of_all(table)
    if whole is not None:
        rule = {"type": "rule", "color": hover.INK, "strokeDash": [2, 3]}
        at = {"y": {"datum": whole}, "tooltip": {"value": _of_all(table)}}
        left.append({"data": {"values": [{}]}, "mark": rule, "encoding": at})
    # Above the panel: beside the line it would cover dots.
    title: Json = {"text": f"dotted: {_of_all(table)}", "anchor": "start", "fontWeight": "normal"}
    title |= {"fontSize": 12, "color": hover.INK}
    if not has_rounds:
        return hover.specification(shown, left, title=title)
    active = {
        "field": "active",
        "type": "quantitative",
        "axis": {"title": "active vertices", "grid": False, "format": "~s"},
        "scale": {"type": "log"},
    }
    right = {
        "mark": {"type": "line"},
        "encoding": {"x": along, "y": active, "color": _coloured(ACTIVE, names)},
    }
    layers: list[Json] = [{"layer": left}, right]
    return hover.specification(shown, layers, title=title, resolve={"scale": {"y": "independent"}})


def _says(row: Json) -> str:
    share = row["used_percent"]
    text = "read nothing" if share is None else f"{share:.3g}% used"
    text += f" of {row['requested_bytes'] / 1e6:.3g} MB"
    if row["frontier"] is None:
        return f"the whole run: {text}, {row['edges']:,} edges, {1000 * row['seconds']:.3g} ms"
    active = f"{row['frontier']:,.0f} active"
    passed = f"{1000 * row['seconds']:.3g} ms"
    return f"round {row['round']}: {text}, {active}, {row['edges']:,} edges, {passed}"


def _coloured(name: str, names: dict[str, str]) -> Json:
    scale = {"domain": list(names), "range": list(names.values())}
    return {"datum": name, "type": "nominal", "scale": scale, "legend": {}}
