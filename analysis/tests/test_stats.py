# SPDX-License-Identifier: Apache-2.0
"""Statistics against numbers computed by hand, and properties that always hold."""

import itertools
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from outcore_analysis.stats import paired_ratios, summarise


def test_median_of_three_and_of_four() -> None:
    assert summarise([3, 1, 2]).median == 2
    assert summarise([4, 1, 3, 2]).median == 2.5


def test_fewer_than_three_trials_give_no_interval() -> None:
    for values in ([5.0], [5.0, 7.0]):
        found = summarise(values)
        assert (found.low, found.high) == (None, None)
        assert found.trials == len(values)


def test_equal_trials_give_an_interval_of_no_width() -> None:
    found = summarise([2.5, 2.5, 2.5])
    assert (found.low, found.median, found.high) == (2.5, 2.5, 2.5)


def test_interval_of_three_trials_is_their_range() -> None:
    # A bootstrap sample of 3 is (a, a, a) with probability 1/27, and its median is a with
    # probability 7/27: at 2.5% and 97.5% the medians are the smallest and the largest value.
    found = summarise([1.0, 2.0, 10.0])
    assert (found.low, found.median, found.high) == (1.0, 2.0, 10.0)


def test_interval_of_many_trials_covers_what_order_statistics_say() -> None:
    # The 95% interval of a median by order statistics: between the values of rank 9 and 22 of 30.
    values = [float(i) for i in range(1, 31)]
    found = summarise(values)
    ranks = scipy_stats.binom.ppf([0.025, 0.975], 30, 0.5)
    assert found.low == pytest.approx(ranks[0], abs=2)
    assert found.high == pytest.approx(ranks[1] + 1, abs=2)


def all_medians(values: list[float]) -> np.ndarray:
    """The median of every sample with replacement: the bootstrap distribution itself."""
    drawn = np.array(list(itertools.product(values, repeat=len(values))))
    return np.sort(np.median(drawn, axis=1))


def test_interval_is_the_bias_corrected_and_accelerated_one_at_95_percent() -> None:
    # With ties and skew, the interval differs from the percentile interval and from the one at 80%.
    values = [1.0, 1.0, 1.0, 2.0, 50.0, 60.0]
    medians, middle, normal = all_medians(values), 1.5, NormalDist()
    below, upto = (medians < middle).mean(), (medians <= middle).mean()
    bias = normal.inv_cdf((below + upto) / 2)
    left_out = np.array([np.median(np.delete(values, i)) for i in range(6)])
    away = left_out.mean() - left_out
    acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)

    def bca(share: float) -> float:
        z = bias + normal.inv_cdf(share)
        corrected = normal.cdf(bias + z / (1 - acceleration * z))
        return float(np.quantile(medians, corrected, method="inverted_cdf"))

    def percentile(share: float) -> float:
        return float(np.quantile(medians, share, method="inverted_cdf"))

    found = summarise(values)
    assert (found.low, found.median, found.high) == (bca(0.025), middle, bca(0.975)) == (1, 1.5, 50)
    assert percentile(0.975) == 55, "the interval without the corrections"
    assert bca(0.9) < 50, "the interval at 80%"


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        summarise([])


def test_ratios_are_paired_by_trial() -> None:
    assert paired_ratios([9, 2], [1, 4]) == [9, 0.5]
    with pytest.raises(ValueError, match="cannot be paired"):
        paired_ratios([1, 2], [1])


@settings(deadline=None)  # a busy machine is not a wrong interval
@given(st.lists(st.floats(0.001, 1e6), min_size=3, max_size=8))
def test_interval_holds_the_median_and_stays_within_the_trials(values: list[float]) -> None:
    found = summarise(values)
    assert found.low is not None
    assert found.high is not None
    assert min(values) <= found.low <= found.median <= found.high <= max(values)
    assert summarise(values) == found
