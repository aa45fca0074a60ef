# SPDX-License-Identifier: Apache-2.0
"""LDBC Graphalytics' published examples, by its own matching rules."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis import load_values

from .conftest import ENGINES, ROOT, Runs, engines_for, outcore, plainest_layout

EXAMPLES = json.loads((ROOT / "tests/fixtures/graphalytics/examples.json").read_text())
UNREACHED = 2**32 - 1  # what bfs says for infinity
Values = Sequence[float]


def exact_match(reference: Values, output: Values) -> bool:
    return list(reference) == list(output)


def equivalence_match(reference: Values, output: Values) -> bool:
    """Is there a mapping from labels to labels, and back?"""
    pairs = set(zip(reference, output, strict=True))
    return len(pairs) == len(set(reference)) == len(set(output))


def epsilon_match(reference: Values, output: Values) -> bool:
    """Is every value within 0.01%? Zero and infinity must be equal."""
    pairs = zip(reference, output, strict=True)
    return all(r == s or abs(r - s) < 1e-4 * abs(r) for r, s in pairs if not math.isinf(r)) and [
        math.isinf(r) for r in reference
    ] == [math.isinf(s) for s in output]


@pytest.mark.parametrize(
    ("match", "reference", "right", "wrong"),
    [
        (exact_match, [3, 1, 2, 0, 1], [3, 1, 2, 0, 1], [4, 1, 2, 5, 1]),
        (equivalence_match, [1, 1, 1, 2, 2, 3], [81, 81, 81, 32, 32, 12], [31, 52, 31, 31, 31, 74]),
        (equivalence_match, [1, 1, 2], [5, 5, 6], [5, 5, 5]),
        (epsilon_match, [0, 0.3, 0.45], [0, 0.30002, 0.45], [1e-6, 0.3, 0.45]),
        (epsilon_match, [0.45, 0.001], [0.45, 0.001], [0.46, 0.001]),
        (epsilon_match, [math.inf, 0.23], [math.inf, 0.229997], [1.79769e308, 0.23]),
        (epsilon_match, [0.23, 0.001], [0.23, 0.001], [0.23, math.inf]),
    ],
)
def test_the_matching_rules_are_those_of_the_specification(
    match: Callable[[Values, Values], bool], reference: Values, right: Values, wrong: Values
) -> None:
    assert match(reference, right)
    assert not match(reference, wrong)


def import_example(
    example: Any, folder: Path, edges: list[tuple[int, int, float]], *options: str
) -> Runs:
    """Write the example as Graphalytics would, and make a graph with a layout from it."""
    stem = folder / "example"
    properties = {
        "vertex-file": "example.v",
        "edge-file": "example.e",
        "meta.vertices": len(example["vertices"]),
        "meta.edges": len(edges),
        "directed": str(example["directed"]).lower(),
        "edge-properties.names": "weight",
        "edge-properties.types": "real",
    }
    lines = [f"graph.example.{key} = {value}\n" for key, value in properties.items()]
    stem.with_suffix(".properties").write_text("".join(lines))
    stem.with_suffix(".v").write_text("".join(f"{v}\n" for v in example["vertices"]))
    stem.with_suffix(".e").write_text("".join(f"{u} {v} {w}\n" for u, v, w in edges))
    runs = Runs(folder / "graph", folder)
    outcore("import", stem.with_suffix(".properties"), runs.graph, *options)
    for pack in {plainest_layout(engine) for engine in ENGINES}:
        choices = ["--pack", pack, "--weights", "given", "--heads", 2]
        outcore("layout", runs.graph, *choices, "--name", f"it-{pack}")
    return runs


def answer(runs: Runs, example: Any, engine: str, workload: str, **options: object) -> list[float]:
    output = runs.folder / "values.txt"
    layout = f"it-{plainest_layout(engine)}"
    runs.run(engine=engine, workload=workload, layout=layout, output=output, verify=True, **options)
    values = load_values(output)
    assert values.index.tolist() == example["vertices"]
    return [math.inf if value == UNREACHED else float(value) for value in values]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_published_answers(tmp_path: Path, name: str, engine: str) -> None:
    example = EXAMPLES[name]
    edges = [(u, v, w) for u, v, w in example["edges"]]
    bfs, pr, sssp, wcc = ([float(x) for x in example[key]] for key in ("BFS", "PR", "SSSP", "WCC"))
    source = example["source"]

    (tmp_path / "plain").mkdir()
    runs = import_example(example, tmp_path / "plain", edges)
    for workload in ("bfs", "bfs-do"):
        assert exact_match(bfs, answer(runs, example, engine, workload, source=source))
    distances = answer(runs, example, engine, "sssp", source=source, set="weights=given")
    assert epsilon_match(sssp, distances)

    # Components are those of the graph without directions.
    (tmp_path / "both").mkdir()
    runs = import_example(example, tmp_path / "both", edges, "--symmetric")
    for workload in ("wcc", "wcc-sample"):
        assert equivalence_match(wcc, answer(runs, example, engine, workload))

    # Graphalytics distributes the rank of vertices without out-edges over all vertices.
    runs = Runs(tmp_path / "plain" / "graph", tmp_path / "plain")
    settings = ["iterations=2", "sinks=spread"]
    assert epsilon_match(pr, answer(runs, example, engine, "pagerank", set=settings))


@pytest.mark.parametrize("engine", engines_for("lcc"))
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_published_communities_and_coefficients(tmp_path: Path, name: str, engine: str) -> None:
    """A directed graph's edges are kept each, so that two between the same vertices count twice."""
    example = EXAMPLES[name]
    both = ["--symmetric", "--keep-parallel"] if example["directed"] else []
    runs = import_example(example, tmp_path, example["edges"], *both)
    assert exact_match(example["CDLP"], answer(runs, example, engine, "cdlp", set="iterations=2"))
    edges = "edges=directed" if example["directed"] else "edges=undirected"
    for kept in 1, 1000:
        asked = [edges, f"kept={kept}"]
        assert epsilon_match(example["LCC"], answer(runs, example, engine, "lcc", set=asked))
