# SPDX-License-Identifier: Apache-2.0
"""Events: the reader against files of the binary, and the viewer's page."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis.events import (
    Events,
    EventsError,
    decode_numbers,
    encode_numbers,
    read_events,
    unzigzag,
    zigzag,
)
from outcore_analysis.viewer import ViewerError, page_of, write_page

BINARY = Path(os.environ.get("OUTCORE_BINARY", "build/release/outcore")).absolute()
needs_binary = pytest.mark.skipif(not BINARY.exists(), reason="outcore is not built")
MODES = ("async", "sync")


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


def run_mode(graph: Path, mode: str) -> tuple[Path, dict[str, Any]]:
    """Run WCC in a mode of one engine; return its events and its record."""
    events = graph.parent / f"{graph.name}-{mode}.events"
    record = graph.parent / f"{graph.name}-{mode}.json"
    run_binary(
        *("run", graph, "--engine", f"async_block:mode={mode}", "--workload", "wcc"),
        *("--frames", "16K", "--threads", "2", "--depth", "4"),
        *("--events", events, "--record", record),
    )
    return events, json.loads(record.read_text())


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Return the one knob on a small grid: events and record of each mode."""
    graph = make_grid(tmp_path_factory.mktemp("events"), 64)
    return {mode: run_mode(graph, mode) for mode in MODES}


def test_numbers_of_every_length_come_back() -> None:
    numbers = [0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1]
    assert decode_numbers(encode_numbers(numbers)).tolist() == numbers
    signed = [0, -1, 1, -2, 2**40, -(2**40)]
    assert unzigzag(zigzag(signed)).tolist() == signed
    assert decode_numbers(b"").tolist() == []
    assert encode_numbers([]) == b""
    with pytest.raises(ValueError, match="no end"):
        decode_numbers(b"\x80")
    with pytest.raises(ValueError, match="64 bits"):
        decode_numbers(b"\xff" * 11 + b"\x00")


@needs_binary
@pytest.mark.parametrize("mode", MODES)
def test_events_are_what_the_record_counts(
    runs: dict[str, tuple[Path, dict[str, Any]]], mode: str
) -> None:
    path, record = runs[mode]
    events = read_events(path)
    assert events.cut is None
    assert events.end is not None
    assert events.end["digest"] == record["answer"]["digest"]
    assert events.total("asked")[0] == record["io"]["requests"]
    assert events.total("asked")[1] * 4096 == record["io"]["requested_bytes"]
    assert events.total("processed")[2] == record["work"]["edges_processed"]
    assert events.total("round_began")[0] == record["work"]["rounds"]
    assert events.header["asked"]["engine"] == "async_block"
    assert events.sampled == 1
    for lane in events.lanes:
        assert (np.diff(lane.time) >= 0).all()
        for kind in range(len(events.kinds)):
            of_kind = lane.kind == kind
            assert of_kind.sum() == lane.totals[kind][0] or events.kinds[kind] == "sampled"
            assert lane.count[of_kind].sum() == lane.totals[kind][1]


@needs_binary
def test_the_binary_reads_the_same(runs: dict[str, tuple[Path, dict[str, Any]]]) -> None:
    path, _ = runs["sync"]
    events = read_events(path)
    shown = json.loads(run_binary("trace", path, "--json"))
    for name, total in shown["totals"].items():
        assert (total["events"], total["count"], total["value"]) == events.total(name)
    assert shown["held"] == sum(len(lane) for lane in events.lanes)


@needs_binary
def test_cut_and_damaged_files(
    runs: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    whole = runs["sync"][0].read_bytes()
    cut = tmp_path / "cut.events"
    cut.write_bytes(whole[:-5])
    events = read_events(cut)
    assert events.end is None
    assert events.cut is not None
    assert events.cut < len(whole) - 5
    damaged = bytearray(whole)
    damaged[-1] ^= 1
    cut.write_bytes(damaged)
    with pytest.raises(EventsError, match="checksum"):
        read_events(cut)
    cut.write_bytes(whole.replace(b'"outcore_events":1', b'"outcore_events":7', 1))
    with pytest.raises(EventsError, match="version 7"):
        read_events(cut)
    cut.write_bytes(b"{}\n")
    with pytest.raises(EventsError, match="no such line"):
        read_events(cut)
    cut.write_bytes(whole + b"rest")
    with pytest.raises(EventsError, match="4 bytes behind"):
        read_events(cut)


def runs_in(page: str) -> dict[str, Any]:
    """Return what a page says of its runs."""
    found = re.search(r'<script type="application/json" id="runs">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    shown: dict[str, Any] = json.loads(found[1])
    return shown


@needs_binary
def test_a_page_holds_both_runs(
    runs: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    out = tmp_path / "race.html"
    write_page([runs[mode][0] for mode in MODES], out)
    page = out.read_text()
    assert "http:" not in page.split('id="runs"')[0]
    shown = runs_in(page)
    assert [run["name"] for run in shown["runs"]] == [
        "async_block:mode=async",
        "async_block:mode=sync",
    ]
    assert shown["same"] == "The runs gave the same answer (digest)."
    for mode, run in zip(MODES, shown["runs"], strict=True):
        record = runs[mode][1]
        assert run["asked_bytes"] == record["io"]["requested_bytes"]
        assert run["rounds"] == record["work"]["rounds"]
        numbers = decode_numbers(zlib.decompress(base64.b64decode(run["data"])))
        columns = numbers.reshape(6, run["events"])
        processed = columns[2] == run["kinds"].index("processed")
        assert columns[5][processed].sum() == record["work"]["edges_processed"]
        assert columns[0].sum() == run["end_us"]


@needs_binary
def test_a_killed_run_is_shown_and_says_so(
    runs: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    cut = tmp_path / "cut.events"
    cut.write_bytes(runs["sync"][0].read_bytes()[:-5])
    shown = runs_in(page_of([read_events(runs["async"][0]), read_events(cut)]))
    assert shown["runs"][1]["cut"]
    assert "killed" in shown["runs"][1]["warnings"][0]
    assert "did not end" in shown["same"]


@needs_binary
def test_runs_of_different_graphs_are_refused(
    runs: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    other, _ = run_mode(make_grid(tmp_path, 32), "sync")
    with pytest.raises(ViewerError, match=r"run over graph grid32, .* over grid64"):
        page_of([read_events(runs["sync"][0]), read_events(other)])
    one = read_events(runs["sync"][0])
    with pytest.raises(ViewerError, match="found 5 runs"):
        page_of([one] * 5)


def test_a_run_without_events_has_a_page(tmp_path: Path) -> None:
    header = {
        "tick_ns": 100,
        "graph": {"name": "g", "checksum": "c", "vertices": 1, "edges": 0},
        "asked": {
            **{"engine": "in_memory", "workload": "bfs", "layout": "csr", "backend": ""},
            **{"threads": 1, "depth": 1},
        },
        "parameters": {},
        "build": {"version": "1"},
        "layout_blocks": [3],
        "block_bytes": 4096,
    }
    kinds = ["asked", "processed", "sampled", "round_began"]
    kinds += ["waited", "worked", "stalled", "idled"]
    end = {"status": "failed", "reason": "</x>"}
    run = Events(tmp_path / "x", header, kinds, [], [], end, None)
    shown = runs_in(page_of([run]))
    assert shown["runs"][0]["events"] == 0
    assert shown["runs"][0]["warnings"][0] == "The run failed: </x>."
