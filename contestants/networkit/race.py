# SPDX-License-Identifier: Apache-2.0
"""NetworKit: race.py WORKLOAD GRAPH VERTICES SYMMETRIC THREADS ANSWER [SOURCE or K]."""

import sys
from pathlib import Path

import networkit as nk
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from edges import Phases, pairs_once, unknown


def graph_of(path: str, vertices: int, symmetric: bool) -> nk.Graph:
    """Return the graph; of a symmetric one NetworKit wants each edge once."""
    sources, targets = pairs_once(path, vertices, symmetric)
    ends = (sources.astype("u8"), targets.astype("u8"))
    return nk.GraphFromCoo(ends, n=vertices, directed=not symmetric)


def answer_of(workload: str, graph: nk.Graph, number: int) -> np.ndarray:
    """Return a value for each vertex."""
    match workload:
        case "bfs":
            levels = np.array(nk.distance.BFS(graph, number, False).run().getDistances())
            levels[levels > graph.numberOfNodes()] = np.inf
            return levels
        case "wcc":
            kind = nk.components.ConnectedComponents
            if graph.isDirected():
                kind = nk.components.WeaklyConnectedComponents
            return np.array(kind(graph).run().getPartition().getVector(), "u4")
        case "coreness":
            return np.array(nk.centrality.CoreDecomposition(graph).run().scores(), "u4")
        case "kcore":
            cores = np.array(nk.centrality.CoreDecomposition(graph).run().scores())
            return (cores >= number).astype("u4")
    return unknown(workload)


def main() -> None:
    """Read, compute, and say how long each took."""
    workload, path, vertices, symmetric, threads, answer, *number = sys.argv[1:]
    nk.setNumberOfThreads(int(threads))
    phases = Phases()
    graph = graph_of(path, int(vertices), symmetric == "1")
    phases.end("read")
    values = answer_of(workload, graph, int(number[0]) if number else 0)
    phases.finish(answer, values)


main()
