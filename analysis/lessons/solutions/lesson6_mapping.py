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
# # Solutions of lesson 6: mapping or reading

# %%
from pathlib import Path

import outcore

GRAPHS = Path("graphs")
kron = outcore.generate(
    "kronecker", GRAPHS / "kron18", scale=18, degree=16, symmetric=True, force=True
)
kron.layout(preset="csr", force=True)


def pagerank(engine, **options):
    record = kron.run(
        "pagerank", engine=engine, layout="csr", parameters={"iterations": 5}, **options
    ).record
    return record, record["io"]["kernel_bytes"] // 4096


mapped = "chunk_mmap:residency=kernel,advice=normal"
record, free = pagerank(mapped)
blocks = record["layout"]["facts"]["blocks"]
print(f"{blocks:,} pages in the file; mapped, with free memory: {free:,} read")

# %% [markdown]
# ## 1. Less memory
#
# The kernel gives up pages by a kind of LRU, and each iteration goes through the file in the same
# order: pages leave shortly before they are wanted again (lesson 2). Worse, pages that came by
# read-ahead may leave before they are touched at all. So the file may be read more often than there
# are iterations, and the number differs from run to run.

# %%
try:
    limited, less = pagerank(mapped, memory="32M")
except outcore.Error as error:
    assert error.code == 6, error
    print("The kernel found no page to give up in time, and ended the run:", error)
else:
    counts = limited["memory_limit"]["counts_page_cache"]
    does = "counts" if counts else "does not count"
    print(f"with 32 MB: {less:,} pages; the limit {does} the page cache")
    assert less > 1.5 * blocks if counts else less >= free

# %% [markdown]
# ## 2. A cache of one's own
#
# LRU of half the file saves nothing, LRU of all of it everything but the first iteration.
# `chunk_mmap` with `residency=advised` evicts by *prefix*: what is there at first stays, and the
# rest passes through. That saves about as much as OPT would.

# %%
_, half = pagerank("concurrent:cache=lru", frames="50%")
_, all_of_it = pagerank("concurrent:cache=lru", frames="101%")
_, prefix = pagerank("chunk_mmap:residency=advised", frames="50%")
print(f"nothing kept: {5 * blocks:,} pages; LRU of half: {half:,}; of all: {all_of_it:,}")
print(f"prefix of half: {prefix:,}")
assert half == 5 * blocks and all_of_it == blocks
assert prefix < 0.9 * 5 * blocks

# %% [markdown]
# ## 3. What is a fault?
#
# A *major* fault waits for a read. A *minor* one finds its page in memory already and only has to
# be mapped. Under random advice each page is read by a major fault. Under usual advice a few major
# faults start read-ahead, which brings the rest before it is touched: same bytes, far fewer waits.
# So advice trades waits against bytes: good for a scan, bad for lists anywhere.

# %%
for advice in ("normal", "random"):
    record, read = pagerank(f"chunk_mmap:residency=kernel,advice={advice}")
    io = record["io"]
    major, minor = io["major_faults"], io["minor_faults"]
    print(f"{advice}: {major:,} major faults, {minor:,} minor ones, {read:,} pages read")
assert io["major_faults"] > 0.9 * blocks
