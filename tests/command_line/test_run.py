# SPDX-License-Identifier: Apache-2.0
"""`outcore run` that ends well: its record, its answers, what it reads and what it writes."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis import load_values

from .conftest import ENGINES, Runs, engines_for, outcore, plainest_layout

NUMERICAL = ["bc", "pagerank", "pagerank-delta", "pagerank-push", "ppr", "spmv"]
EXACT = ["bfs", "bfs-do", "coreness", "dfs", "kcore", "mis", "radii", "random-walk", "sssp", "wcc"]
WORKLOADS = EXACT + NUMERICAL
SEARCHES = ["bfs", "bfs-do", "sssp", "dfs", "bc", "ppr"]  # from a source


def needs_a_disk(record: Any) -> None:
    """Skip if files are in memory: nothing can be evicted or read from a device."""
    if record["device"]["filesystem"] in ("tmpfs", "ramfs"):
        pytest.skip("the temporary folder lies in memory: set --basetemp to one on a disk")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_engine_gives_the_same_verified_answer(runs: Runs, workload: str) -> None:
    records = [
        runs.run(engine=engine, workload=workload, verify=True) for engine in engines_for(workload)
    ]
    for record in records:
        assert record["outcome"] == {"status": "ok", "reason": "", "exit_code": 0}
        assert record["answer"]["verified"]["passed"] is True
        assert record["answer"]["exact"] is (workload in EXACT)
    if workload in EXACT:
        assert len({record["answer"]["digest"] for record in records}) == 1


def test_the_answer_does_not_hang_on_the_layout_or_its_numbering(runs: Runs) -> None:
    outcore("layout", runs.graph, "--number", "random", "--name", "shuffled", "--force")
    layouts = ["firstfit", "csr", "shuffled"]
    digests = {runs.run(layout=name, verify=True)["answer"]["digest"] for name in layouts}
    assert len(digests) == 1


def test_arrays_in_files_change_no_answer(runs: Runs) -> None:
    folder = runs.folder / "state"
    folder.mkdir()
    asked = {"workload": "sssp", "threads": 1}
    in_memory = runs.run(**asked)
    assert in_memory["asked"]["state"] == "memory"
    assert in_memory["state_files"] is None
    assert in_memory["memory"]["distance_bytes"] == 4 * 4096
    in_files = runs.run(state=f"file:{folder}", **asked)
    assert in_files["answer"]["digest"] == in_memory["answer"]["digest"]
    assert in_files["asked"]["state"] == f"file:{folder}"
    assert in_files["state_files"]["distance_bytes"] == 4 * 4096
    assert set(in_files["state_files"]) <= {"distance_bytes", "messages_bytes"}
    assert "distance_bytes" not in in_files["memory"]
    assert list(folder.iterdir()) == [], "the files have no names"


def test_arrays_go_to_files_when_they_would_take_more_memory_than_they_may(runs: Runs) -> None:
    record = runs.run(workload="pagerank", state=f"file:{runs.folder}", state_memory="20K")
    assert record["asked"]["state_memory_bytes"] == 20 << 10
    assert record["memory"]["rank_bytes"] == 4 * 4096
    assert record["state_files"] == {"heard_bytes": 4 * 4096, "messages_bytes": 4 * 4096}
    assert record["counts"]["state_written_bytes"] > 0


def test_frames_are_what_the_limit_of_memory_leaves_where_none_are_given(runs: Runs) -> None:
    asked = {"engine": "sync_subgraph", "workload": "pagerank"}
    assert runs.run(**asked)["pool"]["frames_bytes"] == 64 << 20
    records = [runs.run(memory=memory, **asked) for memory in ("200M", "300M")]
    frames = [record["pool"]["frames_bytes"] for record in records]
    assert frames[1] - frames[0] == 100 << 20
    assert 100 << 20 < frames[0] < 200 << 20
    for record in records:
        assert record["asked"]["frames_bytes"] == record["pool"]["frames_bytes"]
    said = runs.run(memory="200M", frames="1M", **asked)
    assert said["pool"]["frames_bytes"] == 1 << 20
    other = runs.run(engine="concurrent", memory="200M")
    assert other["pool"]["frames_bytes"] == 64 << 20


def test_the_kernel_reads_what_is_requested(runs: Runs) -> None:
    record = runs.run(engine="concurrent:cache=frames", workload="pagerank")
    needs_a_disk(record)
    io = record["io"]
    if not io["kernel_available"]:
        pytest.skip("the kernel does not tell what it read")
    layout_bytes = record["layout"]["bytes"]["blocks"]
    assert io["requested_bytes"] == 10 * layout_bytes, "every block in each of ten rounds"
    assert io["kernel_bytes"] == pytest.approx(io["requested_bytes"], rel=0.01)
    assert io["touched_bytes"] == 10 * 4 * record["graph"]["edges"]
    assert io["notes"] == []


def test_a_run_starts_cold_unless_asked_otherwise(runs: Runs) -> None:
    record = runs.run(buffered=True)
    needs_a_disk(record)
    assert record["start"]["temperature"] == "cold"
    warm = runs.run(buffered=True, warm=True)
    assert warm["start"]["temperature"] == "warm"
    assert warm["start"]["residency"] > 0.01
    cold = runs.run()
    assert cold["start"] == {"residency": 0.0, "temperature": "cold"}


@pytest.mark.parametrize(
    ("frames", "in_memory"), [("6%", False), ("24%", False), ("25%", True), ("64M", True)]
)
def test_large_pools_are_labelled_in_memory(runs: Runs, frames: str, in_memory: bool) -> None:
    record = runs.run(frames=frames)
    assert record["pool"]["in_memory"] is in_memory
    assert record["pool"]["frames_bytes"] == record["asked"]["frames_bytes"]


def test_the_engine_that_holds_the_graph_is_labelled_in_memory(runs: Runs) -> None:
    assert runs.run(engine="in_memory", frames="6%")["pool"]["in_memory"] is True


def test_json_prints_the_record_that_is_written(runs: Runs) -> None:
    done = outcore(*runs.words(json=True))
    assert json.loads(done.stdout) == json.loads((runs.folder / "record.json").read_text())
    assert done.stderr == ""


def test_parameters_of_an_engine_stand_in_the_record(runs: Runs) -> None:
    record = runs.run(engine="async_block:mode=sync,early_stop=2")
    assert record["asked"]["engine"] == "async_block"
    assert record["asked"]["settings"] == {"mode": "sync", "early_stop": "2"}
    assert record["work"]["rounds"] > 1
    assert runs.run(engine="async_block")["asked"]["settings"] == {}


def test_without_a_record_nothing_is_left_behind(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(runs.folder))
    done = outcore(*runs.words(record=None, verify=True))
    assert "verified by serial search with a queue" in done.stdout
    assert list(runs.folder.iterdir()) == []


@pytest.fixture
def sparse_ids(tmp_path: Path) -> Runs:
    """A path and a pair whose ids are far apart."""
    edges = tmp_path / "edges.txt"
    edges.write_text("# a path and a pair\n100 7\n7 9000000000\n55 56\n")
    runs = Runs(tmp_path / "graph", tmp_path)
    outcore("import", edges, runs.graph, "--symmetric")
    outcore("layout", runs.graph)
    return runs


def test_output_and_source_are_in_the_ids_of_the_imported_file(sparse_ids: Runs) -> None:
    output = sparse_ids.folder / "levels.txt"
    record = sparse_ids.run(source=9000000000, output=output, verify=True)
    assert record["asked"]["parameters"] == {"source": "9000000000"}
    assert record["answer"]["summary"] == {"source": 9000000000, "reached": 3, "depth": 2}
    assert record["answer"]["output"] == str(output)
    none = 2**32 - 1
    assert output.read_text() == f"7 1\n55 {none}\n56 {none}\n100 2\n9000000000 0\n"
    sparse_ids.run(source=9000000000, output=output.with_suffix(".npy"))
    rows = np.load(output.with_suffix(".npy"))
    assert rows.dtype == np.dtype([("vertex", "<u8"), ("value", "<u4")])
    assert rows.tolist() == [(7, 1), (55, none), (56, none), (100, 2), (9000000000, 0)]


def test_every_vertex_that_is_named_is_in_the_ids_of_the_imported_file(sparse_ids: Runs) -> None:
    output = sparse_ids.folder / "found.txt"
    found = sparse_ids.run(workload="dfs", source=100, set="target=9000000000", output=output)
    assert found["answer"]["summary"]["found"] is True
    assert load_values(output)[9000000000] == 1
    lost = sparse_ids.run(workload="dfs", source=100, set="target=56")
    assert lost["answer"]["summary"]["found"] is False
    _, message = sparse_ids.fail(2, workload="dfs", set="target=3")
    assert "--set target=3: there is no such vertex" in message
    summary = sparse_ids.run(workload="bc", source=9000000000)["answer"]["summary"]
    assert (summary["roots"], summary["most_central"]) == ([9000000000], 7)
    assert sparse_ids.run(workload="ppr", source=55)["answer"]["summary"]["sources"] == [55]


@pytest.mark.parametrize(("workload", "name"), [("bc", "roots"), ("ppr", "sources")])
def test_sources_that_are_joined_are_those_of_one_run(
    sparse_ids: Runs, workload: str, name: str
) -> None:
    summary = sparse_ids.run(workload=workload, source="9000000000+55")["answer"]["summary"]
    assert summary[name] == [55, 9000000000]
    rows = sparse_ids.run(workload=workload, source="7+100,55")["trials"]
    assert [row["summary"][name] for row in rows] == [[7, 100], [55]]


@pytest.mark.parametrize(
    "words",
    [
        {"workload": "wcc"},
        {"workload": "wcc", "set": "form=search"},
        {"workload": "wcc", "set": "form=sample"},
        {"heads": True},
    ],
)
def test_components_are_labelled_in_the_ids_of_the_imported_file(
    sparse_ids: Runs, words: dict[str, Any]
) -> None:
    if words.pop("heads", False):
        outcore("layout", sparse_ids.graph, "--heads", 2, "--name", "heads")
        words = {"workload": "wcc-sample", "layout": "heads"}
    expected = [(7, 7), (55, 55), (56, 55), (100, 7), (9000000000, 7)]
    text, binary = sparse_ids.folder / "labels.txt", sparse_ids.folder / "labels.npy"
    for output in (text, binary):
        sparse_ids.run(output=output, **words)
    assert text.read_text() == "".join(f"{v} {label}\n" for v, label in expected)
    rows = np.load(binary)
    assert rows.dtype == np.dtype([("vertex", "<u8"), ("value", "<u8")])
    assert rows.tolist() == expected
    assert list(load_values(text).items()) == list(load_values(binary).items()) == expected


@pytest.mark.parametrize(
    ("workload", "value_type"), [("bfs", "u4"), ("sssp", "f4"), ("pagerank", "f4"), ("bc", "f4")]
)
def test_text_and_binary_output_hold_the_same_values_to_the_bit(
    runs: Runs, workload: str, value_type: str
) -> None:
    binary, text = runs.folder / "values.npy", runs.folder / "values.txt"
    # With one thread, because then sums of floats are added in the same order.
    for output in (binary, text):
        record = runs.run(workload=workload, threads=1, engine="in_memory", output=output)
    rows = np.load(binary)
    assert rows["value"].dtype == np.dtype(value_type)
    assert rows["vertex"].tolist() == list(range(record["graph"]["vertices"]))
    assert (binary.stat().st_size - 12 * len(rows)) % 64 == 0, "aligned, so that it can be mapped"
    kind = rows["value"].dtype.type
    lines = [line.split() for line in text.read_text().splitlines()]
    assert [int(vertex) for vertex, _ in lines] == rows["vertex"].tolist()
    assert np.array([kind(word) for _, word in lines]).tobytes() == rows["value"].tobytes()
    assert load_values(text).equals(load_values(binary).astype(load_values(text).dtype))


def test_output_has_a_line_for_every_vertex(runs: Runs) -> None:
    output = runs.folder / "ranks.txt"
    record = runs.run(workload="pagerank", output=output)
    ranks = load_values(output)
    assert ranks.index.tolist() == list(range(record["graph"]["vertices"]))
    assert 0.5 < ranks.sum() <= 1.001


def test_a_trace_tells_trace_and_cachesim_what_was_read(runs: Runs) -> None:
    trace = runs.folder / "run.oct"
    record = runs.run(workload="wcc", trace=trace)
    assert record["trace"]["path"] == str(trace)
    assert record["trace"]["accesses"] * 4096 == record["io"]["requested_bytes"]
    summary = json.loads(outcore("trace", trace, "--json").stdout)
    assert summary["accesses"] == record["trace"]["accesses"]
    assert summary["rounds"] == record["work"]["rounds"]
    words = ["--policy", "opt,lru", "--sizes", "64M", "--json"]
    rows = json.loads(outcore("cachesim", trace, *words).stdout)["rows"]
    assert len(rows) == 2
    for row in rows:
        assert row["misses"] == record["layout"]["bytes"]["blocks"] // 4096, "each block once"


def test_in_memory_is_traced_too_and_reads_each_block_once(runs: Runs) -> None:
    traced = runs.run(engine="in_memory", workload="wcc", trace=runs.folder / "run.oct")["trace"]
    assert traced["accesses"] == traced["optimum"]["distinct"] > 0
    assert traced["optimum"]["times_optimal"] == 1


def test_a_record_is_replaced_whole(runs: Runs) -> None:
    path = runs.folder / "record.json"
    path.write_text("what stood here before")
    assert runs.run()["outcome"]["status"] == "ok"
    assert list(runs.folder.iterdir()) == [path]


def test_set_takes_one_assignment_and_leaves_the_graph(runs: Runs) -> None:
    words = runs.words(workload="kcore")
    outcore(words[0], "--set", "k=3", *words[1:])
    record = json.loads((runs.folder / "record.json").read_text())
    assert record["asked"]["parameters"] == {"k": "3"}


def one_vertex(tmp_path: Path, *flags: str) -> Runs:
    """Runs of a graph of one vertex with a loop, or without."""
    edges = tmp_path / "loop.txt"
    edges.write_text("3 3\n")
    runs = Runs(tmp_path / "graph", tmp_path)
    outcore("import", edges, runs.graph, "--symmetric", *flags)
    for pack in {plainest_layout(engine) for engine in ENGINES}:
        outcore("layout", runs.graph, "--pack", pack)
    return runs


def test_a_graph_of_one_loop_runs(tmp_path: Path) -> None:
    runs = one_vertex(tmp_path, "--keep-loops")
    for workload in WORKLOADS:
        for engine in engines_for(workload):
            graph = runs.run(engine=engine, workload=workload, verify=True)["graph"]
            assert (graph["vertices"], graph["loops"]) == (1, 1)


def test_a_graph_without_edges_runs(tmp_path: Path) -> None:
    """Searches then need a source, because no vertex has the most edges."""
    runs = one_vertex(tmp_path)
    for workload in WORKLOADS:
        source = 3 if workload in SEARCHES else None
        if source is not None:
            message = runs.fail(2, workload=workload)[1]
            assert "--source max-degree: no vertex of this graph has an edge" in message
        for engine in engines_for(workload):
            asked = {"engine": engine, "workload": workload, "source": source, "verify": True}
            graph = runs.run(**asked)["graph"]
            assert (graph["vertices"], graph["edges"]) == (1, 0)


def test_each_trial_starts_anew_and_has_a_row(runs: Runs) -> None:
    record = runs.run(trials=5, source="random:3", verify=True)
    assert record["asked"]["trials"] == 5
    assert record["asked"]["parameters"] == {"source": "random:3"}
    rows = record["trials"]
    assert [row["source"] for row in rows] == [f"random:{seed}" for seed in range(3, 8)]
    assert len({row["summary"]["source"] for row in rows}) > 1, "each from another vertex"
    for row in rows:
        assert row["verified"] is True
        assert row["requested_bytes"] > 0, "nothing is kept from the trial before"
        alone = runs.run(source=row["source"])
        assert (alone["answer"]["digest"], alone["answer"]["summary"]) == (
            row["digest"],
            row["summary"],
        )
        assert [only["shown"] for only in alone["trials"]] == [True]


def test_the_record_is_that_of_the_trial_with_the_median_time(runs: Runs) -> None:
    for trials in (4, 5):
        record = runs.run(trials=trials, source="1,random:1")
        rows = record["trials"]
        assert [row["source"] for row in rows] == ["1", "random:1", "1", "random:2", "1"][:trials]
        (shown,) = [row for row in rows if row["shown"]]
        times = sorted(row["phases"]["run_s"] for row in rows)
        assert shown["phases"]["run_s"] == times[(trials - 1) // 2]
        assert shown["phases"] == record["phases"]
        assert shown["digest"] == record["answer"]["digest"]
        assert shown["requested_bytes"] == record["io"]["requested_bytes"]


def test_several_sources_are_a_trial_each(runs: Runs) -> None:
    done = outcore(*runs.words(source="5,max-degree,5"))
    assert "(median of 3, " in done.stdout
    rows = runs.record()["trials"]
    assert [row["source"] for row in rows] == ["5", "max-degree", "5"]
    assert [rows[0]["digest"] == row["digest"] for row in rows] == [True, False, True]


def test_without_a_source_every_trial_begins_at_the_vertex_with_most_edges(runs: Runs) -> None:
    """And not at random, as in GAP's programs; the help and README.md say so."""
    degrees = np.diff(np.fromfile(runs.graph / "out.offsets", "<u8"))
    rows = runs.run(trials=3)["trials"]
    assert {row["summary"]["source"] for row in rows} == {int(degrees.argmax())}
    told = "default: max-degree in every trial (random:1 takes another vertex in each trial, as GAP"
    assert told in " ".join(outcore("run", "--help").stdout.split())


