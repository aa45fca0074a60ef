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
        "pool": "6%",
        "memory_limit_bytes": None,
        "backend": "uring",
        "depth": 64,
        "modelled": None,
        "dilation": None,
        "options": "",
        "config": workload + engine,
        "seconds": seconds,
        "status": "ok",
        "reason": "",
        "traced": False,
    }
    return row | more


def evaluation(*rows: Row, conditions: Row | None = None) -> Evaluation:
    return Evaluation({"runs": pd.DataFrame(list(rows))}, conditions or {})


PAIRED = [
    run("bfs", "a", 1, 6.0), run("bfs", "a", 2, 8.0), run("bfs", "a", 3, 10.0),
    run("bfs", "b", 2, 4.0), run("bfs", "b", 1, 2.0), run("bfs", "b", 3, 5.0),
]  # fmt: skip


def test_ratios_are_paired_by_trial() -> None:
    found = evaluation(*PAIRED)
    assert found.value('runs("seconds", engine="a") / runs("seconds", engine="b")') == [3, 2, 2]
    assert found.used == {row["record"] for row in PAIRED}


def test_a_turn_that_its_limit_of_time_ended_is_a_bound_and_no_time() -> None:
    ours, theirs = run("wcc", "a", 1, 2.0), run("wcc", "toy", 1, 400.0)
    late = theirs | {"contestant": "toy", "least_s": 400.0, "status": "killed"}
    killed = theirs | {"contestant": "kuzu", "least_s": None, "status": "killed"}
    tables = {"runs": pd.DataFrame([ours]), "races": pd.DataFrame([late, killed])}
    ratio = 'races("{}", contestant="{}") / runs("seconds", engine="a")'
    assert Evaluation(tables, {}).value(ratio.format("least_s", "toy")) == [200]
    for column, contestant in (("seconds", "toy"), ("least_s", "kuzu")):
        with pytest.raises(NoRecordsError, match="no usable run"):
            Evaluation(tables, {}).value(ratio.format(column, contestant))


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
    with pytest.raises(NoRecordsError, match="several values a trial; fix workload"):
        found.value('runs("seconds")')


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_run_that_lacks_the_value_leaves_the_others_without_one(at: int) -> None:
    """The rest would be a selection: for rates, the runs that took long."""
    rows = [run("bfs", f"e{i}", 1, 2.0**i) for i in range(2)]
    rows.insert(at, run("bfs", "too-short", 1, float("nan")))
    for reduction in ("largest", "smallest", "geomean"):
        with pytest.raises(NoRecordsError, match="seconds is missing from 1 of 3 runs, such as g"):
            evaluation(*rows).value(f'{reduction}(runs("seconds"))')


def test_trials_that_lack_one_of_the_things_compared_do_not_count() -> None:
    """The largest of two graphs in one trial and of one in the next are different numbers."""
    rows = [run("bfs", "a", trial, 2.0, graph="long") for trial in (1, 2, 3)]
    rows += [run("bfs", "a", trial, 8.0, graph="short") for trial in (1, 3)]
    assert evaluation(*rows).value('largest(runs("seconds"))') == [8, 8]
    pools = [run("bfs", "a", t, 4.0 / p, pool=f"{p}%") for t, p in ((1, 1), (1, 2), (2, 1))]
    assert evaluation(*pools).value('spread(runs("seconds"), over="pool")') == [0.5]


def test_what_was_compared_covers_every_combination_or_says_what_is_lacking() -> None:
    rows = [run(w, "a", 1, 1.0, graph=g, family=f) for w, g, f in (
        ("bfs", "k", "kronecker"), ("wcc", "k", "kronecker"), ("bfs", "w", "hostweb"),
    )]  # fmt: skip
    found = evaluation(*rows)
    found.value('largest(runs("seconds"))')
    assert found.uncovered({"family": ["kronecker", "hostweb"], "workload": ["bfs"]}) == ""
    both = {"family": ["kronecker", "hostweb"], "workload": ["bfs", "wcc"]}
    assert found.uncovered(both) == "hostweb, wcc"
    assert found.uncovered({"pool": ["6%"]}) == "6%", "one pool alone is compared with nothing"


