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
# # Lesson 3: depth and devices
#
# **Question.** A device serves several reads at once. How many should a program keep in flight, and
# what does it gain? Is that the same for a disk, a SATA SSD and an Optane SSD?
#
# You need these nouns: [request, depth](../../docs/glossary.md#request-depth),
# [k_r](../../docs/glossary.md#k_r). About 30 minutes, of which the machine takes one.

# %%
import json
from pathlib import Path

import outcore
from outcore_analysis.lessons import beside, panels, say
from outcore_analysis.palette import DASHES, MARKERS, OTHERS

GRAPHS = Path("graphs")  # beside this notebook; it may be deleted afterwards

# %% [markdown]
# ## Devices that are not there
#
# `--device` puts a modelled device in front of the real one: k_r servers, each of which takes a
# fixed time for a request, and a line to the host that all share. A disk also seeks. The numbers
# are those of CAVE's SSDs and of a disk of 7200 turns a minute.
#
# The model's times are multiplied by a *dilation*, so that any machine can keep them, and divided
# by it again below. All times of this lesson are the model's, not those of your disk.
#
# The work is `one-hop`: some random vertices of a grid are asked for their neighbours. Which
# vertices is known beforehand, so no read must wait for another one, and each lies anywhere in the
# file. Blocks come in requests of 4 KB.

# %%
DEVICES = {"hdd": 3, "sata": 150, "optane": 4000}  # the dilation of each
grid = outcore.generate("grid", GRAPHS / "grid160", rows=160, columns=160, force=True)
grid.layout(preset="csr", force=True)


def on_device(graph, device, depth, workload="one-hop", **options):
    """The record of a run on a modelled device; `honoured` tells whether the machine kept up."""
    settings = {"layout": "csr", "frames": "1M", "backend": "mem", "max_request": "4K"} | options
    written = GRAPHS / "record.json"
    settings |= {"device": device, "dilation": DEVICES[device], "depth": depth}
    if workload == "one-hop":
        settings["parameters"] = {"count": 99}
    try:
        graph.run(workload, engine="concurrent", record=written, **settings)
    except outcore.Error as error:
        if "not honoured" not in str(error):
            raise
    return json.loads(written.read_text())


def model_seconds(record):
    return record["phases"]["run_s"] / record["modelled"]["dilation"]


def least_seconds(model, requests, depth):
    """What the model needs at least for so many reads of 4 KB, if each of them seeks."""
    service = (model["request_us"] + 4 * model["kb_us"] + model["seek_us"]) / 1e6
    by_servers = requests * service / min(depth, model["k_r"])
    by_line = requests * 4096 / (model["mb_per_s"] * 1e6)
    return max(by_servers, by_line)


# %% [markdown]
# ## Your prediction
#
# The SATA SSD serves k_r = 25 reads at once, each in about 270 microseconds. With one read in
# flight it needs 270 microseconds a block.
#
# By what factor is the run faster with 25 in flight? And with 100, compared with 25?

# %%
my_gain_of_25 = None
my_gain_of_100_over_25 = None

# %%
ASKED = {"hdd": (1, 8), "sata": (1, 5, 25, 100), "optane": (1, 3, 6, 25)}
runs = {
    (device, depth): on_device(grid, device, depth)
    for device, depths in ASKED.items()
    for depth in depths
}
models = {device: record["modelled"]["model"] for (device, _), record in runs.items()}
requests = [record["io"]["requests"] for record in runs.values()]
print(f"the runs asked for {min(requests)} to {max(requests)} blocks")
done = {key: record for key, record in runs.items() if record["modelled"]["honoured"]}
for key in runs.keys() - done.keys():
    print(key, "has no mark below: the processors were too busy. Run this cell again.")


# %%
def bound_gain(device, more, less):
    model = models[device]
    return least_seconds(model, 100, less) / least_seconds(model, 100, more)


