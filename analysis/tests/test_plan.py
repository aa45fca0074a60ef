# SPDX-License-Identifier: Apache-2.0
"""Configurations: what expands to what, and every error with its file and line."""

import copy
from typing import Any

import pytest

from outcore_analysis.plan import make_plan
from outcore_analysis.yamllines import ConfigError, load_yaml
from workbench import RUNTIME, TRACED, Workbench


def changed(experiment: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    result = copy.deepcopy(experiment)
    node = result
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return result


def line_of(text: str, part: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


def test_grid_expands_to_every_combination(workbench: Workbench) -> None:
    plan = workbench.plan()
    runtime, traced = plan.experiments
    assert len(runtime.cells) == 2 * 2 * 2  # graphs, engines, workloads
    assert len(traced.cells) == 2
    assert len(plan.records()) == 8 * 3 + 2
    assert len(plan.replays()) == 2
    assert plan.layouts() == [
        ("kron", "firstfit"), ("kron", "csr"), ("square", "firstfit"), ("square", "csr")
    ]  # fmt: skip


def test_profile_selects_scale_and_folder(workbench: Workbench) -> None:
    plan = make_plan(workbench.config | {"profile": "smoke"})
    assert {cell.graph for cell in plan.cells.values()} == {"kron"}
    assert plan.results.endswith("results/smoke")


def test_command_line_of_a_cell(workbench: Workbench) -> None:
    cell = next(c for c in workbench.plan().cells.values() if c.trace and c.workload == "bfs")
    words = cell.command("outcore", "graphs/kron", "r.json", "t.oct")
    assert " ".join(words) == (
        "outcore run graphs/kron --engine concurrent --workload bfs --layout firstfit --threads 1 "
        "--frames 6% --source max-degree --verify --trace t.oct --record r.json"
    )
    ranked = next(c for c in workbench.plan().cells.values() if c.workload == "pagerank")
    assert "--set iterations=10" in " ".join(ranked.command("o", "g", "r", "t"))


def test_hash_follows_what_is_measured_and_nothing_else(workbench: Workbench) -> None:
    before = set(workbench.plan().cells)
    graphs = load_yaml(workbench.config["graphs"]).value
    graphs["kron"]["title"] = "another title"
    workbench.write("graphs.yaml", graphs)
    assert set(workbench.plan().cells) == before
    graphs["kron"]["options"]["seed"] = 7
    workbench.write("graphs.yaml", graphs)
    assert len(set(workbench.plan().cells) & before) == 4  # those of the square


def test_cell_of_two_experiments_is_run_once(workbench: Workbench) -> None:
    again = str(workbench.write("again.yaml", RUNTIME))
    config = workbench.config
    plan = make_plan(config | {"experiments": [*config["experiments"], again]})
    assert plan.records() == workbench.plan().records()


def test_excluded_combinations_are_left_out_and_kept_with_reason(workbench: Workbench) -> None:
    rule = {"graph": "square", "workload": "pagerank", "reason": "takes an hour"}
    workbench.write("runtime.yaml", RUNTIME | {"exclude": [rule]})
    runtime = workbench.plan().experiments[0]
    assert len(runtime.cells) == 6
    assert runtime.excluded == [rule]


WRONG = [
    (RUNTIME, ["enginess"], {}, "enginess:", "unknown key 'enginess'; known keys: title"),
    (RUNTIME, ["engines", "concurrent", "frame"], ["6%"], "frame:", "unknown key 'frame'"),
    (RUNTIME, ["engines", "warp"], {"layouts": ["csr"]}, "warp:", "'warp' is not one of"),
    (RUNTIME, ["workloads", "dijkstra"], None, "dijkstra:", "unknown key 'dijkstra'"),
    (RUNTIME, ["workloads", "bfs", "iterations"], 3, "iterations: 3", "unknown key 'iterations'"),
    (RUNTIME, ["workloads", "pagerank", "iterations"], 0, "iterations: 0", "less than the minimum"),
    (RUNTIME, ["engines", "concurrent", "frames"], ["lots"], "- lots", "does not match"),
    (RUNTIME, ["engines", "concurrent", "frames"], ["130%"], "- 130%", "a pool of 130%"),
    (RUNTIME, ["engines", "concurrent", "layouts"], ["svb"], "- svb", "layout 'svb'"),
    (RUNTIME, ["layouts", "firstfit", "pack"], "tight", "tight", "'tight' does not match"),
    (RUNTIME, ["profiles", "quick", "trials"], -1, "trials: -1", "less than the minimum"),
    (RUNTIME, ["profiles", "quick", "graphs"], ["nowhere"], "- nowhere", "unknown graph 'nowhere'"),
    (RUNTIME, ["profiles"], {"full": {"graphs": ["kron"]}}, "profiles:", "no profile 'quick'"),
    (RUNTIME, ["exclude"], [{"workload": "wcc", "reason": "x"}], "wcc", "excludes workload 'wcc'"),
    (TRACED, ["engines", "in_memory"], {"layouts": ["firstfit"]}, "in_memory:", "no trace"),
    (TRACED, ["replay", "policies"], ["best"], "- best", "'best' is not one of"),
]


@pytest.mark.parametrize(("base", "path", "value", "line", "message"), WRONG)
def test_wrong_experiment_is_refused_with_file_and_line(
    workbench: Workbench, base: dict[str, Any], path: list[str], value: Any, line: str, message: str
) -> None:
    file = workbench.write("runtime.yaml", changed(base, path, value))
    number = line_of(file.read_text(), line)
    with pytest.raises(ConfigError) as refusal:
        workbench.plan()
    assert message in str(refusal.value)
    assert f"{file}:{number}: " in str(refusal.value)


def test_all_faults_of_a_file_are_told_at_once(workbench: Workbench) -> None:
    two = changed(changed(RUNTIME, ["colour"], "red"), ["profiles", "quick", "trials"], 0)
    workbench.write("runtime.yaml", two)
    with pytest.raises(ConfigError) as refusal:
        workbench.plan()
    assert len(str(refusal.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: a\ntitle: b\n", ":2: key 'title' stands twice"),
        ("title: [a\nanswers: b\n", ": not YAML"),
    ],
)
def test_broken_yaml_is_refused_with_its_line(
    workbench: Workbench, text: str, message: str
) -> None:
    workbench.write("runtime.yaml", text)
    with pytest.raises(ConfigError, match="runtime") as refusal:
        workbench.plan()
    assert message in str(refusal.value)


def test_missing_file_is_named(workbench: Workbench) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read"):
        make_plan(workbench.config | {"experiments": ["nowhere.yaml"]})


def test_layout_name_of_two_meanings_is_refused(workbench: Workbench) -> None:
    workbench.write("traced.yaml", changed(TRACED, ["layouts", "firstfit", "codec"], "svb"))
    with pytest.raises(ConfigError, match="layout 'firstfit' is"):
        workbench.plan()


def test_wrong_configuration_names_the_line_of_its_file(workbench: Workbench) -> None:
    file = workbench.write("mine.yaml", "campaign: mine\nprofil: quick\n")
    with pytest.raises(ConfigError) as refusal:
        make_plan(workbench.config | {"profil": "quick"}, [str(file)])
    assert f"{file}:2: unknown key 'profil'" in str(refusal.value)