def test_reductions_over_one_column_leave_the_others() -> None:
    cases = [("bfs", "a", 8.0), ("bfs", "b", 10.0), ("wcc", "a", 2.0), ("wcc", "b", 1.0)]
    found = evaluation(*[run(workload, engine, 1, s) for workload, engine, s in cases])
    spread = 'spread(runs("seconds", layout="l"), over="engine")'
    assert found.value(f"largest({spread})") == [0.5]
    assert found.value(f"smallest({spread})") == [pytest.approx(0.2)]
    best = 'smallest(runs("seconds"), over="engine")'
    assert found.value(f'largest(runs("seconds", engine="b") / {best})') == [pytest.approx(1.25)]


def test_ratios_are_paired_by_graph_and_workload_even_if_one_side_has_one_only() -> None:
    found = evaluation(
        run("bfs", "a", 1, 6.0), run("wcc", "a", 1, 8.0), run("bfs", "b", 1, 2.0)
    )  # fmt: skip
    assert found.value('runs("seconds", engine="a") / runs("seconds", engine="b")') == [3]


def test_swept_column_is_compared_with_one_of_its_values() -> None:
    found = evaluation(*[run("bfs", "a", 1, 64 / k, depth=k) for k in (1, 4, 16)])
    one = 'runs("seconds", depth=1)'
    assert found.value(f'largest({one} / runs("seconds"))') == [16]
    with pytest.raises(NoRecordsError, match="fix depth"):
        found.value(f'{one} / runs("seconds")')
    with pytest.raises(NoRecordsError, match="one threads only"):
        found.value('largest(runs("seconds"), over="threads")')
    with pytest.raises(NoRecordsError, match="one graph only"):
        found.value(f'largest({one}, over="graph")')


def test_the_configuration_tells_runs_apart_that_nothing_else_does() -> None:
    rows = [run("bfs", "a", 1, 1.0, config="x"), run("bfs", "a", 1, 2.0, config="y")]
    with pytest.raises(NoRecordsError, match="fix config"):
        evaluation(*rows).value('runs("seconds")')


def test_conditions_hold_unless_the_expression_says_otherwise() -> None:
    rows = [
        run("bfs", "a", 1, 1.0, depth=1), run("bfs", "a", 1, 4.0, depth=64),
        run("bfs", "a", 1, 9.0, depth=None),
    ]  # fmt: skip

    def value(words: str) -> list[float]:
        return evaluation(*rows, conditions={"depth": 64}).value(f'largest(runs("seconds"{words}))')

    assert value("") == [4]
    assert value(", depth=1") == [1]
    assert value(', depth="*"') == [9]
    assert value(", depth=None") == [9]
    with pytest.raises(NoRecordsError, match=r"no runs with depth 5$"):
        value(', depth=5, engine="b"')


def test_modelled_devices_count_where_they_are_asked_for() -> None:
    found = evaluation(run("bfs", "a", 1, 1.0), run("bfs", "a", 1, 7.0, modelled="sata"))
    assert found.value('runs("seconds")') == [1]
    assert found.value('runs("seconds", modelled="sata")') == [7]
    assert found.value('largest(runs("seconds", modelled="*"))') == [7]


def test_one_device_drawn_out_in_two_ways_is_not_compared_with_itself() -> None:
    rows = [run("bfs", "a", 1, 1.0, modelled="sata", dilation=d, depth=d) for d in (4, 8)]
    rows.append(run("bfs", "a", 1, 2.0, modelled="optane", dilation=96))
    found = evaluation(*rows)
    with pytest.raises(NoRecordsError, match="sata is drawn out in several ways; fix dilation"):
        found.value('smallest(runs("seconds", modelled="*"))')
    assert found.value('smallest(runs("seconds", modelled="sata", dilation=8))') == [1]
    assert found.value('largest(runs("seconds", modelled="optane"))') == [2]


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
    with pytest.raises(NoRecordsError, match="there are no runs with engine d"):
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
        ('largest(runs("seconds"), by="engine")', "unexpected keyword"),
        ('spread(runs("seconds"))', "missing 1 required"),
    ],
)
def test_everything_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        evaluation(*PAIRED).value(text)
