# SPDX-License-Identifier: Apache-2.0
"""CAVE's cache pool, on the command line and in the `settings` of an experiment."""

from pathlib import Path

from outcore_analysis.records import runs_of
from workbench import make_workbench, run_plan

from .conftest import BINARY, Runs, outcore, read_record

EXPERIMENT = {
    "title": "A cache in place of frames",
    "answers": "What does it keep?",
    "layouts": {"firstfit": {"pack": "firstfit"}},
    "engines": {
        "concurrent": {
            "layouts": ["firstfit"],
            "frames": ["64K"],
            "depth": [4],
            "settings": [{}, {"cache": "clock"}],
        }
    },
    "workloads": {"bfs": {"source": "max-degree"}},
    "profiles": {"smoke": {"graphs": ["kron"], "trials": 1}},
}


def test_a_cache_keeps_what_frames_forget(runs: Runs) -> None:
    asked = {"workload": "pagerank", "frames": "1M", "depth": 4, "verify": True}
    frames = runs.run(**asked)
    assert frames["asked"]["settings"] == {}
    assert frames["cache"] is None
    done = outcore(*runs.words(engine="concurrent:cache=clock", **asked))
    assert "  cache    clock of " in done.stdout
    record = runs.record()
    assert record["asked"]["settings"] == {"cache": "clock"}
    assert record["cache"]["policy"] == "clock"
    assert record["cache"]["hits"] > 0
    assert record["cache"]["slots"] == record["layout"]["bytes"]["blocks"] / 4096
    assert record["cache"]["evictions"] == 0
    read = record["io"]["requested_bytes"]
    assert read == 4096 * record["cache"]["misses"]
    assert read == record["layout"]["bytes"]["blocks"], "once each"
    assert read < frames["io"]["requested_bytes"]


def test_a_cache_without_room_for_all_evicts(runs: Runs) -> None:
    asked = {"engine": "concurrent:cache=clock", "workload": "pagerank", "verify": True}
    cache = runs.run(frames="64K", depth=4, **asked)["cache"]
    assert cache["slots"] == 16
    assert cache["evictions"] > 0
    assert cache["misses"] - cache["evictions"] <= 16


def test_an_experiment_asks_for_the_cache_by_its_settings(tmp_path: Path) -> None:
    bench = make_workbench(tmp_path, "smoke")
    experiment = str(bench.write("caches.yaml", EXPERIMENT))
    bench.config |= {"binary": str(BINARY), "experiments": [experiment]}
    plan = bench.plan()
    assert plan.missing() == []
    run_plan(plan)
    paths = [Path(path) for path in plan.records()]
    records = [read_record(path) for path in paths]
    policies = {str(record["asked"]["settings"]): record["cache"] for record in records}
    assert policies["{}"] is None
    assert policies["{'cache': 'clock'}"]["policy"] == "clock"
    table = runs_of(map(read_record, paths))
    assert list(table["status"]) == ["ok", "ok"]
    assert sorted(table["options"]) == ["", "cache=clock"]
    assert table["digest"].nunique() == 1
