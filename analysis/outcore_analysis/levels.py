# SPDX-License-Identifier: Apache-2.0
"""The levels of chunks of a layout, and their total (ChunkGraph, Tables 4 and 5)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from outcore_analysis.records import Column, at, frame

Json = dict[str, Any]
LEVELS = [
    Column("host", "Machine that built the layout.", at("host")),
    Column("graph", "Name of the graph.", at("graph")),
    Column("layout", "Name of the layout.", at("layout")),
    Column(
        "level", "L0 and up by size of chunk; super: lists that stand alone; total.", at("level")
    ),
    Column("chunk_bytes", "Size of a chunk.", at("chunk_bytes")),
    Column("chunks", "Number of chunks.", at("chunks")),
    Column("level_bytes", "Bytes of the level.", at("level_bytes")),
    Column("free_bytes", "Of them, filled by no list; of the total alone.", at("free_bytes")),
]
TOTAL = "total"


def levels_table(paths: Iterable[Path], layouts: pd.DataFrame) -> pd.DataFrame:
    """Make a row for each level of the layouts whose facts are at these paths.

    No fact says how much of a single level is free; the table of layouts has it for all levels
    together.
    """
    rows: list[Json] = []
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        facts = document["layout"]["facts"]
        found = facts.get("out_levels") or []
        if not found:
            continue
        place = {"host": path.parents[2].name, "graph": path.parent.name, "layout": path.stem}
        rows += [place | _level(i, level, facts["block_bytes"]) for i, level in enumerate(found)]
        rows.append(place | _total(layouts, place, facts))
    return frame(LEVELS, rows)


def _level(number: int, level: Json, block_bytes: int) -> Json:
    taken = (level["end_block"] - level["first_block"]) * block_bytes
    size = level["chunk_bytes"]
    # The last level has no size: ChunkGraph's super vertices, which are longer than any chunk.
    return {
        "level": f"L{number}" if size else "super",
        "chunk_bytes": size or None,
        "chunks": taken // size if size else None,
        "level_bytes": taken,
    }


def _total(layouts: pd.DataFrame, place: Json, facts: Json) -> Json:
    mine = layouts[(layouts["graph"] == place["graph"]) & (layouts["layout"] == place["layout"])]
    share = mine["free_share"].iloc[0] if len(mine) else None
    taken = facts["blocks"] * facts["block_bytes"]
    return {
        "level": TOTAL,
        "level_bytes": taken,
        "free_bytes": None if share is None else share * float(mine["block_bytes"].iloc[0]),
    }
