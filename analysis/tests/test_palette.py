# SPDX-License-Identifier: Apache-2.0
"""Colours: one for each thing everywhere, told apart by people of any colour vision."""

import itertools

import numpy as np
import pytest

from outcore_analysis.palette import (
    COLOURS,
    ENGINES,
    OTHERS,
    POLICIES,
    colour_of,
    colours,
    hatches,
)
from outcore_analysis.yamllines import schema

# G. M. Machado and others, IEEE TVCG 15(6), 2009: severity 1.0, on linear RGB.
VISION = {
    "all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# Just noticeable side by side is 2.3.
LEAST_DIFFERENCE = 7


def seen(colour: str, matrix: list[list[float]]) -> np.ndarray:
    """The colour as seen, in CIELAB."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(matrix) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ linear / np.array([0.9505, 1, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "palette",
    [ENGINES, POLICIES, {colour: colour for colour in OTHERS}],
    ids=["engines", "policies", "others"],
)
def test_colours_are_told_apart(palette: dict[str, str], vision: str) -> None:
    for a, b in itertools.combinations(palette, 2):
        both = (seen(palette[name], VISION[vision]) for name in (a, b))
        assert np.linalg.norm(next(both) - next(both)) > LEAST_DIFFERENCE, f"{a} and {b}"


def test_every_engine_and_policy_has_a_colour_of_its_own() -> None:
    properties = schema("experiment")["properties"]
    assert set(properties["replay"]["properties"]["policies"]["items"]["enum"]) == set(POLICIES)
    for palette in (ENGINES, POLICIES):
        assert len(set(palette.values())) == len(palette)


def test_what_is_no_engine_does_not_look_like_one() -> None:
    assert not set(OTHERS) & set(COLOURS.values())


def test_an_engine_has_its_colour_whatever_stands_beside_it() -> None:
    assert colours(["grid"])["grid"] == colours(["psw", "grid", "x"])["grid"] == COLOURS["grid"]
    assert colours(["async_block, lplf"])["async_block, lplf"] == COLOURS["async_block"]


def test_an_engine_that_is_not_known_has_one_colour_everywhere() -> None:
    alone = colours(["warp"])["warp"]
    assert alone in OTHERS
    assert colours(["4 threads", "grid", "warp, lplf"])["warp, lplf"] == alone == colour_of("warp")
    assert colours(["4 threads", "warp"])["4 threads"] != alone


def test_series_without_a_colour_get_different_ones() -> None:
    given = colours(["4 threads", "8 threads", "concurrent"])
    assert len(set(given.values())) == 3


def test_series_of_one_engine_differ_by_hatch() -> None:
    given = hatches(["async_block, lplf", "async_block, bestfit", "concurrent, lplf"])
    assert given["async_block, lplf"] == given["concurrent, lplf"] == ""
    assert given["async_block, bestfit"] != ""
