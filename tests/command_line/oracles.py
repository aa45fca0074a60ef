# SPDX-License-Identifier: Apache-2.0
"""What every workload must answer, computed by SciPy, NetworkX and NumPy.

Nothing here knows how Outcore works, except for what the head comments of `workloads/*.cc` promise.
The graph is read from its container, as the head of `storage/container/container.h` describes it.
The hashes are programmed again from their definitions in `common/hash.h`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

NO_LEVEL = 2**32 - 1
Array = np.ndarray[Any, np.dtype[Any]]


def mix(x: Array | int) -> Array:
    """SplitMix64's finaliser, in 64 bits that wrap around."""
    x = np.asarray(x, dtype=np.uint64)
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def mix32(x: Array) -> Array:
    """A bijection of 32 bits (the finaliser of C. Wellons' hash prospector)."""
    x = np.asarray(x, dtype=np.uint32)
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
        return x ^ (x >> np.uint32(16))


def hashed_weights(sources: Array, targets: Array) -> Array:
    """Return whole numbers from 1 to 255, the same in both directions."""
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    ends = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
    return 1.0 + mix(ends) % np.uint64(255)


@dataclass(frozen=True)
class Graph:
    """A graph without parallel edges: the list of `v` is targets[offsets[v]:offsets[v + 1]]."""

    offsets: Array
    targets: Array
    weights: Array | None = None

    @classmethod
    def read(cls, folder: Path) -> Graph:
        """The graph of a container."""
        weights = folder / "out.weights"
        return cls(
            np.fromfile(folder / "out.offsets", "<u8").astype(np.int64),
            np.fromfile(folder / "out.targets", "<u4").astype(np.int64),
            np.fromfile(weights, "<f4").astype(np.float64) if weights.exists() else None,
        )

    @property
    def vertices(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def degrees(self) -> Array:
        return np.diff(self.offsets)

    @cached_property
    def sources(self) -> Array:
        return np.repeat(np.arange(self.vertices), self.degrees)

    def matrix(self, weights: Array | None = None) -> sparse.csr_array:
        """Return a matrix: entry (u, v) is the weight of u -> v, 1 without weights."""
        values = np.ones(len(self.targets)) if weights is None else weights
        shape = (self.vertices, self.vertices)
        return sparse.csr_array((values, self.targets, self.offsets), shape=shape)

    @cached_property
    def hand_on(self) -> sparse.csc_array:
        """Return a matrix: entry (v, u) is the share that u passes on to v, 1 / out-degree of u."""
        return sparse.csc_array(self.matrix(1.0 / self.degrees[self.sources]).T)

    def networkx(self, kind: type[nx.Graph]) -> nx.Graph:
        graph = kind()
        graph.add_nodes_from(range(self.vertices))
        graph.add_edges_from(zip(self.sources.tolist(), self.targets.tolist(), strict=True))
        return graph

    def max_degree(self) -> int:
        """Return the first of the vertices with the most out-edges."""
        return int(np.argmax(self.degrees))

    def random_sources(self, seed: int, count: int) -> Array:
        """Return the vertices with the largest hashes among those that have out-edges."""
        candidates = np.flatnonzero(self.degrees)
        ranks = mix(mix(seed) ^ candidates.astype(np.uint64))
        return candidates[np.argsort(ranks)[::-1][:count]]


def levels(graph: Graph, source: int) -> Array:
    """Hops from the source."""
    hops = csgraph.dijkstra(graph.matrix(), indices=source, unweighted=True)
    return np.where(np.isinf(hops), NO_LEVEL, hops)


def least_labels(graph: Graph) -> Array:
    """Return for each vertex the smallest vertex of its weakly connected component."""
    count, labels = csgraph.connected_components(graph.matrix(), directed=False)
    least = np.full(count, graph.vertices)
    np.minimum.at(least, labels, np.arange(graph.vertices))
    return least[labels]


def core_numbers(graph: Graph) -> Array:
    """The largest k such that a vertex is in the k-core."""
    numbers = nx.core_number(graph.networkx(nx.Graph))
    return np.array([numbers[v] for v in range(graph.vertices)])


def peeled(graph: Graph) -> Array:
    """Core numbers of a graph with loops, each of which makes a vertex its own neighbour."""
    matrix = graph.matrix()
    left, numbers = graph.degrees.copy(), np.zeros(graph.vertices, dtype=np.int64)
    there = np.arange(graph.vertices)
    while len(there) > 0:
        least = left[there].min()
        while len(leaving := there[left[there] <= least]) > 0:
            there = there[left[there] > least]
            numbers[leaving] = least
            np.subtract.at(left, matrix[leaving].indices, 1)
    return numbers


def core(graph: Graph, k: int) -> Array:
    """Return 1 for vertices of the k-core; a loop makes a vertex its own neighbour."""
    matrix = graph.matrix()
    left = np.ones(graph.vertices)
    while np.any(low := (left > 0) & (matrix @ left < k)):
        left[low] = 0
    return left


def distances(graph: Graph, source: int, weights: Array) -> Array:
    """Lengths of shortest paths."""
    return csgraph.dijkstra(graph.matrix(weights), indices=source)


def power_iteration(graph: Graph, iterations: int, damping: float = 0.85) -> Array:
    """PageRank in which the rank of vertices without out-edges is not passed on."""
    rank = np.full(graph.vertices, 1 / graph.vertices)
    for _ in range(iterations):
        rank = (1 - damping) / graph.vertices + damping * (graph.hand_on @ rank)
    return rank


def communities(graph: Graph, iterations: int) -> Array:
    """The label that most neighbours had before, the least of several; labels begin as ids."""
    labels = np.arange(graph.vertices)
    for _ in range(iterations):
        pairs = np.stack([graph.sources, labels[graph.targets]])
        (vertices, heard), votes = np.unique(pairs, axis=1, return_counts=True)
        order = np.lexsort((heard, -votes, vertices))
        heard_by, first = np.unique(vertices[order], return_index=True)
        labels = labels.copy()
        labels[heard_by] = heard[order][first]
    return labels


def ends_of_walks(graph: Graph, start: Array, alpha: float = 0.15) -> Array:
    """Where walks end that begin as `start` says and end with probability alpha at each step."""
    ended, under_way = np.zeros(graph.vertices), start
    while under_way.sum() > 1e-12:
        ended = ended + alpha * under_way
        under_way = (1 - alpha) * (graph.hand_on @ under_way)
    return ended


def centrality(graph: Graph, roots: Sequence[int]) -> Array:
    """Sums of the dependencies of each vertex on the roots."""
    sums = nx.betweenness_centrality_subset(
        graph.networkx(nx.DiGraph),
        sources=list(roots),
        targets=list(range(graph.vertices)),
        normalized=False,
    )
    return np.array([sums[v] for v in range(graph.vertices)])


def dependencies(graph: Graph, root: int) -> Array:
    """How much of the shortest paths from the root passes through each vertex, level by level."""
    matrix = graph.matrix()
    hops = csgraph.dijkstra(matrix, indices=root, unweighted=True)
    order = np.argsort(hops, kind="stable")[: np.isfinite(hops).sum()]
    found = np.split(order, np.flatnonzero(np.diff(hops[order])) + 1)
    paths, dependency, steps = (hops == 0) * 1.0, np.zeros(graph.vertices), []
    for vertices in found[:-1]:
        # The edges to the next level: from which of these vertices each comes, and where it leads.
        lists = matrix[vertices]
        owner = np.repeat(np.arange(len(vertices)), np.diff(lists.indptr))
        onward = hops[lists.indices] == hops[vertices[0]] + 1
        owner, targets = owner[onward], lists.indices[onward]
        np.add.at(paths, targets, paths[vertices][owner])
        # Only ratios of neighbouring levels are needed, and there can be more paths than a float
        # can count.
        scale = paths[targets].max()
        paths[np.unique(targets)] /= scale
        steps.append((vertices, owner, targets, scale))
    for vertices, owner, targets, scale in reversed(steps[1:]):
        behind = (1 + dependency[targets]) / paths[targets] / scale
        shares = np.bincount(owner, behind, minlength=len(vertices))
        dependency[vertices] = paths[vertices] * shares
    return dependency


def product(graph: Graph, weights: Array, seed: int) -> Array:
    """The transposed adjacency matrix times a vector of hashed entries in [0, 1)."""
    x = (mix(mix(seed) ^ np.arange(graph.vertices).astype(np.uint64)) >> np.uint64(40)) * 2.0**-24
    return graph.matrix(weights).T @ x


def radii(graph: Graph, seed: int, count: int) -> Array:
    """The largest of each vertex's levels in the searches that reach it."""
    sources = graph.random_sources(seed, count)
    hops = csgraph.dijkstra(graph.matrix(), indices=sources, unweighted=True)
    largest = np.where(np.isinf(hops), -1, hops).max(axis=0)
    return np.where(largest < 0, NO_LEVEL, largest)


def greedy_set(graph: Graph, seed: int) -> Array:
    """The set that a greedy pass in the order of hashes makes."""
    key = mix(seed).astype(np.uint32)  # its lower half
    order = np.argsort(mix32(key ^ np.arange(graph.vertices, dtype=np.uint32)))
    member = np.ones(graph.vertices, dtype=np.int64)
    for u in order.tolist():
        if member[u]:
            neighbours = graph.targets[graph.offsets[u] : graph.offsets[u + 1]]
            member[neighbours[neighbours != u]] = 0
    return member


def reachable(graph: Graph, source: int) -> Array:
    """Return 1 for each vertex to which a path from the source leads."""
    order = csgraph.depth_first_order(graph.matrix(), source, return_predecessors=False)
    return np.isin(np.arange(graph.vertices), order) * 1


def walks(graph: Graph, walkers: int, steps: int, seed: int) -> Array:
    """How often each vertex is visited; all walkers step at once."""
    walker = mix(seed) ^ np.arange(walkers).astype(np.uint64)
    at = (mix(walker) % np.uint64(graph.vertices)).astype(np.int64)
    visits = np.bincount(at, minlength=graph.vertices)
    for step in range(steps):
        going = graph.degrees[at] > 0
        walker, at = walker[going], at[going]
        draws = mix(mix(walker) ^ np.uint64(step + 1)) % graph.degrees[at].astype(np.uint64)
        at = graph.targets[graph.offsets[at] + draws.astype(np.int64)]
        visits += np.bincount(at, minlength=graph.vertices)
    return visits
