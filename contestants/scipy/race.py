# SPDX-License-Identifier: Apache-2.0
"""SciPy: race.py WORKLOAD GRAPH VERTICES ANSWER [SOURCE, or ITERATIONS DAMPING]."""

import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

sys.path.append(str(Path(__file__).parents[1]))
from edges import Phases, lists, unknown


def matrix_of(path: str, vertices: int) -> sparse.csr_array:
    """Return the adjacency matrix; SciPy's indices are signed."""
    offsets, targets = lists(path, vertices)
    ones = np.ones(len(targets))
    shape = (vertices, vertices)
    return sparse.csr_array((ones, targets.astype("i4"), offsets.astype("i8")), shape=shape)


def levels_of(matrix: sparse.csr_array, source: int) -> np.ndarray:
    """Return the levels: a search gives each vertex its predecessor, whose level is one less."""
    order, before = csgraph.breadth_first_order(matrix, source)
    levels = np.full(matrix.shape[0], np.inf)
    levels[source] = 0
    rest = order[1:]
    while len(rest):
        known = levels[before[rest]]
        levels[rest] = known + 1
        rest = rest[np.isinf(known)]
    return levels


def ranks_of(matrix: sparse.csr_array, iterations: int, damping: float) -> np.ndarray:
    """Return PageRank by power iteration; vertices without out-edges hand nothing on."""
    vertices = matrix.shape[0]
    degrees = np.maximum(np.diff(matrix.indptr), 1)
    transposed = matrix.T.tocsr()
    ranks = np.full(vertices, 1 / vertices)
    for _ in range(iterations):
        ranks = (1 - damping) / vertices + damping * (transposed @ (ranks / degrees))
    return ranks


def answer_of(workload: str, matrix: sparse.csr_array, numbers: list[str]) -> np.ndarray:
    """Return a value for each vertex."""
    match workload:
        case "bfs":
            return levels_of(matrix, int(numbers[0]))
        case "wcc":
            return csgraph.connected_components(matrix, connection="weak")[1].astype("u4")
        case "pagerank":
            return ranks_of(matrix, int(numbers[0]), float(numbers[1]))
    return unknown(workload)


def main() -> None:
    """Read, compute, and say how long each took."""
    workload, path, vertices, answer, *numbers = sys.argv[1:]
    phases = Phases()
    matrix = matrix_of(path, int(vertices))
    phases.end("read")
    values = answer_of(workload, matrix, numbers)
    phases.finish(answer, values)


main()
