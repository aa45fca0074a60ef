# SPDX-License-Identifier: Apache-2.0
"""Published forms beside the programs whose knobs they have."""

from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.beside import HEAD, beside
from outcore_analysis.contest.contestant import Contestant
from outcore_analysis.contest.kept import Kept
from outcore_analysis.contest.programme import read_programmes
from outcore_analysis.forms import PROGRAMS
from outcore_analysis.graphs import read_graphs
from outcore_analysis.measured import with_tables
from outcore_analysis.plan import make_plan
from outcore_analysis.yamllines import ConfigError, load_yaml
from workbench import ROOT, Workbench, make_workbench

RACES = sorted((ROOT / "configs/races").glob("published-*.yaml"))


def race(our_seconds: list[float], seconds: list[float], runs: int = 0, **changed: Any) -> Kept:
    """Return a race of CAVE and of our engine, in seconds of each turn.

    In a turn CAVE's program computes so many times, and tells the seconds of one; 0: of none.
    """
    command = "outcore run g --engine concurrent:form=published --layout firstfit"
    told: dict[str, Any] = {"version": None, "reason": "", "verdict": "counts agree"}
    contestants = [
        told | {"name": "ours", "title": "`concurrent:form=published`", "command": command},
        told | {"name": "cave", "title": "CAVE", "command": "bfs graph.bin"},
    ]
    head = {"over": "ours", "workload": "bfs", "graph": {"name": "k"}, "machine": "M"}
    head |= {"contestants": [one | changed.get(str(one["name"]), {}) for one in contestants]}
    turns = [
        {"of": name, "turn": turn, "status": "ok", "wall_s": wall}
        | ({"own_s": wall / (runs if name == "cave" else 1)} if runs else {})
        for name, times in (("ours", our_seconds), ("cave", seconds))
        for turn, wall in enumerate(times, 1)
    ]
    return Kept(head, turns)


def cave(*races: Kept) -> list[list[str]]:
    return [one.cells() for one in beside(races) if one.program == "CAVE"]


def test_both_numbers_and_how_far_they_are() -> None:
    where = ["CAVE", "concurrent", "bfs on k, M"]
    assert cave(race([3.0, 6.0, 9.0], [1.0, 2.0, 3.0])) == [
        [*where, "2", "6", "3.00 [3.00, 3.00]", "", "", "", "far: slower"]
    ]
    assert cave(race([1.0], [2.0])) == [[*where, "2", "1", "0.50", "", "", "", "far: faster"]]
    assert cave(race([1.4], [1.0])) == [[*where, "1", "1.4", "1.40", "", "", "", "near"]]


def test_where_both_tell_the_algorithms_time_it_decides() -> None:
    (row,) = cave(race([2.0], [6.0], runs=3))
    assert row[3:] == ["6", "2", "0.33", "2", "2", "1.00", "near"]


def test_a_program_without_a_race_beside_its_form_is_unraced() -> None:
    unraced = [["CAVE", "concurrent", *[""] * 7, "unraced"]]
    assert cave() == unraced
    best = {"ours": {"command": "outcore run g --engine concurrent --layout firstfit"}}
    assert cave(race([1.0], [1.0], **best)) == unraced, "that is our best form"
    other = {"ours": {"command": "outcore run g --engine async_block:form=published"}}
    assert cave(race([1.0], [1.0], **other)) == unraced, "that is ACGraph's"
    differs = {"cave": {"verdict": "answers differ"}}
    assert cave(race([1.0], [1.0], **differs)) == unraced
    assert {one.program for one in beside([])} == set(PROGRAMS.values())


def test_a_page_of_docs_has_them(tmp_path: Path) -> None:
    text = '<!-- table\nbeside: "*"\n-->\n<!-- end of table -->\n'
    lines = with_tables(text, "page.md", tmp_path, tmp_path).splitlines()
    assert lines[3] == f"| {' | '.join(HEAD)} |"
    assert len(lines) == 3 + 2 + len(PROGRAMS) + 1


# --- The races that say it ---


def test_each_program_has_races_with_the_engine_in_its_published_form() -> None:
    raced = {}
    for path in RACES:
        asked = load_yaml(path).value
        engine = asked["engine"].removesuffix(":form=published")
        assert asked["engine"] != engine
        (name,) = asked["with"]
        raced[engine] = Contestant.read(name, {}).value["title"]
    assert raced == PROGRAMS


def test_their_workloads_are_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """A race of a workload that its program has not would only ever be unraced."""
    monkeypatch.chdir(ROOT)
    config = load_yaml("configs/config.yaml").value
    plan = make_plan(config | {"races": [str(path) for path in RACES], "binary": "none"})
    assert len(plan.bouts) > 10
    for key, bout in plan.bouts.items():
        (name,) = bout.contestants
        assert bout.workload in Contestant.read(name, {}).value["workloads"]
        command = bout.command("outcore", "g", "r.json")
        assert command[command.index("--engine") + 1] == bout.engine
        assert command[command.index("--layout") + 1] == bout.layout
        assert len(plan.race_layout(key)) == 1


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return make_workbench(tmp_path)


def programme(bench: Workbench, **more: str) -> str:
    asked = {"title": "t", "answers": "a", "graphs": ["kron"], "workloads": {"bfs": {}}}
    return str(bench.write("race.yaml", asked | {"with": ["cave"]} | more))


def test_a_layout_that_no_experiment_has_is_refused(bench: Workbench) -> None:
    file = programme(bench, engine="grid:form=published", layout="nowhere")
    with pytest.raises(ConfigError, match=r"race\.yaml:\d+: no experiment has a layout"):
        make_plan(bench.config | {"races": [file]})


def test_who_races_for_us_is_part_of_what_is_asked(bench: Workbench) -> None:
    graphs = read_graphs(bench.config["graphs"])[0]

    def keys(**more: str) -> set[str]:
        return set(read_programmes({"races": [programme(bench, **more)]}, graphs, ["csr"]))

    assert keys() != keys(engine="grid") != keys(engine="grid", layout="csr")
    assert keys() == {"d70acd0070fc"}, "records from before engines could be named stay valid"
