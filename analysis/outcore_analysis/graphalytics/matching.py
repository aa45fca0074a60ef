# SPDX-License-Identifier: Apache-2.0
"""Graphalytics' rules of when an answer is that of a reference, and its form of both.

An answer has a line a vertex, `<vertex> <value>`, in any order.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from outcore_analysis.graphalytics.faults import GraphalyticsError
from outcore_analysis.graphalytics.properties import KERNELS

if TYPE_CHECKING:
    from pathlib import Path

UNREACHED = 2**32 - 1  # as bfs has it
INFINITE = 2**63 - 1  # as Graphalytics has it for levels
EPSILON = 1e-4
EXPECTED = {
    "exact": "{}",
    "equivalence": "the vertices of component {} together, and no others",
    "epsilon": "{} within 0.01%",
}

Same = np.ndarray[Any, np.dtype[np.bool_]]


def in_their_form(kernel: str, values: pd.Series) -> pd.Series:
    """Return values of `outcore run --output` as Graphalytics means them."""
    if kernel == "bfs":
        return values.astype("uint64").replace(UNREACHED, INFINITE)
    return values


def write_answer(values: pd.Series, file: Path) -> None:
    """Write an answer."""
    with file.open("w", encoding="ascii") as out:
        for vertex, value in zip(values.index, values.to_numpy(), strict=True):
            text = "infinity" if np.isinf(value) else str(value)
            out.write(f"{vertex} {text}\n")


def read_reference(kernel: str, file: Path) -> pd.Series:
    """Return the values of a reference, by vertex, in the order of its lines."""
    whole = KERNELS[kernel].match != "epsilon"
    vertices = array("Q")
    values: array[Any] = array("Q" if whole else "d")
    with file.open(encoding="ascii", errors="replace") as lines:
        for line, text in enumerate(lines, start=1):
            try:
                vertex, value = text.split()
                vertices.append(int(vertex))
                if not whole:
                    values.append(float(value))
                else:
                    values.append(INFINITE if value.lower() == "infinity" else int(value))
            except (ValueError, OverflowError) as error:
                raise GraphalyticsError.at(
                    file, line, f"'{text.strip()}'", "a vertex and its value"
                ) from error
    return pd.Series(np.asarray(values), index=np.asarray(vertices))


def same_values(match: str, reference: pd.Series, answer: pd.Series) -> Same:
    """Return for each vertex whether its values match."""
    if match == "equivalence":
        # Labels are numbered as they appear. Equal components get equal numbers.
        return np.asarray(pd.factorize(reference)[0] == pd.factorize(answer)[0])
    theirs, ours = reference.to_numpy(), answer.to_numpy()
    if match == "exact":
        return np.asarray(theirs == ours)
    with np.errstate(invalid="ignore"):
        near = np.abs(theirs - ours.astype(np.float64)) < EPSILON * np.abs(theirs)
    return np.asarray((theirs == ours) | near)


def difference(kernel: str, answer: pd.Series, file: Path) -> str | None:
    """Return the first line of a reference that the answer is not; none if it is all of it."""
    reference = read_reference(kernel, file)
    _expect_same_vertices(answer, reference, file)
    match, ours = KERNELS[kernel].match, answer.loc[reference.index]
    same = same_values(match, reference, ours)
    if same.all():
        return None
    at = int(np.argmin(same))
    expected = EXPECTED[match].format(reference.iloc[at])
    found = f"vertex {reference.index[at]} with {ours.iloc[at]}"
    return str(GraphalyticsError.at(file, at + 1, found, expected))


def _expect_same_vertices(answer: pd.Series, reference: pd.Series, file: Path) -> None:
    wrong = ~reference.index.isin(answer.index)
    if wrong.any():
        line = int(np.argmax(wrong))
        raise GraphalyticsError.at(
            file,
            line + 1,
            f"vertex {reference.index[line]}",
            "one of this graph's; is it another's?",
        )
    twice = reference.index.duplicated()
    if twice.any():
        line = int(np.argmax(twice))
        raise GraphalyticsError.at(
            file, line + 1, f"vertex {reference.index[line]} again", "each vertex once"
        )
    if len(reference) < len(answer):
        first = answer.index.difference(reference.index)[0]
        raise GraphalyticsError.at(
            file,
            0,
            f"{len(reference)} vertices, and not {first}",
            f"the {len(answer)} of this graph; was the file cut, or is it another's?",
        )