@pytest.mark.parametrize(("workload", "name"), [("bc", "roots"), ("ppr", "sources")])
def test_many_sources_are_cut_short_for_people_and_whole_in_the_record(
    runs: Runs, workload: str, name: str
) -> None:
    words = runs.words(workload=workload, source="random:1", set=f"{name}=20")
    told = outcore(*words).stdout
    ids = runs.record()["answer"]["summary"][name]
    assert len(set(ids)) == 20
    assert f"from {', '.join(map(str, ids[:4]))}, ... 20 in all" in told


def test_gap_output_is_what_scripts_for_gap_read(runs: Runs) -> None:
    words = [*runs.words(gap_output=True), "-n", "3", "-r", "7", "-v"]
    lines = [line.rpartition(":") for line in outcore(*words).stdout.splitlines()]
    trial = ["Trial Time", "Verification", "Verification Time"]
    edges = runs.record()["graph"]["edges"] // 2
    assert [name for name, _, _ in lines] == [
        "Read Time",
        f"Graph has 4096 nodes and {edges} undirected edges for degree",
        *trial * 3,
        "Average Time",
    ]
    rows = runs.record()["trials"]
    times = [float(value) for name, _, value in lines if name == "Trial Time"]
    assert times == pytest.approx([row["phases"]["run_s"] for row in rows], abs=1e-5)
    assert float(lines[-1][2]) == pytest.approx(sum(times) / 3, abs=1e-5)
    assert {value for name, _, value in lines if name == "Verification"} == {"           PASS"}
    for line in outcore(*words).stdout.splitlines():
        assert line.startswith("Graph") or line[20] == " ", "values begin in column 22"
    alone = outcore(*runs.words(gap_output=True, workload="pagerank")).stdout
    assert "Verification" not in alone


