# SPDX-License-Identifier: Apache-2.0
"""Outcore's analysis: tables, figures, verdicts on claims and one report, from run records.

`load("results")` returns all records of a results folder as a DataFrame, a row for each run.
`load_values("levels.npy")` returns by vertex what `outcore run --output` wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcore_analysis.records import load as load
    from outcore_analysis.values import load_values as load_values

__all__ = ["load", "load_values"]


def __getattr__(name: str) -> Any:
    # Imported only when needed: the wrapper of a trial must not wait for pandas.
    if name == "load":
        from outcore_analysis.records import load

        return load
    if name == "load_values":
        from outcore_analysis.values import load_values

        return load_values
    raise AttributeError(name)
