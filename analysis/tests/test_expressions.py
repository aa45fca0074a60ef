# SPDX-License-Identifier: Apache-2.0
"""The language of claims: what it computes, and all that it refuses."""

import pandas as pd
import pytest

from outcore_analysis.expressions import Evaluation, ExpressionError, NoRecordsError

Row = dict[str, object]


def run(workload: str, engine: str, trial: int, seconds: float, **more: object) -> Row:
    row: Row = {
        "record": f"{workload}-{engine}-{trial}",
        "trial": trial,
        "host": "h",
        "graph": "g",
        "layout": "l",
        "engine": engine,
        "workload": workload,
        "parameters": "",
        "threads": 2,
        "frames_bytes": 1,
        "config": workload + engine,
        "seconds": seconds,
        "status": "ok",
        "reason": "",
        "traced": False,
    }
    return row | more


def evaluation(*rows: Row) -> Evaluation:
    return Evaluation({"runs": pd.DataFrame(list(rows))})


PAIRED = [
    run("bfs", "a", 1, 6.0), run("bfs", "a", 2, 8.0), run("bfs", "a", 3, 10.0),
    run("bfs", "b", 2, 4.0), run("bfs", "b", 1, 2.0), run("bfs", "b", 3, 5.0),
]  # fmt: skip


def test_ratios_are_paired_by_trial() -> None:
    found = evaluation(*PAIRED)
    assert found.value('runs("seconds", engine="a") / runs("seconds", engine="b")') == [3, 2, 2]
    assert found.used == {row["record"] for row in PAIRED}


def test_arithmetic_has_its_usual_order() -> None:
    found = evaluation(*PAIRED).value('-2 + runs("seconds", engine="b") * 3 - (1 + 1) / 2')
    assert found == [3, 9, 12]


def test_trial_that_one_side_lacks_is_left_out() -> None:
    found = evaluation(*PAIRED[:4])
    assert found.value('runs("seconds", engine="a") / runs("seconds", engine="b")') == [2]


def test_reductions_leave_the_trials() -> None:
    rows = [run("bfs", "a", 1, 1.0), run("wcc", "a", 1, 4.0), run("sssp", "a", 1, 16.0)]
    found = evaluation(*rows)
    assert found.value('largest(runs("seconds"))') == [16]
    assert found.value('smallest(runs("seconds"))') == [1]
    assert found.value('geomean(runs("seconds"))') == [pytest.approx(4)]


def test_spread_is_relative_to_the_most() -> None:
    cases = [("x", "a", 8.0), ("x", "b", 10.0), ("y", "a", 2.0), ("y", "b", 1.0)]
    rows = [run(workload, engine, 1, seconds) for workload, engine, seconds in cases]
    found = evaluation(*rows)
    spread = 'spread(runs("seconds", layout="l"), over="engine")'
    with pytest.raises(ExpressionError, match="config"):
        found.value(spread)  # the hash of the configuration still tells the engines apart
    rows = [row | {"config": "same"} for row in rows]
    assert evaluation(*rows).value(f"largest({spread})") == [0.5]
    assert evaluation(*rows).value(f"smallest({spread})") == [pytest.approx(0.2)]


def test_failed_and_traced_runs_do_not_count() -> None:
    good = run("bfs", "a", 1, 1.0)
    failed = run("bfs", "b", 1, 1.0, status="failed", reason="no disk")
    traced = run("bfs", "c", 1, 1.0, traced=True)
    found = evaluation(good, failed, traced)
    assert found.value('runs("seconds")') == [1]
    with pytest.raises(NoRecordsError, match="engine b: failed: no disk"):
        found.value('runs("seconds", engine="b")')
    with pytest.raises(NoRecordsError, match="traced"):
        found.value('runs("seconds", engine="c")')
    with pytest.raises(NoRecordsError, match="nothing with engine d"):
        found.value('runs("seconds", engine="d")')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 +", "not an expression"),
        ("1 + 2", "does not use any table"),
        ('__import__("os")', "unknown function"),
        ('runs("seconds").max()', "not part of the language"),
        ("runs", "not part of the language"),
        ('[runs("seconds")]', "not part of the language"),
        ('runs("seconds") ** 9', "not part of the language"),
        ('runs("colour")', "no column 'colour'"),
        ('runs("seconds", colour="red")', "no column 'colour'"),
        ('runs("seconds", engine=runs("seconds"))', "must be a plain value"),
        ('runs("seconds", "engine")', "takes one argument"),
        ("largest(3)", "needs values of a table"),
        ('largest(runs("seconds"), over="engine")', "unexpected keyword"),
        ('spread(runs("seconds", engine="a"), over="engine")', "one value only"),
        ('runs("seconds")', "several values a trial; fix engine"),
    ],
)
def test_everything_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        evaluation(*PAIRED).value(text)
