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
# # Solutions of lesson 1: rounds and their price

# %%
from pathlib import Path

import outcore

GRAPHS = Path("graphs")
IN_ROUNDS = "concurrent:cache=frames"  # which keeps nothing


def reads(graph, engine, layout="csr", **options):
    record = graph.run("bfs", engine=engine, layout=layout, frames="128K", **options).record
    return record["io"]["requested_bytes"] // 4096, record


# %% [markdown]
# ## 1. A grid on its side
#
# A block holds about 256 lists: one row of the grid of 64 x 256, or four rows of the grid of 256 x
# 64. A row of 256 vertices has about 256 different levels. Four rows of 64 have about 64 + 3. So
# the first grid is read nearly four times as often, although rounds, vertices and edges are the
# same. (Each search is one of more than 254 rounds. Beyond level 254 levels take two bytes each,
# and the vertices of that level are taken up again, which costs a few reads more.)

# %%
count = {}
for rows, columns in [(64, 256), (256, 64)]:
    graph = outcore.generate(
        "grid", GRAPHS / f"{rows}x{columns}", rows=rows, columns=columns, force=True
    )
    graph.layout(preset="csr", force=True)
    count[rows], record = reads(graph, IN_ROUNDS, source=0)
    blocks = record["layout"]["facts"]["blocks"]
    rounds, times = record["work"]["rounds"], count[rows] / blocks
    print(f"{rows} x {columns}: {rounds} rounds, each block {times:.0f} times")
assert 3.5 < count[64] / count[256] < 4.2

# %% [markdown]
# ## 2. Larger blocks
#
# A block of 16 KB holds eight rows. A search passes them in 128 + 7 rounds in place of 128 + 1:
# about as many. So each block is read about as often as before, and the bytes stay nearly the same:
# each request brings four times as much, and there are a quarter as many. On a device that is bound
# by requests that is a gain, though most of what each brings is of no use.

# %%
grid = outcore.generate("grid", GRAPHS / "grid128", rows=128, columns=128, force=True)
requests, size = {}, {}
for block in ("4K", "16K"):
    name = grid.layout(pack="csr", block=block, name=f"csr-{block}", force=True)
    _, record = reads(grid, IN_ROUNDS, name, max_request=block)
    requests[block], size[block] = record["io"]["requests"], record["io"]["requested_bytes"]
    print(f"{block}: {requests[block]:,} requests, {size[block] / 1e6:.1f} MB")
assert 3.5 < requests["4K"] / requests["16K"] < 4.1
assert 1 <= size["16K"] / size["4K"] < 1.15

# %% [markdown]
# ## 3. The longest path
#
# In rounds each round has one vertex and reads its block: about one read a vertex. (A few more:
# where a list is cut by the end of a block, and where levels outgrow a byte.) Without rounds the
# engine goes on inside the block that it has. In rounds each read waits for the one before it, so
# there is one list in flight: a device that could serve 60 requests at once serves one, or two
# where a list is cut.

# %%
path = outcore.generate("grid", GRAPHS / "path", rows=4096, columns=1, force=True)
path.layout(preset="csr", force=True)
in_rounds, record = reads(path, IN_ROUNDS, source=0)
without, _ = reads(path, "async_block:mode=async", source=0)
widest = max(of["blocks"] for of in record["rounds"])
print(f"in rounds {in_rounds:,}, without {without}; at most {widest} blocks in a round")
assert in_rounds >= 4096 and without < 40 and widest <= 2
