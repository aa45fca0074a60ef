# SPDX-License-Identifier: Apache-2.0
"""The small language of claims: arithmetic over columns of tables, paired by trial.

An expression is a Python expression of numbers, + - * /, and these functions, nothing else:

    runs("column", name=value, ...)      a column of the runs that ended well and were not traced
    replays("column", name=value, ...)   a column of the replays
    layouts("column", name=value, ...)   a column of the layouts
    spread(values, over="column")        (most - fewest) / most among the values of that column
    largest(values), smallest(values)    over everything but the trials
    geomean(values)                      geometric mean over everything but the trials

A column is a Series indexed by trial and by every key column that the filters leave open;
arithmetic pairs equal indexes, so ratios are ratios trial by trial. The result of an expression
must be one value a trial.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

KEYS = {
    "runs": [
        "host",
        "graph",
        "layout",
        "engine",
        "workload",
        "parameters",
        "threads",
        "frames_bytes",
        "config",
    ],
    "replays": ["host", "graph", "layout", "engine", "workload", "parameters", "policy", "pool"],
    "layouts": ["host", "graph", "layout"],
}
OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class ExpressionError(Exception):
    """The expression is wrong, whatever the records say."""


class NoRecordsError(Exception):
    """The expression is right, but the records that it needs are not there."""


@dataclass
class Evaluation:
    """One evaluation over tables; remembers which records it used."""

    tables: dict[str, pd.DataFrame]
    used: set[str] = field(default_factory=set)

    def value(self, expression: str) -> list[float]:
        """The value in each trial; raises ExpressionError or NoRecordsError."""
        try:
            tree = ast.parse(" ".join(expression.split()), mode="eval")
        except SyntaxError as error:
            raise ExpressionError(f"not an expression: {error.msg}") from error
        result = self._evaluate(tree.body)
        if not isinstance(result, pd.Series):
            raise ExpressionError("the expression does not use any table")
        open_keys = [name for name in result.index.names if name != "trial"]
        if open_keys:
            raise ExpressionError(f"several values a trial; fix {', '.join(map(str, open_keys))}")
        numbers = result.dropna()
        if numbers.empty:
            raise NoRecordsError("no trial has all the values that are compared")
        return [float(number) for number in numbers.sort_index()]

    def _evaluate(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self._evaluate(node.left), self._evaluate(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._evaluate(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node.func.id, node)
        raise ExpressionError(f"'{ast.unparse(node)}' is not part of the language of claims")

    def _call(self, name: str, node: ast.Call) -> Any:
        words = {k.arg: _constant(k.value) for k in node.keywords if k.arg is not None}
        if len(node.args) != 1 or len(words) != len(node.keywords):
            raise ExpressionError(f"{name} takes one argument and named ones")
        if name in KEYS:
            return self._column(name, _constant(node.args[0]), words)
        if name not in REDUCTIONS:
            raise ExpressionError(f"unknown function '{name}'")
        values = self._evaluate(node.args[0])
        if not isinstance(values, pd.Series):
            raise ExpressionError(f"{name} needs values of a table")
        try:
            return REDUCTIONS[name](values, **words)
        except TypeError as error:
            raise ExpressionError(str(error)) from error

    def _column(self, name: str, column: Any, filters: dict[str, Any]) -> pd.Series:
        table = self.tables[name]
        for wanted in (column, *filters):
            if wanted not in table.columns:
                raise ExpressionError(f"table {name} has no column '{wanted}'")
        for key, value in filters.items():
            table = table[table[key] == value]
        asked = ", ".join(f"{key} {value}" for key, value in filters.items()) or "any"
        if name == "runs":
            table = _finished(table, asked)
        if table.empty:
            raise NoRecordsError(f"{name} has nothing with {asked}")
        if "record" in table.columns:
            self.used |= set(table["record"])
        if "trial" not in table.columns:
            table = table.assign(trial=1)
        keys = [key for key in KEYS[name] if key not in filters and table[key].nunique() > 1]
        values: pd.Series = table.set_index([*keys, "trial"])[column].astype(float)
        return values


def _finished(table: pd.DataFrame, asked: str) -> pd.DataFrame:
    """Runs that may be compared: they ended well, and no trace was written beside them."""
    finished = table[(table["status"] == "ok") & ~table["traced"].astype(bool)]
    if finished.empty and not table.empty:
        row = table.iloc[0]
        why = f"{row['status']}: {row['reason']}" if row["status"] != "ok" else "traced"
        raise NoRecordsError(f"no usable run with {asked}: {why}")
    return finished


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool):
        return node.value
    raise ExpressionError(f"'{ast.unparse(node)}' must be a plain value")


def _by_trial(values: pd.Series, how: Callable[[Any], Any]) -> pd.Series:
    return values.groupby(level="trial").agg(how)


def spread(values: pd.Series, over: str) -> pd.Series:
    """(most - fewest) / most among the values of one key column."""
    if over not in values.index.names:
        raise ExpressionError(f"spread over '{over}', which has one value only")
    groups = values.groupby(level=[name for name in values.index.names if name != over])
    most = groups.max()
    return (most - groups.min()) / most


def _geomean(values: Any) -> float:
    return float(np.exp(np.log(values).mean()))


REDUCTIONS: dict[str, Callable[..., pd.Series]] = {
    "spread": spread,
    "largest": lambda values: _by_trial(values, max),
    "smallest": lambda values: _by_trial(values, min),
    "geomean": lambda values: _by_trial(values, _geomean),
}
