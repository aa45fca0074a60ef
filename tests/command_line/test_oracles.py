# SPDX-License-Identifier: Apache-2.0
"""Every workload on every engine against SciPy, NetworkX and NumPy, on graphs of 10^5 edges.

The answers come through `outcore run --output`, so that what is compared is what a user gets.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from outcore_analysis import load_values

from . import oracles
from .conftest import TRAITS, Runs, engines_for, outcore
from .oracles import Graph

# name: how it is made, and the layout that it is run from
GRAPHS: dict[str, tuple[list[object], list[object]]] = {
    "kronecker": (["kronecker", "--scale", 12, "--symmetric"], ["--pack", "firstfit"]),
    "grid": (["grid", "--rows", 100, "--columns", 120], ["--number", "random", "--codec", "svb"]),
    "hostweb": (
        ["hostweb", "--vertices", 6000, "--symmetric"],
        ["--pack", "lplf", "--inline", "mini-data:2"],
    ),
    "directed kronecker": (["kronecker", "--scale", 12], ["--pack", "csr", "--codec", "varint"]),
    "directed hostweb": (["hostweb", "--vertices", 8000], ["--number", "bfs2", "--pack", "lplf"]),
}
SYMMETRIC = ["kronecker", "grid", "hostweb"]


class Case:
    """A graph as Outcore knows it and as the oracles know it.

    `layouts` names a layout of each pack; an engine that reads any pack takes the first.
    """

    def __init__(self, folder: Path, graph: Graph, scratch: Path, layouts: dict[str, str]) -> None:
        self.graph = graph
        self.layouts = layouts
        self.output = scratch / "values.npy"
        self._runs = Runs(folder, scratch)

    def answers(self, workload: str, *settings: str, **options: Any) -> list[tuple[Any, Any]]:
        """Return for each engine the summary, and the values in the order of the vertices."""
        answers = []
        for engine in engines_for(workload):
            layout = self.layouts.get(TRAITS[engine]["pack"] or next(iter(self.layouts)))
            if layout is None:
                continue
            words = self._runs.words(
                engine=engine, workload=workload, layout=layout, output=self.output, **options
            )
            for setting in settings:
                words += ["--set", setting]
            outcore(*words)
            summary = self._runs.record()["answer"]["summary"]
            values = load_values(self.output)
            assert_array_equal(values.index, np.arange(self.graph.vertices))
            answers.append((summary, values.to_numpy()))
        return answers


MakeCase = Callable[[str], Case]


@pytest.fixture(scope="session")
def read_graphs() -> dict[Path, Graph]:
    """What was read once."""
    return {}


@pytest.fixture
def make_case(
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
    read_graphs: dict[Path, Graph],
    binary: None,
) -> MakeCase:
    """Make each graph once."""

    def case(name: str) -> Case:
        folder = tmp_path_factory.getbasetemp() / "oracles" / name.replace(" ", "-")
        if folder not in read_graphs:
            making, layout = GRAPHS[name]
            outcore("generate", *making, folder)
            outcore("layout", folder, *layout, "--heads", 2, "--name", "it")
            read_graphs[folder] = Graph.read(folder)
        words = GRAPHS[name][1]
        pack = words[words.index("--pack") + 1] if "--pack" in words else "firstfit"
        return Case(folder, read_graphs[folder], tmp_path, {str(pack): "it"})

    return case


@pytest.fixture(params=GRAPHS)
def case(request: pytest.FixtureRequest, make_case: MakeCase) -> Case:
    return make_case(request.param)


@pytest.fixture(params=SYMMETRIC)
def symmetric(request: pytest.FixtureRequest, make_case: MakeCase) -> Case:
    return make_case(request.param)


def assert_all_equal(answers: list[tuple[Any, Any]], expected: Any) -> None:
    for _, values in answers:
        assert_array_equal(values, expected)


@pytest.mark.parametrize("workload", ["bfs", "bfs-do"])
def test_levels(case: Case, workload: str) -> None:
    expected = oracles.levels(case.graph, case.graph.max_degree())
    assert_all_equal(case.answers(workload), expected)


def test_levels_from_a_random_source(case: Case) -> None:
    source = int(case.graph.random_sources(seed=7, count=1)[0])
    answers = case.answers("bfs", source="random:7")
    assert {summary["source"] for summary, _ in answers} == {source}
    assert_all_equal(answers, oracles.levels(case.graph, source))


@pytest.mark.parametrize(
    "words",
    [["wcc"], ["wcc", "form=search"], ["wcc", "form=sample"], ["wcc-sample"]],
    ids=" ".join,
)
def test_components(symmetric: Case, words: list[str]) -> None:
    assert_all_equal(symmetric.answers(*words), oracles.least_labels(symmetric.graph))


def test_cores(symmetric: Case) -> None:
    numbers = oracles.core_numbers(symmetric.graph)
    assert_all_equal(symmetric.answers("coreness"), numbers)
    k = int(np.median(numbers)) + 1
    assert_all_equal(symmetric.answers("kcore", f"k={k}"), numbers >= k)


def test_communities(symmetric: Case) -> None:
    for iterations in (1, 5):
        expected = oracles.communities(symmetric.graph, iterations)
        assert_all_equal(symmetric.answers("cdlp", f"iterations={iterations}"), expected)


def test_clustering(symmetric: Case) -> None:
    """In one pass over the lists and in several."""
    coefficients = nx.clustering(symmetric.graph.networkx(nx.Graph))
    expected = [coefficients[v] for v in range(symmetric.graph.vertices)]
    for kept, passes in (len(symmetric.graph.targets), 1), (len(symmetric.graph.targets) // 2, 2):
        for summary, values in symmetric.answers("lcc", f"kept={kept}"):
            assert summary["passes"] >= passes
            assert passes > 1 or summary["passes"] == 1
            assert_allclose(values, expected, rtol=1e-6)


def test_distances_by_hashed_weights(case: Case) -> None:
    weights = oracles.hashed_weights(case.graph.sources, case.graph.targets)
    expected = oracles.distances(case.graph, case.graph.max_degree(), weights)
    assert_all_equal(case.answers("sssp"), expected)


def test_products_by_hashed_weights(case: Case) -> None:
    weights = oracles.hashed_weights(case.graph.sources, case.graph.targets)
    expected = oracles.product(case.graph, weights, seed=3)
    for _, values in case.answers("spmv", "seed=3"):
        assert_allclose(values, expected, rtol=1e-6)


@pytest.mark.parametrize("symmetrise", [True, False])
def test_the_weights_of_an_imported_file(tmp_path: Path, symmetrise: bool) -> None:
    """Ids that are far apart, and weights that are not whole, as in a file."""
    random = np.random.default_rng(5)
    ids = np.sort(random.choice(10**9, 3000, replace=False))
    ends = np.unique(np.sort(random.integers(0, len(ids), (20000, 2)), axis=1), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    weights = random.exponential(size=len(ends)).astype(np.float32)
    lines = zip(ids[ends[:, 0]], ids[ends[:, 1]], weights, strict=True)
    file = tmp_path / "edges.wel"
    file.write_text("".join(f"{u} {v} {w}\n" for u, v, w in lines))
    folder = tmp_path / "graph"
    outcore("import", file, folder, *["--symmetric"] * symmetrise)
    outcore("layout", folder, "--pack", "csr", "--weights", "given", "--name", "it")

    sources, targets = ends.T
    entries = np.zeros((len(ids), len(ids)))
    entries[sources, targets] = weights
    if symmetrise:
        entries[targets, sources] = weights
    present = np.flatnonzero(entries.any(axis=0) | entries.any(axis=1))
    entries = entries[np.ix_(present, present)]
    matrix = oracles.sparse.csr_array(entries)
    graph = Graph(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64))
    source = graph.max_degree()

    runs = Runs(folder, tmp_path)
    output = tmp_path / "values.txt"
    for engine in engines_for("sssp"):
        asked = {"engine": engine, "layout": "it", "output": output, "set": "weights=given"}
        runs.run(workload="sssp", source=ids[present[source]], **asked)
        found = load_values(output)
        assert_array_equal(found.index, ids[present])
        expected = oracles.distances(graph, source, matrix.data)
        assert_allclose(found, expected, rtol=1e-6)
        runs.run(workload="spmv", **asked)
        assert_allclose(load_values(output), oracles.product(graph, matrix.data, 1), rtol=1e-6)


def test_pagerank_after_some_iterations(case: Case) -> None:
    for iterations in (1, 10):
        expected = oracles.power_iteration(case.graph, iterations)
        for _, values in case.answers("pagerank", f"iterations={iterations}"):
            assert_allclose(values, expected, rtol=1e-4)


def test_pagerank_in_the_end(make_case: MakeCase) -> None:
    """NetworkX distributes the rank of vertices without out-edges; the grid has none of them."""
    grid = make_case("grid")
    ranks = nx.pagerank(grid.graph.networkx(nx.DiGraph), alpha=0.85, tol=1e-12, max_iter=1000)
    expected = [ranks[v] for v in range(grid.graph.vertices)]
    for _, values in grid.answers("pagerank", "iterations=1000", "tolerance=1e-6"):
        assert_allclose(values, expected, rtol=1e-4)


def test_pagerank_that_spreads_the_rank_of_sinks(make_case: MakeCase) -> None:
    directed = make_case("directed hostweb")
    ranks = nx.pagerank(directed.graph.networkx(nx.DiGraph), alpha=0.85, tol=1e-12, max_iter=1000)
    expected = [ranks[v] for v in range(directed.graph.vertices)]
    settings = ["iterations=1000", "tolerance=1e-6", "sinks=spread"]
    for _, values in directed.answers("pagerank", *settings):
        assert_allclose(values, expected, rtol=1e-4)


def test_pagerank_by_deltas_is_as_near_as_it_says(case: Case) -> None:
    uniform = np.full(case.graph.vertices, 1 / case.graph.vertices)
    expected = oracles.ends_of_walks(case.graph, uniform)
    for summary, values in case.answers("pagerank-delta", "iterations=100", "epsilon2=1e-6"):
        error = np.abs(values - expected).sum()
        assert error <= summary["error_bound"] + 1e-9, "but for what the oracle rounds"
        assert error < 1e-4, "and that is near"


def test_pagerank_by_pushing_is_short_by_what_it_says(case: Case) -> None:
    uniform = np.full(case.graph.vertices, 1 / case.graph.vertices)
    check_push(case, case.answers("pagerank-push", "r_max=1e-8"), uniform, least=0.99)


def test_personalised_pagerank_is_short_by_what_it_says(case: Case) -> None:
    start = np.zeros(case.graph.vertices)
    start[case.graph.random_sources(seed=2, count=3)] = 1 / 3
    for query in "joint", "each":
        settings = ["sources=3", "r_max=1e-7", f"query={query}"]
        check_push(case, case.answers("ppr", *settings, source="random:2"), start, least=0.9)


def check_push(case: Case, answers: list[tuple[Any, Any]], start: Any, least: float) -> None:
    expected = oracles.ends_of_walks(case.graph, start)
    for summary, values in answers:
        short = expected - values
        assert short.min() >= -1e-5 * expected.max()
        assert short.sum() <= summary["error_bound"] + 1e-9, "but for what the oracle rounds"
        assert values.sum() >= least * expected.sum(), "and that is most of it"


def test_betweenness(case: Case) -> None:
    roots = case.graph.random_sources(seed=4, count=2).tolist()
    expected = oracles.centrality(case.graph, roots)
    named = "+".join(map(str, roots))
    for source, told in ("random:4", roots), (named, sorted(roots)):
        for summary, values in case.answers("bc", "roots=2", source=source):
            assert summary["roots"] == told
            assert_allclose(values, expected, rtol=1e-4, atol=1e-3)


def test_radii(case: Case) -> None:
    expected = oracles.radii(case.graph, seed=1, count=64)
    assert_all_equal(case.answers("radii"), expected)


def test_independent_sets(symmetric: Case) -> None:
    graph = symmetric.graph
    expected = oracles.greedy_set(graph, seed=9)
    assert not np.any(expected[graph.sources] & expected[graph.targets]), "independent"
    neighbours = graph.matrix() @ expected
    assert np.all((neighbours > 0) | (expected == 1)), "maximal"
    assert_all_equal(symmetric.answers("mis", "seed=9"), expected)


def test_what_a_search_reaches(case: Case) -> None:
    source = case.graph.max_degree()
    expected = oracles.reachable(case.graph, source)
    assert_all_equal(case.answers("dfs"), expected)
    target = int(np.flatnonzero(expected)[-1])
    alone = np.arange(case.graph.vertices) == target
    assert_all_equal(case.answers("dfs", f"target={target}"), alone)


def test_random_walks(case: Case) -> None:
    expected = oracles.walks(case.graph, walkers=500, steps=20, seed=6)
    assert_all_equal(case.answers("random-walk", "walkers=500", "steps=20", "seed=6"), expected)
