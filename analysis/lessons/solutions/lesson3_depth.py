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
# # Solutions of lesson 3: depth and devices

# %%
import json
from pathlib import Path

import outcore

GRAPHS = Path("graphs")


def on_device(graph, device, workload, dilation, **options):
    """The record; its time is of use only where `record["modelled"]["honoured"]`."""
    written = GRAPHS / "record.json"
    settings = {"layout": "csr", "frames": "1M", "backend": "mem", "max_request": "4K"} | options
    try:
        graph.run(
            workload,
            engine="concurrent",
            device=device,
            dilation=dilation,
            record=written,
            **settings,
        )
    except outcore.Error as error:
        if "not honoured" not in str(error):
            raise
    return json.loads(written.read_text())


def seconds(record):
    modelled = record["modelled"]
    told = f"{record['phases']['run_s'] / modelled['dilation'] * 1000:.2f} ms"
    return told if modelled["honoured"] else f"{told} (the processors were busy: of no use)"


# %% [markdown]
# ## 1. A path
#
# There is nothing to gain. A round of a search along a path has one vertex and wants its list: one
# block, or two where the list is cut. The next read is known only after this one has come. So the
# device serves one or two reads at once, whatever `--depth` allows, and the counter that shows it
# is `blocks` of each round.

# %%
path = outcore.generate("grid", GRAPHS / "path", rows=64, columns=1, force=True)
path.layout(preset="csr", force=True)
for depth in (1, 25):
    record = on_device(path, "sata", "bfs", 40, depth=depth, source=0)
    widest = max(of["blocks"] for of in record["rounds"])
    rounds = len(record["rounds"])
    print(f"{depth} in flight: {rounds} rounds of {widest} blocks at most; {seconds(record)}")
    assert widest <= 2

# %% [markdown]
# ## 2. Fewer, larger requests
#
# Sixteen neighbours come by one request. On a disk nearly all of a request's time is the seek, so
# if each request seeks, a sixteenth of the requests takes about a sixteenth of the time. (`spmv`
# reads the file mostly in order, so some requests of 4 KB need no seek, and the run gains a little
# less.) On the Optane SSD a request costs 9 microseconds and each KB 0.4, so 64 KB take 37
# microseconds in place of 16 x 11: a factor of five at one read in flight. With six in flight the
# line to the host is near its limit in both cases, and little is left to gain.

# %%
grid = outcore.generate("grid", GRAPHS / "grid128", rows=128, columns=128, force=True)
grid.layout(preset="csr", force=True)
requests = {}
for device, dilation in (("hdd", 2), ("optane", 1000)):
    for size in ("4K", "64K"):
        record = on_device(grid, device, "spmv", dilation, depth=1, max_request=size)
        model = record["modelled"]["model"]
        requests[size] = record["io"]["requests"]
        print(f"{device}, {size}: {requests[size]} requests, {seconds(record)}")
    service = {kb: model["request_us"] + model["seek_us"] + kb * model["kb_us"] for kb in (4, 64)}
    gain = requests["4K"] * service[4] / (requests["64K"] * service[64])
    print(f"{device}: the model's time falls by a factor of {gain:.1f} with one read in flight")
    assert (gain > 12) if device == "hdd" else (gain < 6)
assert requests["64K"] * 16 == requests["4K"]

# %% [markdown]
# ## 3. Let the program choose
#
# `--depth device` takes k_r of the model, and without a model that of the probed device.

# %%
for device, dilation in (("sata", 40), ("optane", 1000)):
    record = on_device(grid, device, "spmv", dilation, depth="device")
    asked, k_r = record["asked"]["depth"], record["modelled"]["model"]["k_r"]
    print(f"{device}: depth {asked}, k_r {k_r}")
    assert asked == k_r
