# SPDX-License-Identifier: Apache-2.0
"""Outcore's analysis: run records to tables, figures, verdicts on claims, and one report.

`load("results")` gives all records of a results folder as a tidy DataFrame, one row a run;
`load_values("levels.npy")` what `outcore run --output` wrote, by vertex.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcore_analysis.records import load as load
    from outcore_analysis.values import load_values as load_values

__all__ = ["load", "load_values"]


def __getattr__(name: str) -> Any:
    # Late: a trial's wrapper must not pay for importing pandas.
    if name == "load":
        from outcore_analysis.records import load

        return load
    if name == "load_values":
        from outcore_analysis.values import load_values

        return load_values
    raise AttributeError(name)
