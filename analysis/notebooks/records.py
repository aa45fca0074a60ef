# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---
# SPDX-License-Identifier: Apache-2.0

# %% [markdown]
# # Reading Outcore's results
#
# Every run left one JSON record. `load` makes one table of all of them: one row per run, one column
# per fact. [docs/tables.md](../../docs/tables.md) explains every column. Open this file in Jupyter
# with the jupytext extension, or run it with `.venv/bin/jupytext --to ipynb
# analysis/notebooks/records.py` and `.venv/bin/jupyter execute --inplace
# analysis/notebooks/records.ipynb`. OUTCORE_RESULTS names a folder to use instead of `results`.

# %%
import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

# The notebook may have been opened in any folder of the repository.
ROOT = next(place for place in [Path.cwd(), *Path.cwd().parents] if (place / "Snakefile").is_file())
sys.path.insert(0, str(ROOT / "analysis"))

from outcore_analysis import load
from outcore_analysis.palette import ENGINES
from outcore_analysis.stats import geometric_mean, paired_ratios, summarise

runs = load(os.environ.get("OUTCORE_RESULTS", ROOT / "results"))
runs[["campaign", "host", "graph", "engine", "workload", "trial", "status", "seconds"]].head()

# %% [markdown]
# ## What did not end well
#
# A run that failed also has a record, with the reason. It is never left out silently.

# %%
runs.groupby("engine")["status"].value_counts().unstack(fill_value=0).plot.barh(
    stacked=True, figsize=(7, 2), title="Runs by how they ended", xlabel="runs", ylabel=""
)
runs[runs["status"] != "ok"][["graph", "engine", "workload", "status", "reason"]]

# %% [markdown]
# ## Which runs may be compared
#
# Runs of different machines are never combined, and a run that also wrote a trace was not timed.
# Everything else that was asked for must be equal, or be what is compared: a median over two
# graphs, or over four pools, belongs to no run. So the following keeps one pool and the default
# settings, and always groups by graph, workload and `config`, a hash of everything that was asked
# for.

# %%
host = runs["host"].iloc[0]
timed = runs[(runs["status"] == "ok") & ~runs["traced"].astype(bool) & (runs["host"] == host)]
POOL = timed["pool"].mode()[0]  # 6% in the shipped experiments
usual = (
    (timed["pool"].isna() | (timed["pool"] == POOL))
    & (timed["options"] == "")
    & timed["modelled"].isna()
    & timed["memory_limit_bytes"].isna()
    & (timed["threads"] == timed["threads"].mode()[0])
    & ~timed["depth_asked"]
)
good = timed[usual].sort_values("trial")
# An engine may have run on several layouts; its first one represents it here.
CELL = ["graph", "workload", "engine"]
first = good.groupby(CELL)["config"].transform("first")
good = good[good["config"] == first]
trials = good.groupby([*CELL, "config"])["trial"].count()
trials.groupby(CELL).sum().unstack("engine").plot.barh(
    color=ENGINES,
    figsize=(7, 4),
    title=f"Trials that may be compared, pool {POOL}",
    xlabel="trials",
)
trials


# %% [markdown]
# ## A median and its interval
#
# With three trials or more there is a 95% interval (bias-corrected and accelerated bootstrap); with
# fewer there is none. The noise is (largest - smallest) / median. Each dot below is a trial, end to
# end.


# %%
def cells(column):
    """The trials of each configuration, by graph, workload and engine."""
    return {key: part[column].tolist() for key, part in good.groupby(CELL)}


found = {key: summarise(values) for key, values in cells("seconds").items()}
figure, axes = plt.subplots(figsize=(7, 0.3 * len(found) + 1))
for row, (key, values) in enumerate(cells("seconds").items()):
    axes.plot(values, [row] * len(values), "o", color=ENGINES[key[2]], alpha=0.7)
axes.set_yticks(range(len(found)), [" ".join(key) for key in found])
axes.set(xscale="log", xlabel="seconds, end to end", title="Every trial")
for key, summary in found.items():
    interval = (
        f"interval {summary.low:.3g} to {summary.high:.3g}" if summary.has_interval else "none"
    )
    print(
        *key, f"{summary.median:.3g} s, {interval}, {summary.trials} trials, noise {summary.noise}"
    )

# %% [markdown]
# ## Two clocks
#
# `seconds` is end to end: opening the layout, building the engine, the algorithm, collecting the
# answer. `run_s` is the algorithm alone. A paper's figure has one or the other (ACGraph's Fig. 8
# includes initialisation, its Fig. 16 does not): never mix them in one comparison. An engine that
# loads the whole graph does so before the algorithm begins, so the two clocks rank it differently.

