# SPDX-License-Identifier: Apache-2.0
"""Real graphs for tests: those in the folder that OUTCORE_DATA names.

They are edge lists, little-endian pairs of 32-bit ids: `*.el32` or `*.el32.zst`. Each is taken as
it is, and made symmetric.
"""

import os
from pathlib import Path

import pytest

from .conftest import outcore
from .oracles import Graph
from .test_oracles import Case

DATA = os.environ.get("OUTCORE_DATA")
FILES = sorted(Path(DATA).glob("*.el32*")) if DATA else []
# Bytes of a list on the disk from which on a graph is large, about two million edges: thirty
# programs on every engine take minutes there, so that only those that differ most are run.
LARGE_BYTES = 3 * 1024 * 1024
LARGE = [file for file in FILES if file.stat().st_size >= LARGE_BYTES]
SMALL = [file for file in FILES if file.stat().st_size < LARGE_BYTES]


def present(file: Path | None) -> Path:
    """The file, or a skipped test where there is none."""
    if file is None:
        pytest.skip(f"OUTCORE_DATA={DATA or ''} names no folder with such *.el32 or *.el32.zst")
    return file


def name_of(file: Path | None) -> str | None:
    """What a test of this file is called by."""
    return file and file.stem


def import_case(file: Path, symmetric: bool, folder: Path) -> Case:
    """The graph in `folder`, with a layout of each pack."""
    graph = folder / "graph"
    outcore("import", file, graph, "--format", "pairs32", *["--symmetric"] * symmetric)
    layouts = {"firstfit": "acgraph", "csr": "losc"}
    for preset in layouts.values():
        outcore("layout", graph, "--preset", preset, "--heads", 2, "--name", preset)
    return Case(graph, Graph.read(graph), folder, layouts)
