# SPDX-License-Identifier: Apache-2.0
"""Real events for tests: one knob, the two modes of an engine on a small grid."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

BINARY = Path(os.environ.get("OUTCORE_BINARY", "build/release/outcore")).absolute()
needs_binary = pytest.mark.skipif(not BINARY.exists(), reason="outcore is not built")
MODES = ("async", "sync")
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
