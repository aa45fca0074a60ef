# SPDX-License-Identifier: Apache-2.0
"""Statistics against numbers worked out by hand, and properties that always hold."""

import pytest
from hypothesis import given
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
    # A bootstrap sample of 3 is (a, a, a) with chance 1/27 and its median is a with chance 7/27: at
    # 2.5% and 97.5% the medians are the least and the greatest value.
    found = summarise([1.0, 2.0, 10.0])
    assert (found.low, found.median, found.high) == (1.0, 2.0, 10.0)


def test_interval_of_many_trials_covers_what_order_statistics_say() -> None:
    # The 95% interval of a median by order statistics: between the values of rank 9 and 22 of 30.
    values = [float(i) for i in range(1, 31)]
    found = summarise(values)
    ranks = scipy_stats.binom.ppf([0.025, 0.975], 30, 0.5)
    assert found.low == pytest.approx(ranks[0], abs=2)
    assert found.high == pytest.approx(ranks[1] + 1, abs=2)


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        summarise([])


def test_ratios_are_paired_by_trial() -> None:
    assert paired_ratios([2, 9], [1, 3]) == [2, 3]
    with pytest.raises(ValueError, match="cannot be paired"):
        paired_ratios([1, 2], [1])


@given(st.lists(st.floats(0.001, 1e6), min_size=3, max_size=8))
def test_interval_holds_the_median_and_stays_within_the_trials(values: list[float]) -> None:
    found = summarise(values)
    assert found.low is not None
    assert found.high is not None
    assert min(values) <= found.low <= found.median <= found.high <= max(values)
    assert summarise(values) == found
