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
# # Solutions of lesson 5: asynchrony and work in vain

# %%
from pathlib import Path

import outcore

GRAPHS = Path("graphs")
grid = outcore.generate("grid", GRAPHS / "grid128", rows=128, columns=128, force=True)
kron = outcore.generate(
    "kronecker", GRAPHS / "kron14", scale=14, degree=8, symmetric=True, force=True
)
for graph in (grid, kron):
    graph.layout(preset="csr", force=True)


def run(graph, workload, engine, layout="csr"):
    return graph.run(workload, engine=engine, layout=layout, frames="6%").record


def times(record):
    return record["work"]["edges_processed"] / record["graph"]["edges"]


# %% [markdown]
# ## 1. Without priorities
#
# Distances that are handed on too early are handed on again when better ones come. With priorities
# the block with the shortest distance comes first, so most distances are final when they are handed
# on. Without, blocks come as they lie in the file. In a search by hops few distances differ: nearly
# all vertices of this graph are two to four hops away, so there is little to be improved.

# %%
found = {}
for workload in ("sssp", "bfs"):
    for priority in ("on", "off"):
        record = run(kron, workload, f"async_block:mode=async,priority={priority}")
        found[workload, priority] = times(record)
        often = f"{found[workload, priority]:.2f} times"
        print(f"{workload}, priority={priority}: an edge is processed {often}")
assert found["sssp", "off"] > 1.1 * found["sssp", "on"]
assert found["bfs", "off"] < 1.1

# %% [markdown]
# ## 2. A middle way
#
# The smallest label starts at vertex 0. In the order of ids each vertex hears its neighbour above
# and its neighbour to the left, which were updated just before. So the label reaches everything in
# one pass, and the next one finds nothing to do. That is luck: with random ids a label moves on in
# a pass only as long as the next vertex happens to come later. It still takes far fewer passes than
# one step a round.

# %%
rounds = {}
for number in ("original", "random"):
    layout = grid.layout(pack="psw:p=4", number=number, name=f"psw-{number}", force=True)
    record = grid.run("wcc", engine="psw", layout=layout, frames="1M").record
    rounds[number] = record["work"]["rounds"]
    print(f"{number} ids: {rounds[number]} rounds, an edge is processed {times(record):.1f} times")
strict = run(grid, "wcc", "async_block:mode=sync")
print(f"one step a round: {strict['work']['rounds']} rounds, {times(strict):.1f} times")
assert rounds["original"] <= 3 < rounds["random"] < strict["work"]["rounds"] / 2

# %% [markdown]
# ## 3. Why is it faster?
#
# The three factors multiply to the ratio, whatever the machine: edges cancel, bytes cancel. The
# largest is the number of edges processed. The rate works against asynchrony: a run that reads so
# little hardly gets the device going.

# %%
sides = {mode: run(grid, "wcc", f"async_block:mode={mode}") for mode in ("sync", "async")}


def facts(record):
    edges, read = record["work"]["edges_processed"], record["io"]["requested_bytes"]
    return edges, read / edges, read / record["phases"]["run_s"]


work, bytes_an_edge, rate = (a / b for a, b in zip(*map(facts, sides.values()), strict=True))
ratio = sides["sync"]["phases"]["run_s"] / sides["async"]["phases"]["run_s"]
print(f"time {ratio:.1f} = edges {work:.1f} x bytes an edge {bytes_an_edge:.2f} / rate {rate:.2f}")
assert abs(work * bytes_an_edge / rate / ratio - 1) < 1e-9
assert work > 30
