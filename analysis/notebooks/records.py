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
# Every run left one JSON record; `load` makes one tidy table of all of them: a row a run, a column a
# fact. [docs/tables.md](../../docs/tables.md) says what every column means. Open this file in Jupyter with
# the jupytext extension, or run it by `.venv/bin/jupytext --to ipynb analysis/notebooks/records.py` and
# `.venv/bin/jupyter execute --inplace analysis/notebooks/records.ipynb`; OUTCORE_RESULTS names another folder
# than `results`.

# %%
import os
import sys
from pathlib import Path

# From wherever in the repository the notebook was opened.
ROOT = next(place for place in [Path.cwd(), *Path.cwd().parents] if (place / "Snakefile").is_file())
sys.path.insert(0, str(ROOT / "analysis"))

from outcore_analysis import load
from outcore_analysis.stats import geometric_mean, paired_ratios, summarise

runs = load(os.environ.get("OUTCORE_RESULTS", ROOT / "results"))
runs[["campaign", "host", "graph", "engine", "workload", "trial", "status", "seconds"]].head()

# %% [markdown]
# ## What did not end well
#
# A run that failed has a record too, with the reason. It is never silently left out.

# %%
runs[runs["status"] != "ok"][["graph", "engine", "workload", "status", "reason"]]

# %% [markdown]
# ## Which runs may be compared
#
# Runs of different machines are never put together, and a run that wrote a trace beside it was
# not timed. Of what remains, trials of one `config` (a hash of all that was asked) differ by chance.

# %%
host = runs["host"].iloc[0]
good = runs[(runs["status"] == "ok") & ~runs["traced"] & (runs["host"] == host)]
keys = ["graph", "engine", "workload", "config"]
good.groupby(keys)["trial"].count()

# %% [markdown]
# ## A median and its interval
#
# With three trials or more there is a 95% interval (bias-corrected and accelerated bootstrap); with
# fewer there is none. The noise is (greatest - least) / median.

# %%
one = good[good["config"] == good["config"].iloc[0]].sort_values("trial")
summary = summarise(one["seconds"].tolist())
print(f"{summary.median:.3g} s, interval {summary.low} to {summary.high}, {summary.trials} trials")
print("noise:", summary.noise)

# %% [markdown]
# ## Two clocks
#
# `seconds` is end to end: opening the layout, building the engine, the algorithm, collecting the
# answer. `run_s` is the algorithm alone. A paper's figure has one or the other (ACGraph's Fig. 8
# includes initialisation, its Fig. 16 does not): never mix them in one comparison.

# %%
clocks = good.groupby(["engine", "workload"])[["seconds", "run_s"]].median()
clocks

# %% [markdown]
# ## A ratio, trial by trial
#
# The ratio of two engines is taken within each trial, so that what disturbed both cancels out, and
# then summarised. Ratios of several graphs are joined by the geometric mean.

# %%
engines = sorted(good["engine"].unique())[:2]
ratios = {}
for (graph, workload), part in good.groupby(["graph", "workload"]):
    sides = [part[part["engine"] == e].sort_values("trial")["seconds"].tolist() for e in engines]
    if all(sides):
        fewest = min(map(len, sides))
        ratios[graph, workload] = paired_ratios(sides[0][:fewest], sides[1][:fewest])
for subject, values in ratios.items():
    print(*subject, f"{engines[0]} / {engines[1]}:", summarise(values))
geometric_mean([summarise(values).median for values in ratios.values()])

# %% [markdown]
# ## Bytes
#
# What an engine asked of the device for every edge that it processed; a target id alone takes 4.

# %%
good.groupby(["engine", "workload"])["requested_bytes_per_edge"].median().unstack()
