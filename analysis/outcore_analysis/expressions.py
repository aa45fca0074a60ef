# SPDX-License-Identifier: Apache-2.0
"""The small language of claims: arithmetic over columns of tables, paired by trial.

An expression is a Python expression of numbers, + - * /, and these functions, nothing else:

    runs("column", name=value, ...)      a column of the runs that ended well and were not traced
    replays("column", name=value, ...)   a column of the replays
    layouts("column", name=value, ...)   a column of the layouts
    races("column", name=value, ...)     a column of turns of races that ended well; `least_s` also
                                         of those that their limit of time ended
    spread(values, over="column")        (most - fewest) / most among the values of that column
    largest(values), smallest(values)    over everything but the trials
    geomean(values)                      geometric mean over everything but the trials
    largest(values, over="column")       over only that key column; likewise for the other two

A column is a Series. Its index is the trial, the subject (host, graph and workload, unless they are
fixed), and every other key column that the filters leave open and that has several values.
Arithmetic pairs equal index values on both sides, so ratios are taken trial by trial and graph by
graph. The result of an expression must be one value per trial.

Nothing is left out silently. If the record of a run lacks the column, the whole expression has no
value. A trial does not count if a reduction would see fewer graphs, workloads or pools in it than
in another trial.

Conditions are filters for `runs` that a file of claims sets once. A filter in an expression
replaces the condition on the same column. The value "*" leaves a column open; None asks for a
missing value. Runs on a modelled device count only if `modelled` is asked for.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from outcore_analysis.forms import BEST, PROGRAMS, in_form
from outcore_analysis.records import LEAST_SECONDS, TABLES
from outcore_analysis.yamllines import schema

# What a number is about: always part of the index unless fixed, so only equals are paired.
SUBJECT = ("host", "graph", "workload")
KEYS = {
    "runs": [
        *SUBJECT,
        "layout",
        "engine",
        "parameters",
        "threads",
        "pool",
        "memory_limit_bytes",
        "backend",
        "depth",
        "modelled",
        "dilation",
        "options",
    ],
    "replays": [*SUBJECT, "layout", "engine", "parameters", "policy", "pool"],
    "layouts": ["host", "graph", "layout"],
    "races": [*SUBJECT, "contestant", "parameters", "threads", "memory_limit_bytes"],
}
# Distinguishes what all the others do not, such as a run with --verify from one without.
LAST_RESORT = "config"
OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
# Columns that exist only if a run took long enough for several samples, which are 50 ms apart.
OF_SAMPLES = ("peak_read_rate", "cpu_share")
OPEN = "*"
USUAL = "usual"  # of depth: each engine's own
# A modelled device is compared with itself, and only if it is asked for by name.
ASSUMED = {"modelled": None}


class ExpressionError(Exception):
    """The expression is wrong, whatever the records say."""


class NoRecordsError(Exception):
    """The expression is right, but these records do not give it one value a trial."""


@dataclass
class Evaluation:
    """One evaluation over tables; remembers which records it used."""

    tables: dict[str, pd.DataFrame]
    conditions: Mapping[str, Any] = field(default_factory=dict)
    # Are the numbers of the tables real? If not, what comes of them may be none: a difference of
    # equals divides by zero.
    measured: bool = True
    # In which form do the engines run that have two?
    form: str = BEST
    used: set[str] = field(default_factory=set)
    # What each reduction was over: the keys of its values, one row each.
    compared: list[pd.DataFrame] = field(default_factory=list)

    def value(self, expression: str) -> list[float]:
        """The value in each trial; raises ExpressionError or NoRecordsError."""
        result = self._evaluate(_parsed(expression))
        if not isinstance(result, pd.Series):
            raise ExpressionError("the expression does not use any table")
        numbers = result.dropna() if self.measured else result.fillna(1.0)
        if numbers.empty:
            raise NoRecordsError("no trial has all the values that are compared")
        keys = numbers.index.to_frame(index=False)
        several = [key for key in keys if key != "trial" and keys[key].nunique(dropna=False) > 1]
        if several:
            raise NoRecordsError(f"several values a trial; fix {', '.join(map(str, several))}")
        return [float(number) for number in numbers.sort_index(level="trial")]

    def uncovered(self, covers: Mapping[str, list[Any]]) -> str:
        """The first combination of these columns' values that no reduction was over, or "".

        `covers` has the values that are required, by column: `family`, or a key column.
        """
        families = self._families()
        seen = [
            frame.assign(family=frame["graph"].map(families)) if "graph" in frame else frame
            for frame in self.compared
        ]
        seen = [frame for frame in seen if set(covers) <= set(frame.columns)]
        there = {key for frame in seen for key in frame[list(covers)].itertuples(index=False)}
        wanted = itertools.product(*covers.values())
        lacking = next((key for key in wanted if key not in there), None)
        return "" if lacking is None else ", ".join(map(str, lacking))

    def _families(self) -> dict[str, Any]:
        tables = [self.tables[name] for name in ("runs", "layouts") if name in self.tables]
        rows = pd.concat([table[["graph", "family"]] for table in tables if "family" in table])
        return dict(zip(rows["graph"], rows["family"], strict=True))

    def _evaluate(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            how = OPERATORS[type(node.op)]
            return _paired(how, self._evaluate(node.left), self._evaluate(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._evaluate(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node.func.id, node)
        raise ExpressionError(f"'{ast.unparse(node)}' is not part of the language of claims")

    def _call(self, name: str, node: ast.Call) -> Any:
        words = _words(name, node)
        if name in KEYS:
            return self._column(name, _constant(node.args[0]), words)
        if name not in REDUCTIONS:
            raise ExpressionError(f"unknown function '{name}'")
        values = self._evaluate(node.args[0])
        if not isinstance(values, pd.Series):
            raise ExpressionError(f"{name} needs values of a table")
        values = _complete(values)
        self.compared.append(values.index.to_frame(index=False))
        try:
            return REDUCTIONS[name](values, **words)
        except TypeError as error:
            raise ExpressionError(str(error)) from error

    def _column(self, name: str, column: Any, words: dict[str, Any]) -> pd.Series:
        table = self.tables[name]
        conditions = ASSUMED | dict(self.conditions) if name == "runs" else {}
        filters = words | {key: conditions[key] for key in conditions if key not in words}
        filters = {key: value for key, value in filters.items() if value != OPEN}
        filters = in_form(self.form, filters, words) if name == "runs" else filters
        for wanted in (column, *words, *filters):
            if wanted not in table.columns:
                raise ExpressionError(f"table {name} has no column '{wanted}'")
        table = _filtered(name, table, filters, column)
        if name == "runs":
            _check_dilations(table)
        if "record" in table.columns:
            self.used |= set(table["record"])
        if "trial" not in table.columns:
            table = table.assign(trial=1)
        _check_present(name, table, column)
        values: pd.Series = table.set_index(_keys(name, table, filters))[column].astype(float)
        return values


def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(" ".join(expression.split()), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"not an expression: {error.msg}") from error


def _filtered(
    name: str, table: pd.DataFrame, filters: Mapping[str, Any], column: str
) -> pd.DataFrame:
    """Return the rows that pass all filters.

    If none does, the error names the filters up to the one that left none.
    """
    asked: list[str] = []
    passing = pd.Series(data=True, index=table.index)
    for key, value in filters.items():
        passing &= _passes(table, key, value)
        if (key, value) not in ASSUMED.items():
            asked.append(f"{key} {value}")
        if not passing.any():
            break
    table = table[passing]  # once: a table has hundreds of columns
    words = ", ".join(asked) or "any"
    if name in ("runs", "races"):
        table = _finished(table, words, column)
    if table.empty:
        raise NoRecordsError(f"there are no {name} with {words}")
    return table


def _check_dilations(table: pd.DataFrame) -> None:
    """Refuse to compare seconds of one device with two different dilations."""
    ways = table.groupby("modelled")["dilation"].nunique(dropna=False)
    for device in ways.index[ways > 1]:
        raise NoRecordsError(f"{device} is drawn out in several ways; fix dilation")


def _check_present(name: str, table: pd.DataFrame, column: str) -> None:
    """Refuse a column that some runs lack: the other runs would be a selection."""
    lacking = table[table[column].isna()]
    if lacking.empty:
        return
    first = lacking.iloc[0]
    words = [first[key] for key in ("graph", "engine", "layout", "workload") if key in table]
    example = " ".join(str(word) for word in words if not pd.isna(word))
    raise NoRecordsError(
        f"{column} is missing from {len(lacking)} of {len(table)} {name}, such as {example}"
        f"{', which is too short for it' if column in OF_SAMPLES else ''}"
    )


def _passes(table: pd.DataFrame, key: str, value: Any) -> pd.Series:
    if value is None:
        return table[key].isna()
    if (key, value) == ("depth", USUAL):
        return ~table["depth_asked"].astype(bool)
    passing: pd.Series = table[key] == value
    return passing


def _finished(table: pd.DataFrame, asked: str, column: str) -> pd.DataFrame:
    """Return the runs that may be compared: they ended well and wrote no trace.

    A column of bounds counts where it has a value, whatever ended the turn.
    """
    counts = table[column].notna() if column == LEAST_SECONDS else table["status"] == "ok"
    finished = table[counts]
    if "traced" in table:
        finished = finished[~finished["traced"].astype(bool)]
    if finished.empty and not table.empty:
        row = table.iloc[0]
        why = f"{row['status']}: {row['reason']}" if row["status"] != "ok" else "traced"
        raise NoRecordsError(f"no usable run with {asked}: {why}")
    return finished


def _keys(name: str, table: pd.DataFrame, filters: Mapping[str, Any]) -> list[str]:
    keys = [
        key
        for key in KEYS[name]
        if key not in filters and (key in SUBJECT or table[key].nunique(dropna=False) > 1)
    ]
    keys.append("trial")
    if LAST_RESORT in table.columns and table.duplicated(keys).any():
        keys.append(LAST_RESORT)
    return keys


def _paired(how: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Arithmetic on rows whose values agree in all keys that both sides have."""
    if not (isinstance(left, pd.Series) and isinstance(right, pd.Series)):
        return how(left, right)
    common = [name for name in left.index.names if name in right.index.names]
    both = pd.merge(
        left.rename("left").reset_index(), right.rename("right").reset_index(), on=common
    )
    keys = list(dict.fromkeys([*left.index.names, *right.index.names]))
    both = both.set_index(keys)
    return how(both["left"], both["right"])


