# SPDX-License-Identifier: Apache-2.0
"""What callgrind counts for a cell with the real binary, and what is said if it cannot."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis import prepare
from outcore_analysis.counts import count, program_lines, totals
from outcore_analysis.plan import Cell
from outcore_analysis.prepare import StepError
from outcore_analysis.records import counted_columns, read_record

ROOT = Path(__file__).parents[2]
BINARY = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build/release/outcore")).absolute()
by_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None or not BINARY.exists(),
    reason="needs valgrind (apt-get install valgrind) and the binary (make build)",
)


def test_sums_stand_behind_the_names_of_the_events() -> None:
    text = "version: 1\nevents: Ir Dr Dw DLmr\nfn=(1) f\n12 3 4\nsummary: 9 9\ntotals: 70 20 10\n"
    assert totals(text) == {"Ir": 70, "Dr": 20, "Dw": 10, "DLmr": 0}


def test_a_file_without_sums_is_refused() -> None:
    with pytest.raises(StepError, match="no totals"):
        totals("events: Ir\n")


def test_every_counted_column_names_its_event() -> None:
    assert counted_columns("chunk_mmap")["instructions"]["event"] == "Ir"
    assert "instructions" not in counted_columns("async_block")


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counted")
    graph, facts = folder / "graph", folder / "facts.json"
    words = [str(BINARY), "generate", "kronecker", "--scale", "10", "--symmetric", str(graph)]
    prepare.run_binary(words)
    choices = {"pack": "csr", "codec": "varint"}
    prepare.make_layout(str(BINARY), str(graph), "losc", choices, facts)
    return facts


def counted(layout: Path, out: Path, engine: str, **settings: Any) -> dict[str, int]:
    cell = Cell(
        graph="graph",
        recipe={},
        choices={},
        engine=engine,
        workload="bfs",
        layout="losc",
        parameters={"source": "max-degree"},
        threads=2,
        frames=None,
        memory=None,
        backend=None,
        depth=None,
        verify=True,
        seconds=60,
        trace=False,
        settings=settings,
    )
    count(cell, str(BINARY), layout, out)
    document = json.loads(out.read_text())
    assert document["status"] == "ok", document["reason"]
    counts: dict[str, int] = document["counts"]
    assert counts.pop("program_lines") > 0
    return counts


@by_valgrind
def test_a_run_is_counted_and_not_what_is_around_it(layout: Path, tmp_path: Path) -> None:
    counts = counted(layout, tmp_path / "counts.json", "chunk_mmap")
    assert counts.keys() == {"instructions", "read_misses"}
    # At least an instruction for every two edges; opening the graph and writing the record would
    # take millions.
    edges = json.loads(layout.read_text())["layout"]["facts"]["edges"]
    assert edges / 2 < counts["instructions"] < 500 * edges
    assert 0 < counts["read_misses"] < counts["instructions"]


@by_valgrind
def test_an_engine_that_maps_its_layout_does_so_when_counted(layout: Path, tmp_path: Path) -> None:
    counted(layout, tmp_path / "counts.json", "chunk_mmap", residency="kernel")


@by_valgrind
def test_the_reason_is_what_outcore_said(layout: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"outcore: .*residency"):
        counted(layout, tmp_path / "counts.json", "chunk_mmap", residency="neither")


@by_valgrind
def test_a_part_of_a_run_is_counted_by_its_function(layout: Path, tmp_path: Path) -> None:
    out = tmp_path / "counts.json"
    constructed = counted(layout, out, "sync_subgraph", construction="parallel", schedule="full")
    fused = counted(layout, out, "sync_subgraph", construction="fused", schedule="full")
    assert constructed["construct_write_misses"] > 0
    assert fused == dict.fromkeys(constructed, 0)


def test_lines_of_a_program_are_those_without_blank_ones_and_comments(tmp_path: Path) -> None:
    (tmp_path / "two_words.cc").write_text("// one\n\nint f() {  // two\n  /* three\n  */\n}\n")
    (tmp_path / "two_words_program.h").write_text("int f();\n")
    assert program_lines("two-words", tmp_path) == 3
    assert 30 < program_lines("bfs", ROOT / "workloads") < 120


def test_without_valgrind_it_says_what_to_install(
    layout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match="apt-get install valgrind"):
        counted(layout, tmp_path / "counts.json", "chunk_mmap")


def test_counts_stand_in_the_record_of_their_cell(tmp_path: Path) -> None:
    cell = tmp_path / "first-light" / "host" / "0123456789ab"
    cell.mkdir(parents=True)
    (cell / "trial-1.json").write_text(json.dumps({"counts": {"batches": 3}}))
    (cell / "counts.json").write_text(json.dumps({"status": "ok", "counts": {"instructions": 7}}))
    assert read_record(cell / "trial-1.json")["counts"] == {"batches": 3, "instructions": 7}
