# SPDX-License-Identifier: Apache-2.0
"""The page of the shapes: what lost to what, by how much, and why; two maps for each size."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from outcore_analysis.charts import save_png, styled
from outcore_analysis.shapes.cells import RED, Cell, cells_of, left_out, told, worst_first
from outcore_analysis.shapes.maps import picture

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
    _table(cells).to_csv(folder / f"shapes-{size}.csv", index=False)
    refused = left_out(documents)
    return {
        "name": size,
        "graphs": len(documents),
        "edges": [min(_edges(documents)), max(_edges(documents))],
        "cells": len(cells),
        "took": _spent(run for doc in documents for run in doc["runs"]),
        "ended": _spent(run for doc in documents for run in doc["runs"] if run["status"] == "late"),
        "maps": [_map(size, cells, number, title, folder) for number, title in NUMBERS.items()],
        "red": [(cell, told(cell)) for cell in worst_first(cells)],
        "engines": [_of_engine(cells, engine) for engine in _names(cells, "engine")],
        "counts": _counts(cells),
        "reasons": _reasons(cells),
        "refused": [(what, count) for what, count in refused.items()],
    }


def _spent(runs: Iterable[Json]) -> str:
    return f"{sum(run['process_s'] for run in runs) / 60:,.3g} minutes"


def _edges(documents: list[Json]) -> list[int]:
    return [document["graph"]["edges"] for document in documents]


def _map(size: str, cells: list[Cell], number: str, title: str, folder: Path) -> Json:
    png = folder / f"shapes-{number}-{size}.png"
    with styled():
        save_png(picture(cells, number), png)
    return {"title": title, "png": base64.b64encode(png.read_bytes()).decode()}


def _table(cells: list[Cell]) -> pd.DataFrame:
    columns = ["size", "label", "engine", "workload", "status", "time", "vain", "reason"]
    return pd.DataFrame(
        [[getattr(cell, name) for name in columns] for cell in cells], columns=columns
    )


def _names(cells: list[Cell], what: str) -> list[str]:
    return list(dict.fromkeys(getattr(cell, what) for cell in cells))


def _of_engine(cells: list[Cell], engine: str) -> Json:
    """Return how an engine did: how many of its cells are red for what, and its worst."""
    mine = [cell for cell in cells if cell.engine == engine]
    late = [cell for cell in mine if cell.status == "late"]
    worst = max(mine, key=lambda cell: cell.vain or 0)
    return {
        "engine": engine,
        "cells": len(mine),
        "slow": sum(cell.status == "ok" and (cell.time or 0) > RED for cell in mine),
        "ended": sum((cell.time or 0) > RED for cell in late),
        "not known": sum(cell.time is not None and cell.time <= RED for cell in late),
        "all ended": sum(cell.time is None for cell in late),
        "wrong or failed": sum(cell.status in ("wrong", "failed") for cell in mine),
        "in vain": sum((cell.vain or 0) > RED for cell in mine),
        "worst": f"{told(worst)['vain']}, {worst.workload} on {worst.label}",
    }


def _counts(cells: list[Cell]) -> Json:
    """Return how many cells are red, by engine and workload."""
    engines = _names(cells, "engine")
    rows = [
        (workload, [_count(cells, engine, workload) for engine in engines])
        for workload in _names(cells, "workload")
    ]
    return {"engines": engines, "rows": rows}


def _count(cells: list[Cell], engine: str, workload: str) -> str:
    mine = [c for c in cells if (c.engine, c.workload) == (engine, workload)]
    return f"{sum(c.red for c in mine)} of {len(mine)}" if mine else ""


def _reasons(cells: list[Cell]) -> Json:
    """Return how many red cells have which kind of reason, by engine; a cell may have two."""
    engines = _names(cells, "engine")
    counted = Counter((why.kind, cell.engine) for cell in cells for why in cell.whys)
    kinds = Counter(why.kind for cell in cells for why in cell.whys)
    return {
        "engines": engines,
        "rows": [
            (kind, [str(counted[kind, engine] or "") for engine in engines])
            for kind, _ in kinds.most_common()
        ],
    }
