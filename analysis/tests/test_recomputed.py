# SPDX-License-Identifier: Apache-2.0
"""The tables, recomputed from the records without the package's own means."""

import csv
import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.__main__ import main
from workbench import Workbench


def table(bench: Workbench, folder: Path, name: str) -> list[dict[str, str]]:
    words = ["tables", "--config", json.dumps(bench.config), "--out", str(folder)]
    assert main(words) == 0
    with (folder / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def records(bench: Workbench) -> dict[str, Any]:
    paths = Path(bench.config["results_folder"]).glob("*/*/*/trial-?.json")
    return {str(path): json.loads(path.read_text()) for path in paths}


COUNTERS = {
    "requested_bytes": ("io", "requested_bytes"),
    "kernel_bytes": ("io", "kernel_bytes"),
    "touched_bytes": ("io", "touched_bytes"),
    "vertices_processed": ("work", "vertices_processed"),
    "edges_processed": ("work", "edges_processed"),
    "activations": ("work", "activations"),
    "rounds": ("work", "rounds"),
    "peak_rss_bytes": ("memory", "peak_rss_bytes"),
    "index_memory_bytes": ("memory", "index_bytes"),
}


def test_each_counter_is_its_own(finished: Workbench, tmp_path: Path) -> None:
    """No two counters of a record are equal, so a column that takes the wrong one is noticed."""
    found = records(finished)
    rows = {row["record"]: row for row in table(finished, tmp_path, "runs")}
    for path, record in found.items():
        if record["asked"]["engine"] == "in_memory":
            continue  # it requests what it uses, once
        values = {column: record[part][key] for column, (part, key) in COUNTERS.items()}
        assert len(set(values.values())) == len(values)
        assert {column: float(rows[path][column]) for column in COUNTERS} == values
        rate = record["io"]["kernel_bytes"] / record["phases"]["run_s"]
        assert float(rows[path]["read_rate"]) == pytest.approx(rate)


def test_runs_say_what_their_records_say(finished: Workbench, tmp_path: Path) -> None:
    found = records(finished)
    rows = {row["record"]: row for row in table(finished, tmp_path, "runs")}
    assert rows.keys() == found.keys()
    for path, record in found.items():
        row, phases = rows[path], record["phases"]
        parts = [phases[name] for name in ("open_s", "prepare_s", "run_s", "collect_s")]
        assert float(row["seconds"]) == pytest.approx(sum(parts))
        assert float(row["run_s"]) == phases["run_s"]
        per_edge = record["io"]["requested_bytes"] / record["work"]["edges_processed"]
        assert float(row["requested_bytes_per_edge"]) == pytest.approx(per_edge)
        assert row["config"] == Path(path).parent.name
        assert row["engine"] == record["asked"]["engine"]


def test_summary_is_the_medians_of_the_records(finished: Workbench, tmp_path: Path) -> None:
    cells: dict[str, list[float]] = {}
    for path, record in records(finished).items():
        if record["trace"] is None:
            cells.setdefault(Path(path).parent.name, []).append(record["phases"]["run_s"])
    rows = table(finished, tmp_path, "summary")
    assert {row["config"] for row in rows} == set(cells)
    for row in rows:
        times = cells[row["config"]]
        median = statistics.median(times)
        assert float(row["run_s"]) == median
        assert float(row["run_s_noise"]) == pytest.approx((max(times) - min(times)) / median)
        assert min(times) <= float(row["run_s_low"]) <= median <= float(row["run_s_high"])
