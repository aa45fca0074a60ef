# SPDX-License-Identifier: Apache-2.0
"""Ladders: what is run, what is refused, and the figure that says what each step is worth."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import vl_convert

from outcore_analysis.figures.ask import Ask, cell_columns
from outcore_analysis.figures.waterfall import waterfall
from outcore_analysis.ladder import rungs
from outcore_analysis.plan import Experiment, make_plan
from outcore_analysis.yamllines import ConfigError
from workbench import RUNTIME, Workbench, make_workbench

Json = dict[str, Any]
LADDER = [
    {"says": "as published", "settings": {"form": "published"}},
    {"says": "by io_uring", "backend": "uring"},
    {"says": "larger requests", "options": {"max-request": "64K"}},
    {"says": "packed", "layout": "csr"},
]
SECONDS = [8.0, 6.0, 7.0, 2.0]


def experiment(**changed: Any) -> Json:
    spec = {"layouts": ["firstfit", "csr"], "frames": ["6%"], "ladder": LADDER}
    figure = {"kind": "waterfall", "value": "seconds", "unit": "s"}
    return RUNTIME | {
        "engines": {"planned": spec | changed},
        "workloads": {"bfs": {"source": "max-degree"}},
        "profiles": {"quick": {"graphs": ["kron"], "trials": 3}},
        "figures": [figure],
    }


def planned(bench: Workbench, **changed: Any) -> Experiment:
    """Return the experiment with an engine that the stub does not have, so that all is allowed."""
    path = bench.write("ladder.yaml", experiment(**changed))
    plan = make_plan(bench.config | {"experiments": [str(path)], "binary": "not-built"})
    return plan.experiments[0]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return make_workbench(tmp_path)


def test_each_rung_keeps_what_the_steps_before_it_changed(bench: Workbench) -> None:
    cells = planned(bench).cells
    assert [(c.layout, c.backend, c.further) for c in cells] == [
        ("firstfit", None, "form=published"),
        ("firstfit", "uring", "form=published"),
        ("firstfit", "uring", "form=published max-request=64K"),
        ("csr", "uring", "form=published max-request=64K"),
    ]
    ladder = planned(bench).ladders["planned"]
    assert [[rung.is_of(cell) for cell in cells].index(True) for rung in ladder] == [0, 1, 2, 3]
    assert sum(rung.is_of(cell) for rung in ladder for cell in cells) == 4


def test_a_usual_backend_is_left_out_of_a_cell_unless_the_form_has_another(
    bench: Workbench,
) -> None:
    steps = [{"says": "a"}, {"says": "b", "backend": "uring", "settings": {"k": 1}}]
    found = planned(bench, ladder=steps)
    assert [cell.backend for cell in found.cells] == [None, None]
    assert [rung.is_of(found.cells[1]) for rung in found.ladders["planned"]] == [False, True]


def test_an_engine_without_a_ladder_has_no_rungs() -> None:
    assert rungs({"layouts": ["csr"], "settings": [{"a": 1}]}) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"settings": [{}]}, "whose steps have their own settings"),
        ({"options": [{}]}, "whose steps have their own options"),
        ({"backend": ["threads"]}, "whose steps have their own backend"),
        ({"ladder": [*LADDER, {"says": "again"}]}, "'again' changes nothing"),
        ({"ladder": [*LADDER, {"says": "x", "layout": "svb"}]}, "does not name layout 'svb'"),
        ({"ladder": [*LADDER, {"says": "x", "options": {"depth": 4}}]}, "'depth' is set by a key"),
        ({"ladder": LADDER[:1]}, "is too short"),
        ({"ladder": [*LADDER, {"says": "x", "colour": 1}]}, "unknown key 'colour'"),
    ],
)
def test_what_a_ladder_cannot_be_names_its_line(
    bench: Workbench, changed: Json, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as found:
        planned(bench, **changed)
    assert "ladder.yaml:" in str(found.value)


def test_a_knob_that_the_engine_does_not_have_is_refused_in_a_step_too(bench: Workbench) -> None:
    spec = experiment()["engines"]["planned"]
    path = bench.write("l.yaml", experiment() | {"engines": {"concurrent": spec}})
    with pytest.raises(ConfigError, match="has no parameter 'form'"):
        make_plan(bench.config | {"experiments": [str(path)]})


def test_a_waterfall_needs_a_ladder(bench: Workbench) -> None:
    path = bench.write("w.yaml", RUNTIME | {"figures": [{"kind": "waterfall", "value": "seconds"}]})
    with pytest.raises(ConfigError, match="a waterfall is of a ladder"):
        make_plan(bench.config | {"experiments": [str(path)]})


def asked(found: Experiment, seconds: list[float]) -> Ask:
    """Return the figure's question, for runs that took so long on each rung."""
    table = [
        cell_columns(cell)
        | {"config": cell.key, "status": "ok", "host": "here", "trial": trial, "seconds": value}
        for cell, value in zip(found.cells, seconds, strict=False)
        for trial in (1, 2, 3)
    ]
    runs = pd.DataFrame(table).assign(parameters="", reason="")
    return Ask(found.figures[0], found, {"runs": runs}, titles={"kron": "Kronecker 10"})


def test_each_bar_reaches_from_the_rung_below_to_its_own(bench: Workbench) -> None:
    chart = waterfall(asked(planned(bench), SECONDS))
    assert chart.data["from"].tolist() == [0.0, 8.0, 6.0, 7.0]
    assert chart.data["to"].tolist() == SECONDS
    assert chart.data["says"].tolist() == [step["says"] for step in LADDER]
    (panel,) = chart.panels
    assert panel.hover is not None
    told = [row["says"] for row in panel.hover["data"]["values"]]
    assert told == [
        "as published: 8 s",
        "by io_uring: 6 s (-25%)",
        "larger requests: 7 s (+17%)",
        "packed: 2 s (-71%)",
        "all of it: 2 s (0.25 of the first)",
    ]
    assert [row["kind"] for row in panel.hover["data"]["values"]] == [
        *("whole", "less", "more", "less", "whole")
    ]
    assert "<svg" in vl_convert.vegalite_to_svg(panel.hover)


def test_a_rung_without_runs_is_named_and_the_next_step_is_from_the_one_before(
    bench: Workbench,
) -> None:
    found = planned(bench)
    ask = asked(found, SECONDS)
    ask.tables["runs"] = ask.tables["runs"].query("config != @found.cells[1].key")
    chart = waterfall(ask)
    assert chart.data["from"].tolist() == [0.0, 8.0, 7.0]
    assert len(chart.missing) == 1 and "form=published" in chart.missing[0]
