# SPDX-License-Identifier: Apache-2.0
"""Verdicts: the bands, and for every claim stored counter-records that change its verdict.

For every claim that can be tested, analysis/tests/counter/<paper>.yaml has the rows of the tables
that its expression needs, as records could contain them. A number that decides is written as a
pair: `[agrees, contradicts]`. What a row does not say is taken from PLAIN and from the conditions
of the file of claims. A row of a run stands for three trials, which a time needs; `{each: [...]}`
in a row stands for a row with each of these values.
"""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from outcore_analysis.claims import Claim, Verdict, judge, read_claims, verdict_document
from outcore_analysis.expressions import ExpressionError
from outcore_analysis.material import collect
from outcore_analysis.records import TABLES
from outcore_analysis.yamllines import ConfigError, load_yaml
from workbench import ROOT, Workbench

FILES = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
CLAIMS = {claim.id: claim for claim in read_claims(FILES)}
COUNTERS: dict[str, dict[str, list[dict[str, Any]]]] = {
    name: tables
    for path in sorted(Path(__file__).with_name("counter").glob("*.yaml"))
    for name, tables in load_yaml(str(path)).value.items()
}
TESTABLE = [name for name, claim in CLAIMS.items() if not claim.not_testable]
PLAIN = {"host": "h", "graph": "g", "status": "ok", "traced": False}
TRIALS = {"runs": (1, 2, 3), "replays": (1, 2, 3), "layouts": (1,), "races": (1, 2, 3)}


def judged(claim: Claim, bench: Workbench) -> Verdict:
    return judge(claim, collect(bench.plan()).tables)


def at_usual_depth(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a run; if neither it nor the conditions say a depth, the usual one."""
    usual = row.get("depth") == "usual"
    return row | {"depth": 64 if usual else row.get("depth"), "depth_asked": not usual}


def rows_of(name: str, table: str) -> list[dict[str, Any]]:
    """Return the stored rows of a claim, with `each` written out."""
    written = []
    for row in COUNTERS[name].get(table, []):
        values = [v["each"] if isinstance(v, dict) else [v] for v in row.values()]
        written += [dict(zip(row, chosen, strict=True)) for chosen in itertools.product(*values)]
    return written


def stored(claim: Claim, side: int) -> dict[str, pd.DataFrame]:
    """Return the tables of a claim's counter-records: side 0 agrees, 1 contradicts."""
    return {
        name: pd.DataFrame(
            [
                at_usual_depth(
                    PLAIN
                    | (dict(claim.conditions) if name == "runs" else {})
                    | {"record": f"{name}-{i}-{trial}", "trial": trial}
                    | {key: v[side] if isinstance(v, list) else v for key, v in row.items()}
                )
                for i, row in enumerate(rows_of(claim.id, name))
                for trial in TRIALS[name]
            ],
            columns=[column.name for column in columns],
        )
        for name, columns in TABLES.items()
    }


def test_counter_records_are_stored_for_the_claims_that_can_be_tested_and_no_others() -> None:
    assert sorted(COUNTERS) == sorted(TESTABLE)


@pytest.mark.parametrize("name", TESTABLE)
def test_stored_counter_records_flip_the_verdict(name: str) -> None:
    claim = CLAIMS[name]
    for table, rows in COUNTERS[name].items():
        assert {key for row in rows for key in row} <= {column.name for column in TABLES[table]}
    agreeing = judge(claim, stored(claim, 0))
    # A layout is made only once, and a time that was measured once is not enough.
    once = claim.timed and "layouts" in COUNTERS[name]
    assert agreeing.indicative == once
    assert agreeing.verdict == ("partly" if once else "reproduced"), agreeing.reason
    count = 3 * sum(len(rows_of(name, table)) for table in ("runs", "replays", "races"))
    assert len(agreeing.records) == count, "every row decides"
    contradicting = judge(claim, stored(claim, 1))
    assert contradicting.verdict == "not reproduced", contradicting.reason


def test_a_campaign_of_the_stub_is_judged_by_its_replays(copied: Workbench) -> None:
    claim = CLAIMS["acgraph-fig2-opt-bfs"]
    assert judged(claim, copied).verdict == "reproduced"
    for path in map(Path, copied.plan().replays()):
        document = json.loads(path.read_text())
        for row in document["cachesim"]["rows"]:
            row["miss_bytes"] = 4096
        path.write_text(json.dumps(document))
    assert judged(claim, copied).verdict == "not reproduced"


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


def test_without_records_a_claim_is_not_run(workbench: Workbench) -> None:
    tables = collect(workbench.plan()).tables
    assert {judge(CLAIMS[name], tables).verdict for name in TESTABLE} == {"not run"}


def test_a_quarter_of_the_claims_of_a_paper_may_be_untestable(workbench: Workbench) -> None:
    source = load_yaml(FILES[0]).value
    one = next(claim for claim in source["claims"] if "expression" in claim)
    cannot = {key: value for key, value in one.items() if key != "expression"}
    cannot["not_testable"] = "needs a system that we do not have: Mosaic"
    three = [one | {"id": f"can-{i}"} for i in range(3)]
    file = workbench.write("claims.yaml", source | {"claims": [*three, cannot]})
    assert len(read_claims([str(file)])) == 4
    file = workbench.write("claims.yaml", source | {"claims": [*three[1:], cannot]})
    with pytest.raises(ConfigError, match="1 of 3 claims are said to be not testable"):
        read_claims([str(file)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"not_testable": "needs time"}, "not_testable: 'needs time' is not one of"),
        ({"not_testable": "needs NUMA"}, "needs either an expression or a reason"),
        ({"no_number": True, "paper_value": 2}, "without a number has `paper_value: 1`"),
        ({"expression": 'runs("colour")'}, "table runs has no column 'colour'"),
        ({"expression": 'runs("seconds", codec="cave")'}, "no codec is called 'cave'"),
        (
            {"expression": 'runs("construct_s", engine="grid")'},
            "runs of engine 'grid' have no 'construct_s'; .* from: psw, sync_subgraph",
        ),
        ({"expression": 'runs("seconds", workload="pr")'}, "no workload is called 'pr'"),
        ({"expression": 'median(runs("seconds"))'}, "unknown function 'median'"),
        ({"expression": 'largest(runs("seconds"), over="seconds")'}, "is not a column by which"),
    ],
)
def test_claim_that_no_record_could_answer_is_refused(
    workbench: Workbench, change: dict[str, Any], message: str
) -> None:
    source = load_yaml(FILES[0]).value
    claim = next(claim for claim in source["claims"] if "expression" in claim)
    file = workbench.write("claims.yaml", source | {"claims": [claim | change]})
    with pytest.raises(ConfigError, match=message):
        read_claims([str(file)])


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
    claim = replace(CLAIMS["acgraph-fig2-opt-bfs"], direction=direction, unit="times")
    claim = replace(claim, paper_low=3, paper_high=4)
    assert {value: claim.holds(value, 1.5) for value in values} == values
    assert claim.within(1.5) == "a factor of 1.5"


