# SPDX-License-Identifier: Apache-2.0
"""Streams that are taken in, and stores that are read: what experiments make of them."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis import prepare
from outcore_analysis.ingestion import run_record
from outcore_analysis.plan import Cell, Plan
from outcore_analysis.records import read_record, runs_of
from outcore_analysis.trial import run_trial
from outcore_analysis.yamllines import ConfigError
from workbench import STUB, Workbench

INGESTION: dict[str, Any] = {
    "title": "Taking streams in",
    "answers": "How fast?",
    "streams": {"shuffled": {"kind": "shuffle", "seed": 3}},
    "stores": {"live": {"stream": "shuffled", "settings": {"factor": 2}}},
    "engines": {
        "evolving": {
            "streams": ["shuffled"],
            "stores": ["live"],
            "settings": [{}, {"medium": "model", "variant": "graphone"}],
        }
    },
    "workloads": {"ingest": None, "bfs": {"source": "max-degree"}},
    "profiles": {"smoke": {"graphs": ["kron"]}, "quick": {"graphs": ["kron"]}},
}


def planned(workbench: Workbench, experiment: dict[str, Any]) -> Plan:
    workbench.write("runtime.yaml", experiment)
    return workbench.plan()


def cell_of(plan: Plan, workload: str, **settings: str) -> Cell:
    cells = plan.experiments[0].cells
    return next(c for c in cells if c.workload == workload and c.settings == settings)


def made(plan: Plan, cell: Cell, folder: Path, binary: str) -> Path:
    """Make what the cell reads, and return its facts."""
    graph = folder / "graphs" / cell.graph
    prepare.make_graph(binary, plan.recipe(cell.graph), str(graph), folder / "kron-0.json")
    stream, store = folder / "stream.json", folder / "store.json"
    prepare.make_stream(binary, str(graph), "shuffled", plan.stream_choices("shuffled"), stream)
    if cell.layout == "shuffled":
        return stream
    prepare.make_store(binary, str(graph), "live", plan.store_choices("live"), store)
    return store


def test_streams_are_taken_in_and_all_else_runs_on_stores(workbench: Workbench) -> None:
    experiment = planned(workbench, INGESTION).experiments[0]
    there = {(c.workload, c.layout, c.further) for c in experiment.cells}
    model = "medium=model variant=graphone"
    assert there == {(w, n, s) for w, n in PAIRS for s in ("", model)}
    assert experiment.layouts == {}
    assert experiment.streams == INGESTION["streams"]


PAIRS = (("ingest", "shuffled"), ("bfs", "live"))


def test_the_stream_of_a_store_is_part_of_what_is_asked(workbench: Workbench) -> None:
    first = cell_of(planned(workbench, INGESTION), "bfs").key
    other = copy.deepcopy(INGESTION)
    other["streams"]["shuffled"]["seed"] = 4
    assert cell_of(planned(workbench, other), "bfs").key != first


def test_command_lines(workbench: Workbench) -> None:
    plan = planned(workbench, INGESTION)
    taken_in = cell_of(plan, "ingest", medium="model", variant="graphone")
    assert " ".join(taken_in.command("outcore", "s.ocs", "r.json", "t")) == (
        "outcore ingest s.ocs --engine evolving:medium=model,variant=graphone --threads 2 "
        "--verify --record r.json"
    )
    read = cell_of(plan, "bfs").command("outcore", "store", "r.json", "t")
    assert " ".join(read).startswith("outcore run store --engine evolving --workload bfs --threads")


def test_windows_are_parameters(workbench: Workbench, tmp_path: Path) -> None:
    windows = copy.deepcopy(INGESTION)
    asked = {"query": "pagerank", "every": 100, "rate": 1000, "newest": True, "query_threads": 1}
    windows["workloads"] = {"windows": [{"query": "bfs", "every": 50}, asked]}
    windows["engines"]["evolving"] = {
        "streams": ["shuffled"],
        "options": [{}, {"compact": True}],
        "settings": [{}, {"medium": "ssd"}],
    }
    windows["exclude"] = [
        {"options": {"compact": True}, "settings": {"medium": "ssd"}, "reason": "no such thing"}
    ]
    del windows["stores"]
    plan = planned(workbench, windows)
    cells = plan.experiments[0].cells
    assert [c.further for c in cells if c.parameters == asked] == ["", "medium=ssd", "compact"]
    cell = next(c for c in cells if c.parameters == asked and c.further == "compact")
    words = " ".join(cell.command("outcore", "s.ocs", "r.json", "t"))
    assert "--query pagerank --every 100 --rate 1000 --newest --query-threads 1" in words
    record = tmp_path / "first" / "host" / cell.key / "trial-1.json"
    document = run_trial(cell, str(STUB), made(plan, cell, tmp_path, str(STUB)), record)
    row = runs_of([read_record(record)]).iloc[0]
    queries = document["ingest"]["queries"]
    assert row["options"] == "compact"
    assert (row["window"], row["stream_rate"]) == (100, 1000)
    assert row["windows_answered"] == queries["answered"] == len(queries["answers"])
    assert row["age_updates"] == queries["age"]["updates"]
    assert row["age_s"] == queries["age"]["seconds"]
    assert row["query_s"] == pytest.approx(queries["seconds"] / queries["answered"])
    assert row["stream_waited_s"] == 0.5


def test_a_store_is_recovered_in_a_copy_and_a_stream_archived_anew(
    workbench: Workbench, tmp_path: Path
) -> None:
    experiment = copy.deepcopy(INGESTION)
    experiment["workloads"] = {"recover": None}
    experiment["engines"]["evolving"]["settings"] = [{"medium": "ssd"}, {"variant": "graphone"}]
    plan = planned(workbench, experiment)
    there = [(c.layout, c.further) for c in plan.experiments[0].cells]
    assert sorted(there) == [("live", "medium=ssd"), ("shuffled", "variant=graphone")]
    cell = cell_of(plan, "recover", medium="ssd")
    facts = made(plan, cell, tmp_path, str(STUB))
    store = Path(json.loads(facts.read_text())["container"])
    before = sorted(store.iterdir())
    record = tmp_path / "first" / "host" / cell.key / "trial-1.json"
    document = run_trial(cell, str(STUB), facts, record)
    assert document["asked"]["command"][2].endswith(".nothing")
    assert document["asked"]["graph"] == str(store)
    assert sorted(store.iterdir()) == before
    assert [path.name for path in record.parent.iterdir()] == ["trial-1.json"]
    row = runs_of([read_record(record)]).iloc[0]
    assert row["seconds"] == row["open_s"] == document["ingest"]["disk"]["open_seconds"] == 0.5
    assert row["replayed"] == document["ingest"]["disk"]["replayed"]
    assert (row["graph"], row["layout"]) == ("kron", "live")


def test_an_ingestion_that_was_interrupted_is_no_result() -> None:
    asked = {"workload": "ingest"}
    told: dict[str, Any] = {"complete": False, "disk": None, "work": None, "model": None}
    told |= {"seconds": {"total": 1, "compaction": 0}, "machine": {}, "build": {}, "time": ""}
    graph = {"seal": "", "vertices": 1, "edges": 1, "symmetric": False, "provenance": {}}
    assert run_record(told, asked, graph, "g")["outcome"]["status"] == "interrupted"
    told["complete"] = True
    assert run_record(told, asked, graph, "g")["outcome"]["status"] == "ok"


def test_a_store_on_a_disk_is_made_for_the_run_and_removed(
    workbench: Workbench, tmp_path: Path
) -> None:
    on_disk = copy.deepcopy(INGESTION)
    on_disk["engines"]["evolving"]["settings"] = [{"medium": "ssd"}]
    plan = planned(workbench, on_disk)
    cell = cell_of(plan, "ingest", medium="ssd")
    record = tmp_path / "first" / "host" / cell.key / "trial-1.json"
    stream = made(plan, cell, tmp_path, str(STUB))
    document = run_trial(cell, str(STUB), stream, record)
    assert "--store" in document["asked"]["command"]
    assert runs_of([read_record(record)]).iloc[0]["options"] == "medium=ssd"
    assert [path.name for path in record.parent.iterdir()] == ["trial-1.json"]
    row = runs_of([read_record(record)]).iloc[0]
    assert row["log_bytes"] == document["ingest"]["disk"]["log_bytes"]
    assert row["write_amplification"] == document["ingest"]["disk"]["write_amplification"]


def test_an_ingestion_is_a_run_in_the_tables(workbench: Workbench, tmp_path: Path) -> None:
    plan = planned(workbench, INGESTION)
    cell = cell_of(plan, "ingest", medium="model", variant="graphone")
    record = tmp_path / "first" / "host" / cell.key / "trial-1.json"
    run_trial(cell, str(STUB), made(plan, cell, tmp_path, str(STUB)), record)
    row = runs_of([read_record(record)]).iloc[0]
    told = json.loads(record.read_text())["ingest"]
    assert (row["status"], row["workload"], row["layout"]) == ("ok", "ingest", "shuffled")
    assert row["options"] == "medium=model variant=graphone"
    assert row["edges"] == row["stream_updates"] == told["updates"]
    assert row["seconds"] == pytest.approx(
        told["seconds"]["total"] + told["seconds"]["compaction"], abs=1e-9
    )
    assert row["bus_written_bytes"] == told["model"]["bus_written_bytes"]
    assert row["vertex_buffer_bytes"] == told["work"]["vertex_buffer_bytes"]
    assert row["memory_nodes"] == len(told["work"]["nodes"]) == 2
    assert row["updates_per_s"] == pytest.approx(told["updates"] / told["seconds"]["total"])
    assert row["peak_rss_bytes"] == told["peak_rss_bytes"]
    assert row["bound_by"] == "neither"


def test_a_run_on_a_store_names_the_store(workbench: Workbench, tmp_path: Path) -> None:
    plan = planned(workbench, INGESTION)
    cell = cell_of(plan, "bfs")
    facts = made(plan, cell, tmp_path, str(STUB))
    store = Path(json.loads(facts.read_text())["container"])
    # The stub's `run` reads a graph, where the binary reads the store itself.
    (store / "graph.json").write_text((store.parents[1] / "graph.json").read_text())
    record = tmp_path / "first" / "host" / cell.key / "trial-1.json"
    document = run_trial(cell, str(STUB), facts, record)
    assert document["outcome"]["status"] == "ok", document["outcome"]
    assert document["asked"]["layout"] == "live"
    row = runs_of([read_record(record)]).iloc[0]
    assert (row["graph"], row["family"]) == ("kron", "kronecker")


def test_an_ingestion_that_fails_leaves_a_record(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(workbench, INGESTION)
    cell = cell_of(plan, "ingest")
    stream = made(plan, cell, tmp_path, str(STUB))
    monkeypatch.setenv("STUB_FAIL", "ingest")
    document = run_trial(cell, str(STUB), stream, tmp_path / "trial-1.json")
    assert document["outcome"]["status"] == "failed"
    assert document["outcome"]["reason"] == "the stub was told to fail"


WRONG = [
    (["stores", "live", "stream"], "sorted", "is made of stream 'sorted', which `streams` lacks"),
    (["engines", "evolving", "streams"], ["x"], "names stream 'x', which `streams` lacks"),
    (["engines", "evolving", "stores"], ["x"], "names store 'x', which `stores` lacks"),
    (["engines", "concurrent"], {"streams": ["shuffled"]}, "takes no stream in"),
    (["engines", "concurrent"], {"threads": [1]}, "names no layouts, streams or stores"),
    (["streams", "spare"], {"kind": "sorted"}, "nothing takes stream 'spare' in"),
    (["workloads"], {"bfs": None}, "which workload 'ingest' takes in"),
    (["engines", "evolving"], {"stores": ["live"]}, "and no engine names `streams`"),
    (["streams", "shuffled", "kind"], "backwards", "'backwards' is not one of"),
    (["workloads", "windows"], {"query": "bsf:source=1", "every": 5}, "windows ask for 'bsf'"),
    (["workloads", "windows"], {"query": "bfs"}, "'every' is a required property"),
    (["exclude"], [{"options": {"compact": True}, "reason": "no"}], "the options compact=True"),
]


@pytest.mark.parametrize(("path", "value", "message"), WRONG)
def test_what_cannot_be_is_refused(
    workbench: Workbench, path: list[str], value: Any, message: str
) -> None:
    experiment = copy.deepcopy(INGESTION)
    node = experiment
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    with pytest.raises(ConfigError, match=message):
        planned(workbench, experiment)


def test_cores_need_both_ends(workbench: Workbench) -> None:
    directed = copy.deepcopy(INGESTION)
    directed["workloads"] = {"ingest": None, "kcore": {"k": 3}}
    graphs = {"kron": {"title": "t", "generate": "kronecker", "options": {"scale": 10}}}
    workbench.write("graphs.yaml", graphs)
    workbench.config["experiments"] = workbench.config["experiments"][:1]
    with pytest.raises(ConfigError, match="needs an undirected graph"):
        planned(workbench, directed)
    directed["engines"]["evolving"]["settings"] = [{"lists": "symmetric"}]
    assert len(planned(workbench, directed).experiments[0].cells) == 2
