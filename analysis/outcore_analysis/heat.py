# SPDX-License-Identifier: Apache-2.0
"""When a run asked for which blocks: an access trace, counted in a grid of times and places.

A trace has one access per line, too many to draw; a grid of some thousand fields shows what the eye
can see of it. Time is counted in accesses, so a slow device does not stretch it.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv

from outcore_analysis.prepare import run_binary

Json = dict[str, Any]
COLUMNS = 120
ROWS = 60


def bin_trace(binary: str, record: Path, out: Path) -> None:
    """Count the trace of a run; if the run left none, `out` says why."""
    run = json.loads(record.read_text(encoding="utf-8"))
    document: Json = {"status": "ok", "reason": "", "run": run}
    if run["outcome"]["status"] != "ok" or not run.get("trace"):
        reason = run["outcome"]["reason"] or "the run left no trace"
        document |= {"status": "not run", "reason": reason}
    else:
        document |= counted(binary, record.with_suffix(".oct"))
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def counted(binary: str, trace: Path) -> Json:
    """Return the grid: counts by place and time, and the access at which each round began."""
    summary = json.loads(run_binary([binary, "trace", str(trace), "--json"]))
    units = max(1, sum(summary["header"]["file_units"]))
    accesses = summary["accesses"]
    rows, columns = min(ROWS, units), min(COLUMNS, max(1, accesses))
    grid = np.zeros((rows, columns), dtype=int)
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "accesses.csv"
        run_binary([binary, "trace", str(trace), "--to", "csv", str(path)])
        for part in pyarrow.csv.open_csv(path):
            when = (np.arange(done, done + len(part)) * columns) // accesses
            where = (part["unit"].to_numpy() * rows) // units
            np.add.at(grid, (where, when), 1)
            done += len(part)
    starts = np.cumsum([0, *(row["accesses"] for row in summary["per_round"])])[:-1]
    return {
        "units": units,
        "unit_bytes": summary["unit_bytes"],
        "accesses": accesses,
        "distinct": summary["distinct"],
        "rounds": [int(start) for start in starts],
        "grid": grid.tolist(),
    }