@pytest.mark.parametrize(
    ("direction", "values"),
    [
        ("about", {0.19: False, 0.21: True, 0.33: True, 0.35: False}),
        ("at_least", {0.19: False, 0.21: True, 0.99: True}),
        ("at_most", {0.0: True, 0.33: True, 0.35: False}),
    ],
)
def test_bands_of_shares_are_in_points(direction: str, values: dict[float, bool]) -> None:
    claim = replace(CLAIMS["acgraph-fig2-opt-bfs"], direction=direction)
    assert (claim.paper_low, claim.paper_high, claim.unit) == (0.25, 0.29, "percent")
    assert {value: claim.holds(value, 5) for value in values} == values
    assert (claim.within(5), claim.within(1)) == ("5 points", "1 point")
    share = replace(claim, paper_low=0.98, paper_high=0.98, share=True)
    assert not share.holds(1.01, 5), "a share ends at 1, whatever the tolerance"


def test_shares_of_the_shipped_claims_have_points_that_mean_something() -> None:
    shares = [claim for claim in CLAIMS.values() if claim.in_points]
    assert len(shares) > 40
    for claim in shares:
        assert claim.tolerance <= min(5, 100 * claim.paper_low), claim.id
        assert claim.partly <= min(10, 100 * claim.paper_low), claim.id


def test_files_with_wrong_claims_are_refused(workbench: Workbench) -> None:
    source = load_yaml(FILES[0]).value
    twice = source | {"claims": [source["claims"][0]] * 2}
    with pytest.raises(ConfigError, match="occurs twice"):
        read_claims([str(workbench.write("claims.yaml", twice))])
    (factor,) = [c for c in source["claims"] if c["id"] == "acgraph-fig10-bfs-bytes"]
    (share,) = [c for c in source["claims"] if c["id"] == "acgraph-fig2-opt-bfs"]
    for claim, tolerance in ((factor, 3), (share, 6)):
        loose = source | {"claims": [claim | {"tolerance": tolerance}]}
        with pytest.raises(ConfigError, match=f"tolerance: {tolerance} is greater than"):
            read_claims([str(workbench.write("claims.yaml", loose))])
    narrow = source | {"claims": [share | {"partly": 1}]}
    with pytest.raises(ConfigError, match="narrower"):
        read_claims([str(workbench.write("claims.yaml", narrow))])
