# SPDX-License-Identifier: Apache-2.0
"""A run as the page holds it: what is told of it, and its events as columns.

The columns are numbers in LEB128, deflated, in base64 (viewer/src/numbers.js reads them): all
lanes' events in the order of time, as time (microseconds since the event before), lane, kind, block
(zigzag of the difference to the event before), count, value.
"""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from outcore_analysis.events import encode_numbers, zigzag
from outcore_analysis.viewer.optimum import layout_blocks, optimum_bytes, used_blocks
from outcore_analysis.viewer.sample import few_enough, told_of, told_of_all, with_what_is_owed
from outcore_analysis.viewer.words import size_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from outcore_analysis.events import Events

Columns = dict[str, "npt.NDArray[np.int64]"]
NAMES = ("time", "lane", "kind", "block", "count", "value")
TIMES = ("waited", "worked", "stalled", "idled")  # kinds whose value is a time
WORK = ("asked", "processed", "round_began", "activated", "found")


def merged(events: Events) -> Columns:
    """Return all lanes' events in the order of time; times in microseconds."""
    if not any(len(lane) for lane in events.lanes):
        return {name: np.zeros(0, np.int64) for name in NAMES}
    per_us = 1000 / events.header["tick_ns"]
    lane = np.concatenate([np.full(len(one), n) for n, one in enumerate(events.lanes)])
    columns = {
        name: np.concatenate([getattr(one, name).astype(np.int64) for one in events.lanes])
        for name in ("time", "kind", "block", "count", "value")
    }
    order = np.argsort(columns["time"], kind="stable")
    columns = {name: column[order] for name, column in columns.items()}
    columns["lane"] = lane[order]
    columns["time"] = (columns["time"] / per_us).astype(np.int64)
    of_time = np.isin(columns["kind"], [events.kind(name) for name in TIMES])
    columns["value"] = np.where(
        of_time, (columns["value"] / per_us).astype(np.int64), columns["value"]
    )
    return columns


def from_its_first_work(events: Events, columns: Columns) -> tuple[Columns, int]:
    """Begin the clock where the run first works; return the microseconds of setting up before."""
    works = np.isin(columns["kind"], [events.kind(k) for k in WORK if k in events.kinds])
    begin = int(columns["time"][works].min(initial=columns["time"].max(initial=0)))
    after = columns["time"] >= begin
    later = {name: column[after] for name, column in columns.items()}
    later["time"] = later["time"] - begin
    return later, begin


def columns_text(columns: Columns) -> str:
    """Return the columns as the page reads them."""
    raw = b"".join(
        encode_numbers(numbers)
        for numbers in (
            np.diff(columns["time"], prepend=0),
            columns["lane"],
            columns["kind"],
            zigzag(np.diff(columns["block"], prepend=0)),
            columns["count"],
            columns["value"],
        )
    )
    return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")


def in_canonical_ids(events: Events, columns: Columns) -> Columns:
    """Rename the vertices of a graph that is drawn from the layout's ids to canonical ones."""
    names = (events.header.get("drawn") or {}).get("canonical")
    if not names or "found" not in events.kinds:
        return columns
    found = columns["kind"] == events.kind("found")
    block = columns["block"].copy()
    block[found] = np.asarray(names, np.int64)[block[found]]
    return columns | {"block": block}


def warnings_of(events: Events, one_in: int) -> list[str]:
    """Say what a viewer must know before trusting the picture."""
    found = []
    if events.header.get("perfect"):
        found.append(
            "Not measured: what a cache that knows the future (Belady's OPT) reads for the blocks "
            "of the run beside it, at the moments at which that run used them."
        )
    if events.end is None:
        found.append("The run was killed: this is what it had written until then.")
    elif events.end["status"] != "ok":
        found.append(f"The run failed: {events.end.get('reason', 'no reason given')}.")
    if events.sampled > 1:
        found.append(
            f"There were too many events to keep: from some moment on only one in {events.sampled} "
            "blocks is drawn. Bytes so far are estimated from these."
        )
    if one_in > 1:
        found.append(
            f"This page draws one in {one_in} of the run's blocks, in groups of 64, so that it "
            "stays small. Bytes so far are estimated from these."
        )
    if events.total("asked")[0] == 0:
        found.append("This engine asked the device for nothing, so there is no map of reads.")
    return found


def facts_of(events: Events) -> list[tuple[str, str]]:
    """Return graph, device, limits and program: names and what they are."""
    header, asked = events.header, events.header["asked"]
    graph, build = header["graph"] or {}, header["build"]
    layout = header.get("layout") or {}
    frames, limit = asked.get("frames_bytes"), asked.get("memory_bytes")
    share = (
        f", {frames / header['raw_bytes']:.0%} of the layout"
        if frames and header["raw_bytes"]
        else ""
    )
    facts = {
        "command": command_of(events),
        "graph": f"{graph.get('name')}: {graph.get('vertices'):,} vertices, "
        f"{graph.get('edges'):,} edges",
        "layout": f"{layout.get('name')}: {layout_blocks(events):,} blocks of "
        f"{header['block_bytes'] / 1024:g} KiB",
        "parameters": ", ".join(f"{k}={v}" for k, v in header["parameters"].items()),
        "frames": size_text(frames) + share if frames else "none",
        "memory limit": size_text(limit) if limit else "none",
        "device": asked.get("device") or "the disk itself",
        "threads": str(asked["threads"]),
        "depth": str(asked["depth"]),
        "program": " ".join(str(build[key]) for key in ("version", "git_commit") if key in build),
        "answer": str((events.end or {}).get("digest", "none")),
    }
    return [(name, value) for name, value in facts.items() if value]


def packed_run(events: Events, name: str) -> dict[str, Any]:
    """Return one run of the page's data."""
    every, set_up = from_its_first_work(events, told_of_all(events, merged(events)))
    fewer, one_in = few_enough(events, in_canonical_ids(events, every))
    columns = with_what_is_owed(events, fewer)
    block_bytes = int(events.header["block_bytes"])
    # Sampled blocks stand for others; the exact sum is in the totals.
    asked_bytes = events.total("asked")[1] * block_bytes
    used = used_blocks(events, every) * block_bytes
    return {
        "name": name,
        "perfect": bool(events.header.get("perfect")),
        "facts": [*facts_of(events), ("before the clock", f"{set_up / 1000:.1f} ms of setting up")],
        "warnings": warnings_of(events, one_in),
        "status": (events.end or {}).get("status", "killed"),
        "reason": (events.end or {}).get("reason", ""),
        "cut": events.end is None,
        "blocks": layout_blocks(events),
        "block_bytes": block_bytes,
        "edges": int((events.header["graph"] or {}).get("edges", 0)),
        "rounds": events.total("round_began")[0],
        "lanes": max(1, len(events.lanes)),
        "asked_bytes": asked_bytes,
        "processed_edges": events.total("processed")[2],
        "least_bytes": used,
        "optimum_bytes": optimum_bytes(events, every),
        "told_of": told_of(int(events.header.get("id_space") or 0)) * events.sampled,
        "source": ((events.end or {}).get("summary") or {}).get("source"),
        "end_us": int(every["time"].max(initial=0)),
        "kinds": events.kinds,
        "events": len(columns["time"]),
        "data": columns_text(columns),
    }


def command_of(events: Events) -> str:
    """Return the command that was given."""
    command = events.header["asked"].get("command", "")
    return " ".join(command) if isinstance(command, list) else str(command)
