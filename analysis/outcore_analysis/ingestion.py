# SPDX-License-Identifier: Apache-2.0
"""Streams and stores of graphs that change, and runs that take a stream in.

`outcore ingest` writes a record of its own. To stand in the tables beside all other runs it becomes
a run record here: what the store counted are counts, and the record itself is under `ingest`. The
workloads are

    ingest   a stream is taken in; the seconds are those of the whole stream with the final flush
    windows  the same, with a query whenever so many more updates are in
    recover  a store that is there is opened, to go on with it; the seconds are those. Of a stream:
             all of it is archived anew, as a system does that finds nothing else after a crash
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

INGEST = "ingest"  # the verb, and the workload's name in experiments
WINDOWS = "windows"
RECOVER = "recover"
BY_INGEST = (INGEST, WINDOWS, RECOVER)
# What the store counted, by the names in the parts of an ingestion's record: a store in memory, one
# on a disk, and the model of a medium have a part each.
COUNTS = {
    "work": {
        *("buffering_phases", "flushes", "forced_flushes", "moves", "block_writes"),
        *("vertex_buffer_bytes", "pool_bytes", "chain_bytes"),
    },
    "disk": {
        *("flushes", "merges", "runs", "commits", "stalls", "replayed"),
        *("log_bytes", "run_bytes", "merge_bytes"),
    },
    "model": {"bus_read_bytes", "bus_written_bytes", "medium_read_bytes", "medium_written_bytes"},
}


def engine_of(name: str, settings: Json) -> str:
    """Return an engine and its settings as `outcore` reads them."""
    words = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}:{words}" if words else name


def is_on_disk(settings: Json) -> bool:
    """Tell whether a store with these settings is a folder."""
    return settings.get("medium") == "ssd"


def run_record(record: Json, asked: Json, graph: Json, name: str) -> Json:
    """Return the run record of an ingestion that ended well, or was interrupted.

    `record` is what `outcore ingest` wrote, `asked` what was asked of it, `graph` the graph.json of
    the graph whose edges the stream has.
    """
    seconds = record["seconds"]
    opening, taking, collecting = 0.0, seconds["total"], seconds["compaction"]
    if asked["workload"] == RECOVER and record["disk"] is not None:
        # That what was in the log becomes a run in the end is no part of being back.
        opening, taking, collecting = record["disk"]["open_seconds"], 0.0, 0.0
    outcome = {"status": "ok", "reason": "", "exit_code": 0}
    if not record["complete"]:
        outcome = {"status": "interrupted", "reason": "interrupted", "exit_code": 130}
    return {
        "record_version": 1,
        "outcome": outcome,
        "asked": asked,
        "graph": _graph(graph, name),
        "layout": None,
        "machine": record["machine"],
        "build": record["build"],
        "started_at": record["time"],
        "phases": {
            "open_s": opening,
            "prepare_s": 0.0,
            "run_s": taking,
            "collect_s": collecting,
            "total_s": opening + taking + collecting,
        },
        "counts": _counts(record),
        "bound": record.get("bound"),
        "ingest": record,
    }


def _graph(graph: Json, name: str) -> Json:
    kept = ("vertices", "edges", "symmetric", "provenance")
    return {"name": name, "checksum": graph["seal"]} | {key: graph[key] for key in kept}


def _counts(record: Json) -> Json:
    parts = [(record[part], names) for part, names in COUNTS.items() if record[part]]
    counts = {name: part[name] for part, names in parts for name in sorted(names)}
    if record["work"]:
        counts["memory_nodes"] = len(record["work"]["nodes"])
    return counts


def read_graph(stream: Path) -> tuple[str, Json]:
    """Return the name and the graph.json of the graph of which this is a stream, or a store."""
    folder = stream.parent.parent  # GRAPH/streams/NAME.ocs, GRAPH/stores/NAME
    graph: Json = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
    return folder.name, graph
