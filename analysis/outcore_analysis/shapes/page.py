# SPDX-License-Identifier: Apache-2.0
"""The page of the shapes: what lost to what, by how much, and why; two maps for each size."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from outcore_analysis.charts import Chart, save
from outcore_analysis.shapes.cells import RED, Cell, cells_of, left_out, told, worst_first
from outcore_analysis.shapes.maps import panels

Json = dict[str, Any]
TEMPLATE = Path(__file__).with_name("shapes.html.j2")
NUMBERS = {
    "time": "Time over the best engine's",
    "vain": "Work in vain: edges handed over, over the fewest",
}


def write_shapes(files: Sequence[Path], title: str, question: str, out: Path) -> None:
    """Write the page, and beside it the maps and a table of all cells for each size."""
    documents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    out.parent.mkdir(parents=True, exist_ok=True)
    sizes = [
        _size(size, [doc for doc in documents if doc["size"] == size], out.parent)
        for size in dict.fromkeys(document["size"] for document in documents)
    ]
    template = jinja2.Template(
        TEMPLATE.read_text(encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text = template.render(title=title, question=question, sizes=sizes, red=RED)
    out.write_text(text, encoding="utf-8")


def _size(size: str, documents: list[Json], folder: Path) -> Json:
    cells = [cell for document in documents for cell in cells_of(document)]
    refused = left_out(documents)
    return {
        "name": size,
        "graphs": len(documents),
        "edges": [min(_edges(documents)), max(_edges(documents))],
        "cells": len(cells),
        "maps": [_map(size, cells, number, title, folder) for number, title in NUMBERS.items()],
        "red": [(cell, told(cell)) for cell in worst_first(cells)],
        "counts": _counts(cells),
        "refused": [(what, count) for what, count in refused.items()],
    }


def _edges(documents: list[Json]) -> list[int]:
    return [document["graph"]["edges"] for document in documents]


def _map(size: str, cells: list[Cell], number: str, title: str, folder: Path) -> Json:
    chart = Chart(f"shapes-{number}-{size}", title, "", _table(cells), panels(cells, number))
    save(chart, folder)
    png = (folder / f"{chart.name}.png").read_bytes()
    return {"title": title, "png": base64.b64encode(png).decode()}


def _table(cells: list[Cell]) -> pd.DataFrame:
    columns = ["size", "label", "engine", "workload", "status", "time", "vain", "reason"]
    return pd.DataFrame([vars(cell) for cell in cells], columns=columns)


def _counts(cells: list[Cell]) -> Json:
    """Return how many cells are red, by engine and workload."""
    engines = list(dict.fromkeys(cell.engine for cell in cells))
    workloads = list(dict.fromkeys(cell.workload for cell in cells))
    rows = [
        (workload, [_count(cells, engine, workload) for engine in engines])
        for workload in workloads
    ]
    return {"engines": engines, "rows": rows}


def _count(cells: list[Cell], engine: str, workload: str) -> str:
    mine = [c for c in cells if (c.engine, c.workload) == (engine, workload)]
    return f"{sum(c.red for c in mine)} of {len(mine)}" if mine else ""