def _words(name: str, node: ast.Call) -> dict[str, Any]:
    words = {k.arg: _constant(k.value) for k in node.keywords if k.arg is not None}
    if len(node.args) != 1 or len(words) != len(node.keywords):
        raise ExpressionError(f"{name} takes one argument and named ones")
    return words


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        return node.value
    raise ExpressionError(f"'{ast.unparse(node)}' must be a plain value")


def _complete(values: pd.Series) -> pd.Series:
    """Keep the trials with as many values as any trial has, so that a reduction compares equals."""
    counts = values.groupby(level="trial").transform("size")
    complete: pd.Series = values[counts == counts.max()]
    return complete


def _reduced(values: pd.Series, how: str | Callable[[Any], Any], over: str | None) -> pd.Series:
    if over is None:
        return values.groupby(level="trial").agg(how)
    return values.groupby(level=_others(values, over), dropna=False).agg(how)


def _others(values: pd.Series, over: str) -> list[str]:
    if over not in values.index.names or values.index.unique(level=over).size < 2:
        raise NoRecordsError(f"there is one {over} only, and several are to be compared")
    return [str(name) for name in values.index.names if name != over]


def spread(values: pd.Series, over: str) -> pd.Series:
    """(most - fewest) / most among the values of one key column."""
    most, fewest = (_reduced(values, how, over) for how in ("max", "min"))
    return (most - fewest) / most


