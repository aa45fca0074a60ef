# SPDX-License-Identifier: Apache-2.0
"""Answers of every workload on real graphs against SciPy and NumPy (see real_graphs.py)."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from . import oracles
from .real_graphs import SMALL, import_case, name_of, present
from .test_oracles import Case, assert_all_equal, check_push


@pytest.fixture(scope="module", params=SMALL or [None], ids=name_of)
def file(request: pytest.FixtureRequest) -> Path:
    return present(request.param)


MakeCase = Callable[[bool], Case]


@pytest.fixture(scope="module")
def make_case(file: Path, tmp_path_factory: pytest.TempPathFactory, binary: None) -> MakeCase:
    @cache
    def made(symmetric: bool) -> Case:
        return import_case(file, symmetric, tmp_path_factory.mktemp("graph"))

    return made


@pytest.fixture(params=["as it is", "symmetric"])
def case(request: pytest.FixtureRequest, make_case: MakeCase) -> Case:
    return make_case(request.param == "symmetric")


@pytest.fixture
def symmetric(make_case: MakeCase) -> Case:
    return make_case(True)


@pytest.mark.parametrize("workload", ["bfs", "bfs-do"])
def test_levels(case: Case, workload: str) -> None:
    expected = oracles.levels(case.graph, case.graph.max_degree())
    assert_all_equal(case.answers(workload), expected)


def test_distances(case: Case) -> None:
    weights = oracles.hashed_weights(case.graph.sources, case.graph.targets)
    expected = oracles.distances(case.graph, case.graph.max_degree(), weights)
    assert_all_equal(case.answers("sssp"), expected)


def test_products(case: Case) -> None:
    weights = oracles.hashed_weights(case.graph.sources, case.graph.targets)
    expected = oracles.product(case.graph, weights, seed=3)
    for _, values in case.answers("spmv", "seed=3"):
        assert_allclose(values, expected, rtol=1e-5)


def test_pagerank(case: Case) -> None:
    expected = oracles.power_iteration(case.graph, 10)
    for _, values in case.answers("pagerank", "iterations=10"):
        assert_allclose(values, expected, rtol=1e-3)
        assert np.abs(values - expected).sum() < 1e-4


def test_personalised_pagerank(case: Case) -> None:
    start = np.zeros(case.graph.vertices)
    start[case.graph.max_degree()] = 1
    # From a hub of a large graph, most of the rank has been passed on before so little is left.
    r_max = 0.1 / len(case.graph.targets)
    check_push(case, case.answers("ppr", f"r_max={r_max}"), start, least=0.5)


def test_pagerank_by_pushing(case: Case) -> None:
    uniform = np.full(case.graph.vertices, 1 / case.graph.vertices)
    check_push(case, case.answers("pagerank-push"), uniform, least=0.99)


def test_pagerank_by_deltas(case: Case) -> None:
    uniform = np.full(case.graph.vertices, 1 / case.graph.vertices)
    expected = oracles.ends_of_walks(case.graph, uniform)
    for summary, values in case.answers("pagerank-delta"):
        assert np.abs(values - expected).sum() <= summary["error_bound"] + 1e-5


def test_betweenness(case: Case) -> None:
    roots = [case.graph.max_degree(), int(case.graph.random_sources(seed=4, count=1)[0])]
    for root, source in zip(roots, ["max-degree", "random:4"], strict=True):
        expected = oracles.dependencies(case.graph, root)
        for _, values in case.answers("bc", source=source):
            assert_allclose(values, expected, rtol=1e-4, atol=1e-5)


def test_radii(case: Case) -> None:
    expected = oracles.radii(case.graph, seed=1, count=4)
    assert_all_equal(case.answers("radii", "sources=4"), expected)


def test_what_a_search_reaches(case: Case) -> None:
    expected = oracles.reachable(case.graph, case.graph.max_degree())
    assert_all_equal(case.answers("dfs"), expected)


def test_random_walks(case: Case) -> None:
    expected = oracles.walks(case.graph, walkers=500, steps=20, seed=6)
    assert_all_equal(case.answers("random-walk", "walkers=500", "steps=20", "seed=6"), expected)


@pytest.mark.parametrize(
    "words",
    [["wcc"], ["wcc", "form=search"], ["wcc", "form=sample"], ["wcc-sample"]],
    ids=" ".join,
)
def test_components(symmetric: Case, words: list[str]) -> None:
    assert_all_equal(symmetric.answers(*words), oracles.least_labels(symmetric.graph))


def test_core(symmetric: Case) -> None:
    k = int(np.median(symmetric.graph.degrees)) + 1
    expected = oracles.core(symmetric.graph, k)
    assert_all_equal(symmetric.answers("kcore", f"k={k}"), expected)


def test_core_numbers(symmetric: Case) -> None:
    assert_all_equal(symmetric.answers("coreness"), oracles.peeled(symmetric.graph))


def test_independent_sets(symmetric: Case) -> None:
    graph = symmetric.graph
    joins = graph.sources != graph.targets
    for _, values in symmetric.answers("mis", "seed=9"):
        member = values == 1
        assert not np.any(member[graph.sources[joins]] & member[graph.targets[joins]])
        has_member = np.zeros(graph.vertices, dtype=bool)
        has_member[graph.sources[joins & member[graph.targets]]] = True
        assert np.all(member | has_member), "maximal"
        assert_array_equal(values, oracles.greedy_set(graph, 9))
