# SPDX-License-Identifier: Apache-2.0
"""igraph: race.py WORKLOAD GRAPH VERTICES SYMMETRIC ANSWER [SOURCE or K]."""

import sys
from pathlib import Path

import igraph
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from edges import Phases, pairs_once, unknown


def graph_of(path: str, vertices: int, symmetric: bool) -> igraph.Graph:
    """Return the graph; of a symmetric one igraph wants each edge once."""
    sources, targets = pairs_once(path, vertices, symmetric)
    both = np.column_stack((sources, targets)).astype("i8")
    return igraph.Graph(n=vertices, edges=both, directed=not symmetric)


def levels_of(graph: igraph.Graph, source: int) -> np.ndarray:
    """Return the level of each vertex: a search lists them by layers."""
    order, layers, _ = graph.bfs(source, mode="out")
    levels = np.full(graph.vcount(), np.inf)
    levels[order] = np.repeat(np.arange(len(layers) - 1), np.diff(layers))
    return levels


def answer_of(workload: str, graph: igraph.Graph, number: int) -> np.ndarray:
    """Return a value for each vertex."""
    match workload:
        case "bfs":
            return levels_of(graph, number)
        case "wcc":
            return np.array(graph.connected_components(mode="weak").membership, "u4")
        case "coreness":
            return np.array(graph.coreness(), "u4")
        case "kcore":
            return (np.array(graph.coreness()) >= number).astype("u4")
    return unknown(workload)


def main() -> None:
    """Read, compute, and say how long each took."""
    workload, path, vertices, symmetric, answer, *number = sys.argv[1:]
    phases = Phases()
    graph = graph_of(path, int(vertices), symmetric == "1")
    phases.end("read")
    values = answer_of(workload, graph, int(number[0]) if number else 0)
    phases.finish(answer, values)


main()
