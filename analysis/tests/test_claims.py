# SPDX-License-Identifier: Apache-2.0
"""Verdicts: the bands, and for every claim a stored counter-record that flips it.

analysis/tests/counter/<claim>.json is a record or a replay as a run could have left it, with
numbers that contradict the claim; it stands in for that of the campaign which the stub made.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.claims import Claim, Verdict, judge, read_claims, verdict_document
from outcore_analysis.expressions import ExpressionError
from outcore_analysis.material import collect
from outcore_analysis.yamllines import ConfigError, load_yaml, validator
from workbench import ROOT, Workbench

FILES = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
CLAIMS = {claim.id: claim for claim in read_claims(FILES)}
COUNTERS = Path(__file__).with_name("counter")


def judged(claim: Claim, bench: Workbench) -> Verdict:
    return judge(claim, collect(bench.plan()).tables)


def contradicted(document: dict[str, Any], bench: Workbench) -> list[Path]:
    """Files of the campaign that answer what the counter-record answers."""
    run = document.get("run", document)
    asked, traced = run["asked"], run["trace"] is not None
    plan = bench.plan()
    cells = [
        cell.key
        for cell in plan.cells.values()
        if cell.trace == traced
        and (cell.engine, cell.workload) == (asked["engine"], asked["workload"])
        and cell.graph == run["graph"]["name"]
    ]
    paths = plan.replays() if "run" in document else plan.records()
    return [Path(path) for path in paths if Path(path).parent.name in cells]


@pytest.mark.parametrize("name", CLAIMS)
def test_a_stored_counter_record_flips_the_verdict(name: str, copied: Workbench) -> None:
    before = judged(CLAIMS[name], copied)
    assert before.verdict == "reproduced"
    document = json.loads((COUNTERS / f"{name}.json").read_text())
    assert validator("run").is_valid(document.get("run", document))
    paths = contradicted(document, copied)
    assert paths
    for path in paths:
        path.write_text(json.dumps(document))
    assert judged(CLAIMS[name], copied).verdict == "not reproduced"


def test_one_edited_record_flips_a_verdict(
    copied: Workbench, find_record: Callable[..., Path]
) -> None:
    claim = CLAIMS["acgraph-fig10-bfs-bytes"]
    path = find_record(graph="kron", engine="concurrent", workload="bfs", trace=False)
    record = json.loads(path.read_text())
    record["io"]["requested_bytes"] = 5 * record["work"]["edges_processed"]
    path.write_text(json.dumps(record))
    verdict = judged(claim, copied)
    assert verdict.verdict == "partly"  # two of three trials still agree, the interval does not
    assert "interval" in verdict.reason


def test_run_with_everything_in_its_pool_answers_no_claim_on_reads(copied: Workbench) -> None:
    for path in copied.plan().records():
        record = json.loads(Path(path).read_text())
        record["pool"]["in_memory"] = True
        Path(path).write_text(json.dumps(record))
    verdict = judged(CLAIMS["acgraph-fig10-bfs-bytes"], copied)
    assert verdict.verdict == "not run"
    assert "in_memory_pool False" in verdict.reason


def test_verdict_names_the_records_that_it_rests_on(finished: Workbench) -> None:
    verdict = judged(CLAIMS["acgraph-fig10-bfs-bytes"], finished)
    assert len(verdict.records) == 3
    assert set(verdict.records) < set(finished.plan().records())
    assert verdict_document(verdict)["value"]["trials"] == 3


@pytest.mark.parametrize("name", CLAIMS)
def test_without_records_a_claim_is_not_run(name: str, workbench: Workbench) -> None:
    assert judged(CLAIMS[name], workbench).verdict == "not run"


def test_claim_that_nothing_here_can_tell_is_not_evaluated(finished: Workbench) -> None:
    claim = replace(CLAIMS["acgraph-fig2-opt-bfs"], not_testable="needs NUMA", expression="?")
    verdict = judged(claim, finished)
    assert (verdict.verdict, verdict.reason) == ("not testable here", "needs NUMA")


def test_wrong_expression_names_its_claim(finished: Workbench) -> None:
    claim = replace(CLAIMS["acgraph-fig2-opt-bfs"], expression="1 +")
    with pytest.raises(ExpressionError, match="claim acgraph-fig2-opt-bfs"):
        judged(claim, finished)


@pytest.mark.parametrize(
    ("direction", "values"),
    [
        ("about", {1.9: False, 2.0: True, 4.5: True, 6.0: True, 6.1: False}),
        ("at_least", {1.9: False, 2.0: True, 99.0: True}),
        ("at_most", {0.0: True, 6.0: True, 6.1: False}),
    ],
)
def test_bands(direction: str, values: dict[float, bool]) -> None:
    claim = replace(CLAIMS["acgraph-fig2-opt-bfs"], direction=direction, paper_low=4, paper_high=3)
    claim = replace(claim, paper_low=3, paper_high=4)
    assert {value: claim.holds(value, 1.5) for value in values} == values


def test_files_with_wrong_claims_are_refused(workbench: Workbench) -> None:
    source = load_yaml(FILES[0]).value
    twice = source | {"claims": [source["claims"][0]] * 2}
    with pytest.raises(ConfigError, match="stands twice"):
        read_claims([str(workbench.write("claims.yaml", twice))])
    loose = source | {"claims": [source["claims"][0] | {"tolerance": 3}]}
    with pytest.raises(ConfigError, match="tolerance: 3 is greater than"):
        read_claims([str(workbench.write("claims.yaml", loose))])
    narrow = source | {"claims": [source["claims"][0] | {"partly": 1.1}]}
    with pytest.raises(ConfigError, match="narrower"):
        read_claims([str(workbench.write("claims.yaml", narrow))])
