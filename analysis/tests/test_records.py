# SPDX-License-Identifier: Apache-2.0
"""Records to tables: every row is found, and derived columns are computed in another way."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from outcore_analysis import load
from outcore_analysis.documented import column_docs
from outcore_analysis.material import collect
from outcore_analysis.records import RUNS, TABLES, frame, layouts_table, runs_of
from outcore_analysis.summary import summary_table
from outcore_analysis.yamllines import validator
from workbench import Workbench


def test_load_finds_every_record_and_nothing_else(copied: Workbench) -> None:
    plan = copied.plan()
    cell = Path(plan.records()[0]).parent
    (cell / "trial-1.invalid.json").write_text("{}")
    runs = load(copied.config["results_folder"])
    assert len(runs) == len(plan.records()) == 26
    assert set(runs["campaign"]) == {"trial-run"}
    assert set(runs["config"]) == set(plan.cells)
    assert sorted(set(runs["trial"])) == [1, 2, 3]


def test_derived_columns_follow_from_the_record(find_record: Callable[..., Path]) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    runs = load(path.parents[3])
    row = runs[runs["record"] == str(path)].iloc[0]
    phases = record["phases"]
    assert row["seconds"] == pytest.approx(
        phases["total_s"] - 0.2 * phases["run_s"] + 0.15 * phases["run_s"]
    )
    assert row["requested_bytes_per_edge"] == pytest.approx(8.6, rel=1e-3)
    assert row["family"] == "kronecker"
    assert row["parameters"] == "source=max-degree"
    assert not row["traced"]
    assert row["times_optimal"] is None or row["times_optimal"] != row["times_optimal"]
    traced = runs[runs["traced"].astype(bool)]
    assert set(traced["times_optimal"]) == {1.25}, "as the stub says"


def test_columns_are_the_fields_of_their_names(find_record: Callable[..., Path]) -> None:
    """Each of a number of its own, as two that are equal could be exchanged."""
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    fields = {
        "io": ["requests", "requested_bytes", "touched_bytes", "kernel_bytes", "hole_bytes"],
        "phases": ["open_s", "prepare_s", "run_s", "collect_s"],
        "work": ["edges_processed", "rounds"],
    }
    fields["io"] += ["major_faults", "minor_faults"]
    names = [(section, name) for section in fields for name in fields[section]]
    for number, (section, name) in enumerate(names, start=101):
        record[section][name] = number
    row = frame(RUNS, [record]).iloc[0]
    for number, (_, name) in enumerate(names, start=101):
        assert row[name] == number, name
    assert row["read_rate"] == pytest.approx(row["kernel_bytes"] / row["run_s"])
    assert row["requested_bytes_per_edge"] == pytest.approx(
        row["requested_bytes"] / row["edges_processed"]
    )


def test_columns_of_what_was_asked_are_taken_from_the_command_line(
    find_record: Callable[..., Path],
) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    row = frame(RUNS, [record]).iloc[0]
    assert (row["pool"], row["options"], row["depth"], row["backend"]) == ("6%", "", 64, "uring")
    assert (row["pack"], row["codec"], row["block_size"]) == ("firstfit", "raw", 4096)
    record["asked"]["command"] += ["--max-request=4K", "--holes", "on", "--buffered"]
    record["asked"]["command"] += ["--device", "configs/devices/hdd.toml", "--dilation", "1.5"]
    assert frame(RUNS, [record]).iloc[0]["options"] == "buffered holes=on max-request=4K"
    record["asked"]["settings"] = {"mode": "sync"}
    assert frame(RUNS, [record]).iloc[0]["options"] == "buffered holes=on max-request=4K mode=sync"


def test_columns_of_rounds_and_timeline_are_worked_out(find_record: Callable[..., Path]) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    first = record["rounds"][0]
    sizes = [(1, 10), (5000, 60), (3000, 20), (20, 10)]
    record["rounds"] = [first | {"frontier": f, "requested_bytes": b} for f, b in sizes]
    record["timeline"] = [
        {"t": 1.0, "kernel_bytes": 0, "cpu_s": 1.0},
        {"t": 1.5, "kernel_bytes": 200, "cpu_s": 1.5},
        {"t": 2.0, "kernel_bytes": 250, "cpu_s": 1.7},
        {"t": 3.0, "kernel_bytes": 300, "cpu_s": 2.0},
    ]
    record["phases"]["run_s"], record["io"]["kernel_bytes"] = 2.0, 300
    row = frame(RUNS, [record]).iloc[0]
    assert row["first_3_rounds_share"] == pytest.approx(0.9)
    assert row["sparse_rounds_share"] == 0.5
    assert (row["read_rate"], row["peak_read_rate"]) == (150, 400)
    assert row["cpu_share"] == 0.25, "one of four processor seconds"
    del record["timeline"][2]
    assert frame(RUNS, [record]).iloc[0]["peak_read_rate"] is None


def test_what_was_longest_at_its_limit_bound_the_run(find_record: Callable[..., Path]) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    device = {"source": "local.toml", "share": 0.6, "sustained_share": 0.9, "seconds": 1.5}
    record["bound"] = {
        "device": device,
        "processors": {"share": 0.5, "seconds": 0.5},
        "neither_s": 1.0,
        "seconds": 2.5,
    }
    row = frame(RUNS, [record]).iloc[0]
    assert row["bound_by"] == "device"
    assert (row["device_share"], row["device_sustained_share"]) == (0.6, 0.9)
    record["bound"]["device"] = None
    row = frame(RUNS, [record]).iloc[0]
    assert row["bound_by"] == "neither"
    assert row["device_share"] is None
    del record["bound"]
    assert frame(RUNS, [record]).iloc[0]["bound_by"] is None, "of an older program"


def test_layouts_say_how_long_they_took(tmp_path: Path) -> None:
    seconds = {"number": 1, "out.place": 2, "out.pack": 4, "rank": 8, "out.index": 16}
    layout = {"choices": {"inline": 2}, "facts": {"edges": 9}, "seconds": seconds}
    file = tmp_path / "layouts" / "kron" / "a.json"
    file.parent.mkdir(parents=True)
    document = {"name": "a", "layout": layout, "file_bytes": {}, "graph_seconds": 3}
    file.write_text(json.dumps(document))
    row = layouts_table([file]).iloc[0]
    assert (row["arrange_seconds"], row["build_seconds"], row["inline"]) == (15, 31, 2)
    assert row["graph_seconds"] == 3


@pytest.mark.parametrize(
    ("codec", "symmetric", "free"),
    [("raw", True, 1 - 4 * 90 / 512), ("raw", False, 1 - 4 * 190 / 1024), ("svb", True, None)],
)
def test_what_no_list_fills_is_counted_over_all_directions(
    tmp_path: Path, codec: str, symmetric: bool, free: float | None
) -> None:
    facts = {"edges": 100, "inline_edges": 10, "symmetric": symmetric}
    files = {"out.blocks": 512} if symmetric else {"out.blocks": 512, "in.blocks": 512}
    layout = {"choices": {"codec": codec}, "facts": facts}
    file = tmp_path / "layouts" / "kron" / "a.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"name": "a", "layout": layout, "file_bytes": files}))
    assert layouts_table([file]).iloc[0]["free_share"] == free


def test_what_only_some_engines_record_has_its_column(find_record: Callable[..., Path]) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    row = frame(RUNS, [record]).iloc[0]
    assert row[["construct_s", "cut_accesses", "written_bytes"]].isna().all()
    record["stages"], record["counts"] = {"construct_s": 1.5}, {"cut_accesses": 7}
    record["io"]["written_bytes"] = 9
    record["rounds"] = [record["rounds"][0] | {"blocks": n} for n in (1, 3)]
    assert validator("run").is_valid(record)
    row = frame(RUNS, [record]).iloc[0]
    assert (row["construct_s"], row["cut_accesses"], row["written_bytes"]) == (1.5, 7, 9)
    assert row["needed_blocks"] == 4


def test_stages_and_counts_are_columns_whatever_their_names(
    find_record: Callable[..., Path],
) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    other = record | {"stages": {"polish_s": 0.5}, "counts": {"shines": 3, "stack_splits": 2}}
    assert validator("run").is_valid(other)
    runs = runs_of([record, other])
    assert list(runs.columns[-2:]) == ["shines", "polish_s"]
    assert runs.iloc[1][["shines", "polish_s", "stack_splits"]].tolist() == [3, 0.5, 2]
    assert runs.iloc[0][["shines", "polish_s"]].isna().all()
    for wrong in ({"stages": {"polish": 1}}, {"counts": {"Shines": 1}}, {"counts": {"a": 0.5}}):
        assert not validator("run").is_valid(record | wrong)


@pytest.mark.parametrize(
    ("asked", "used", "shown"),
    [
        ("uring", "uring", "uring"),
        ("uring", "threads", "threads"),
        ("mmap:populate=none", "mmap", "mmap:populate=none"),
        ("uring", None, "uring"),
    ],
)
def test_the_backend_is_the_one_that_was_used(
    find_record: Callable[..., Path], asked: str, used: str | None, shown: str
) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    record["asked"]["backend"], record["io"]["backend"] = asked, used
    assert frame(RUNS, [record]).iloc[0]["backend"] == shown


def test_failed_run_is_a_row_with_its_reason(find_record: Callable[..., Path]) -> None:
    path = find_record(graph="square", engine="concurrent", workload="bfs")
    record = json.loads(path.read_text())
    failure = {key: record[key] for key in ("record_version", "asked")}
    failure["outcome"] = {"status": "out_of_memory", "reason": "too big", "exit_code": 6}
    path.write_text(json.dumps(failure))
    runs = load(path.parents[3])
    row = runs[runs["record"] == str(path)].iloc[0]
    assert (row["status"], row["reason"], row["graph"]) == ("out_of_memory", "too big", "square")
    summary = summary_table(runs)
    line = summary[summary["config"] == path.parent.name].iloc[0]
    assert (line["trials"], line["finished"]) == (3, 2)
    assert line["trouble"] == "out_of_memory: too big"
    assert line["seconds_low"] is None or line["seconds_low"] != line["seconds_low"]


def test_replays_have_a_row_for_each_policy_and_size(finished: Workbench) -> None:
    replays = collect(finished.plan()).tables["replays"]
    assert len(replays) == 2 * 3 * 3
    row = replays.query("workload == 'bfs' and policy == 'opt' and pool == '20%'").iloc[0]
    assert row["raw_bytes"] == 4 * 2**10 * 32
    assert row["accesses"] == 2 * row["raw_bytes"] // 4096
    assert row["read_bytes"] == 4096 * int(row["accesses"] * (1 - 1.3 * 0.2))


def test_bytes_per_edge_are_those_of_the_files(finished: Workbench) -> None:
    plan = finished.plan()
    layouts = collect(plan).tables["layouts"].set_index(["graph", "layout"])
    home = Path(plan.graphs_folder) / "kron/layouts/firstfit"
    edges = 2**10 * 32
    row = layouts.loc[("kron", "firstfit")]
    assert row["block_bytes_per_edge"] * edges == (home / "out.blocks").stat().st_size
    assert row["index_bytes_per_edge"] * edges == (home / "out.index").stat().st_size


def test_missing_and_failed_runs_are_gaps(
    copied: Workbench, find_record: Callable[..., Path]
) -> None:
    assert collect(copied.plan()).gaps == []
    find_record(graph="square", engine="concurrent", workload="bfs").unlink()
    (gap,) = collect(copied.plan()).gaps
    assert gap.what == "square, concurrent, bfs, trial-1"
    assert gap.why == "there is no record yet"


def test_every_column_is_documented() -> None:
    text = column_docs()
    for columns in TABLES.values():
        for column in columns:
            assert f"| `{column.name}` | {column.doc} |" in text
            assert column.doc.endswith(".")
