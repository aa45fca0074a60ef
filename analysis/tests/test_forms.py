# SPDX-License-Identifier: Apache-2.0
"""Both forms of engines: what is run, how claims are judged, what the page shows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from outcore_analysis.claims import Claim, judge, read_claims, verdict_document
from outcore_analysis.expressions import compares_engines
from outcore_analysis.figures import all_charts
from outcore_analysis.figures.ask import Ask
from outcore_analysis.forms import with_forms
from outcore_analysis.material import collect
from outcore_analysis.plan import Experiment, make_plan
from outcore_analysis.records import TABLES
from outcore_analysis.report import render
from outcore_analysis.since import UNDATED
from outcore_analysis.standing import forms, standing
from outcore_analysis.yamllines import ConfigError
from workbench import ROOT, RUNTIME, Workbench, make_workbench

Json = dict[str, Any]
FILES = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
CLAIMS = {claim.id: replace(claim, since=UNDATED) for claim in read_claims(FILES)}
RATIO = CLAIMS["acgraph-fig8-cave-bfs"]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return make_workbench(tmp_path)


def planned(bench: Workbench, **changed: Any) -> Experiment:
    """Return the experiment as planned without a binary, which would have to know the setting."""
    path = bench.write("forms.yaml", RUNTIME | {"forms": ["best", "published"]} | changed)
    return make_plan(bench.config | {"experiments": [str(path)], "binary": "none"}).experiments[0]


# --- What is run ---


def test_engines_that_have_two_forms_run_in_both(bench: Workbench) -> None:
    plain = planned(bench, forms=["best"])
    both = planned(bench)
    options = {(c.engine, c.further) for c in both.cells}
    assert options == {("in_memory", ""), ("concurrent", ""), ("concurrent", "form=published")}
    assert {c.key for c in plain.cells} < {c.key for c in both.cells}, "records in our best stay"


def test_each_set_of_settings_has_both_forms_and_a_ladder_its_own() -> None:
    engines = {
        "grid": {"settings": [{}, {"apply": "column"}]},
        "psw": {"ladder": [{"says": "as published", "settings": {"form": "published"}}]},
    }
    found = with_forms({"forms": ["best", "published"], "engines": engines})["engines"]
    published = {"form": "published"}
    assert found["grid"]["settings"] == [
        {}, {"apply": "column"}, published, {"apply": "column"} | published,
    ]  # fmt: skip
    assert found["psw"] == engines["psw"]


def test_one_combination_may_be_left_out_in_one_form(bench: Workbench) -> None:
    rule = {"workload": "pagerank", "settings": {"form": "published"}, "reason": "it takes hours"}
    found = planned(bench, exclude=[rule])
    published = {c.workload for c in found.cells if c.settings}
    assert published == {"bfs"}


def test_figures_are_of_our_best(bench: Workbench) -> None:
    found = planned(bench)
    ask = Ask(found.figures[0], found, {})
    assert {cell.further for cell in ask.cells()} == {""}


def test_what_is_left_out_of_the_other_form_is_no_note_of_a_figure(bench: Workbench) -> None:
    rules = [
        {"engine": "concurrent", "settings": settings, "reason": "it takes hours"}
        for settings in ({}, {"form": "published"})
    ]
    found = planned(bench, exclude=rules)
    notes = Ask(found.figures[0], found, tables(None)).notes()
    assert [note for note in notes if "it takes hours" in note] == [
        "Left out: concurrent, no settings: it takes hours"
    ]


def test_an_experiment_without_engines_has_no_forms(bench: Workbench) -> None:
    alone = {k: v for k, v in RUNTIME.items() if k not in ("engines", "workloads", "figures")}
    path = bench.write("forms.yaml", alone | {"forms": ["best", "published"]})
    with pytest.raises(ConfigError, match=r"forms\.yaml:1: .*engines.* is a dependency of 'forms'"):
        make_plan(bench.config | {"experiments": [str(path)]})


# --- How it is judged ---


def tables(published: float | None) -> dict[str, pd.DataFrame]:
    """Return runs in which CAVE's engine takes 2 times as long, and so much in published form."""
    found = {
        name: pd.DataFrame([], columns=[column.name for column in columns])
        for name, columns in TABLES.items()
    }
    sides = [("concurrent", "firstfit", "", 2.0), ("async_block", "acgraph", "", 1.0)]
    if published is not None:
        sides += [("concurrent", "firstfit", "form=published", published)]
        sides += [("async_block", "acgraph", "form=published", 1.0)]
    conditions = {k: v for k, v in RATIO.conditions.items() if k != "depth"}
    rows = [
        conditions
        | {"host": "h", "graph": "g", "family": "kronecker", "workload": "bfs", "status": "ok"}
        | {"traced": False, "depth": 64, "depth_asked": False, "backend_asked": False}
        | {"config": f"{engine}{options}"}
        | {"engine": engine, "layout": layout, "options": options, "seconds": seconds}
        # The program's own way to read.
        | ({"backend": "threads"} if engine == "concurrent" and options else {})
        | {"trial": trial, "record": f"{engine} {options} {trial}"}
        for engine, layout, options, seconds in sides
        for trial in (1, 2, 3)
    ]
    found["runs"] = pd.DataFrame(rows, columns=found["runs"].columns)
    return found


