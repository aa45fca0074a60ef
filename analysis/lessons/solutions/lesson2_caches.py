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
# # Solutions of lesson 2: what a cache can and cannot save

# %%
import subprocess
from pathlib import Path

import pandas as pd

import outcore

GRAPHS = Path("graphs")
kron = outcore.generate(
    "kronecker", GRAPHS / "kron14", scale=14, degree=8, symmetric=True, force=True
)
kron.layout(preset="csr", force=True)
trace = GRAPHS / "pagerank.oct"
record = kron.run(
    "pagerank", engine="concurrent", layout="csr", frames="1M", threads=1, depth=1, trace=trace
).record
blocks = record["layout"]["facts"]["blocks"]

# %% [markdown]
# ## 1. Another policy
#
# S3-FIFO has a small queue for newcomers and remembers which blocks it gave up lately. A block that
# comes again soon after it was given up goes into the main queue and stays. So once pool and memory
# of the past reach around the loop, it keeps some blocks for good, as OPT does, and saves. Below
# that it learns too late.

# %%
rows = outcore.cachesim(trace, policy="lru,s3fifo,opt", sizes="10%..90%")
table = rows.pivot(index="size_percent", columns="policy", values="misses")
print(table)
saving = table[table["s3fifo"] < table["lru"]]
assert saving.index.min() > 40
assert (table["lru"] == rows["accesses"].iloc[0]).all()

# %% [markdown]
# ## 2. Be OPT
#
# When each next use is known beforehand, the rule is a line. With three blocks and room for two,
# OPT hits three times of nine. (The lesson's rule would say four. It holds where there is room for
# as many blocks as there are rounds.) On the trace the counts agree exactly.


# %%
def opt_misses(wanted, size):
    next_use, later = [], {}
    for at in range(len(wanted) - 1, -1, -1):
        next_use.append(later.get(wanted[at], float("inf")))
        later[wanted[at]] = at
    next_use.reverse()
    cache, misses = {}, 0
    for block, following in zip(wanted, next_use, strict=True):
        if block not in cache:
            misses += 1
            if len(cache) == size:
                del cache[max(cache, key=cache.get)]
        cache[block] = following
    return misses


print("A B C A B C A B C, room for two:", opt_misses(list("ABCABCABC"), 2))
assert opt_misses(list("ABCABCABC"), 2) == 6
written = GRAPHS / "pagerank.csv"
subprocess.run([outcore.binary(), "trace", trace, "--to", "csv", written, "--quiet"], check=True)
wanted = pd.read_csv(written)["unit"].tolist()
for percent in (10, 50, 90):
    row = outcore.cachesim(trace, policy="opt", sizes=f"{percent}%").iloc[0]
    mine = opt_misses(wanted, int(row["units"]))
    print(f"{percent}%: mine {mine:,}, the program's {row['misses']:,}")
    assert mine == row["misses"]

# %% [markdown]
# ## 3. What would help?
#
# WCC by label propagation wants nearly every block in nearly every round, so LRU helps little until
# everything fits. The engine without rounds reads less with 6% than the cache does with 90%,
# because it goes on with labels inside a block before it gives the block up.

# %%
grid = outcore.generate("grid", GRAPHS / "grid128", rows=128, columns=128, force=True)
grid.layout(preset="csr", force=True)
read = {}
for frames in ("25%", "50%", "90%", "101%"):
    run = grid.run("wcc", engine="concurrent:cache=lru", layout="csr", frames=frames, depth=4)
    read[frames] = run.record["io"]["requested_bytes"]
    print(f"rounds, LRU of {frames}: {read[frames] / 1e6:.1f} MB")
run = grid.run("wcc", engine="async_block:mode=async", layout="csr", frames="6%")
without = run.record["io"]["requested_bytes"]
print(f"without rounds, 6%: {without / 1e6:.1f} MB")
assert read["101%"] < without < read["90%"] / 5
