# SPDX-License-Identifier: Apache-2.0
"""Numbers as figures and pages write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outcore_analysis.claims import Verdict
from outcore_analysis.stats import Summary

# The names of workloads as their papers write them; those of at most four letters are initials.
WORKLOADS = {
    "kcore": "k-core",
    "pagerank": "PageRank",
    "pagerank-delta": "PageRank by deltas",
    "pagerank-push": "PageRank by push",
    "spmv": "SpMV",
}


def workload_name(name: str) -> str:
    """Return a workload's name as figures write it."""
    return WORKLOADS.get(name, name.upper() if len(name) <= 4 else name)


def format_seconds(value: float) -> str:
    """Return seconds with three significant digits, in ms, µs or ns below one second."""
    if 0 < value < 1e-6:
        return f"{1e9 * value:.3g} ns"
    if 0 < value < 1e-3:
        return f"{1e6 * value:.3g} µs"
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"


def format_bytes(value: float) -> str:
    """Return bytes with three significant digits and a binary unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1000 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.3g} {unit}"


def format_count(value: float) -> str:
    """Return a number of things shortly enough for a tick: 426k, 1.82M."""
    for least, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * least:
            return f"{value / least:.3g}{unit}"
    return f"{value:g}"


def plain(value: float) -> str:
    """Return a number with three significant digits, never as a power of ten; whole ones whole."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-3 else f"{value:.2g}"


def times(value: float) -> str:
    """Return a factor with three significant digits: 0.67, 1.83, 29.9, 193."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if 0.1 <= value < 9.995 else f"{value:#.3g}"


def joined(names: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def ratio_text(found: Summary | None) -> str:
    """Return `0.42 [0.29, 0.48]`; without the interval where there is none."""
    if found is None:
        return ""
    ends = f" [{found.low:.2f}, {found.high:.2f}]" if found.has_interval else ""
    return f"{found.median:.2f}{ends}"


def quantity(value: float, unit: str) -> str:
    """Return a value in its unit; shares are already percentages."""
    if unit == "s":
        return format_seconds(value)
    if unit == "bytes":
        return format_bytes(value)
    return f"{plain(value)}{unit}" if unit in ("%", "x") else f"{plain(value)} {unit}".strip()


def format_value(value: float, unit: str) -> str:
    """Return a claim's value in its unit."""
    return f"{100 * value:.3g}%" if unit == "percent" else f"{value:.3g} {unit}".strip()


CONDITIONS: dict[str, Callable[[Any], str]] = {
    "threads": lambda value: f"{value:g} threads",
    "pool": lambda value: f"a pool of {value}",
    "depth": lambda value: (
        "as many reads in flight as each engine has by itself"
        if value == "usual"
        else f"{value} reads in flight"
    ),
    "backend": lambda value: f"backend {value}",
    "options": lambda value: f"options {value}" if value else "no further options",
    "temperature": lambda value: f"a {value} page cache",
    "in_memory_pool": lambda value: (
        "a pool of 25% of the graph or more" if value else "a pool below 25% of the graph"
    ),
    "family": lambda value: f"{value} graphs",
    "modelled": lambda value: f"a modelled {value}" if value else "the real device",
}


def conditions_text(conditions: Mapping[str, Any]) -> str:
    """Return in words what a file of claims requires of all its runs."""
    return ", ".join(
        CONDITIONS[key](value) if key in CONDITIONS else f"{key.replace('_', ' ')} {value}"
        for key, value in conditions.items()
    )


def measured_text(verdict: Verdict) -> str:
    """Return the measured value with its interval, or why there is none."""
    return summary_text(verdict.value, verdict.claim.unit) if verdict.value else "—"


def first_form_text(verdict: Verdict) -> str:
    """Return what a claim gives in its first form."""
    found = verdict.first_form
    return f"{found if isinstance(found, str) else summary_text(found, verdict.claim.unit)}."


def summary_text(found: Summary, unit: str) -> str:
    """Return a median in its unit, with its interval or why there is none."""
    text = format_value(found.median, unit)
    if found.low is None or found.high is None:
        return f"{text} (no interval: {found.trials} trial{'s' * (found.trials > 1)})"
    if found.low == found.high:
        return f"{text} (the same in all {found.trials} trials)"
    low, high = (
        format_value(end, "percent" * (unit == "percent")) for end in (found.low, found.high)
    )
    return f"{text} (95% interval {low} to {high}, {found.trials} trials)"


def paper_text(verdict: Verdict) -> str:
    """Return the paper's number."""
    claim = verdict.claim
    if claim.no_number:
        said = {"about": "equal", "at_least": "equal or more", "at_most": "equal or less"}
        return f"{said[claim.direction]} (it gives no number)"
    words = {"about": "", "at_least": "at least ", "at_most": "at most "}[claim.direction]
    if claim.paper_low == claim.paper_high:
        return words + format_value(claim.paper_low, claim.unit)
    # The unit is written once, except for a percent sign.
    low = format_value(claim.paper_low, "percent" * (claim.unit == "percent"))
    return f"{words}{low} to {format_value(claim.paper_high, claim.unit)}"
