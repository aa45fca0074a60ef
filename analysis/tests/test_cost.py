# SPDX-License-Identifier: Apache-2.0
"""COST: how many executors pass one core of ours."""

import math
from pathlib import Path

import pytest

from outcore_analysis.contest.programme import Bout
from outcore_analysis.contest.turn import Limits, Turn
from outcore_analysis.contest.turns import races_table
from outcore_analysis.contest.warden import Ended
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.cost import cost, executors_needed
from raced import race_record
from test_shipped_figures import shipped, tables_of


@pytest.mark.parametrize(
    ("seconds", "ours", "serial", "needed"),
    [
        ({1: 12.0, 2: 7.0}, 4.0, 2.0, 5),  # 2 + 10 / n
        ({1: 12.0, 2: 7.0, 4: 4.5}, 4.0, 2.0, 5),
        ({1: 12.0, 2: 7.0}, 2.0, 2.0, math.inf),
        ({1: 12.0, 2: 7.0}, 1.0, 2.0, math.inf),
        ({1: 12.0, 2: 7.0}, 8.0, 2.0, 2),  # one that raced passed it
        ({1: 5.0, 2: 6.0}, 4.0, 7.0, math.inf),  # more executors are slower
    ],
)
def test_the_fit_says_how_many(
    seconds: dict[int, float], ours: float, serial: float, needed: float
) -> None:
    found = executors_needed(seconds, ours)
    assert found == (pytest.approx(serial), needed)


def test_the_table_has_a_row_for_each_question_with_our_best_engine() -> None:
    experiment, plan = next(p.values for p in shipped() if p.id == "when-to-move")
    figure = next(f for f in experiment.figures if f["kind"] == "cost" and "value" not in f)
    tables, _ = tables_of(experiment)
    runs, races = tables["runs"], tables["races"]
    runs["seconds"] = runs["engine"].map({"in_memory": 4.0, "concurrent": 5.0, "async_block": 6.0})
    races["seconds"] = races["contestant"].map(
        {"graphx:executors=1": 12.0, "graphx:executors=2": 7}
    )
    lost = (races["graph"] == "kron20") & (races["workload"] == "wcc")
    races["status"] = lost.map({True: "out_of_memory", False: "ok"})
    races["reason"] = "ended at its limit"
    chart = cost(Ask(figure, experiment, tables, [], [], plan.titles(), {}))
    assert len(chart.data) == 4 * 3 - 1, "what did not end has no row"
    for row in chart.table[1:]:
        assert row[3] == "in_memory" and row[-1] == "5"
    assert any("out of memory: ended at its limit" in note for note in chart.notes)


def test_a_turn_takes_at_least_its_limit_of_time_and_a_failed_one_says_nothing() -> None:
    document = race_record(theirs=[400.0, 9.0], status="killed")
    *_, late, _ = document["records"]
    turn = Turn(Ended("late"), "", "", None, over_limit=False, limits=Limits(seconds=400))
    late["outcome"]["reason"] = turn.reason("toy")
    bout = Bout("cave", "kron", "bfs", {}, ["toy"], 2, 2, None, 400)
    found = races_table([(bout, "here", "race.json", document)])
    theirs = found[found["contestant"] == "toy"]
    assert theirs["least_s"].isna().tolist() == [False, True]
    assert theirs["least_s"].iloc[0] == 400
    ours = found[found["contestant"] == "ours"]
    assert ours["least_s"].tolist() == ours["seconds"].tolist()


@pytest.mark.parametrize(
    ("name", "races", "layout"),
    [("when-to-move", 4 * 3, None), ("cave-fig12b", 3, "firstfit")],
)
def test_every_race_of_an_experiment_can_be_held(name: str, races: int, layout: str | None) -> None:
    experiment, plan = next(p.values for p in shipped() if p.id == name)
    assert len(experiment.bouts) == races
    for key in experiment.bouts:
        assert plan.races[key].graph in plan.recipes
        assert [Path(path).stem for path in plan.race_layout(key)] == ([layout] if layout else [])
