# SPDX-License-Identifier: Apache-2.0
"""Where the vertices of a small graph are drawn: springs, from the graph's slowest waves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

if TYPE_CHECKING:
    import numpy.typing as npt

    from outcore_analysis.events import Events

PLACES = 1000  # coordinates are whole numbers up to that
STEPS = 30  # of the springs
BELOW = 0.06  # vertices without edges stand so far below the others


def drawn_graph(events: Events) -> dict[str, Any] | None:
    """Return edges and coordinates, by canonical id; None if the graph is too large to be drawn."""
    drawn = events.header.get("drawn")
    vertices = int((events.header.get("graph") or {}).get("vertices", 0))
    if not drawn or vertices < 1:
        return None
    edges = np.asarray(drawn["edges"], np.int64).reshape(-1, 2)
    at = np.rint(PLACES * places_of(vertices, edges)).astype(int)
    return {"edges": edges.ravel().tolist(), "x": at[:, 0].tolist(), "y": at[:, 1].tolist()}


def places_of(vertices: int, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return each vertex a place in the unit square; those without edges stand in a last row."""
    adjacent = np.zeros((vertices, vertices))
    adjacent[edges[:, 0], edges[:, 1]] = adjacent[edges[:, 1], edges[:, 0]] = 1
    np.fill_diagonal(adjacent, 0)
    linked = np.flatnonzero(adjacent.any(axis=1))
    alone = np.flatnonzero(~adjacent.any(axis=1))
    places = np.zeros((vertices, 2))
    if len(linked) > 0:
        part = adjacent[np.ix_(linked, linked)]
        places[linked] = _in_unit_square(_springs(part, _slowest_waves(part)))
        places[:, 1] *= 1 - BELOW * (len(alone) > 0)
    places[alone, 0] = (np.arange(len(alone)) + 0.5) / max(1, len(alone))
    places[alone, 1] = 1
    return places


def _in_unit_square(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.maximum(high - low, 1e-9), np.float64)


def _slowest_waves(adjacent: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the second and third eigenvectors of the Laplacian: a grid's are its sides."""
    laplacian = np.diag(adjacent.sum(axis=1)) - adjacent
    many = min(3, len(adjacent))
    waves = scipy.linalg.eigh(laplacian, subset_by_index=[0, many - 1])[1][:, 1:]
    places = np.zeros((len(adjacent), 2))
    places[:, : waves.shape[1]] = waves
    # What lies on one point, as in a star, could not be driven apart.
    return _in_unit_square(places) + 0.01 * np.random.default_rng(1).random(places.shape)


def _springs(
    adjacent: npt.NDArray[np.float64], places: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Fruchterman and Reingold's: edges draw together, all vertices drive apart."""
    length = np.float32(1 / np.sqrt(len(places)))
    edges = adjacent.astype(np.float32)
    at = (places[:, 0] + 1j * places[:, 1]).astype(np.complex64)
    for step in range(STEPS):
        between = at[:, None] - at[None, :]
        distance = np.maximum(np.abs(between), length / 10)
        move = ((length**2 / distance**2 - edges * distance / length) * between).sum(axis=1)
        far = np.maximum(np.abs(move), np.float32(1e-9))
        at += move * (np.minimum(far, np.float32(0.1 * (1 - step / STEPS))) / far)
    return np.column_stack((at.real, at.imag)).astype(np.float64)
