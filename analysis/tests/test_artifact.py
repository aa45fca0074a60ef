# SPDX-License-Identifier: Apache-2.0
"""The claims and experiments in configs/, and what is generated from them."""

from dataclasses import replace
from typing import Any

import pytest

from outcore_analysis import artifact
from outcore_analysis.artifact import appendix, disk_bytes
from outcore_analysis.claims import Claim, read_claims
from outcore_analysis.coverage import Answer, answers
from outcore_analysis.forms import PUBLISHED
from outcore_analysis.inventory import inventory
from outcore_analysis.plan import Plan, all_plans
from outcore_analysis.yamllines import load_yaml
from workbench import ROOT


@pytest.fixture(scope="module")
def config() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield load_yaml("configs/config.yaml").value


@pytest.fixture(scope="module")
def full(config: Any) -> Plan:
    return all_plans(config)["full"]


@pytest.fixture(scope="module")
def claims(config: Any) -> list[Claim]:
    return read_claims(config["claims"])


@pytest.fixture(scope="module")
def found(claims: list[Claim], full: Plan) -> dict[str, Answer]:
    return answers(claims, full.experiments)


@pytest.fixture(scope="module")
def built(config: Any) -> Any:
    """The configuration, where the build can say which engines there are."""
    if not (ROOT / config["binary"]).is_file():
        pytest.skip(f"{config['binary']} is not built: make build")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield config


def test_appendix_is_up_to_date(built: Any) -> None:
    assert (ROOT / "docs/AE.md").read_text(encoding="utf-8") == appendix(built)


def test_claims_about_engines_that_are_not_there_are_not_counted_as_answered(
    built: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = inventory(built["binary"])
    assert build is not None
    others = {name: facts for name, facts in build.engines.items() if name != "binning"}
    monkeypatch.setattr(artifact, "inventory", lambda _binary: replace(build, engines=others))
    rows = [line for line in appendix(built).splitlines() if line.startswith("| `acgraph-")]
    blaze = next(row for row in rows if row.startswith("| `acgraph-fig8-blaze"))
    assert "`acgraph-fig8`, not yet: there are no runs with engine binning" in blaze
    cave = next(row for row in rows if row.startswith("| `acgraph-fig8-cave-bfs"))
    assert "not yet" not in cave


@pytest.mark.parametrize("paper", ["ACGraph", "CAVE"])
def test_every_claim_of_these_papers_gets_a_value_in_full(
    paper: str, claims: list[Claim], found: dict[str, Answer]
) -> None:
    testable = [c.id for c in claims if c.paper == paper and not c.not_testable]
    assert [name for name in testable if not found[name].experiments] == []


def test_claims_without_a_target_wait_for_engines_that_no_experiment_names(
    claims: list[Claim], found: dict[str, Answer], full: Plan
) -> None:
    for claim in claims:
        if not found[claim.id].experiments:
            assert found[claim.id].reason
    assert found["acgraph-fig8-cave-bfs"].experiments == ("acgraph-fig8",)
    assert set(found["acgraph-fig2-async-below-opt"].experiments) == {
        "acgraph-fig2",
        "acgraph-fig2b",
    }


@pytest.mark.parametrize(
    ("figure", "clock"), [("acgraph-fig8", "end-to-end"), ("acgraph-fig16", "algorithm")]
)
def test_clock_is_the_papers(full: Plan, figure: str, clock: str) -> None:
    experiment = next(e for e in full.experiments if e.name == figure)
    assert experiment.paper and experiment.paper["clock"] == clock


def test_claims_take_the_clock_of_their_experiment(
    claims: list[Claim], found: dict[str, Answer], full: Plan
) -> None:
    """The one exception is Galois: the paper itself gives its seconds without initialisation."""
    columns = {"end-to-end": 'runs("run_s"', "algorithm": 'runs("seconds"'}
    experiments = {e.name: e for e in full.experiments}
    for claim in claims:
        for name in found[claim.id].experiments:
            paper = experiments[name].paper or {}
            if paper.get("name") == claim.paper and "clock" in paper and "galois" not in claim.id:
                assert columns[paper["clock"]] not in claim.expression, claim.id


def test_claims_that_compare_engines_have_runs_in_both_forms(
    claims: list[Claim], full: Plan
) -> None:
    both = [claim for claim in claims if claim.in_both_forms]
    assert len(both) > 60
    in_published = answers(both, full.experiments, PUBLISHED)
    assert {name: a.reason for name, a in in_published.items() if not a.experiments} == {}


def test_quick_stays_short(config: Any) -> None:
    quick = all_plans(config)["quick"]
    assert sum(experiment.minutes or 0 for experiment in quick.experiments) < 5


def test_disk_counts_a_shared_layout_once(full: Plan) -> None:
    table1 = [e for e in full.experiments if e.name == "acgraph-table1"]
    assert disk_bytes(table1 * 2, full.recipes) == disk_bytes(table1, full.recipes) > 1e8
