# SPDX-License-Identifier: Apache-2.0
"""Outcore's analysis: run records to tables, figures, verdicts on claims, and one report.

`load("results")` gives all records of a results folder as a tidy DataFrame, one row a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcore_analysis.records import load as load

__all__ = ["load"]


def __getattr__(name: str) -> Any:
    # Late: a trial's wrapper must not pay for importing pandas.
    if name == "load":
        from outcore_analysis.records import load

        return load
    raise AttributeError(name)
