# SPDX-License-Identifier: Apache-2.0
"""The race viewer's page: what it holds of the runs, and which runs it refuses."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis.__main__ import main
from outcore_analysis.events import Events, Lane, decode_numbers, read_events, unzigzag
from outcore_analysis.viewer import ViewerError, page_of, shown_of, write_page, write_shown
from outcore_analysis.viewer.optimum import fewest_reads
from outcore_analysis.viewer.pack import merged
from outcore_analysis.viewer.sample import few_enough, mixed, told_of
from outcore_analysis.viewer.why import Account, factors_of, sentence_of, why_of
from recorded import KINDS, MODES, Run, events_of, make_grid, needs_binary, run_binary, run_mode


def runs_in(page: str) -> dict[str, Any]:
    """Return what a page says of its runs."""
    found = re.search(r'<script type="application/json" id="runs">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    shown: dict[str, Any] = json.loads(found[1])
    return shown


def columns_of(run: dict[str, Any]) -> Any:
    """Return a run's events as the page's program reads them, but for differences."""
    numbers = decode_numbers(zlib.decompress(base64.b64decode(run["data"])))
    return numbers.reshape(6, run["events"])


@needs_binary
def test_a_page_holds_both_runs(runs: dict[str, Run], tmp_path: Path) -> None:
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
        columns = columns_of(run)
        processed = columns[2] == run["kinds"].index("processed")
        assert columns[5][processed].sum() == record["work"]["edges_processed"]
        assert columns[0].sum() == run["end_us"]
        assert ("threads", "2") in map(tuple, run["facts"])


@needs_binary
def test_a_killed_run_is_shown_and_says_so(runs: dict[str, Run], tmp_path: Path) -> None:
    cut = tmp_path / "cut.events"
    cut.write_bytes(runs["sync"][0].read_bytes()[:-5])
    shown = runs_in(page_of([read_events(runs["async"][0]), read_events(cut)]))
    assert shown["runs"][1]["cut"]
    assert "killed" in shown["runs"][1]["warnings"][0]
    assert "did not end" in shown["same"]


@needs_binary
def test_runs_of_different_graphs_are_refused(runs: dict[str, Run], tmp_path: Path) -> None:
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
        "raw_bytes": 0,
    }
    end = {"status": "failed", "reason": "</x>"}
    run = Events(tmp_path / "x", header, KINDS, [], [], end, None)
    shown = runs_in(page_of([run]))
    assert shown["runs"][0]["events"] == 0
    assert shown["runs"][0]["warnings"][0] == "The run failed: </x>."


@needs_binary
def test_a_small_graph_is_drawn_and_each_of_its_vertices_is_told_of(
    searches: dict[str, Run],
) -> None:
    shown = runs_in(page_of([read_events(searches[mode][0]) for mode in MODES]))
    graph = shown["graph"]
    assert len(graph["edges"]) == 2 * 2 * 31 * 32
    assert len(set(zip(graph["x"], graph["y"], strict=True))) == 1024
    for mode, run in zip(MODES, shown["runs"], strict=True):
        assert run["source"] == searches[mode][1]["answer"]["summary"]["source"]
        columns = columns_of(run)
        found = columns[2] == run["kinds"].index("found")
        vertices = set(np.cumsum(unzigzag(columns[3]))[found].tolist())
        assert vertices | {run["source"]} == set(range(1024))
        assert run["told_of"] == 1
        assert found.sum() == 1023 or mode == "async", "rounds find each vertex once"


@needs_binary
def test_a_large_graph_is_not_drawn(runs: dict[str, Run]) -> None:
    run = read_events(runs["sync"][0])
    shown = runs_in(page_of([run]))
    assert shown["graph"] is None
    one_in = shown["runs"][0]["told_of"]
    assert run.header["id_space"] / one_in <= 512 < 2 * run.header["id_space"] / one_in
    columns = columns_of(shown["runs"][0])
    found = columns[2] == KINDS.index("found")
    vertices = np.unique(np.cumsum(unzigzag(columns[3]))[found])
    assert (mixed(vertices) % np.uint64(one_in) == 0).all()


@needs_binary
def test_the_optimum_is_that_of_the_cache_simulator(tmp_path: Path) -> None:
    """One thread, so that blocks are used in the order in which they are asked for."""
    graph = make_grid(tmp_path, 64)
    trace, events = tmp_path / "run.oct", tmp_path / "run.events"
    run_binary(
        *("run", graph, "--engine", "concurrent", "--layout", "acgraph", "--workload", "wcc"),
        *(
            "--frames",
            "16K",
            "--threads",
            "1",
            "--depth",
            "1",
            "--trace",
            trace,
            "--events",
            events,
        ),
    )
    shown = runs_in(page_of([read_events(events)]))
    replayed = json.loads(
        run_binary("cachesim", trace, "--policy", "opt", "--sizes", "16K", "--json")
    )
    misses = replayed["rows"][0]["misses"]
    assert shown["runs"][0]["optimum_bytes"] == misses * 4096


def test_the_optimum_drops_what_is_used_last() -> None:
    assert fewest_reads(np.array([1, 2, 3, 1, 2, 3]), 2) == 4
    assert fewest_reads(np.array([1, 2, 3, 1, 2, 3]), 3) == 3
    assert fewest_reads(np.array([1, 1, 1]), 1) == 1
    assert fewest_reads(np.array([1, 2, 1, 2]), 1) == 4


def test_a_page_of_too_many_events_keeps_whole_blocks_and_all_amounts() -> None:
    count = 60_000
    kind = np.tile([KINDS.index("asked"), KINDS.index("processed")], count // 2)
    block = np.repeat(np.arange(count // 2) % 10_000, 2)
    ones = np.ones(count, np.int64)
    totals = np.zeros((len(KINDS), 3), np.int64)
    lane = Lane(kind.astype(np.uint8), np.arange(count), block, ones, 3 * ones, totals)
    columns = merged(events_of([lane], 10_000))
    events = events_of([lane], 10_000)
    fewer, one_in = few_enough(events, columns, most=20_000)
    assert one_in == 4
    assert 10_000 < len(fewer["time"]) <= 20_000
    assert (fewer["kind"][0], fewer["value"][0]) == (KINDS.index("sampled"), 2)
    asked = fewer["kind"] == KINDS.index("asked")
    processed = fewer["kind"] == KINDS.index("processed")
    kept = np.unique(fewer["block"][asked])
    assert set(kept) == set(fewer["block"][processed])
    assert asked.sum() == sum((block[::2] == b).sum() for b in kept), "all of a block, or nothing"
    last = int(np.flatnonzero(np.isin(block, kept) & (kind == KINDS.index("processed")))[-1])
    assert fewer["value"][processed].sum() == 3 * (last // 2 + 1), "amounts are all told"
    assert few_enough(events, columns)[1] == 1


def test_vertices_are_chosen_as_the_binary_does() -> None:
    """SplitMix64's finaliser, as in common/hash.h."""
    assert mixed([0, 1]).tolist() == [0xE220A8397B1DCDAF, 0x910A2DEC89025CC1]
    assert [told_of(n) for n in (0, 2000, 2001, 4096, 16384)] == [1, 1, 4, 8, 32]


