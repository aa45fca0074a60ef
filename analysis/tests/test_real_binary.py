# SPDX-License-Identifier: Apache-2.0
"""The binary itself in the pipeline, and a comparison of the stub with it.

All other tests of the pipeline run on the stub. OUTCORE_BINARY names the binary; `make test` sets
it.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.__main__ import main
from outcore_analysis.cluster.job import hold_trial
from outcore_analysis.material import collect, unfinished
from outcore_analysis.prepare import StepError, make_graph, make_stream
from outcore_analysis.yamllines import validator
from workbench import GRAPHS, ROOT, STUB, Workbench, make_workbench, run_plan

BINARY = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build/release/outcore")).resolve()
pytestmark = pytest.mark.skipif(
    not BINARY.is_file(), reason=f"OUTCORE_BINARY: {BINARY} is not there"
)
LARGER = {
    "kron": GRAPHS["kron"] | {"options": {"scale": 16, "degree": 16, "symmetric": True}},
    "square": GRAPHS["square"] | {"options": {"rows": 192, "columns": 192}},
}
# Objects whose keys are chosen by the stub, and those that contain only what was asked or counted
# by size.
BY_NAME = {"requests_by_size", "parameters", "summary"}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """The campaign of the stub, run by the binary."""
    bench = make_workbench(tmp_path_factory.mktemp("real"))
    bench.config["binary"] = str(BINARY)
    # Pools are shares of the graph, and the binary needs a block for each thread.
    bench.write("graphs.yaml", GRAPHS | LARGER)
    run_plan(bench.plan())
    return bench


def shape(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every path of a document with the kind of its value; a list's items count as one."""
    kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else ""
    yield path, kind or type(value).__name__
    if isinstance(value, dict):
        for key, inner in value.items():
            if path.rsplit("/", 1)[-1] not in BY_NAME:
                yield from shape(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from shape(inner, f"{path}[]")


def shapes(paths: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in paths:
        for place, kind in shape(json.loads(Path(path).read_text())):
            found.setdefault(place, set()).add(kind)
    return found


def test_what_was_made_of_an_older_graph_is_removed(tmp_path: Path) -> None:
    folder, stamp = tmp_path / "kron", tmp_path / ".recipes/kron-aaaa.json"
    recipe = {"generate": "kronecker", "options": {"scale": 4, "degree": 2}}
    make_graph(str(BINARY), recipe, str(folder), stamp)
    make_stream(str(BINARY), str(folder), "all", {"kind": "sorted"}, tmp_path / "facts.json")
    stamp.unlink()  # as by a pipeline that finds it out of date
    make_graph(str(BINARY), recipe, str(folder), stamp)
    assert stamp.exists()
    assert not (folder / "streams").exists()


@pytest.mark.parametrize("which", ["records", "replays", "heats", "layout_facts"])
def test_the_stub_writes_what_the_binary_writes(
    finished: Workbench, real: Workbench, which: str
) -> None:
    """If the binary lacks a key, or has it with another kind, the stub proves nothing about it."""
    stub, binary = (shapes(getattr(bench.plan(), which)()) for bench in (finished, real))
    assert {
        place: kinds for place, kinds in stub.items() if not kinds & binary.get(place, set())
    } == {}


def test_the_stub_lists_what_the_binary_lists() -> None:
    listed = [
        json.loads(
            subprocess.run([str(b), "list", "--json"], check=True, capture_output=True).stdout
        )
        for b in (STUB, BINARY)
    ]
    stub, binary = ({name for kind in d.values() for name in shape(kind)} for d in listed)
    # What the stub names and the binary leaves out is null in the binary's record.
    assert {
        (path, kind) for path, kind in stub - binary if (path, "NoneType") not in binary
    } == set()


def test_every_record_of_the_binary_is_as_the_schema_says(real: Workbench) -> None:
    for path in real.plan().records():
        errors = validator("run").iter_errors(json.loads(Path(path).read_text()))
        assert [f"{path}: {error.message}" for error in errors] == []


def test_the_page_is_made_of_the_binarys_records(real: Workbench, tmp_path: Path) -> None:
    plan = real.plan()
    material = collect(plan)
    assert unfinished(plan, material) == []
    runs = material.tables["runs"]
    assert runs["verified"].all()
    for column in ("seconds", "requested_bytes", "kernel_bytes", "edges_processed", "rounds"):
        assert runs[column].notna().all(), column
    config = json.dumps(real.config)
    for step, out in (("claims", "verdicts.json"), ("report", "index.html"), ("complete", "done")):
        assert main([step, "--config", config, "--out", str(tmp_path / out)]) == 0
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert all(verdict["value"] for verdict in verdicts), "each claim has a value"
    assert "3 of 3 statements judged" in (tmp_path / "index.html").read_text()


def test_a_binary_whose_every_run_fails_fails_the_pipeline(tmp_path: Path) -> None:
    """Also in the profile smoke, which is a stage of CI; the page is written all the same."""
    broken = tmp_path / "outcore"
    broken.write_text(f'#!/bin/sh\n[ "$1" = run ] && exit 1\nexec {BINARY} "$@"\n')
    broken.chmod(0o755)
    bench = make_workbench(tmp_path, profile="smoke")
    bench.config |= {"binary": str(broken), "experiments": bench.config["experiments"][:1]}
    run_plan(bench.plan())
    config = json.dumps(bench.config)
    assert main(["report", "--config", config, "--out", str(tmp_path / "index.html")]) == 0
    assert "4 runs, 0 finished" in " ".join((tmp_path / "index.html").read_text().split())
    assert main(["complete", "--config", config, "--out", str(tmp_path / "done")]) == 3
    assert not (tmp_path / "done").exists()


def test_what_is_staged_runs_and_its_seals_are_checked(
    real: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    monkeypatch.setenv("SLURMD_NODENAME", "n1")
    plan = real.plan()
    cell = next(cell for cell in plan.cells.values() if cell.workload == "bfs")
    facts, record = Path(plan.layout_file(cell.key)), tmp_path / "here/cell/trial-1.json"
    words = (cell, str(BINARY), facts, record, None)
    document = hold_trial(*words, tmp_path / "stage")
    assert document["outcome"]["status"] == "ok"
    assert document["job"]["staged_bytes"] > document["layout"]["facts"]["raw_bytes"]
    assert validator("run").is_valid(document)

    graph = Path(json.loads(facts.read_text())["container"])
    blocks = graph / "layouts" / cell.layout / "out.blocks"
    words = (*words[:3], record.with_name("trial-2.json"), None)
    whole = blocks.read_bytes()
    try:
        blocks.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
        with pytest.raises(StepError, match=r"^n1: what was staged is damaged: .*out.blocks"):
            hold_trial(*words, tmp_path / "stage")
    finally:
        blocks.write_bytes(whole)
