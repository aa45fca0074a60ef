# SPDX-License-Identifier: Apache-2.0
"""`outcore plan`: what engines need in memory, compared with what runs then use."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import DRIVEN, ENGINES, TRAITS, Runs, outcore, plainest_layout


def planned(graph: Path, *words: object) -> list[dict[str, Any]]:
    """The plan's rows."""
    rows: list[dict[str, Any]] = json.loads(outcore("plan", graph, *words, "--json").stdout)
    return rows


def row_of(rows: list[dict[str, Any]], engine: str, layout: str = "firstfit") -> dict[str, Any]:
    (row,) = (row for row in rows if (row["engine"], row["layout"]) == (engine, layout))
    return row


WORKLOADS = ["bfs", "wcc", "pagerank", "kcore", "coreness", "mis", "radii", "spmv", "random-walk"]

# What a run has in addition to its plan, or of which it has more while it runs.
GROWS = {"peak_rss", "unaccounted", "process"}
GROWS |= {"worklist", "block_queue", "page_frontier", "bins", "staging", "messages", "chunk_states"}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_workloads_arrays_are_those_of_a_run(
    kronecker: Path, tmp_path: Path, workload: str
) -> None:
    """The plan has every name that a run reports, and its bytes within 2%."""
    runs = Runs(kronecker, tmp_path)
    rows = planned(kronecker, "--workload", workload, "--frames", "1M")
    for engine in ENGINES:
        if workload in DRIVEN and not TRAITS[engine]["drive"]:
            assert "does not offer drive" in next(
                row["verdict"] for row in rows if row["engine"] == engine
            )
            continue
        parts = row_of(rows, engine, plainest_layout(engine))["parts"]
        # A cache has no more slots than there are blocks.
        asked = "concurrent:cache=frames" if engine == "concurrent" else engine
        memory = runs.run(engine=asked, workload=workload, frames="1M")["memory"]
        names = {name.removesuffix("_bytes") for name in memory} - GROWS
        assert names <= parts.keys(), f"{names - parts.keys()} of {engine}"
        for name in names - {"lists"}:
            assert parts[name] == pytest.approx(memory[f"{name}_bytes"], rel=0.02, abs=64)


@pytest.mark.parametrize("codec", ["raw", "svb"])
def test_whole_lists_are_worked_out(kronecker: Path, tmp_path: Path, codec: str) -> None:
    graph = tmp_path / "graph"
    outcore("generate", "kronecker", "--scale", 10, graph)
    outcore("layout", graph, "--codec", codec, "--name", "it")
    runs = Runs(graph, tmp_path)
    memory = runs.run(engine="in_memory", layout="it")["memory"]
    parts = row_of(planned(graph), "in_memory", "it")["parts"]
    assert parts["lists"] >= memory["lists_bytes"]
    assert parts["lists"] <= 3 * memory["lists_bytes"]
    assert "frames" not in parts


def test_a_source_may_lie_behind_the_sample(tmp_path: Path) -> None:
    graph = tmp_path / "grid"
    outcore("generate", "grid", "--rows", 300, "--columns", 300, graph)
    outcore("layout", graph)
    row = row_of(planned(graph, "--set", f"source={300 * 300 - 1}"), "concurrent")
    assert row["parts"]["level"] >= 300 * 300


def test_a_limit_is_judged(kronecker: Path) -> None:
    plenty = row_of(planned(kronecker, "--memory", "1G"), "concurrent")
    assert plenty["verdict"] == "fits"
    assert plenty["bytes"] == sum(plenty["parts"].values())
    frames = plenty["parts"]["frames"]
    tight = (plenty["bytes"] - frames // 2) // 1024
    row = row_of(planned(kronecker, "--memory", f"{tight}K"), "concurrent")
    assert row["verdict"].startswith("fits with --frames ")
    assert row_of(planned(kronecker, "--memory", "1M"), "in_memory")["verdict"] == "does not fit"


def test_it_is_shown_as_a_table(kronecker: Path) -> None:
    shown = outcore("plan", kronecker, "--memory", "512M").stdout
    lines = shown.splitlines()
    assert lines[0].startswith("bfs on kronecker (4,096 vertices, ")
    assert lines[0].endswith(" edges) needs in memory, at least:")
    assert "in 512.0 MiB" in lines[1]
    assert any(line.split()[:2] == ["in_memory", "csr"] for line in lines)


def test_what_is_missing_is_said_with_its_command(tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n1 2\n")
    outcore("import", tmp_path / "a.el", tmp_path / "graph")
    shown = outcore("plan", tmp_path / "graph").stdout
    assert "concurrent: for --layout firstfit build one with: outcore layout " in shown
    done = outcore("plan", tmp_path / "graph", "--workload", "mis", check=False)
    assert done.returncode == 2
    assert "mis needs a symmetric graph" in done.stderr and "outcore symmetrise" in done.stderr


def test_frames_that_an_engine_cannot_use_are_its_own_words(kronecker: Path) -> None:
    row = row_of(planned(kronecker, "--frames", "1K"), "concurrent")
    assert "too small" in row["verdict"] and "bytes" not in row


def test_of_a_store_it_shows_what_each_medium_needs(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("".join(f"{v} {v * 7 % 1000}\n" for v in range(1000)))
    store = tmp_path / "store"
    outcore("ingest", tmp_path / "edges.txt", "--store", store)
    rows = {row["layout"]: row for row in planned(store, "--memory", "1M", "--frames", "64K")}
    assert set(rows) == {"medium=ssd", "medium=dram"}
    assert rows["medium=ssd"]["parts"]["frames"] >= 64 << 10
    # Both directions: a partition of records, and 4 bytes an edge and a vertex.
    assert rows["medium=dram"]["parts"]["index"] == 2 * (8192 * 16 + 64)  # and its version
    assert rows["medium=dram"]["parts"]["lists"] == 2 * 4 * (1000 + 1000)
    assert all(row["verdict"] == "does not fit" for row in rows.values())
    assert "1,000 vertices, 1,000 edges" in outcore("plan", store).stdout
    assert "lists=symmetric" in planned(store, "--workload", "kcore")[0]["verdict"]
