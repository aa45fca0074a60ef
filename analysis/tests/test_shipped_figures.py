# SPDX-License-Identifier: Apache-2.0
"""Every figure that the repository's experiments ask for can be drawn, from invented records."""

import itertools
from typing import Any

import pandas as pd
import pytest
import vl_convert
import yaml
from matplotlib.figure import Figure

from outcore_analysis.by_round import ROUNDS as OF_ROUNDS
from outcore_analysis.claims import judge, read_claims
from outcore_analysis.coverage import answers
from outcore_analysis.figures import KINDS
from outcore_analysis.figures.ask import Ask, cell_columns
from outcore_analysis.levels import LEVELS
from outcore_analysis.plan import Experiment, all_plans
from outcore_analysis.records import LAYOUTS, RACES, REPLAYS, RUNS
from outcore_analysis.yamllines import load_yaml
from workbench import ROOT

Json = dict[str, Any]
NUMBERS = {"status": "ok", "verified": True, "temperature": "cold", "traced": False}
ROUNDS = [
    {"round": i, "frontier": 9, "edges": 99, "requested_bytes": 4096, "seconds": 0.1}
    for i in range(3)
]
TIMELINE = [{"t": i / 9, "kernel_bytes": i * 999, "cpu_s": i / 20} for i in range(6)]


def invented(columns: list[str], known: Json, number: int) -> Json:
    """Return a row with its known columns, and any number in all others."""
    return {name: known.get(name, 1.0 + number % 7) for name in columns}


def tables_of(experiment: Experiment) -> tuple[dict[str, pd.DataFrame], list[Json]]:
    runs, replays, records, by_round = [], [], [], []
    for number, cell in enumerate(experiment.cells):
        same = cell_columns(cell) | {"parameters": "", "host": "here", "config": cell.key}
        for trial in range(1, experiment.trials + 1):
            place = f"{cell.key}/trial-{trial}.json"
            known = same | NUMBERS | {"trial": trial, "record": place}
            runs.append(invented([c.name for c in RUNS], known, number + trial))
            record = {"record": place, "rounds": ROUNDS, "timeline": TIMELINE}
            records.append(record | {"machine": {"cores": 2}, "phases": {"prepare_s": 0.1}})
            for i in range(len(ROUNDS)):
                by_round.append(invented([c.name for c in OF_ROUNDS], known | {"round": i}, i))
            replay = experiment.replay or {"policies": [], "sizes": []}
            for policy, size in itertools.product(replay["policies"], replay["sizes"]):
                asked = known | {"policy": policy, "pool": size}
                replays.append(invented([c.name for c in REPLAYS], asked, number))
    layouts, levels = [], []
    for number, pair in enumerate(itertools.product(experiment.graphs, experiment.layouts)):
        known = {"host": "here", "graph": pair[0], "layout": pair[1]}
        layouts.append(invented([c.name for c in LAYOUTS], known, number))
        for level in ("L0", "L1", "total"):
            levels.append(invented([c.name for c in LEVELS], known | {"level": level}, number))
    named = {"runs": (runs, RUNS), "replays": (replays, REPLAYS)}
    named |= {"layouts": (layouts, LAYOUTS), "levels": (levels, LEVELS)}
    named["rounds"] = (by_round, OF_ROUNDS)
    named["races"] = (turns_of(experiment), RACES)
    tables = {
        name: pd.DataFrame(found, columns=[c.name for c in columns])
        for name, (found, columns) in named.items()
    }
    return tables, records


def turns_of(experiment: Experiment) -> list[Json]:
    """Return a turn of each contestant in each race of an experiment; seconds fall."""
    columns = [column.name for column in RACES]
    return [
        invented(columns, NUMBERS, 0)
        | {"experiment": experiment.name, "graph": bout.graph, "workload": bout.workload}
        | {"contestant": name, "who": name, "trial": 1, "seconds": 9.0 - number, "edges": 10.0 + at}
        for at, bout in enumerate(experiment.bouts.values())
        for number, name in enumerate(bout.contestants)
    ]


def shipped() -> list[Any]:
    config: Json = yaml.safe_load((ROOT / "configs/config.yaml").read_text())
    for key in ("graphs", "experiments", "claims"):
        config[key] = [str(ROOT / file) for file in config[key]]
    plans = all_plans(config)
    largest = {e.name: (e, plan) for plan in plans.values() for e in plan.experiments}
    return [pytest.param(*pair, id=name) for name, pair in largest.items()]


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Any]:
    files = sorted(map(str, (ROOT / "configs/claims").glob("*.yaml")))
    empty = {"runs": pd.DataFrame(columns=[c.name for c in RUNS])}
    empty["replays"] = pd.DataFrame(columns=[c.name for c in REPLAYS])
    empty["layouts"] = pd.DataFrame(columns=[c.name for c in LAYOUTS])
    empty["races"] = pd.DataFrame(columns=[c.name for c in RACES])
    return {claim.id: judge(claim, empty) for claim in read_claims(files)}


@pytest.mark.parametrize(("experiment", "plan"), shipped())
def test_figures_of_the_repository_can_be_drawn(
    experiment: Experiment, plan: Any, verdicts: dict[str, Any]
) -> None:
    assert experiment.figures
    tables, records = tables_of(experiment)
    names = set()
    for figure in experiment.figures:
        ask = Ask(figure, experiment, tables, records, [], plan.titles(), verdicts)
        chart = KINDS[figure["kind"]](ask)
        names.add(chart.name)
        assert chart.missing == []
        assert chart.panels or figure["kind"] == "heat"
        for panel in chart.panels:
            axes = Figure().add_subplot()
            panel.draw(axes)
            if panel.hover is not None:
                assert "<svg" in vl_convert.vegalite_to_svg(panel.hover, vl_version="6.1")
    assert len(names) == len(experiment.figures)


def test_every_experiment_of_the_repository_can_be_asked_for_by_its_name() -> None:
    listed = load_yaml(str(ROOT / "configs/config.yaml")).value["experiments"]
    files = (ROOT / "configs/experiments").glob("*.yaml")
    assert sorted(listed) == sorted(str(file.relative_to(ROOT)) for file in files)


def test_claims_that_figures_show_are_answered_by_an_experiment() -> None:
    plan = all_plans(load_yaml(str(ROOT / "configs/config.yaml")).value)["full"]
    claims = read_claims(plan.claims)
    told = answers(claims, plan.experiments)
    drawn = {name for experiment in plan.experiments for name in experiment.drawn_claims}
    testable = [claim.id for claim in claims if claim.id in drawn and not claim.not_testable]
    assert {name: told[name].reason for name in testable if not told[name].experiments} == {}
