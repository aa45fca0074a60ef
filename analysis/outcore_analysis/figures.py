# SPDX-License-Identifier: Apache-2.0
"""The figures of the report, each a function from tables to a Chart; `all_charts` lists them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter, StrMethodFormatter

from outcore_analysis.charts import COLOURS, DASHES, INK, MARKERS, Chart, Panel
from outcore_analysis.records import groups, rows
from outcore_analysis.stats import summarise

Json = dict[str, Any]

Tables = dict[str, pd.DataFrame]
Titles = dict[str, str]
# What ACGraph's text says of its Fig. 2, shown beside ours.
PAPER_FIG2 = {
    "bfs": "ACGraph: OPT saves 29% (Twitter), 25% (Friendster)",
    "wcc": "ACGraph: all save about 10%, within 0.7% of each other",
}


def reads_by_pool(tables: Tables, titles: Titles) -> Chart:
    """ACGraph's Fig. 2: what each policy has to read, against the size of its pool."""
    replays = tables["replays"]
    data = replays[replays["pool"].str.endswith("%")] if len(replays) else replays
    data = data.assign(
        pool_percent=pd.to_numeric(data["pool"].str.rstrip("%")),
        reads_over_raw=data["read_bytes"] / data["raw_bytes"],
    ).sort_values("pool_percent", kind="stable")
    panels = [
        Panel(f"{workload.upper()}, {titles.get(graph, graph)}", partial(_draw_reads, part=part))
        for (graph, workload), part in groups(data, ["graph", "workload"])
    ]
    caption = (
        "What would be read from disk with a pool of each size and policy, by exact replay of the "
        "block accesses of the synchronous concurrent engine with one thread. 100% is the raw "
        "size of the graph, 4 bytes an edge. OPT knows the future; SUB knows the next round. "
        "The smallest pool is 0.1%; the paper's, 4 MB, is 0.07% of Twitter and 0.03% of Friendster."
    )
    return Chart("acgraph-fig2", "Disk reads against pool size", caption, data, panels)


def _draw_reads(axes: Axes, part: pd.DataFrame) -> None:
    for (policy,), line in groups(part, ["policy"]):
        axes.plot(
            line["pool_percent"],
            100 * line["reads_over_raw"],
            color=COLOURS[policy],
            marker=MARKERS[policy],
            linestyle=DASHES[policy],
            label=policy.upper(),
        )
    once = 100 * (part["distinct_bytes"] / part["raw_bytes"]).iloc[0]
    axes.axhline(once, color=INK, linewidth=0.9, linestyle=":")
    axes.text(0, once, " every block once", va="bottom", fontsize=8.5)
    axes.set_xlabel("pool, % of the graph's raw bytes")
    axes.set_ylabel("disk reads, % of raw bytes")
    top = 100 * part["reads_over_raw"].max()
    axes.set_ylim(0, 1.3 * top)
    axes.legend(loc="lower left", ncols=3)
    opt = part[part["policy"] == "opt"].sort_values("pool_percent")
    if len(opt) > 1:
        saved = 1 - opt["read_bytes"].iloc[-1] / opt["read_bytes"].iloc[0]
        largest = opt["pool"].iloc[-1]
        note = f"Here: OPT saves {saved:.1%} with {largest}\n"
        note += PAPER_FIG2.get(str(part["workload"].iloc[0]), "")
        axes.text(0.02, 0.985, note, transform=axes.transAxes, va="top", fontsize=8.5)


def bytes_per_edge(tables: Tables, titles: Titles) -> Chart:
    """Bytes on disk for every edge, split in blocks and index, by layout."""
    data = tables["layouts"]
    panels = [
        Panel(titles.get(graph, graph), partial(_draw_bytes, part=part))
        for (graph,), part in groups(data, ["graph"])
    ]
    caption = (
        "Bytes on disk for every stored edge: the blocks, and what is read into memory when the "
        "layout is opened (index, block checksums). A target id alone takes 4 bytes."
    )
    return Chart("layout-bytes", "Bytes per edge by layout", caption, data, panels)


