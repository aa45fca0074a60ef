# SPDX-License-Identifier: Apache-2.0
"""Races and the sentences made from them: who wins, by what factor, why, or that it is unknown."""

import math
from typing import Any

import pandas as pd
import pytest

from outcore_analysis.answers import answers, because, described
from outcore_analysis.matrix import matrix
from outcore_analysis.races import FACTORS, SAME, Race, races

COMMON: dict[str, Any] = dict.fromkeys(SAME) | {
    "host": "h", "graph": "g", "workload": "bfs", "parameters": "", "threads": 2, "layout": "csr",
    "pool": "6%", "options": "", "status": "ok", "reason": "", "traced": False, "backend": "uring",
    "depth_asked": False, "backend_asked": False,
}  # fmt: skip


def run(engine: str, trial: int = 1, seconds: float = 1.0, **more: Any) -> dict[str, Any]:
    """A run that processes 1000 edges of 4 bytes; a tenth of its time is start-up."""
    counted = {"edges_processed": 1000, "requested_bytes": 4000, "kernel_bytes": 4000}
    config = f"{engine}-{more.get('graph')}-{more.get('workload')}-{more.get('pool')}"
    return (
        COMMON
        | {"engine": engine, "trial": trial, "seconds": seconds, "run_s": 0.9 * seconds}
        | {"config": config + str(more.get("layout")) + str(more.get("parameters"))}
        | counted
        | more
    )


def trials(engine: str, *seconds: float, **more: Any) -> list[dict[str, Any]]:
    return [run(engine, i + 1, value, **more) for i, value in enumerate(seconds)]


def of(*runs: list[dict[str, Any]]) -> list[Race]:
    return races(pd.DataFrame([one for part in runs for one in part]))


def says(found: list[Race]) -> list[str]:
    return answers(found, lambda name: {"g": "the grid", "k": "Kronecker"}[name])


SLOW = trials(
    "rounds", 8.0, 8.8, 7.9, edges_processed=2000, requested_bytes=40000, kernel_bytes=40000
)
FAST = trials("async", 1.0, 1.1, 0.9)


def test_the_factors_of_a_race_multiply_to_its_ratio() -> None:
    (race,) = of(SLOW, FAST)
    assert race.best is not None and race.best.engine == "async"
    loser = race.slowest
    assert loser.factor is not None and loser.factor.median == 8.0
    assert list(loser.why) == list(FACTORS)
    assert math.prod(loser.why.values()) == pytest.approx(8.0)
    assert loser.why["edges"] == 2
    assert loser.why["bytes"] == 5
    # Ten times the bytes in eight times the time.
    assert loser.why["rate"] == pytest.approx(0.8)
    assert loser.why["start-up"] == pytest.approx(1)
    assert loser.why["residual"] == pytest.approx(1)
    assert loser.reason == "bytes"


def test_start_up_and_what_the_page_cache_answered_stand_apart() -> None:
    heavy = [one | {"run_s": one["seconds"] / 2} for one in trials("rounds", 4.0, 4.0, 4.0)]
    cached = [one | {"kernel_bytes": 2000} for one in heavy]
    (race,) = of(cached, trials("async", 1.0, 1.0, 1.0))
    assert race.slowest.why["start-up"] == pytest.approx(1.8)
    # The page cache answered half of the requested bytes; the residual shows it.
    assert race.slowest.why["residual"] == pytest.approx(0.5)
    assert math.prod(race.slowest.why.values()) == pytest.approx(4)


def test_without_edges_or_reads_there_is_nothing_to_divide() -> None:
    (race,) = of(trials("rounds", 4.0, 4.0, 4.0, edges_processed=0), FAST)
    assert race.slowest.why == {}
    assert "cannot say why" in because(race.slowest)
    assert described(race.slowest) == "nothing to divide"
    unheard = [one | {"kernel_bytes": None} for one in SLOW]
    (race,) = of(unheard, FAST)
    assert race.slowest.why["rate"] == pytest.approx(0.8), "what was asked for counts as read"


def test_only_what_is_alike_races() -> None:
    other_pool = trials("rounds", 0.1, 0.1, 0.1, pool="20%")
    limited = trials("rounds", 0.1, 0.1, 0.1, memory_limit_bytes=1 << 20)
    tuned = trials("rounds", 0.1, 0.1, 0.1, options="cache=clock")
    traced = trials("rounds", 0.1, 0.1, 0.1, traced=True)
    (race,) = of(SLOW, FAST, other_pool, limited, tuned, traced)
    assert [entry.engine for entry in race.finished] == ["async", "rounds"]
    assert race.slowest.seconds is not None and race.slowest.seconds.median == 8.0
    assert race.pool == "6%"