def _geomean(values: Any) -> float:
    return float(np.exp(np.log(values).mean()))


def largest(values: pd.Series, over: str | None = None) -> pd.Series:
    """The largest value."""
    return _reduced(values, "max", over)


def smallest(values: pd.Series, over: str | None = None) -> pd.Series:
    """The smallest value."""
    return _reduced(values, "min", over)


def geomean(values: pd.Series, over: str | None = None) -> pd.Series:
    """The geometric mean."""
    return _reduced(values, _geomean, over)


REDUCTIONS: dict[str, Callable[..., pd.Series]] = {
    "spread": spread,
    "largest": largest,
    "smallest": smallest,
    "geomean": geomean,
}


def check_expression(expression: str, conditions: Mapping[str, Any]) -> None:
    """Raise ExpressionError for what no records could ever answer, such as a misspelt workload."""
    for key, value in conditions.items():
        _check_filter("runs", key, value)
    for node in ast.walk(_parsed(expression)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        words = _words(name, node)
        if name in KEYS:
            column = str(_constant(node.args[0]))
            _check_filter(name, column, OPEN)
            for key, value in words.items():
                _check_filter(name, key, value)
            if name == "runs":
                _check_engine(column, words.get("engine", conditions.get("engine", OPEN)))
        elif name not in REDUCTIONS:
            raise ExpressionError(f"unknown function '{name}'")
        elif "over" in words and not any(words["over"] in keys for keys in KEYS.values()):
            raise ExpressionError(f"'{words['over']}' is not a column by which tables are indexed")


def columns_of(expression: str) -> set[str]:
    """Return the columns from which an expression takes its values."""
    return {str(_constant(node.args[0])) for node in _table_calls(expression)}


def asks_for_a_model(expression: str, conditions: Mapping[str, Any]) -> bool:
    """Whether any of its runs are on a modelled device."""
    return any(
        (dict(conditions) | _words("runs", node)).get("modelled") is not None
        for node in _table_calls(expression)
        if isinstance(node.func, ast.Name) and node.func.id == "runs"
    )


def compares_engines(expression: str, conditions: Mapping[str, Any]) -> bool:
    """Whether it is about several engines, of which one at least may be in either of two forms.

    An expression that names the options of an engine's runs has chosen its form.
    """
    asked = [
        dict(conditions) | _words("runs", node)
        for node in _table_calls(expression)
        if isinstance(node.func, ast.Name) and node.func.id == "runs"
    ]
    either = any(one.get("engine") in PROGRAMS and not one.get("options") for one in asked)
    return either and len({one.get("engine") for one in asked}) > 1


def _table_calls(expression: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Call)]
    return [node for node in calls if isinstance(node.func, ast.Name) and node.func.id in KEYS]


