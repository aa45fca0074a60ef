# SPDX-License-Identifier: Apache-2.0
"""COST: how many executors pass one core of ours."""

import math

import pytest

from outcore_analysis.figures.cost import executors_needed


@pytest.mark.parametrize(
    ("seconds", "ours", "serial", "needed"),
    [
        ({1: 12.0, 2: 7.0}, 4.0, 2.0, 5),  # 2 + 10 / n
        ({1: 12.0, 2: 7.0, 4: 4.5}, 4.0, 2.0, 5),
        ({1: 12.0, 2: 7.0}, 2.0, 2.0, math.inf),
        ({1: 12.0, 2: 7.0}, 1.0, 2.0, math.inf),
        ({1: 12.0, 2: 7.0}, 8.0, 2.0, 2),  # one that raced passed it
        ({1: 5.0, 2: 6.0}, 4.0, 7.0, math.inf),  # more executors are slower
    ],
)
def test_the_fit_says_how_many(
    seconds: dict[int, float], ours: float, serial: float, needed: float
) -> None:
    found = executors_needed(seconds, ours)
    assert found == (pytest.approx(serial), needed)
