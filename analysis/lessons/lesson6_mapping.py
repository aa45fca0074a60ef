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
# # Lesson 6: mapping or reading
#
# **Question.** A program can map a file and use it as if it were memory; the kernel then brings
# pages as they are touched. Or it can ask for blocks itself. Which brings fewer bytes?
#
# You need these nouns: [residency](../../docs/glossary.md#residency), [bytes: touched, requested,
# kernel](../../docs/glossary.md#bytes-touched-requested-kernel),
# [cold](../../docs/glossary.md#cold). About 30 minutes, of which the machine takes one.

# %%
from pathlib import Path

import outcore
from outcore_analysis.lessons import bars, beside, panels, say
from outcore_analysis.palette import ENGINES, HATCHES

GRAPHS = Path("graphs")  # beside this notebook; it may be deleted afterwards

# %% [markdown]
# ## Three ways to the same lists
#
# - **mapped, usual advice**: the kernel may read ahead of what is touched
#   (`chunk_mmap:residency=kernel,advice=normal`).
# - **mapped, random advice**: the kernel brings the page that is touched, and no other
#   (`advice=random`).
# - **explicit reads**: the engine asks for blocks, and keeps none of them from round to round
#   (`concurrent`, a pool of 6%).
#
# A page has 4096 bytes, as a block has. The page cache holds nothing of the file when a run starts.
# Afterwards the kernel says how much it read, so this lesson needs a folder on a disk, not in
# memory.

# %%
WAYS = {
    "mapped,\nusual advice": {"engine": "chunk_mmap:residency=kernel,advice=normal"},
    "mapped,\nrandom advice": {"engine": "chunk_mmap:residency=kernel,advice=random"},
    "explicit\nreads": {"engine": "concurrent", "frames": "6%"},
}
kron = outcore.generate(
    "kronecker", GRAPHS / "kron18", scale=18, degree=16, symmetric=True, force=True
)
kron.layout(preset="csr", force=True)


def run(workload, way, **parameters):
    return kron.run(workload, layout="csr", parameters=parameters, **WAYS[way]).record


def pages(record):
    return record["io"]["kernel_bytes"] // 4096


first = run("one-hop", "explicit\nreads", count=100)
blocks = first["layout"]["facts"]["blocks"]
print(f"the file has {blocks:,} pages")
assert pages(first) > 0, "this folder does not lie on a disk: move the notebook to one"

# %% [markdown]
# ## Your prediction
#
# A hundred random vertices are asked for their neighbours, a hundred lists in all. How many pages
# are brought with usual advice? And how many by explicit reads?

# %%
my_pages_mapped = None
my_pages_explicit = None

# %%
WORKLOADS = {
    "100 x one hop": ("one-hop", {"count": 100}),
    "search": ("bfs", {}),
    "5 x PageRank": ("pagerank", {"iterations": 5}),
}
records = {
    (name, way): run(workload, way, **parameters)
    for name, (workload, parameters) in WORKLOADS.items()
    for way in WAYS
}
count = {key: pages(record) for key, record in records.items()}
usual, random, explicit = WAYS
few, search, scan = WORKLOADS
beside("Pages, mapped with usual advice", my_pages_mapped, count[few, usual])
beside("Pages, explicit reads", my_pages_explicit, count[few, explicit])

# %%
colours = (ENGINES["chunk_mmap"], ENGINES["chunk_mmap"], ENGINES["concurrent"])
LOOKS = {
    way: {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
    for way, colour, hatch in zip(WAYS, colours, HATCHES, strict=False)
}
figure, (axes,) = panels("Pages that the kernel read")
bars(
    axes, list(WORKLOADS), {way: [count[name, way] for name in WORKLOADS] for way in WAYS}, **LOOKS
)
axes.axhline(blocks, color="#010203", linewidth=1, linestyle=":", label="the whole file\nonce")
axes.set(ylabel="pages")
axes.legend(ncols=4, loc="upper left", fontsize=8)
figure

# %% jupyter={"source_hidden": true} tags=["hide-input"]
faults = records[few, random]["io"]["major_faults"]
say(f"""
## What happened

**Few lists anywhere.** With usual advice the kernel brings {count[few, usual]:,} of {blocks:,}
pages for 100 lists, for it expects that what lies beside will be wanted too. How much it reads
ahead is a setting of this machine's disk. With random advice it brings {count[few, random]}: a page
a fault, with {faults} faults. Explicit reads bring {count[few, explicit]}.

**Everything, again and again.** PageRank reads the file once where it is mapped,
{count[scan, usual]:,} pages, and {count[scan, explicit]:,} by explicit reads:
{count[scan, explicit] / blocks:.0f} times the file, because nothing was kept. Here all free memory
is the page cache, and the whole file fits. The engine with explicit reads had 6% of it. *That* is
the difference, not the way of reading.

**The search** lies between: mapped, it brings {count[search, random]:,} pages one at a time, and by
explicit reads {count[search, explicit]:,}, because several rounds want the same block.

**So** a mapping is as good as the guess of the kernel, and as the memory that it may take. An
engine that asks knows what its round wants, and needs no guess, but must keep by itself what it
wants again.

**What it leans on.** Counts of the kernel. Under random advice and with explicit reads they are the
same on every machine with pages of 4 KB. Under usual advice they depend on the read-ahead of the
disk, and on free memory.
""")
assert count[few, usual] >= count[few, random]
assert abs(faults - count[few, random]) <= 0.1 * count[few, random]
assert count[few, explicit] <= 1.2 * count[few, random] <= 1.2 * 100 * 1.1
assert count[scan, explicit] == 5 * blocks and count[scan, usual] <= 1.1 * blocks

# %% [markdown]
# ## In the papers
#
# ChunkGraph, section 2.2, sets out what the page cache does to graphs, and section 3.4 runs an
# in-memory system over mapped chunks. Its section 4.2 compares with explicit reads (Blaze): mapping
# wins where few edges are wanted, reading where all are. CAVE, section 5, keeps blocks in a pool of
# its own.
#
# ## Exercises
#
# The solutions are in [solutions/lesson6_mapping](solutions/lesson6_mapping.py).
#
# **1. Less memory.** Run five iterations of PageRank mapped with `memory="32M"`, which leaves the
# page cache less than the file. Predict the pages. (Where no control group can be made, the limit
# does not count the page cache. `record["memory_limit"]["counts_page_cache"]` tells.)

# %%
# Your code.

# %% [markdown]
# **2. A cache of one's own.** Give `concurrent:cache=lru` frames of 50% and of 101% for PageRank,
# and `chunk_mmap:residency=advised` frames of 50%. Lesson 2 tells you what to expect of LRU. What
# does the other engine do differently?

# %%
# Your code.

# %% [markdown]
# **3. What is a fault?** Compare `io.major_faults` and `io.minor_faults` of PageRank under the two
# kinds of advice. Which of them cost a read? Where did the reads go under usual advice?

# %%
# Your code.
