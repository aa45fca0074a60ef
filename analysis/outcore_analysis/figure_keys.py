# SPDX-License-Identifier: Apache-2.0
"""What a figure of an experiment cannot do without, checked before anything runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from outcore_analysis.yamllines import ConfigError, Document

Json = dict[str, Any]
NEEDED = {
    "bars": ["value"],
    "lines": ["x", "value"],
    "stacks": ["parts"],
    "table": ["rows", "columns"],
}
# Kinds that are drawn from whole runs and therefore need engines.
OF_RUNS = ("timeline", "rounds", "heat")


def check_figures(document: Document, claims: Collection[str]) -> None:
    """Raises ConfigError with file and line for a key that is missing or a claim that is not."""
    value: Json = document.value
    for i, figure in enumerate(value.get("figures", [])):
        kind = figure["kind"]
        here = document.place(["figures", i])
        for key in NEEDED.get(kind, []):
            if key not in figure:
                raise ConfigError(f"{here}: a figure of kind {kind} needs `{key}`")
        runs = kind in OF_RUNS or figure.get("table", "runs") in ("runs", "replays")
        if runs and "engines" not in value:
            raise ConfigError(f"{here}: it draws runs, and the experiment has no engines")
        if figure.get("table") == "replays" and "replay" not in value:
            raise ConfigError(f"{here}: it draws replays, and the experiment has no `replay`")
        for j, entry in enumerate(figure.get("paper", [])):
            place = document.place(["figures", i, "paper", j])
            if ("claim" in entry) == ("value" in entry):
                raise ConfigError(
                    f"{place}: the paper's number is a claim's or a value, one of both"
                )
            if "claim" in entry and entry["claim"] not in claims:
                raise ConfigError(f"{place}: no file of claims has the claim '{entry['claim']}'")
        width = len(figure.get("rows", [])) + len(figure.get("columns", []))
        for j, row in enumerate(figure.get("paper_rows", [])):
            if len(row) != width:
                place = document.place(["figures", i, "paper_rows", j])
                raise ConfigError(f"{place}: {len(row)} fields for {width} columns")
