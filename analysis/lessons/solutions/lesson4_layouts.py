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

# %% [markdown]
# <!-- SPDX-License-Identifier: Apache-2.0 -->
#
# # Solutions of lesson 4: layouts

# %%
from pathlib import Path

import outcore

GRAPHS = Path("graphs")
kron = outcore.generate(
    "kronecker", GRAPHS / "kron14", scale=14, degree=8, symmetric=True, force=True
)


def run(workload, layout, **parameters):
    settings = {"engine": "concurrent", "layout": layout, "frames": "6%"}
    record = kron.run(workload, parameters=parameters, **settings).record
    return record["io"]["requested_bytes"] // 4096, record


# %% [markdown]
# ## 1. A workload to which order means nothing
#
# Each iteration reads everything, in the order of the file. So each order reads ten times the
# blocks of the layout. Only fewer bytes help: with differences in place of ids a list takes less
# than half of the room, and so does each iteration.

# %%
count, blocks = {}, {}
for name, choices in {
    "random": {"number": "random"},
    "bfs2": {"number": "bfs2"},
    "svb": {"number": "degree", "codec": "svb"},
}.items():
    kron.layout(pack="csr", name=name, force=True, **choices)
    count[name], record = run("pagerank", name, iterations=10)
    blocks[name] = record["layout"]["facts"]["blocks"]
    print(f"{name}: {blocks[name]} blocks, {count[name]:,} reads")
    assert count[name] == 10 * blocks[name]
assert count["svb"] < count["random"] / 2

# %% [markdown]
# ## 2. Short lists in memory
#
# `one-hop` gains most. Many vertices have at most two neighbours, and a question for one of these
# needs no read at all. The file hardly shrinks, for these vertices have few edges. The search gains
# too: its last rounds find mostly such vertices, and need hardly a block for them.

# %%
before, after = {}, {}
kron.layout(pack="firstfit", name="firstfit", force=True)
kron.layout(pack="firstfit", inline="in-index:2", name="inline", force=True)
for workload, parameters in {"bfs": {}, "kcore": {"k": 16}, "one-hop": {"count": 500}}.items():
    before[workload], _ = run(workload, "firstfit", **parameters)
    after[workload], record = run(workload, "inline", **parameters)
    saved = 100 * (1 - after[workload] / before[workload])
    told = f"{before[workload]} reads, {after[workload]} with short lists in memory"
    print(f"{workload}: {told}: {saved:.0f}% less")
short = kron.inspect()["degree"]["out"]["classes"]["mini"]["vertices"]
print(
    f"{100 * short / record['graph']['vertices']:.0f}% of the vertices have one or two neighbours"
)
inline, edges = record["layout"]["facts"]["inline_edges"], record["graph"]["edges"]
print(f"{inline:,} of {edges:,} edges are in the index")
assert after["one-hop"] / before["one-hop"] < after["kcore"] / before["kcore"]
assert inline < 0.05 * edges

# %% [markdown]
# ## 3. The best of all
#
# Put together what a search meets together (`bfs2`), write differences (`svb` or `varint`), and
# keep short lists in the index. Differences are small where ids of neighbours are close, so
# numbering and codec help each other.

# %%
name = kron.layout(
    number="degree", place="bfs2", pack="csr", codec="varint", inline="in-index:2", force=True
)
best, record = run("bfs", name)
print(f"{name}: {record['layout']['facts']['blocks']} blocks, {best} reads")
for codec in ("varint", "svb"):
    name = kron.layout(number="bfs2", pack="csr", codec=codec, inline="in-index:2", force=True)
    tried, record = run("bfs", name)
    print(f"{name}: {record['layout']['facts']['blocks']} blocks, {tried} reads")
    best = min(best, tried)
assert best < 100
