# SPDX-License-Identifier: Apache-2.0
"""Four workloads on large real graphs against SciPy and NumPy: a search, labels, sums, peeling."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from . import oracles
from .real_graphs import LARGE, import_case, name_of, present
from .test_oracles import Case, assert_all_equal


@pytest.fixture(scope="module", params=LARGE or [None], ids=name_of)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, binary: None
) -> Case:
    file: Path = present(request.param)
    return import_case(file, symmetric=True, folder=tmp_path_factory.mktemp("graph"))


def test_levels(case: Case) -> None:
    assert_all_equal(case.answers("bfs"), oracles.levels(case.graph, case.graph.max_degree()))


def test_components(case: Case) -> None:
    assert_all_equal(case.answers("wcc"), oracles.least_labels(case.graph))


def test_pagerank(case: Case) -> None:
    expected = oracles.power_iteration(case.graph, 10)
    for _, values in case.answers("pagerank", "iterations=10"):
        assert_allclose(values, expected, rtol=1e-3)
        assert np.abs(values - expected).sum() < 1e-4


def test_core(case: Case) -> None:
    k = int(np.median(case.graph.degrees)) + 1
    assert_all_equal(case.answers("kcore", f"k={k}"), oracles.core(case.graph, k))
