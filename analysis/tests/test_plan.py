# SPDX-License-Identifier: Apache-2.0
"""What configurations expand to, and every error with its file and line."""

import copy
import json
import os
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.machine import machine_name
from outcore_analysis.material import collect
from outcore_analysis.plan import Cell, make_plan, make_plans
from outcore_analysis.yamllines import ConfigError, load_yaml
from workbench import ROOT, RUNTIME, TRACED, Workbench


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
    graphs = load_yaml(workbench.config["graphs"][0]).value
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


def test_one_of_several_settings_can_be_left_out(workbench: Workbench) -> None:
    settings = [{}, {"mode": "other"}]
    rule = {"workload": "bfs", "settings": {"mode": "other"}, "reason": "the same there"}
    both = changed(RUNTIME, ["engines", "concurrent", "settings"], settings)
    workbench.write("runtime.yaml", both | {"exclude": [rule]})
    cells = [c for c in workbench.plan().experiments[0].cells if c.engine == "concurrent"]
    assert {c.workload for c in cells if not c.settings} == {"bfs", "pagerank"}
    assert {c.workload for c in cells if c.settings} == {"pagerank"}


WRONG = [
    (RUNTIME, ["enginess"], {}, "enginess:", "unknown key 'enginess'; known keys: title"),
    (RUNTIME, ["engines", "concurrent", "frame"], ["6%"], "frame:", "unknown key 'frame'"),
    (RUNTIME, ["engines", "Warp"], {"layouts": ["csr"]}, "Warp:", "'Warp' does not match"),
    (RUNTIME, ["engines", "cocurent"], {"layouts": ["csr"]}, "cocurent:", "mean 'concurrent'?"),
    (
        RUNTIME,
        ["workloads", "pagerank-push"],
        {"r_max": 1.1e-13},
        "r_max: 1.1e-13",
        "less than the minimum of 1e-12",
    ),
    (RUNTIME, ["workloads", "dijkstra"], None, "dijkstra:", "unknown key 'dijkstra'"),
    (RUNTIME, ["workloads", "bfs", "iterations"], 3, "iterations: 3", "unknown key 'iterations'"),
    (RUNTIME, ["workloads", "pagerank", "iterations"], 0, "iterations: 0", "less than the minimum"),
    (RUNTIME, ["engines", "concurrent", "frames"], ["lots"], "- lots", "does not match"),
    (RUNTIME, ["engines", "concurrent", "frames"], ["130%"], "- 130%", "a pool of 130%"),
    (RUNTIME, ["engines", "concurrent", "layouts"], ["svb"], "- svb", "layout 'svb'"),
    (RUNTIME, ["engines", "concurrent", "frames"], ["4K"], "- 4K", "less than a block for each"),
    (RUNTIME, ["engines", "concurrent", "options"], [{"threads": 3}], "threads: 3", "of its own"),
    (RUNTIME, ["engines", "concurrent", "device"], ["tape"], "- tape", "no configs/devices/tape"),
    (RUNTIME, ["engines", "concurrent", "dilation"], 3, "dilation: 3", "name a `device`"),
    (RUNTIME, ["engines", "psw"], {"layouts": ["csr"]}, "- csr", "needs edges, and layout"),
    (RUNTIME, ["layouts", "firstfit", "pack"], "grid", "- firstfit", "needs lists, and layout"),
    (RUNTIME, ["layouts", "csr"], {"pack": "psw", "codec": "svb"}, "codec: svb", "is for lists"),
    (RUNTIME, ["layouts", "csr"], {"inline": "mini-data:2", "codec": "svb"}, "codec", "codec raw"),
    (RUNTIME, ["layouts", "csr", "weights"], "given", "- kron", "and 'kron' has none"),
    (RUNTIME, ["workloads", "sssp"], {"weights": "given"}, "weights: given", "does not hold"),
    (
        RUNTIME,
        ["workloads", "bfs", "source"],
        1024,
        "source: 1024",
        "'kron' has vertices 0 to 1023",
    ),
    (RUNTIME, ["workloads", "dfs"], {"target": 5000}, "target: 5000", "has vertices 0 to 1023"),
    (RUNTIME, ["workloads", "bc"], {"source": 3, "roots": 2}, "source: 3", "cannot be several"),
    (RUNTIME, ["workloads", "wcc-sample"], None, "wcc-sample", "holds 0 `heads`"),
    (RUNTIME, ["exclude"], [{"layout": "x", "reason": "x"}], "layout: x", "excludes layout 'x'"),
    (RUNTIME, ["layouts", "firstfit", "pack"], "tight", "tight", "'tight' does not match"),
    (RUNTIME, ["profiles", "quick", "trials"], -1, "trials: -1", "less than the minimum"),
    (RUNTIME, ["profiles", "quick", "graphs"], ["nowhere"], "- nowhere", "unknown graph 'nowhere'"),
    (RUNTIME, ["exclude"], [{"workload": "wcc", "reason": "x"}], "wcc", "excludes workload 'wcc'"),
    (RUNTIME, ["exclude"], [{"settings": {"a": 1}, "reason": "x"}], "settings", "settings a=1"),
    (
        TRACED,
        ["engines", "in_memory"],
        {"layouts": ["firstfit"]},
        "in_memory:",
        "reads each block once",
    ),
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
        ("title: a\ntitle: b\n", ":2: key 'title' occurs twice"),
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


def test_undirected_workload_on_a_directed_graph_is_refused(workbench: Workbench) -> None:
    graphs = load_yaml(workbench.config["graphs"][0]).value
    del graphs["kron"]["options"]["symmetric"]
    workbench.write("graphs.yaml", graphs)
    traced = TRACED | {"workloads": {"bfs": {"source": "max-degree"}, "kcore": None}}
    text = workbench.write("traced.yaml", traced).read_text()
    with pytest.raises(ConfigError, match=r"'kron' is directed") as refusal:
        workbench.plan()
    assert f"traced.yaml:{line_of(text, '  kcore')}: kcore" in str(refusal.value)
    workbench.write("traced.yaml", traced | {"exclude": [{"workload": "kcore", "reason": "x"}]})
    assert [cell.workload for cell in workbench.plan().experiments[1].cells] == ["bfs"]


def test_lists_are_combined_with_one_another(workbench: Workbench) -> None:
    spec = RUNTIME["engines"]["concurrent"] | {
        "depth": [1, 64],
        "device": ["real", "sata"],
        "dilation": 4,
        "options": [{}, {"queue": "vertices", "warm": True}],
        "settings": [{}, {"mode": "sync"}],
    }
    engines = {"concurrent": spec}
    workloads = {"pagerank": [{"iterations": 1}, {"iterations": 2}]}
    workbench.write("runtime.yaml", RUNTIME | {"engines": engines, "workloads": workloads})
    cells = workbench.plan().experiments[0].cells
    assert len(cells) == 2**6  # graphs, depths, devices, options, settings, parameters
    assert {(cell.device, cell.dilation) for cell in cells} == {(None, None), ("sata", 4)}
    last = " ".join(cells[-1].command("o", "g", "r", "t"))
    assert "--device configs/devices/sata.toml --dilation 4 --queue vertices --warm" in last
    assert "--engine concurrent:mode=sync " in last
    assert cells[-1].further == "mode=sync queue=vertices warm"


def test_what_came_later_changes_no_hash(workbench: Workbench) -> None:
    cell = workbench.plan().experiments[0].cells[0]
    assert not {"device", "dilation", "options", "settings"} & set(json.loads(cell.json()))
    assert Cell(**json.loads(cell.json())) == cell
    other = replace(cell, options={"queue": "vertices"})
    assert other.key != cell.key


def test_without_swap_space_what_would_swap_is_skipped(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    swaps = tmp_path / "swaps"
    monkeypatch.setattr("outcore_analysis.plan.SWAPS", swaps)
    swapping = {"layouts": ["csr"], "memory": ["1G"], "options": [{"swap": True}]}
    workbench.write("runtime.yaml", RUNTIME | {"engines": {"in_memory": swapping}})
    titles = "Filename Type Size Used Priority\n"
    swaps.write_text(titles)
    plan = workbench.plan()
    assert not any(cell.options for cell in plan.cells.values())
    assert [why for _, why in plan.missing() if "no swap space" in why]
    swaps.write_text(f"{titles}/swapfile file 1024 0 -2\n")
    plan = workbench.plan()
    assert any(cell.options for cell in plan.cells.values())
    assert not plan.missing()


def test_what_the_build_lacks_is_missing_and_not_an_error(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    binning = {"layouts": ["csr"], "options": [{}, {"colour": "red"}]}
    engines = RUNTIME["engines"] | {"binning": binning}
    workbench.write("runtime.yaml", RUNTIME | {"engines": engines})
    plan = workbench.plan()
    assert {cell.engine for cell in plan.cells.values()} == {"in_memory", "concurrent"}
    lack = ("runtime: binning", "this build of outcore has no engine 'binning'")
    assert plan.missing() == [lack]
    assert plan.layouts() == [("kron", "firstfit"), ("square", "firstfit")]  # csr was binning's
    gaps = collect(plan).gaps
    assert lack in [(gap.what, gap.why) for gap in gaps]


@pytest.mark.parametrize(
    ("key", "chosen", "message"),
    [
        ("settings", {"pace": "fast"}, "engine 'in_memory' has no parameter 'pace'; it has: "),
        ("options", {"colour": "red"}, "`outcore run` has no option '--colour'"),
    ],
)
def test_parameters_that_an_engine_does_not_have_are_misspelt(
    key: str, chosen: dict[str, str], message: str, workbench: Workbench
) -> None:
    spec = RUNTIME["engines"]["in_memory"] | {key: [{}, chosen]}
    engines = RUNTIME["engines"] | {"in_memory": spec}
    file = workbench.write("runtime.yaml", RUNTIME | {"engines": engines})
    with pytest.raises(ConfigError, match=rf"{file}:\d+: {message}"):
        workbench.plan()


def test_experiments_of_other_profiles_are_left_to_them(workbench: Workbench) -> None:
    workbench.write("runtime.yaml", RUNTIME | {"profiles": {"full": {"graphs": ["kron"]}}})
    plan = workbench.plan()
    assert [experiment.name for experiment in plan.experiments] == ["traced"]
    assert plan.missing() == [("runtime", "not part of the profile quick")]
    config = workbench.config | {"figure": "runtime"}
    with pytest.raises(ConfigError, match="no profile 'quick'; there are: full"):
        make_plan(config)


def test_papers_and_figures_select(workbench: Workbench) -> None:
    paper = {"name": "ACGraph", "place": "Fig. 2"}
    workbench.write("traced.yaml", TRACED | {"paper": paper})
    plan = make_plan(workbench.config | {"paper": "acgraph"})
    assert [experiment.name for experiment in plan.experiments] == ["traced"]
    assert plan.claims and plan.results.endswith("results/acgraph")
    plan = make_plan(workbench.config | {"figure": "runtime", "profile": "smoke"})
    assert [experiment.name for experiment in plan.experiments] == ["runtime"]
    assert plan.results.endswith("results/smoke/runtime")
    with pytest.raises(ConfigError, match="of paper 'tape'; there are the papers acgraph and"):
        make_plan(workbench.config | {"paper": "tape"})


def test_targets_are_the_profiles_and_the_figures(workbench: Workbench) -> None:
    full = {"full": {"graphs": ["square"], "trials": 2}}
    workbench.write("traced.yaml", TRACED | {"profiles": full})
    configured, everything, targets = make_plans(workbench.config)
    assert list(targets) == ["smoke", "quick", "full", "runtime", "traced"]
    assert configured.records() == targets["quick"].records()
    assert targets["traced"].profile == "full"
    wanted = {path for plan in targets.values() for path in plan.records()}
    assert set(everything.records()) == wanted
    assert {Path(path).parent.name for path in wanted} == set(everything.cells)


def test_experiment_may_not_take_a_targets_name(workbench: Workbench) -> None:
    file = str(workbench.write("full.yaml", RUNTIME))
    with pytest.raises(ConfigError, match=r"full\.yaml:1: the name 'full' is taken"):
        make_plan(workbench.config | {"experiments": [file]})


def test_a_modelled_device_that_was_edited_is_another(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = workbench.folder / "devices"
    shutil.copytree(ROOT / "configs/devices", devices)
    for module in ("plan", "possible"):
        monkeypatch.setattr(f"outcore_analysis.{module}.DEVICES", devices)
    experiment = RUNTIME | {
        "engines": {
            "concurrent": {"layouts": ["firstfit"], "frames": ["6%"], "device": ["sata", "real"]}
        }
    }
    workbench.write("runtime.yaml", experiment)

    def keys() -> dict[str | None, set[str]]:
        found: dict[str | None, set[str]] = {}
        for cell in workbench.plan().cells.values():
            found.setdefault(cell.device, set()).add(cell.key)
        return found

    first = keys()
    file = devices / "sata.toml"
    file.write_text(f"# another word about it\n{file.read_text()}")
    assert keys() == first, "a comment changes no number"
    numbers = tomllib.loads(file.read_text())
    concurrency = numbers["model"]["k_r"]
    file.write_text(file.read_text().replace(f"k_r = {concurrency}", f"k_r = {concurrency + 1}"))
    assert tomllib.loads(file.read_text()) != numbers
    assert keys()["sata"].isdisjoint(first["sata"])
    assert keys()[None] == first[None], "runs on the real device stay"


def test_records_lie_under_the_machine_and_not_under_its_name(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = workbench.plan().records_folder
    monkeypatch.setattr("platform.node", lambda: "another-name")
    assert workbench.plan().records_folder == folder
    cpu, memory = tmp_path / "cpuinfo", tmp_path / "meminfo"
    cpu.write_text("processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n")
    memory.write_text("MemTotal:       16330480 kB\nMemFree: 1 kB\n")
    name = machine_name(cpu, memory)
    assert name == f"intel-xeon-e5-2680-v4-2.40ghz-{os.cpu_count()}-cores-16-gib"
    memory.write_text("MemTotal:       32660960 kB\n")
    assert machine_name(cpu, memory) != name


def test_races_of_an_experiment_name_what_there_is(workbench: Workbench) -> None:
    contestants = ["graphx:executors=1", "unknown-program"]
    races = {"engine": "concurrent", "layout": "unknown-layout", "with": contestants}
    text = workbench.write("runtime.yaml", RUNTIME | {"races": races}).read_text()
    with pytest.raises(ConfigError) as refusal:
        workbench.plan()
    said = str(refusal.value)
    line = line_of(text, "- unknown-program")
    assert f"runtime.yaml:{line}: no contestant is called 'unknown-program'" in said
    line = line_of(text, "  layout: unknown-layout")
    assert f"runtime.yaml:{line}: the experiment has no layout called 'unknown-layout'" in said