def _check_filter(table: str, key: str, value: Any) -> None:
    if key not in {column.name for column in TABLES[table]}:
        raise ExpressionError(f"table {table} has no column '{key}'")
    known = _vocabulary().get(key)
    if known and value not in (None, OPEN, *known):
        raise ExpressionError(f"no {key} is called '{value}'; there are: {', '.join(known)}")


def _check_engine(name: str, engine: Any) -> None:
    """Refuse a stage or a count for an engine that does not report it."""
    engines = next(column.engines for column in TABLES["runs"] if column.name == name)
    if engines and engine not in (OPEN, *engines):
        raise ExpressionError(
            f"runs of engine '{engine}' have no '{name}'; configs/columns.yaml has it from: "
            f"{', '.join(engines)}"
        )


@cache
def _vocabulary() -> dict[str, list[str]]:
    """Return the names that experiments may use; any engine's, because it may be planned."""
    properties = schema("experiment")["properties"]
    layout = properties["layouts"]["additionalProperties"]["properties"]
    return {
        "workload": list(properties["workloads"]["properties"]),
        "policy": properties["replay"]["properties"]["policies"]["items"]["enum"],
        "codec": layout["codec"]["enum"],
        "number": layout["number"]["enum"],
        "place": layout["place"]["enum"],
    }
