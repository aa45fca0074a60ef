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
# # Lesson 2: what a cache can and cannot save
#
# **Question.** A run reads blocks again and again. How much of that would a larger pool save, or a
# better rule for which block to give up?
#
# You need these nouns: [pool and frames](../../docs/glossary.md#pool-and-frames) with its policies,
# [trace](../../docs/glossary.md#trace), [round](../../docs/glossary.md#round). About 30 minutes, of
# which the machine takes one.

# %%
from pathlib import Path

import outcore
from outcore_analysis.lessons import beside, panels, say
from outcore_analysis.palette import DASHES, ENGINES, MARKERS, POLICIES

GRAPHS = Path("graphs")  # beside this notebook; it may be deleted afterwards

# %% [markdown]
# ## A trace, and caches that replay it
#
# A run can write down which blocks it asked for, in order, before any cache answers. `cachesim`
# then counts the misses of a cache of any size under any policy, without another run. Three
# policies:
#
# - **LRU** gives up the block that was used longest ago.
# - **OPT** (Belady) gives up the block that is used again last. It must know the future, so no
#   machine can have it. No policy misses less.
# - **SUB** (ACGraph, section 3.1) knows this round and the next one, no more.
#
# The first run is PageRank, ten iterations, on a Kronecker graph. Each iteration wants every list.
# One worker with one request in flight asks, so that the order of the trace is exact.

# %%
ROUNDS = 10
kron = outcore.generate(
    "kronecker", GRAPHS / "kron14", scale=14, degree=8, symmetric=True, force=True
)
kron.layout(preset="csr", force=True)
SIZES = ",".join(f"{percent}%" for percent in (*range(10, 100, 10), 101))


def traced(graph, workload, **parameters):
    """The misses of each policy and size, and the record."""
    trace = GRAPHS / f"{workload}.oct"
    _, record = graph.run(
        workload,
        engine="concurrent",
        layout="csr",
        frames="1M",
        threads=1,
        depth=1,
        trace=trace,
        parameters=parameters,
    )
    return outcore.cachesim(trace, policy="opt,sub,lru", sizes=SIZES), record


ranks, record = traced(kron, "pagerank", iterations=ROUNDS)
blocks = record["layout"]["facts"]["blocks"]
asked = ranks["accesses"].iloc[0]
print(f"{blocks} blocks, asked for {asked:,} times in {ROUNDS} rounds")
assert asked == ROUNDS * blocks

# %% [markdown]
# ## Your prediction
#
# The pool holds half of the blocks. Each round asks for every block once, in the same order.
# Without a pool there are as many misses as accesses.
#
# What share of these misses does LRU save, in percent? And what share does OPT save? Think of three
# blocks A, B, C and a cache of two before you write.

# %%
my_lru_percent = None
my_opt_percent = None


# %%
def misses(table, policy, percent):
    of = table[(table["policy"] == policy) & (table["size_percent"].round() == percent)]
    return int(of["misses"].iloc[0])


def saved(table, policy, percent):
    return 100 * (1 - misses(table, policy, percent) / table["accesses"].iloc[0])


beside("LRU saves, in percent", my_lru_percent, saved(ranks, "lru", 50))
beside("OPT saves, in percent", my_opt_percent, saved(ranks, "opt", 50))

# %% [markdown]
# ## A rule for OPT
#
# N blocks are read in the same order in each round, and there is room for C of them, not fewer than
# rounds. The first round misses all N. Each later round misses N - C: OPT keeps C blocks and lets
# the others pass.

# %%
for percent in range(10, 100, 10):
    row = ranks[(ranks["policy"] == "opt") & (ranks["size_percent"].round() == percent)].iloc[0]
    assert row["misses"] == blocks + (ROUNDS - 1) * (blocks - row["units"])
    assert misses(ranks, "lru", percent) == asked

# %% [markdown]
# ## A search on a grid
#
# The second run is breadth-first search in rounds on a grid of 128 x 128, which lesson 1 looked at.
# Beside it stands what `async_block`, which has no rounds, read with a pool of 6%.