@needs_binary
def test_a_failed_run_is_shown_up_to_there(runs: dict[str, Run]) -> None:
    run = read_events(runs["sync"][0])
    failed = replace(run, end={"status": "failed", "reason": "read: I/O error"})
    shown = runs_in(page_of([failed]))["runs"][0]
    assert shown["warnings"] == ["The run failed: read: I/O error."]
    assert shown["status"] == "failed"
    assert shown["events"] > 0


def test_the_causes_of_a_difference_multiply_to_it() -> None:
    few = Account("async", edges=100, bytes=1000, seconds=0.01)
    many = Account("sync", edges=2000, bytes=30_000, seconds=0.15)
    factors = factors_of(few, many)
    assert factors == pytest.approx(
        {"edges processed": 20, "bytes an edge": 1.5, "bytes a second": 2, "time": 15}
    )
    assert factors["edges processed"] * factors["bytes an edge"] / factors[
        "bytes a second"
    ] == pytest.approx(factors["time"])
    said = "sync takes 15 times the time of async, first of all because it processes 20 times"
    assert sentence_of(few, many).startswith(said)
    assert sentence_of(many, few).startswith(said), "whichever is named first"
    slow = Account("slow", edges=100, bytes=1000, seconds=0.1)
    assert sentence_of(few, slow).endswith(
        "because the other reads 10 times the bytes in a second."
    )
    heavy = Account("heavy", edges=100, bytes=5000, seconds=0.05)
    assert sentence_of(few, heavy).endswith("because it reads 5.0 times the bytes for an edge.")
    assert sentence_of(few, few) == "async and async take about as long."
    why = why_of([few, many])
    assert why is not None
    assert [row["times"] for row in why["rows"]] == [
        ["20 times"],
        ["1.5 times"],
        ["2.0 times"],
        ["15 times"],
    ]
    assert why_of([few]) is None
    assert why_of([few, Account("in memory", edges=5, bytes=0, seconds=1)]) is None


@needs_binary
def test_the_page_says_why(runs: dict[str, Run]) -> None:
    why = runs_in(page_of([read_events(runs[mode][0]) for mode in MODES]))["why"]
    edges = [runs[mode][1]["work"]["edges_processed"] for mode in MODES]
    assert why["rows"][0]["values"] == [f"{number:,}" for number in edges]
    assert "it processes" in why["sentences"][0]


def test_files_that_are_not_there_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, page = tmp_path / "missing.events", tmp_path / "race.html"
    assert main(["viewer", str(missing), "-o", str(page)]) == 2
    assert capsys.readouterr().err == f"{missing}: cannot be read: No such file or directory\n"
    with pytest.raises(ViewerError, match=r"/proc/x/race.html: cannot be written"):
        write_shown(shown_of([events_of([], 1)]), Path("/proc/x/race.html"))