beside("The gain of 25 in flight over 1, at most", my_gain_of_25, bound_gain("sata", 25, 1))
beside("The gain of 100 over 25, at most", my_gain_of_100_over_25, bound_gain("sata", 100, 25))

# %% [markdown]
# ## The figure
#
# Lines are what the models allow at most, marks are runs.

# %%
DEPTHS = [1, 2, 3, 5, 6, 8, 12, 25, 50, 100]
figure, (axes,) = panels("Reads of 4 KB a second")
for at, (device, model) in enumerate(models.items()):
    axes.plot(
        DEPTHS,
        [1 / least_seconds(model, 1, depth) for depth in DEPTHS],
        color=OTHERS[at],
        linestyle=DASHES[at],
    )
    of = {depth: record for (name, depth), record in done.items() if name == device}
    axes.plot(
        list(of),
        [record["io"]["requests"] / model_seconds(record) for record in of.values()],
        MARKERS[at],
        color=OTHERS[at],
        label=f"{device}, k_r = {model['k_r']}",
    )
axes.set(xscale="log", yscale="log", xlabel="reads in flight", ylabel="reads a second")
axes.set_xticks([1, 3, 6, 25, 100], ["1", "3", "6", "25", "100"])
axes.minorticks_off()
axes.legend(loc="center right")
figure

# %% jupyter={"source_hidden": true} tags=["hide-input"]
for (device, depth), record in done.items():
    # A run cannot be faster than its model. How much slower it is depends on the machine. (A disk
    # may be a little faster: a read that begins where the last one ended does not seek.)
    if device != "hdd":
        least = least_seconds(models[device], record["io"]["requests"], depth)
        assert model_seconds(record) > 0.999 * least
assert bound_gain("sata", 25, 1) == 25 and bound_gain("sata", 100, 25) == 1
say(f"""
## What happened

**The result.** Up to k_r each read in flight adds as much as the first one did: the SATA SSD is
{bound_gain("sata", 25, 1):.0f} times as fast with 25 as with one. Beyond k_r nothing is gained: the
servers are all busy, and what is asked for earlier only waits longer. The disk has one arm, k_r =
1, and gains nothing.

**Why it matters for graphs.** An engine that reads a list, uses it and reads the next one gets the
left end of these lines: a 25th of what the SSD can do. Bytes alone do not tell: the runs here
asked for {min(requests)} to {max(requests)} blocks each. (A vertex may lie in the block that was
read last for the same place in flight.)

**When it does not help.** Reads must be independent of each other. Here all of them are known
beforehand. A search along a path knows one (exercise 1).

**What it leans on.** The lines follow from the model's numbers alone. The marks are times, divided
by the dilation. They lie below the lines, never above: on a busy machine, and where the last reads
do not fill the device. A real SSD's curve bends earlier: `outcore probe` measures yours.
""")

# %% [markdown]
# ## In the papers
#
# CAVE defines k_r in section 2.1 and builds its algorithms on it (section 3). Section 6.1 (Fig. 8
# and 9) compares devices and depths. LOSC, in section 3.5, tells random and sequential rates apart
# instead, as a disk needs it.
#
# ## Exercises
#
# The solutions are in [solutions/lesson3_depth](solutions/lesson3_depth.py).
#
# **1. A path.** Make a grid of 512 x 1, and search it from its end (`workload="bfs", source=0`) on
# `sata` with 1 and with 25 reads in flight. Predict the gain. Which counter of the record explains
# it (`record["rounds"]`)?

# %%
# Your code.

# %% [markdown]
# **2. Fewer, larger requests.** On `hdd`, run `workload="spmv"`, which reads the whole file, with
# `max_request="4K"` and with `"64K"`. How many requests are left, and by what factor does the least
# time fall? Why is that not so on `optane`?

# %%
# Your code.

# %% [markdown]
# **3. Let the program choose.** Run on `sata` and on `optane` with `depth="device"`. Which depth
# was taken? It stands in `record["asked"]["depth"]`.

# %%
# Your code.