# %%
grid = outcore.generate("grid", GRAPHS / "grid128", rows=128, columns=128, force=True)
grid.layout(preset="csr", force=True)
search, record = traced(grid, "bfs")
few = record["layout"]["facts"]["blocks"]
other = grid.run("bfs", engine="async_block:mode=async", layout="csr", frames="6%").record
other_times = other["io"]["requested_bytes"] / (4096 * few)

# %%
figure, both = panels("PageRank on a Kronecker graph", "Search in rounds on a grid")
for axes, table, size in zip(both, (ranks, search), (blocks, few), strict=True):
    for at, (policy, part) in enumerate(table.groupby("policy")):
        axes.plot(
            part["size_percent"],
            part["misses"] / size,
            MARKERS[at],
            linestyle=DASHES[at],
            color=POLICIES[policy],
            label=policy.upper(),
        )
    axes.axhline(1, color="#010203", linewidth=0.8, linestyle=":")
    axes.set(xlabel="pool, % of the graph", ylabel="bytes read / bytes of the graph")
    axes.set_ylim(0)
both[1].plot(
    [6], [other_times], "*", markersize=12, color=ENGINES["async_block"], label="without rounds"
)
both[0].legend(loc="lower left")
both[1].legend(loc="upper right")
figure

# %% jupyter={"source_hidden": true} tags=["hide-input"]
half = misses(search, "opt", 50) / few
say(f"""
## What happened

**PageRank.** A pool of half the graph saves {saved(ranks, "lru", 50):.0f}% under LRU and
{saved(ranks, "opt", 50):.0f}% under OPT. LRU gives up each block shortly before it is wanted: at
any size below the whole graph it misses every time. A cache that keeps what it has, and lets the
rest pass, saves its share. That is why a scan wants no LRU, and why the size of the pool hardly
matters to engines that scan.

**The search.** Here OPT saves more, because neighbouring rounds want the same blocks: with half of
the graph it reads {half:.0f} times the graph where LRU reads {misses(search, "lru", 50) / few:.0f}
times. Yet the engine without rounds reads {other_times:.1f} times the graph with a pool of 6%. OPT
needs more than 80% of the graph for that: with 80% it still reads
{misses(search, "opt", 80) / few:.1f} times the graph.

**What a cache cannot do.** A policy chooses what to keep *for a given order of accesses*. OPT is
the best of that order, and still far from the dotted line, each block once. Another order of work
moves the line itself.

**What it leans on.** Counts only. With one worker and one request in flight, they are the same on
every machine. Only the run without rounds differs a little from one to the next.
""")
assert other_times < misses(search, "opt", 80) / few
assert misses(search, "opt", 50) < misses(search, "lru", 50) / 2
assert saved(search, "opt", 50) > saved(ranks, "opt", 50)
assert misses(ranks, "lru", 101) == misses(search, "opt", 101) * blocks / few == blocks

# %% [markdown]
# ## In the papers
#
# ACGraph replays OPT, SUB and LRU in section 3.1 (Fig. 2), and concludes that a better policy is
# not enough: an asynchronous run with 1% reads less than OPT with 20%. CAVE's cache is in section
# 5. Fig. 7 there shows that block by block the size of the cache does not matter, and vertex by
# vertex it does.
#
# ## Exercises
#
# The solutions are in [solutions/lesson2_caches](solutions/lesson2_caches.py).
#
# **1. Another policy.** Replay the trace of PageRank (`GRAPHS / "pagerank.oct"`) with
# `policy="lru,s3fifo"`. S3-FIFO sees no future either. From which size on does it save something,
# and why can it?

# %%
# Your code.

# %% [markdown]
# **2. Be OPT.** Write a function that takes a list of blocks and a size, and counts the misses of
# OPT: at a miss with a full cache it gives up the block whose next use is furthest away. Try it on
# `A B C A B C A B C` with room for two, and then on the trace of PageRank: `outcore trace FILE --to
# csv OUT` writes it (`outcore.binary()` is the program). Does it agree with `cachesim`?

# %%
# Your code.

# %% [markdown]
# **3. What would help?** WCC on the grid, in rounds, with the engine's own cache: run
# `concurrent:cache=lru` with frames of 25%, 50%, 90% and 101%. Predict which of them help. Then
# compare with `async_block:mode=async` at 6%.

# %%
# Your code.