def test_a_traced_run_says_how_far_from_optimal_it_read(runs: Runs, tmp_path: Path) -> None:
    """For its pool and its order of accesses; `outcore cachesim` finds the same for the trace."""
    path = tmp_path / "t.oct"
    words = runs.words(workload="pagerank", frames="64K", threads=1, trace=path)
    text = outcore(*words).stdout
    record = runs.record()
    optimum = record["trace"]["optimum"]
    found = json.loads(
        outcore("cachesim", path, "--policy", "opt", "--sizes", "64K", "--json").stdout
    )
    assert optimum["pool_units"] == 16
    assert optimum["distinct"] == found["distinct"]
    assert optimum["bytes"] == found["rows"][0]["miss_bytes"]
    times = record["io"]["requested_bytes"] / optimum["bytes"]
    assert optimum["times_optimal"] == pytest.approx(times)
    assert 1 < times < 1.5, "the engine keeps nothing, and OPT not much more"
    assert f"{times:.2f} times optimal" in text


def test_times_hold_against_one_another(runs: Runs) -> None:
    """Each request takes 5 ms at least, one after the other, whatever a clock says."""
    slow = {"backend": "fault", "fault": "delay:5", "threads": 1, "depth": 1, "max_request": "4K"}
    start = time.monotonic()
    record = runs.run(**slow)
    wall = time.monotonic() - start
    phases = record["phases"]
    assert record["io"]["requests"] > 20
    assert 0.005 * record["io"]["requests"] <= phases["run_s"]
    parts = sum(phases[name] for name in ("open_s", "prepare_s", "run_s", "collect_s"))
    assert parts <= phases["total_s"] <= wall
    lasted = record["timeline"][-1]["t"]
    assert phases["prepare_s"] + phases["run_s"] <= lasted + 0.001
    assert lasted <= phases["total_s"]
    assert sum(row["seconds"] for row in record["rounds"]) <= phases["run_s"]


def test_the_timeline_ends_with_what_the_kernel_counted_in_all(runs: Runs) -> None:
    record = runs.run(workload="pagerank")
    if not record["io"]["kernel_available"]:
        pytest.skip("the kernel does not say")
    last = record["timeline"][-1]["kernel_bytes"]
    assert last == pytest.approx(record["io"]["kernel_bytes"], rel=0.02)
    if "direct" in record["io"]["backend_traits"]:
        assert last == pytest.approx(record["io"]["requested_bytes"], rel=0.02)