# %%
clocks = good.groupby([*CELL, "config"])[["seconds", "run_s"]].median()
drawn = clocks.droplevel("config")
drawn.columns = ["end to end (seconds)", "the algorithm alone (run_s)"]
drawn.plot.barh(figsize=(7, 0.35 * len(drawn) + 1), title="Two clocks", xlabel="median seconds")
clocks

# %% [markdown]
# ## Bytes
#
# How much an engine requested from the device per edge that it processed. A target id alone takes 4
# bytes.

# %%
bytes_per_edge = good.groupby(CELL)["requested_bytes_per_edge"].median().unstack("engine")
bytes_per_edge.plot.barh(
    color=ENGINES, logx=True, figsize=(7, 4), title="Bytes requested an edge", xlabel="bytes"
)
bytes_per_edge

# %% [markdown]
# ## A ratio, trial by trial
#
# The ratio of two engines is taken within each trial, so that what disturbed both cancels out, and
# then summarised. Ratios of several graphs are combined by the geometric mean. The engine that has
# the whole graph in memory is the reference, not a contestant, unless there is only one other
# engine.

# %%
engines = sorted(good["engine"].unique())
CONTESTANTS = [e for e in engines if e != "in_memory"] if len(engines) > 2 else engines
one, other = CONTESTANTS[-1], CONTESTANTS[0]  # for instance concurrent / async_block
if "in_memory" in (one, other):
    one, other = sorted(CONTESTANTS)


def side(graph, workload, engine, column="seconds"):
    part = good[(good["graph"] == graph) & (good["workload"] == workload)]
    return part[part["engine"] == engine].set_index("trial")[column]


ratios = {}
for graph, workload in good.groupby(["graph", "workload"]).groups:
    above, below = side(graph, workload, one), side(graph, workload, other)
    both = above.index.intersection(below.index)
    if len(both):
        ratios[graph, workload] = paired_ratios(above[both].tolist(), below[both].tolist())
medians = pd.Series({key: summarise(values).median for key, values in ratios.items()})
medians.plot.barh(logx=True, figsize=(7, 3), title=f"{one} / {other}, end to end", xlabel="ratio")
plt.axvline(1, color="black")
for subject, values in ratios.items():
    print(*subject, f"{one} / {other}:", summarise(values))
print("over all:", geometric_mean(medians.tolist()))

# %% [markdown]
# ## Who wins, and why
#
# Time is edges processed, times bytes requested per edge, divided by bytes received per second. So
# a ratio of times is the product of three ratios: work (edges processed in vain count here), bytes
# per edge (a block that is read again for one more vertex counts here), and the rate that the
# device gave. The factor that is furthest from 1 is the reason. Below, the bars of a row add up to
# the ratio, on a logarithmic axis.

# %%
FACTORS = ("work", "bytes an edge", "rate")
rows = {}
for graph, workload in ratios:
    totals = {
        engine: {
            name: side(graph, workload, engine, name).median()
            for name in ("seconds", "edges_processed", "requested_bytes")
        }
        for engine in (one, other)
    }
    seconds, edges, requested = (
        totals[one][name] / totals[other][name] if totals[other][name] else np.nan
        for name in ("seconds", "edges_processed", "requested_bytes")
    )
    if not edges or np.isnan(edges * requested):
        print(graph, workload, "- no edges were wanted, so there is nothing to divide")
        continue
    values = (edges, requested / edges, seconds / requested)
    rows[graph, workload] = dict(zip(FACTORS, values, strict=True))
why = pd.DataFrame(rows).T.rename_axis(["graph", "workload"])
np.log10(why).plot.barh(
    stacked=True, figsize=(7, 3), title=f"Why: {one} / {other}", xlabel="orders of magnitude"
)
for (graph, workload), factors in why.iterrows():
    total = factors.prod()
    winner, loser = (other, one) if total > 1 else (one, other)
    times = factors if total > 1 else 1 / factors
    reason = times.idxmax()
    print(
        f"{graph} {workload}: {winner} wins, {max(total, 1 / total):.2f} times as fast as {loser}. "
        f"The reason is {reason}, a factor of {times[reason]:.2f}: "
        + ", ".join(f"{name} {value:.2f}" for name, value in times.items())
    )
why.assign(ratio=why.prod(axis=1))
