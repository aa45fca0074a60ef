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
# # Lesson 1: rounds and their price
#
# **Question.** A search in rounds reads, in each round, the blocks of those vertices that were
# found in the round before. How often does it read the same block? And on which graphs does that
# matter?
#
# You need these nouns: [block](../../docs/glossary.md#block),
# [frontier](../../docs/glossary.md#active-vertex-frontier), [round](../../docs/glossary.md#round).
# About 30 minutes, of which the machine takes one.

# %%
from pathlib import Path

import numpy as np

import outcore
from outcore_analysis.lessons import beside, panels, say
from outcore_analysis.palette import ENGINES

GRAPHS = Path("graphs")  # beside this notebook; it may be deleted afterwards

# %% [markdown]
# ## A grid, cut into blocks
#
# A grid of 128 x 128 vertices has four neighbours a vertex, except at its edges. Its lists lie in a
# file one after another, row by row (layout `csr`). A block has 4096 bytes and an edge takes 4
# bytes, so that a block holds about 256 lists: two rows of the grid.
#
# ```
#  row 0     o o o o o o ... o      block 0:   rows 0 and 1
#  row 1     o o o o o o ... o
#  row 2     o o o o o o ... o      block 1:   rows 2 and 3
#  row 3     o o o o o o ... o
# ```

# %%
SIDE = 128
grid = outcore.generate("grid", GRAPHS / "grid128", rows=SIDE, columns=SIDE, force=True)
grid.layout(preset="csr", force=True)
(layout,) = grid.inspect()["layouts"]
blocks = layout["blocks"]
print(f"{SIDE * SIDE:,} vertices, {blocks} blocks")

# %% [markdown]
# ## Your prediction
#
# A breadth-first search begins at vertex 129, in the second row and column. It finds every vertex
# once and needs the list of every vertex once. The engine keeps no block from one round to the
# next.
#
# How many reads of a block will it take? Write the number down before you run the next cell.
# Drawing the frontier of round 100 helps.

# %%
my_reads = None  # your number, such as 64

# %% [markdown]
# ## The run
#
# `concurrent` works in rounds and reads each block that a round wants once. With `cache=frames` it
# keeps nothing. (By itself it would see that these rounds want few blocks, and keep them:
# [lesson 2](lesson2_caches.py).) Its counts are exact: they do not depend on the machine.

# %%
POOL = "32K"  # eight blocks
IN_ROUNDS = "concurrent:cache=frames"


def search(graph, engine):
    return graph.run("bfs", engine=engine, layout="csr", frames=POOL)


levels, by_rounds = search(grid, IN_ROUNDS)
reads = by_rounds["io"]["requested_bytes"] // 4096
beside("Reads of a block", my_reads, reads)
print(f"Rounds: {by_rounds['work']['rounds']}. Edges: {by_rounds['work']['edges_processed']:,}.")

# %% [markdown]
# ## Where that number comes from
#
# The answer tells in which round each vertex was found: its level. A block is read once for each
# *different* level among the vertices whose lists it holds. So the price can be counted without any
# engine: the pairs of a block and a level.

# %%
row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
degree = 4 - (row == 0) - (row == SIDE - 1) - (column == 0) - (column == SIDE - 1)
end = 4 * np.cumsum(degree)
level = levels.sort_values("vertex")["value"].to_numpy()
# A list that is cut by the end of a block lies in two.
first, last = (end - 4 * degree) // 4096, (end - 1) // 4096
pairs = set(zip(first, level, strict=True)) | set(zip(last, level, strict=True))
print(f"pairs of a block and a level: {len(pairs):,}; reads: {reads:,}")
assert len(pairs) == reads

# %% [markdown]
# ## Other graphs, and an engine without rounds
#
# `async_block` has no rounds. It takes the block that is most urgent, and uses it for everything
# that is active in it by now. Below both engines search seven graphs.