def _draw_bytes(axes: Axes, part: pd.DataFrame) -> None:
    names = list(part["layout"])
    left = [0.0] * len(names)
    for kind in ("blocks", "index"):
        widths = list(part[f"{kind.removesuffix('s')}_bytes_per_edge"])
        axes.barh(names, widths, 0.6, left=left, color=COLOURS[kind], label=kind)
        left = [base + width for base, width in zip(left, widths, strict=True)]
    for i, row in enumerate(rows(part)):
        text = f" {row['block_bytes_per_edge']:.2f} + {row['index_bytes_per_edge']:.2f}"
        axes.text(left[i], i, text, ha="left", va="center", fontsize=9)
    axes.axvline(4, color=INK, linewidth=0.9, linestyle=":")
    axes.set_xlabel("bytes per edge")
    axes.set_xlim(0, 1.3 * max([*left, 4]))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)


SUMMARY_KEYS = ["host", "graph", "engine", "workload", "parameters", "layout", "threads", "config"]


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each configuration: medians and intervals over its trials that ended well."""
    timed = runs[~runs["traced"].astype(bool)]
    return pd.DataFrame(
        [
            dict(zip(SUMMARY_KEYS, key, strict=True)) | _summary(group)
            for key, group in groups(timed, SUMMARY_KEYS)
        ],
        columns=[*SUMMARY_KEYS, *_summary(timed.iloc[:0])],
    )


def _summary(group: pd.DataFrame) -> Json:
    good, bad = group[group["status"] == "ok"], group[group["status"] != "ok"]
    row: Json = {"trials": len(group), "finished": len(good)}
    row["trouble"] = "; ".join(sorted({f"{r['status']}: {r['reason']}" for r in rows(bad)}))
    for column in ("seconds", "run_s"):
        found = summarise(good[column].tolist()) if len(good) else None
        row[column] = found.median if found else None
        row[f"{column}_low"] = found.low if found else None
        row[f"{column}_high"] = found.high if found else None
    for column in ("requested_bytes_per_edge", "requested_bytes", "peak_rss_bytes"):
        row[column] = good[column].astype(float).median()
    row["verified"] = _all_verified(good["verified"])
    row["temperature"] = "/".join(sorted(set(good["temperature"].dropna())))
    return row


def _all_verified(flags: pd.Series) -> bool | None:
    known = [bool(flag) for flag in flags if flag is not None and not pd.isna(flag)]
    return all(known) if len(known) == len(flags) else None


def runtime(tables: Tables, titles: Titles) -> Chart:
    """Seconds of engines and workloads, a panel a graph."""
    data = summary_table(tables["runs"])
    panels = [
        Panel(titles.get(graph, graph), partial(_draw_runtime, part=part))
        for (graph,), part in groups(data, ["graph"])
    ]
    caption = (
        "Median seconds end to end (bars: opening, preparing, running, collecting the answer; "
        "verification is not counted) and of the algorithm alone (diamonds). Whiskers: 95% "
        f"bootstrap interval of the median, {_trials_note(data)}. The axis is logarithmic."
    )
    missing = [
        "{graph}, {engine}, {workload}: {trouble}".format(**row)
        for row in rows(data)
        if not row["finished"]
    ]
    return Chart("runtime", "Runtime of engines and workloads", caption, data, panels, missing)


def _trials_note(data: pd.DataFrame) -> str:
    if data.empty:
        return "no runs"
    fewest, most = int(data["finished"].min()), int(data["finished"].max())
    trials = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    note = f"{trials} trial{'' if most == 1 else 's'}"
    return note if fewest >= 3 else f"{note}; none where there are fewer than 3"


def _draw_runtime(axes: Axes, part: pd.DataFrame) -> None:
    workloads = list(dict.fromkeys(part["workload"]))
    engines = list(dict.fromkeys(part["engine"]))
    width = 0.8 / max(1, len(engines))
    axes.set_yscale("log")
    for row in rows(part):
        middle = (engines.index(row["engine"]) + 0.5) * width
        _draw_run(axes, row, workloads.index(row["workload"]) - 0.4 + middle, 0.92 * width)
    axes.set_xticks(range(len(workloads)), workloads)
    axes.set_xlim(-0.6, len(workloads) - 0.4)
    axes.set_ylabel("time, logarithmic")
    axes.yaxis.set_major_formatter(EngFormatter(unit="s", sep=" "))
    low, high = axes.get_ylim()
    axes.set_ylim(10 ** math.floor(math.log10(low)), high)
    handles = [Patch(color=COLOURS[engine], label=engine) for engine in engines]
    diamond = Line2D([], [], color=INK, marker="D", markersize=4, linestyle="", label="algorithm")
    axes.legend(
        handles=[*handles, diamond], loc="lower center", bbox_to_anchor=(0.5, -0.34), ncols=3
    )


def _draw_run(axes: Axes, row: Json, place: float, width: float) -> None:
    if not row["finished"]:
        text = f"{row['engine']}: {row['trouble'].split(':')[0]}"
        across = axes.get_xaxis_transform()
        axes.text(place, 0.02, text, transform=across, rotation=90, ha="center", fontsize=8)
        return
    axes.bar(place, row["seconds"], width, color=COLOURS[row["engine"]])
    axes.plot(place, row["run_s"], "D", color=INK, markersize=4, zorder=4)
    if row["seconds_low"] is not None:
        ends = [[row["seconds"] - row["seconds_low"]], [row["seconds_high"] - row["seconds"]]]
        axes.errorbar(place, row["seconds"], yerr=ends, color=INK, linewidth=1.2, zorder=3)


SIZES = {4096: "4 KB", 16384: "16 KB", 65536: "64 KB", 262144: "256 KB", 1048576: "1 MB"}


def device(tables: Tables, titles: Titles) -> Chart:
    """What the device can do, by size of requests and by how many are in flight."""
    data = tables["device"]
    panels = [
        Panel(f"{pattern.capitalize()} reads", partial(_draw_device, part=part))
        for (pattern,), part in groups(data, ["pattern"])
    ]
    caption = (
        "Reads past the page cache, as outcore probe measured them. "
        "The dotted line is k_r: the fewest random reads of 4 KB in flight that get 90% of the "
        "most that such reads get. Both axes are logarithmic."
    )
    missing = []
    if data.empty:
        missing.append("the device was not probed; 'outcore probe DIR' measures it")
    else:
        first = data.iloc[0]
        caption += f" {first['source']} ({first['filesystem']}) of {first['host']}."
        others = sorted(set(tables["runs"]["host"].dropna()) - {first["host"]})
        if others:
            missing.append(f"the devices of other machines with runs here: {', '.join(others)}")
    return Chart("device", "What the device can do", caption, data, panels, missing)


def _draw_device(axes: Axes, part: pd.DataFrame) -> None:
    powers = part[part["concurrency"].map(lambda c: c & (c - 1) == 0)]
    for (size,), line in groups(powers, ["bytes"]):
        if size not in SIZES:
            continue
        name = SIZES[size]
        line = line.sort_values("concurrency", kind="stable")
        axes.plot(
            line["concurrency"],
            line["mb_per_s"],
            color=COLOURS[name],
            marker=MARKERS[name],
            linestyle=DASHES[name],
            label=name,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted(set(powers["concurrency"]))
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
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, -0.42), ncols=5, columnspacing=1)


CHARTS: list[Callable[[Tables, Titles], Chart]] = [
    reads_by_pool,
    bytes_per_edge,
    runtime,
    device,
]


def all_charts(tables: Tables, titles: Titles) -> list[Chart]:
    """Every figure of the report, in its order; titles are the graphs' names in words."""
    return [make(tables, titles) for make in CHARTS]