def test_an_engine_runs_on_its_quickest_layout_and_the_reference_wins_nothing() -> None:
    packed = trials("rounds", 2.0, 2.0, 2.0, layout="packed")
    memory = trials("in_memory", 0.1, 0.1, 0.1, pool=None)
    (race,) = of(SLOW, packed, FAST, memory)
    assert race.slowest.layout == "packed"
    assert race.best is not None and race.best.engine == "async"
    assert race.reference is not None and race.reference.factor is not None
    assert race.reference.factor.median == pytest.approx(0.1)


def test_an_engine_that_failed_is_in_its_race_with_the_reason() -> None:
    killed = trials("rounds", 1.0, status="killed", reason="over its limit")
    (race,) = of(killed, FAST)
    assert race.best is None
    assert [entry.trouble for entry in race.entries] == ["killed: over its limit", ""]
    (row,) = matrix([race], str)["rows"]
    assert [cell["trouble"] for cell in row["cells"]] == ["killed: over its limit", ""]
    assert row["cells"][1]["alone"]


def test_sentences_say_who_wins_where_by_what_factor_and_why() -> None:
    pagerank = {"workload": "pagerank", "graph": "k"}
    found = of(
        SLOW,
        FAST,
        trials("rounds", 8.0, 8.8, 7.9, graph="k"),
        trials("async", 4.0, 4.4, 4.1, graph="k"),
        trials("rounds", 1.0, 1.0, 1.0, **pagerank),
        trials("async", 1.5, 1.5, 1.5, **pagerank),
        trials("rounds", 1.0, 1.2, 0.9, workload="wcc"),
        trials("async", 1.01, 0.9, 1.0, workload="wcc"),
    )
    assert says(found) == [
        "async wins 2 of 4 races: BFS on the grid and Kronecker; rounds wins 1: PageRank on "
        "Kronecker; 1 is too close to call.",
        "async leads most in BFS on the grid: rounds takes 8.00 times as long, above all because "
        "each edge costs it 5.00 times the bytes.",
        "The other way round, rounds leads most in PageRank on Kronecker: async takes 1.50 times "
        "as long, above all because it gets its bytes at 0.67 times the rate.",
    ]


def test_sentences_name_the_nearest_where_one_engine_wins_all() -> None:
    assert says(of(SLOW, FAST))[-1] == (
        "No other engine wins a race; the nearest is rounds in BFS on the grid, at 8.00 times the "
        "time of async."
    )


def test_too_little_data_is_said() -> None:
    (only,) = says(of(FAST))
    assert only.startswith("Too little data to say who wins: no two engines")
    assert says([]) == [only]
    hint, first, *_ = says(of(SLOW[:1], FAST[:1]))
    assert hint.startswith("Too little data to say who wins: one trial of each, and 3 are needed.")
    assert first == "async is the quickest in 1 of 1 races: BFS on the grid."


def test_close_races_have_no_winner() -> None:
    near = trials("rounds", 1.0, 1.2, 0.9)
    close = says(of(near, trials("async", 1.01, 0.9, 1.0)))
    assert close == ["The only race is too close to call."]


def test_the_matrix_has_the_factors_and_the_bars_of_the_losers() -> None:
    shown = matrix(of(SLOW, FAST, trials("in_memory", 0.5, 0.5, 0.5, pool=None)), str)
    assert shown["engines"] == ["async", "rounds"]
    (row,) = shown["rows"]
    best, lost = row["cells"]
    assert (best["text"], best["best"], best["bar"]) == ("\N{MULTIPLICATION SIGN}1.00", True, "")
    assert lost["text"] == "\N{MULTIPLICATION SIGN}8.00"
    assert lost["reason"] == "bytes an edge \N{MULTIPLICATION SIGN}5.00"
    assert 'class="why-edges"' in lost["bar"] and 'class="why-bytes"' in lost["bar"]
    assert "slower rate \N{MULTIPLICATION SIGN}0.80" in lost["bar"]
    assert row["reference"]["text"] == "\N{MULTIPLICATION SIGN}0.50"


def test_a_bar_is_as_long_as_the_logarithm_of_its_factor() -> None:
    shown = matrix(of(SLOW, FAST), str)
    bar = shown["rows"][0]["cells"][1]["bar"]
    widths = {
        part.split('"')[0]: float(part.split('width="')[1].split('"')[0])
        for part in bar.split('class="why-')[1:]
    }
    assert widths["bytes"] / widths["edges"] == pytest.approx(math.log(5) / math.log(2), rel=0.01)