# %%
KINDS = {
    "grid 32": ("grid", {"rows": 32, "columns": 32}),
    "grid 64": ("grid", {"rows": 64, "columns": 64}),
    "grid 128": ("grid", {"rows": 128, "columns": 128}),
    "ring": ("small-world", {"vertices": 16384, "degree": 4, "rewire": 0.01}),
    "web": ("hostweb", {"vertices": 8192, "symmetric": True}),
    "uniform": ("uniform", {"vertices": 16384, "degree": 2, "symmetric": True}),
    "Kronecker": ("kronecker", {"scale": 12, "degree": 8, "symmetric": True}),
}
found = {}
for name, (kind, options) in KINDS.items():
    graph = outcore.generate(kind, GRAPHS / name.replace(" ", ""), **options, force=True)
    graph.layout(preset="csr", force=True)
    records = {
        engine: search(graph, engine).record for engine in (IN_ROUNDS, "async_block:mode=async")
    }
    size = records[IN_ROUNDS]["layout"]["bytes"]["blocks"]
    found[name] = (
        records[IN_ROUNDS]["work"]["rounds"],
        *(record["io"]["requested_bytes"] / size for record in records.values()),
    )

# %%
figure, (axes,) = panels("How often a search reads the graph")
for at, (label, engine, marker) in enumerate(
    [("in rounds", "concurrent", "s"), ("without rounds", "async_block", "o")], start=1
):
    axes.plot(
        [of[0] for of in found.values()],
        [of[at] for of in found.values()],
        marker,
        color=ENGINES[engine],
        label=label,
    )
for name, (rounds, times, other) in found.items():
    axes.plot([rounds, rounds], [other, times], color="#010203", alpha=0.25, linewidth=1, zorder=0)
    axes.annotate(
        name, (rounds, max(times, other)), xytext=(0, 6), textcoords="offset points", ha="center"
    )
axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="bytes read / bytes of the graph")
axes.set_xlim(3, 600)
axes.set_ylim(0.7, 400)
axes.axhline(1, color="#010203", linewidth=0.8, linestyle=":")
axes.legend(loc="upper left")
figure

# %% jupyter={"source_hidden": true} tags=["hide-input"]
rounds, times, other = found["grid 128"]
few, kron_times, kron_other = found["Kronecker"]
_, uniform_times, uniform_other = found["uniform"]
say(f"""
## What happened

**The result.** In rounds, the search reads the grid of 128 x 128 {times:.0f} times over, without
rounds {other:.1f} times. On the Kronecker graph it is {kron_times:.1f} and {kron_other:.1f} times.

**Why.** A round costs little by itself. What costs is that the vertices of one block are found in
*different* rounds: each of these rounds brings the block again. On the grid a block holds two rows,
which a search passes in about {times:.0f} rounds. On the Kronecker graph there are only {few}
rounds, so no block can be read more often than that. The number of rounds is a ceiling. How the
lists lie decides how close to it the price comes (lesson 4).

**Where leaving rounds does not help.** On the uniform graph it is {uniform_times:.1f} and
{uniform_other:.1f} times. A vertex's neighbours lie in any of its blocks, so what is found next is
hardly ever in the block at hand. An order without rounds gains where neighbours lie together.

**What it leans on.** All numbers here are counts of bytes and of rounds. The engine in rounds gives
the same ones on every machine. Those of the engine without rounds differ a little from run to run,
because its order depends on which read ends first.
""")
assert times > 100 and times > 10 * other
assert kron_times <= few
assert uniform_other > uniform_times / 2

# %% [markdown]
# ## In the papers
#
# ACGraph calls this I/O inflation and measures it in section 3.1. Section 3.2 has the other price
# of a round: at its end everybody waits, and late rounds of a search are nearly empty. CAVE
# (section 4.2) reads each block once in a round, which is the best that an engine in rounds can do.
#
# ## Exercises
#
# The solutions are in [solutions/lesson1_rounds](solutions/lesson1_rounds.py).
#
# **1. A grid on its side.** Grids of 64 x 256 and of 256 x 64 (rows x columns) have the same shape,
# and a search needs as many rounds on both. Which reads more, and by what factor? Predict it from
# the number of levels in a block, then run it.

# %%
# Your code.

# %% [markdown]
# **2. Larger blocks.** Lay the grid of 128 x 128 out again with `block="16K"` and another `name`.
# Will a search in rounds read more bytes, fewer, or as many? And how many requests?

# %%
# Your code.

# %% [markdown]
# **3. The longest path.** A grid of 4096 x 1 is a path. How many reads does a search from its end
# take in rounds (`source=0`), and how many without rounds? Which number of reads in flight could a
# device serve at once here?

# %%
# Your code.
