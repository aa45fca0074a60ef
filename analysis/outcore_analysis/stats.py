# SPDX-License-Identifier: Apache-2.0
"""Medians and bootstrap intervals.

An interval is the bias-corrected and accelerated bootstrap interval of the median at 95%. With
fewer than three trials there is none, and callers say so.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts when they are asked for: a job of a sweep asks for none

LEAST_TRIALS = 3
CONFIDENCE = 0.95
RESAMPLES = 9999


@dataclass(frozen=True)
class Summary:
    """A median, with its interval if there are enough trials."""

    median: float
    low: float | None
    high: float | None
    trials: int
    # (largest - smallest) / median of the trials: how noisy they are; None with one trial.
    noise: float | None = None

    @property
    def has_interval(self) -> bool:
        """Tell whether there were enough trials for an interval."""
        return self.low is not None


def summarise(values: Sequence[float]) -> Summary:
    """Return median and 95% interval of independent trials; raise ValueError if there are none."""
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("no values")
    median = float(np.median(data))
    noise = float(np.ptp(data) / abs(median)) if data.size > 1 and median else None
    if data.size < LEAST_TRIALS:
        return Summary(median, None, None, data.size, noise)
    if np.ptp(data) == 0:
        return Summary(median, median, median, data.size, noise)
    low, high = _interval(data)
    # Rounding and strong skew may put an end slightly beyond the trials or the median.
    low = min(max(low, float(data.min())), median)
    high = max(min(high, float(data.max())), median)
    return Summary(median, low, high, data.size, noise)


def _interval(data: np.ndarray) -> tuple[float, float]:
    # BCa is undefined if the median stays the same whichever trial is left out; the percentile
    # interval takes its place. The seed is fixed, so the same records give the same page.
    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = scipy.stats.bootstrap(
                (data,),
                np.median,
                n_resamples=RESAMPLES,
                confidence_level=CONFIDENCE,
                method=method,
                rng=np.random.default_rng(1),
            ).confidence_interval
        if np.isfinite(found.low) and np.isfinite(found.high):
            return float(found.low), float(found.high)
    return float(data.min()), float(data.max())


def paired_ratios(numerator: Sequence[float], denominator: Sequence[float]) -> list[float]:
    """Return ratios trial by trial; raise ValueError unless both have as many trials."""
    if len(numerator) != len(denominator):
        raise ValueError(f"{len(numerator)} trials cannot be paired with {len(denominator)}")
    return [a / b for a, b in zip(numerator, denominator, strict=True)]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; raise ValueError unless all values are above 0."""
    if not len(values) or min(values) <= 0:
        raise ValueError("a geometric mean is of values above 0")
    return float(scipy.stats.gmean(values))
