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
# # Lesson 4: layouts
#
# **Question.** The same graph, the same search, the same engine: does it matter in which order the
# lists lie in the file?
#
# You need these nouns: [layout](../../docs/glossary.md#layout),
# [block](../../docs/glossary.md#block), [read
# amplification](../../docs/glossary.md#read-amplification). About 30 minutes, of which the machine
# takes one.

# %%
from pathlib import Path

import outcore
from outcore_analysis.lessons import bars, beside, panels, say
from outcore_analysis.palette import HATCHES, OTHERS

GRAPHS = Path("graphs")  # beside this notebook; it may be deleted afterwards

# %% [markdown]
# ## Four orders
#
# A layout numbers the vertices anew and writes their lists in that order. The bytes are the same,
# and so are the answers. Four ways to number:
#
# - `original`: the ids that the graph came with. Those of a Kronecker graph are shuffled.
# - `random`: a random permutation.
# - `degree`: the longest lists first.
# - `bfs2`: ChunkGraph's order. A search of two levels from the most linked vertices puts together
#   what a search meets together (section 3.3).

# %%
NUMBERS = ("original", "random", "degree", "bfs2")
kron = outcore.generate(
    "kronecker", GRAPHS / "kron14", scale=14, degree=8, symmetric=True, force=True
)
for number in NUMBERS:
    kron.layout(number=number, pack="csr", name=number, force=True)
blocks = {of["name"]: of["blocks"] for of in kron.inspect()["layouts"]}
print(blocks)
assert len(set(blocks.values())) == 1

# %% [markdown]
# ## Your prediction
#
# A breadth-first search in rounds needs each list once. In the best order it reads each block once,
# in the worst each block in each of its five rounds.
#
# By what factor does the search read less in the order `bfs2` than in the order `random`?

# %%
my_factor = None

# %% [markdown]
# ## The runs
#
# Three workloads in four orders, by rounds (`concurrent`), which with `cache=frames` keeps no block
# from round to round. `kcore` removes vertices with fewer than 16 neighbours until none is left.
# `one-hop` asks for the neighbours of 500 random vertices.

# %%
WORKLOADS = {"bfs": {}, "kcore": {"k": 16}, "one-hop": {"count": 500}}


def reads(graph, workload, layout, **options):
    settings = {"engine": "concurrent:cache=frames", "layout": layout, "frames": "6%"} | options
    record = graph.run(workload, parameters=WORKLOADS.get(workload), **settings).record
    return record["io"]["requested_bytes"] // 4096


count = {
    number: {workload: reads(kron, workload, number) for workload in WORKLOADS}
    for number in NUMBERS
}
beside("bfs2 reads less by a factor of", my_factor, count["random"]["bfs"] / count["bfs2"]["bfs"])

# %%
LOOKS = {
    number: {"color": OTHERS[at], "hatch": HATCHES[at], "edgecolor": "white", "linewidth": 0}
    for at, number in enumerate(NUMBERS)
}
figure, (axes,) = panels("Blocks read, by the order of the lists")
bars(
    axes,
    [{"bfs": "search", "kcore": "16-core", "one-hop": "500 x one hop"}[name] for name in WORKLOADS],
    {number: [count[number][workload] for workload in WORKLOADS] for number in NUMBERS},
    **LOOKS,
)
axes.axhline(
    blocks["original"], color="#010203", linewidth=1, linestyle=":", label="each block once"
)
axes.set(ylabel="blocks", xlim=(-0.5, 2.5))
axes.legend(ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.1))
figure

# %% jupyter={"source_hidden": true} tags=["hide-input"]
once = blocks["original"]
say(f"""
## What happened

**The search.** In the order `bfs2` it reads {count["bfs2"]["bfs"]} blocks where the graph has
{once}: nearly each once. In a random order it reads {count["random"]["bfs"]}. Vertices that a
search finds in the same round lie in the same blocks, so a round reads whole blocks of wanted
lists.

**The 16-core.** Here `degree` wins, with {count["degree"]["kcore"]} blocks against
{count["bfs2"]["kcore"]} for `bfs2`. The list of a vertex is read when the vertex falls away. Those
that fall away have mostly short lists, which lie together at the end of the file. The blocks of the
hubs, which stay, are hardly read.

**One hop.** Nothing helps: {min(of["one-hop"] for of in count.values())} to
{max(of["one-hop"] for of in count.values())} reads for 500 questions. Each asks for one list
anywhere, and gets one block.

**So** an order is good *for a kind of question*. Before you choose one, ask what is wanted at the
same time: that should lie together.

**What it leans on.** Counts, the same on every machine. Times follow them only where the device is
the limit.
""")
assert count["bfs2"]["bfs"] < 1.05 * once and count["random"]["bfs"] > 2.5 * count["bfs2"]["bfs"]
assert count["degree"]["kcore"] < count["bfs2"]["kcore"] / 3
hops = [of["one-hop"] for of in count.values()]
assert max(hops) < 1.05 * min(hops)

# %% [markdown]
# ## In the papers
#
# ChunkGraph, section 2.2, shows what a layout without locality costs; sections 3.2 and 3.3 are its
# answer. CAVE's first fit is in section 4.1. ACGraph compares ways to pack in section 6.6 and
# explains LPLF in section 5.1. LOSC compresses lists by differences (section 3.3).
#
# ## Exercises
#
# The solutions are in [solutions/lesson4_layouts](solutions/lesson4_layouts.py).
#
# **1. A workload to which order means nothing.** Predict the reads of ten iterations of PageRank in
# each order. Then make a layout with `codec="svb"`, which writes ids as differences, and predict
# again.

# %%
# Your code.

# %% [markdown]
# **2. Short lists in memory.** `inline="in-index:2"` keeps lists of up to two edges in the index.
# Which of the three workloads gains most, and why? How many edges are in the index (`inspect`, or
# the record's `layout.facts`)?

# %%
# Your code.

# %% [markdown]
# **3. The best of all.** Find choices with which the search reads fewer than 100 blocks. `outcore
# layout --help` lists them.

# %%
# Your code.
