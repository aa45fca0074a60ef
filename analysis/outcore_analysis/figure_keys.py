# SPDX-License-Identifier: Apache-2.0
"""What a figure of an experiment requires, checked before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from outcore_analysis.yamllines import ConfigError, Document, KeyPath

Json = dict[str, Any]
NEEDED = {
    "bars": ["value"],
    "lines": ["x", "value"],
    "stacks": ["parts"],
    "table": ["rows", "columns"],
    "waterfall": ["value"],
}
# Kinds that are drawn from whole runs and therefore need engines.
OF_RUNS = ("timeline", "rounds", "heat", "frontier")


def check_figures(document: Document, claims: Collection[str]) -> None:
    """Raise ConfigError with file and line for a key, a claim or a column that does not exist."""
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
        ladders = [name for name, spec in value.get("engines", {}).items() if "ladder" in spec]
        if kind == "waterfall" and not ladders:
            raise ConfigError(f"{here}: a waterfall is of a ladder, and no engine has one")
        if figure.get("table") == "replays" and "replay" not in value:
            raise ConfigError(f"{here}: it draws replays, and the experiment has no `replay`")
        _check_columns(document, i, figure)
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


def _check_columns(document: Document, number: int, figure: Json) -> None:
    # Imported here because tables use pandas, which a plan without figures does not need.
    from outcore_analysis.by_round import ROUNDS
    from outcore_analysis.levels import LEVELS
    from outcore_analysis.records import TABLES

    tables = {**TABLES, "levels": LEVELS, "rounds": ROUNDS}
    name = figure.get("table", "runs")
    for table, path, column in _columns(name, figure):
        if column not in {known.name for known in tables[table]}:
            place = document.place(["figures", number, *path])
            raise ConfigError(
                f"{place}: table {table} has no column '{column}'; docs/tables.md lists them"
            )


def _columns(name: str, figure: Json) -> Iterator[tuple[str, KeyPath, str]]:
    """Yield every column that a figure names: its table, where it is named, the column."""
    for key in ("x", "value", "over", "points"):
        if key in figure:
            yield name, (key,), figure[key]
    for key in ("panels", "series", "rows"):
        yield from ((name, (key, i), column) for i, column in enumerate(figure.get(key, [])))
    for key in ("where", "normalise"):
        yield from ((name, (key, column), column) for column in figure.get(key, {}))
    for key in ("parts", "columns"):
        for i, part in enumerate(figure.get(key, [])):
            yield from ((name, (key, i, k), part[k]) for k in ("value", "over") if k in part)
            yield from ((name, (key, i, "ratio_to"), column) for column in part.get("ratio_to", {}))
    for key, table in (("reference", name), ("beside", "runs")):
        level = figure.get(key, {})
        yield from ((table, (key, k), level[k]) for k in ("value", "over") if k in level)
        yield from ((table, (key, "where", column), column) for column in level.get("where", {}))
