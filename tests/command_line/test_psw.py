# SPDX-License-Identifier: Apache-2.0
"""Values on edges are written: what records say of it, and what a run that dies leaves."""

import json
import os
import signal
from pathlib import Path

import pytest

from .conftest import Runs, outcore
from .test_run_failures import endless_run, wait_for

PASSES = {"workload": "pagerank", "set": "iterations=3"}


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory, binary: None) -> Path:
    """A symmetric graph of 4096 vertices as four shards."""
    graph = tmp_path_factory.mktemp("graphs") / "kronecker"
    outcore("generate", "kronecker", "--scale", 12, "--symmetric", graph)
    outcore("layout", graph, "--pack", "psw")
    return graph


@pytest.fixture
def psw(shards: Path, tmp_path: Path) -> Runs:
    return Runs(shards, tmp_path)


def asked(**more: object) -> dict[str, object]:
    return {"engine": "psw", "layout": "psw", **more}


def values_bytes(graph: Path) -> int:
    return (graph / "layouts" / "psw" / "values.blocks").stat().st_size


def test_a_record_says_what_was_written(psw: Runs) -> None:
    record = psw.run(**asked(verify=True, **PASSES))
    written = 3 * values_bytes(psw.graph)
    assert record["io"]["written_bytes"] == pytest.approx(written, rel=0.02)
    notes = " ".join(record["io"]["notes"])
    kernel = record["io"]["kernel_written_bytes"]
    assert abs(kernel - record["io"]["written_bytes"]) <= 0.01 * kernel or "kernel wrote" in notes
    assert {"load_s", "construct_s", "update_s", "write_back_s"} <= set(record["stages"])
    assert record["counts"]["intervals"] == 4
    assert not (psw.graph / "layouts" / "psw" / "values.open").exists()


def test_the_next_run_is_right_after_one_that_was_killed(psw: Runs) -> None:
    slow = asked(backend="fault", fault="delay:20", **PASSES)
    path = psw.folder / "record.json"
    with endless_run(psw, **slow) as (process, worker):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        os.kill(worker, signal.SIGKILL)
        process.communicate(timeout=60)
    assert (psw.graph / "layouts" / "psw" / "values.open").exists()
    path.unlink()
    record = psw.run(**asked(verify=True, **PASSES))
    assert record["answer"]["verified"]["passed"]


def test_an_interrupted_pass_ends(psw: Runs) -> None:
    slow = asked(backend="fault", fault="delay:20", **PASSES)
    path = psw.folder / "record.json"
    with endless_run(psw, **slow) as (process, _):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130


def test_messages_that_do_not_fit_are_told_with_the_layout_that_does(psw: Runs) -> None:
    _, said = psw.fail(2, **asked(workload="radii"))
    assert "puts messages of 8 bytes onto edges" in said
    assert "--pack psw:value=8" in said


def test_backwards_on_a_directed_graph_is_refused_before_the_run(tmp_path: Path) -> None:
    graph = tmp_path / "directed"
    outcore("generate", "kronecker", "--scale", 8, graph)
    outcore("layout", graph, "--pack", "psw:value=8")
    record, said = Runs(graph, tmp_path).fail(
        2, engine="psw", workload="bc", layout="psw-value8", source="max-degree"
    )
    assert record is None
    assert "bc goes along in-edges too, which psw cannot in a directed graph" in said
    assert "outcore symmetrise" in said


@pytest.mark.parametrize("workload", ["dfs", "random-walk", "wcc-sample"])
def test_what_wants_lists_is_refused(psw: Runs, workload: str) -> None:
    record, said = psw.fail(2, **asked(workload=workload))
    assert record is None
    assert f"psw cannot run {workload}" in said
