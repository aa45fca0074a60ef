# SPDX-License-Identifier: Apache-2.0
"""Real events for tests: one knob, the two modes of an engine on a small grid."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis.events import Events, Lane

BINARY = Path(os.environ.get("OUTCORE_BINARY", "build/release/outcore")).absolute()
needs_binary = pytest.mark.skipif(not BINARY.exists(), reason="outcore is not built")
MODES = ("async", "sync")
KINDS = [
    "round_began",
    "round_ended",
    "asked",
    "arrived",
    "writing",
    "written",
    "waited",
    "processed",
    "dropped",
    "kept",
    "worked",
    "stalled",
    "idled",
    "activated",
    "sampled",
    "found",
]
Run = tuple[Path, dict[str, Any]]  # its events and its record


def run_binary(*words: str | Path) -> str:
    """Run outcore and return what it printed."""
    command = [str(BINARY), *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def make_grid(folder: Path, side: int) -> Path:
    """Generate a grid with the layout that the runs read."""
    graph = folder / f"grid{side}"
    run_binary("generate", "grid", graph, "--rows", str(side), "--columns", str(side))
    run_binary("layout", graph, "--preset", "acgraph")
    return graph


def record(graph: Path, name: str, *words: str | Path) -> Run:
    """Run an engine with these options; return its events and its record."""
    events = graph.parent / f"{graph.name}-{name}.events"
    kept = graph.parent / f"{graph.name}-{name}.json"
    run_binary("run", graph, *words, "--events", events, "--record", kept)
    return events, json.loads(kept.read_text())


def run_mode(graph: Path, mode: str, workload: str = "wcc", frames: str = "16K") -> Run:
    """Run a workload in a mode of one engine."""
    return record(
        *(graph, f"{workload}-{mode}", "--engine", f"async_block:mode={mode}"),
        *("--workload", workload, "--frames", frames, "--threads", "2", "--depth", "2"),
    )


def events_of(lanes: list[Lane], blocks: int, vertices: int = 100) -> Events:
    """Return a run of these events."""
    graph = {"name": "g", "checksum": "c", "vertices": vertices, "edges": 5}
    asked = {"engine": "e", "workload": "w", "layout": "l", "backend": "", "threads": 1, "depth": 1}
    header = {"tick_ns": 1000, "graph": graph, "asked": asked, "parameters": {}, "build": {}}
    header |= {"layout_blocks": [blocks], "block_bytes": 4096, "raw_bytes": 1, "id_space": vertices}
    return Events(Path("x"), header, KINDS, [], lanes, {"status": "ok"}, None)


def lane_of(kinds: list[str], blocks: list[int]) -> Lane:
    """Return a lane with an event of each kind, of one block each, a tick apart."""
    numbers = np.array([KINDS.index(kind) for kind in kinds], np.uint8)
    ones = np.ones(len(kinds), np.int64)
    totals = np.repeat(np.bincount(numbers, minlength=len(KINDS))[:, None], 3, axis=1)
    return Lane(numbers, np.arange(len(kinds)), np.array(blocks), ones, ones, totals)