def test_a_claim_that_compares_engines_has_a_verdict_for_each_form() -> None:
    verdict = judge(RATIO, tables(12.0))
    assert verdict.value and verdict.value.median == 2
    assert verdict.verdict == "not reproduced"
    assert verdict.published and verdict.published.value
    assert verdict.published.value.median == 12
    assert verdict.published.verdict == "reproduced"
    assert all("form=published" in name for name in verdict.published.records)
    told = verdict_document(verdict)["published"]
    assert (told["verdict"], told["value"]["median"]) == ("reproduced", 12)


def test_why_our_best_differs_is_not_said_of_the_published_form() -> None:
    verdict = judge(RATIO, tables(3.0))
    assert "CAVE" in verdict.reason
    assert verdict.published and verdict.published.verdict == "not reproduced"
    assert verdict.published.reason == ""


def test_runs_in_our_best_say_nothing_about_the_published_form() -> None:
    verdict = judge(RATIO, tables(None))
    assert verdict.published and verdict.published.verdict == "not run"
    assert "form=published" in verdict.published.reason


def claim_of(one: str, other: str) -> Claim:
    return replace(RATIO, expression=f"runs('seconds', {one}) / runs('seconds', {other})")


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("engine='concurrent'", "engine='grid'", True),
        ("engine='concurrent'", "engine='in_memory'", True),
        ("engine='concurrent', options='cache=clock'", "engine='grid'", True),
        ("engine='concurrent'", "engine='concurrent', options='cache=clock'", False),
        ("engine='evolving'", "engine='in_memory'", False),
        # It says itself in which form they are.
        ("engine='psw', options='edges=objects'", "engine='grid', options='apply=shared'", False),
    ],
)
def test_which_claims_have_two(one: str, other: str, both: bool) -> None:
    found = claim_of(one, other)
    assert compares_engines(found.expression, found.conditions) == both
    assert (judge(found, tables(None)).published is not None) == both


def test_options_are_those_of_the_expression_and_the_form() -> None:
    found = tables(12.0)
    found["runs"]["options"] = [
        f"cache=clock {text}".strip() if engine == "concurrent" else text
        for engine, text in zip(found["runs"]["engine"], found["runs"]["options"], strict=True)
    ]
    same = "layout='{}', workload='bfs'"
    chosen = claim_of(
        f"engine='concurrent', options='cache=clock', {same.format('firstfit')}",
        f"engine='async_block', {same.format('acgraph')}",
    )
    verdict = judge(chosen, found)
    assert verdict.published and verdict.published.value
    assert verdict.published.value.median == 12


# --- What the page shows ---


def test_the_page_has_both_beside_each_other(finished: Workbench, tmp_path: Path) -> None:
    verdict = judge(RATIO, tables(12.0))
    plan = finished.plan()
    seen = collect(plan)
    charts = all_charts(plan, seen, [judge(c, seen.tables) for c in read_claims(plan.claims)])
    page = render(plan, seen, charts, [verdict], tmp_path)
    card = page[page.index(f'id="claim-{RATIO.id}"') :].split("</article>")[0]
    assert "<dt>Here, our best</dt><dd>2 times" in card
    assert "<dt>Here, as published</dt><dd>12 times" in card
    assert "trials): reproduced" in card
    assert "1 statement that compares engines is judged in both forms." in page


def test_verdicts_on_the_published_form_are_counted_separately() -> None:
    verdict = judge(RATIO, tables(12.0))
    assert standing([verdict]).startswith("1 of 1 statements judged: 0 reproduced")
    assert forms([verdict]) == (
        "1 statement that compares engines is judged in both forms. As the papers' programs have "
        "their knobs: 1 reproduced, 0 partly, 0 not reproduced. In our best form: 0 reproduced, "
        "0 partly, 1 not reproduced."
    )
    assert forms([judge(RATIO, tables(None))]) == ""
