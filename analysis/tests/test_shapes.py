# SPDX-License-Identifier: Apache-2.0
"""The suite of shapes: what it asks for, how runs are compared, what the page says of losers."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from outcore_analysis.__main__ import main
from outcore_analysis.shapes.cells import Cell, cells_of, left_out, worst_first
from outcore_analysis.shapes.maps import picture
from outcore_analysis.shapes.page import write_shapes
from outcore_analysis.shapes.runs import hold_stage, run_within
from outcore_analysis.shapes.suite import Stage, read_suite
from outcore_analysis.yamllines import ConfigError
from workbench import ROOT

BINARY = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build/release/outcore")).resolve()
needs_binary = pytest.mark.skipif(not BINARY.is_file(), reason="outcore is not built")
SUITE: dict[str, Any] = {
    "title": "Tiny",
    "answers": "Who loses?",
    "engines": {
        "in_memory": {"layout": {"pack": "csr"}},
        "async_block": {"layout": {"pack": "csr"}},
        "psw": {"layout": {"pack": "psw:p=2,value=8"}},
        "evolving": {
            "stream": {"kind": "shuffle", "once": True},
            "settings": {"lists": "symmetric"},
        },
    },
    "workloads": {"bfs": {}, "kcore": {"k": 2}, "dfs": {}},
    "sizes": {"tiny": {"seconds": 60, "least_seconds": 60, "frames": "1%"}},
    "profiles": {"smoke": ["tiny"]},
    "shapes": {
        "path": {
            "title": "path",
            "generate": "comb",
            "ids": ["in-order", "random"],
            "sizes": {"tiny": {"spine": 50, "tooth": 0}},
        }
    },
}


def read(folder: Path, suite: Any, profile: str = "smoke") -> dict[str, Stage]:
    file = folder / "shapes.yaml"
    file.write_text(yaml.safe_dump(suite, sort_keys=False))
    return read_suite({"shapes": str(file), "profile": profile}).stages


def test_every_order_of_ids_of_every_shape_is_a_stage(tmp_path: Path) -> None:
    plain, mixed = read(tmp_path, SUITE).values()
    assert (plain.name, plain.label) == ("path-tiny", "path")
    assert (mixed.name, mixed.label) == ("path-tiny-random", "path, random")
    assert plain.recipe == {"generate": "comb", "options": {"spine": 50, "tooth": 0}}
    assert mixed.recipe["options"]["ids"] == "random"
    assert read(tmp_path, SUITE, "full") == {}
    changed = json.loads(json.dumps(SUITE))
    changed["workloads"]["kcore"]["k"] = 3
    assert not set(read(tmp_path, changed)) & {plain.key, mixed.key}


def test_sizes_that_are_not_there_are_named_with_their_lines(tmp_path: Path) -> None:
    faulty = json.loads(json.dumps(SUITE))
    faulty["profiles"]["smoke"] = ["tiny", "huge"]
    faulty["shapes"]["path"]["sizes"] = {}
    with pytest.raises(ConfigError) as error:
        read(tmp_path, faulty)
    assert "no size is called 'huge'" in str(error.value)
    assert "'path' lacks the size 'tiny'" in str(error.value)
    assert "shapes.yaml:" in str(error.value)


def test_the_suite_that_is_shipped_has_every_shape_in_every_profile() -> None:
    config = {"shapes": str(ROOT / "configs/shapes.yaml")}
    suites = {p: read_suite(config | {"profile": p}) for p in ("smoke", "quick", "full")}
    smoke, quick, full = (len(suite.stages) for suite in suites.values())
    assert (quick, full) == (2 * smoke, 3 * smoke)
    shapes = {stage.shape for stage in suites["smoke"].stages.values()}
    assert {"path", "star", "torus", "islands", "kronecker-3", "hostweb"} <= shapes


def run(engine: str, **told: Any) -> dict[str, Any]:
    usual = {
        "engine": engine,
        "workload": "wcc",
        "status": "ok",
        "reason": "",
        "limit_s": 10,
        "process_s": 0.05,
        "verified": True,
        "edges": 1000,
        "vertices": 100,
        "rounds": 1,
        "requested_bytes": 4096,
        "open_s": 0.001,
        "prepare_s": 0.001,
        "run_s": 0.008,
        "seconds": 0.01,
    }
    return usual | told


def document(*runs: dict[str, Any]) -> dict[str, Any]:
    return {
        "size": "tiny",
        "label": "path",
        "graph": {"vertices": 100, "edges": 1000},
        "runs": list(runs),
    }


def cell_beside_best(**told: Any) -> Cell:
    """The cell of a run beside one that took 10 ms for 1,000 edges, each once, in a round."""
    best, cell = cells_of(document(run("in_memory"), run("psw", **told)))
    assert (best.time, best.vain, best.red, best.reason) == (1, 1, False, "")
    return cell


def test_a_run_is_compared_with_the_quickest_and_with_the_fewest_edges() -> None:
    quick, slow = cells_of(
        document(run("in_memory", edges=4000), run("psw", seconds=0.05, run_s=0.048))
    )
    assert (quick.time, quick.vain, slow.time, slow.vain) == (1, 4, 5, 1)
    assert not quick.red and not slow.red


def test_each_edge_once_is_never_in_vain() -> None:
    for edges in range(999_991, 1_000_021):
        graph = document(run("in_memory", edges=0), run("psw", edges=edges))
        graph["graph"]["edges"] = edges
        assert not any(cell.red for cell in cells_of(graph))


def test_a_round_that_takes_long_says_what_it_reads() -> None:
    best = run("in_memory", rounds=400)
    slow = run("psw", rounds=400, seconds=0.5, run_s=0.4, requested_bytes=400 << 12)
    _, cell = cells_of(document(best, slow))
    assert "a round takes 1 ms and asks for 4 KiB, of in_memory's 400 each 20 µs" in cell.reason
    _, cell = cells_of(document(best, slow | {"requested_bytes": 0}))
    assert "a round takes 1 ms and has 2 edges, of in_memory's 400 each 20 µs" in cell.reason


def test_fewer_rounds_than_the_quickest_has_are_no_reason() -> None:
    best = run("in_memory", rounds=400)
    slow = run("psw", rounds=40, seconds=0.5, run_s=0.4, requested_bytes=400 << 12)
    _, cell = cells_of(document(best, slow))
    assert cell.reason == "asks for 1.56 MiB, in_memory for 4 KiB"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (
            {"edges": 90_000, "rounds": 90},
            "90 times, in_memory 1 times: vertices spoke 1 times, and others' edges came too, over",
        ),
        (
            {"edges": 90_000, "vertices": 9000, "rounds": 1000},
            "vertices spoke 90 times, because their values changed again, over 1,000 rounds",
        ),
        ({"edges": 90_000, "vertices": 9000, "rounds": 0}, "because their values changed again"),
        (
            {"edges": 90_000, "rounds": 90, "seconds": 0.9, "run_s": 0.898},
            "9.98 µs an edge, in_memory 8 µs: the edges explain the time",
        ),
        (
            {"seconds": 0.5, "run_s": 0.4, "rounds": 400},
            "400 rounds at 1 ms, of 2 edges each; in_memory has 1",
        ),
        (
            {"seconds": 0.5, "prepare_s": 0.4, "run_s": 0.1},
            "opening and preparing take 401 ms of 500 ms",
        ),
        (
            {"edges": 90_000, "rounds": 90, "seconds": 0.5, "prepare_s": 0.4, "run_s": 0.1},
            "opening and preparing take 401 ms of 500 ms",
        ),
        (
            {"seconds": 0.5, "run_s": 0.49, "requested_bytes": 1 << 20},
            "asks for 1 MiB, in_memory for 4 KiB",
        ),
        ({"seconds": 0.5, "run_s": 0.49}, "490 µs an edge, in_memory 8 µs"),
        ({"edges": 6000, "seconds": 0.5, "run_s": 0.49}, "81.7 µs an edge, in_memory 8 µs"),
    ],
)
def test_a_red_cell_has_the_reason_that_its_counters_give(
    told: dict[str, Any], reason: str
) -> None:
    cell = cell_beside_best(**told)
    assert cell.red
    assert reason in cell.reason


def test_edges_explain_a_run_and_not_the_start_of_the_quickest() -> None:
    best = run("in_memory", open_s=0.008, run_s=0.001)
    slow = run("psw", edges=12_000, seconds=0.12, run_s=0.118, requested_bytes=1 << 20)
    _, cell = cells_of(document(best, slow))
    assert cell.reason.endswith("asks for 1 MiB, in_memory for 4 KiB")


def test_edges_explain_nothing_beside_an_engine_that_was_handed_none() -> None:
    best, slow = run("in_memory", edges=0, rounds=0), {"seconds": 0.3, "run_s": 0.298}
    _, reading = cells_of(document(best, run("psw", requested_bytes=1 << 20, **slow)))
    assert reading.reason == "asks for 1 MiB, in_memory for 4 KiB"
    _, slow_edges = cells_of(document(best, run("psw", **slow)))
    assert slow_edges.reason == "298 µs an edge, in_memory needs none"
    _, idle = cells_of(document(best, run("psw", **slow | {"edges": 6})))
    told = "runs for 298 ms, in_memory for 8 ms: neither edges, rounds nor bytes"
    assert idle.reason == told
    _, in_rounds = cells_of(document(best, run("psw", rounds=50, **slow)))
    assert in_rounds.reason == "50 rounds at 5.96 ms, of 20 edges each; in_memory has none"


def test_tasks_that_want_parts_of_lists_say_so() -> None:
    walk = {"workload": "random-walk"}
    _, cell = cells_of(document(run("in_memory", **walk), run("psw", edges=90_000, **walk)))
    assert "90,000 edges, in_memory 1,000: whole lists where a task wants a part" in cell.reason


def test_runs_without_an_answer_are_red_and_say_why() -> None:
    late = cell_beside_best(status="late", read_bytes=1 << 30)
    assert (late.time, late.vain, late.red) == (200, None, True)
    assert "ended after 10 s; all of in_memory took 50 ms" in late.reason
    assert "read 1 GiB by then, in_memory asked for 4 KiB in all" in late.reason
    wrong = cell_beside_best(verified=False)
    assert (wrong.status, wrong.red, wrong.reason) == ("wrong", True, "its answer is wrong")
    failed = cell_beside_best(status="failed", reason="the device is gone")
    assert (failed.status, failed.red, failed.reason) == ("failed", True, "the device is gone")
    (alone,) = cells_of(document(run("psw", status="late")))
    assert "as all others were" in alone.reason
    assert worst_first([alone, late, failed]) == [failed, late, alone]


def test_a_run_that_has_its_answer_when_time_is_up_is_done(tmp_path: Path) -> None:
    record = tmp_path / "record.json"

    def at_the_limit(passed: bool) -> dict[str, Any]:
        told = {"answer": {"verified": {"passed": passed}}, "work": {"edges_processed": 7}}
        return run_within(["sh", "-c", f"echo '{json.dumps(told)}' >$1; exec sleep 60"], record, 1)

    done = at_the_limit(passed=True)
    assert (done["status"], done["reason"], done["edges"]) == ("ok", "", 7)
    assert at_the_limit(passed=False)["status"] == "late"


def test_what_is_refused_is_no_cell_and_counted_by_its_reason() -> None:
    refused = run("psw", status="refused", reason="outcore: psw cannot run it; build a layout")
    assert [cell.engine for cell in cells_of(document(run("in_memory"), refused))] == ["in_memory"]
    ((what, count),) = left_out([document(refused), document(refused)]).items()
    assert (what.engine, what.reason, count) == ("psw", "psw cannot run it", 2)


def test_the_page_names_the_red_cells_and_draws_the_maps(tmp_path: Path) -> None:
    refused = run("grid", status="refused", reason="outcore: grid cannot")
    file = tmp_path / "path.json"
    lost = run("psw", edges=90_000, rounds=90)
    file.write_text(json.dumps(document(run("in_memory"), lost, refused)))
    page = tmp_path / "page/index.html"
    write_shapes([file], "Tiny", "Who loses?", page)
    text = page.read_text()
    assert "Who loses?" in text and "2 cells, 1 of them red" in text
    assert "<td>psw</td><td>wcc</td><td>path</td>" in text
    assert "edges came too, over 90 rounds" in text
    assert "grid cannot" in text
    assert text.count("data:image/png;base64,") == 2
    numbers = (page.parent / "shapes-tiny.csv").read_text()
    assert 'tiny,path,psw,wcc,ok,1.0,90.0,"each edge 90 times' in numbers


def fields(page: str, first: str) -> list[str]:
    """The fields of the row that begins with this."""
    row = page[page.index(f"<tr><th>{first}</th>") :]
    return re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row[: row.index("</tr>")])


def test_the_page_counts_what_each_engine_lost_and_why(tmp_path: Path) -> None:
    late = {"status": "late", "limit_s": 10}
    path = document(
        run("in_memory"),
        run("psw", edges=90_000, seconds=0.2),
        run("in_memory", workload="bfs", process_s=2),
        run("psw", workload="bfs", **late),
        run("in_memory", workload="sssp"),
        run("psw", workload="sssp", **late),
        run("in_memory", workload="bc", **late),
        run("psw", workload="bc", **late),
        run("in_memory", workload="mis"),
        run("psw", workload="mis", status="failed", reason="the device is gone"),
    )
    file, page = tmp_path / "path.json", tmp_path / "index.html"
    file.write_text(json.dumps(path))
    write_shapes([file], "Tiny", "Who loses?", page)
    text = page.read_text()
    assert fields(text, "in_memory")[1:7] == ["5", "0", "0", "0", "1", "0"]
    assert fields(text, "psw")[1:] == ["5", "1", "1", "1", "1", "1", "1", "90.0, wcc on path"]
    assert fields(text, "ended")[1:] == ["", "2"]
    assert fields(text, "ended, as all others were")[1:] == ["1", "1"]
    assert fields(text, "in vain: others&#39; edges")[1:] == ["", "1"]


def test_graphs_are_named_at_the_left_of_the_picture() -> None:
    engines = ["in_memory", "async_block", "concurrent", "psw"]
    cells = cells_of(document(*(run(engine) for engine in engines)))
    panels = [axes for axes in picture(cells, "time").axes if axes.get_title(loc="center")]
    assert [axes.get_title() for axes in panels] == engines
    named = [[label.get_text() for label in axes.get_yticklabels()] for axes in panels]
    assert named == [["path"], [], [], ["path"]]


@needs_binary
def test_the_binary_runs_a_stage_and_leaves_no_graph(tmp_path: Path) -> None:
    stage = next(iter(read(tmp_path, SUITE).values()))
    out, graph = tmp_path / "out.json", tmp_path / "graph"
    hold_stage(stage, str(BINARY), graph, out, None)
    assert not graph.exists()
    told = json.loads(out.read_text())
    assert told["graph"]["vertices"] == 50
    runs = {(one["engine"], one["workload"]): one for one in told["runs"]}
    assert {name for name, one in runs.items() if one["status"] == "refused"} == {("psw", "dfs")}
    assert all(one["status"] in ("ok", "refused") for one in runs.values())
    assert runs["evolving", "kcore"]["verified"], "each edge of the store is at both ends"
    searched = runs["in_memory", "bfs"]
    assert searched["verified"] and searched["edges"] >= 49 and searched["seconds"] > 0
    # 1% of this graph is no block, so these ran with the usual pool.
    assert runs["async_block", "bfs"]["pool_bytes"] == 64 << 20
    assert all(not cell.red or cell.time for cell in cells_of(told))


@needs_binary
def test_a_run_that_takes_too_long_is_ended_and_a_failure_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = tmp_path / "slow"
    slow.write_text(
        f'#!/bin/sh\ncase "$*" in *async_block*bfs*) exec sleep 60;; *async_block*kcore*) exit 4;; '
        f'esac\nexec {BINARY} "$@"\n'
    )
    slow.chmod(0o755)
    suite = json.loads(json.dumps(SUITE))
    suite["sizes"]["tiny"] = {"seconds": 3, "least_seconds": 3}
    del suite["engines"]["evolving"]
    stage = next(iter(read(tmp_path, suite).values()))
    words = ["shape", "--binary", str(slow), "--stage", json.dumps(stage.__dict__)]
    out = tmp_path / "out.json"
    assert main([*words, "--folder", str(tmp_path / "graph"), "--out", str(out)]) == 0
    runs = {(r["engine"], r["workload"]): r for r in json.loads(out.read_text())["runs"]}
    assert runs["async_block", "bfs"]["status"] == "late"
    assert runs["async_block", "kcore"]["status"] == "failed"
    said = capsys.readouterr()
    assert "exit code 4" in said.err
    assert "bfs: 3 runs in" in said.out and ", 1 were ended" in said.out
    page = tmp_path / "index.html"
    assert main(["shapes", str(out), "--title", "T", "--question", "Q", "--out", str(page)]) == 0
    assert "ended after 3 s" in page.read_text()
