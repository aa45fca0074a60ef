# SPDX-License-Identifier: Apache-2.0
"""One figure that an experiment's file asks for, and the data from which it is drawn.

Only rows of the experiment's own runs and layouts count. A value is a column, or one column divided
by another, row by row; trials are summarised to a median and its interval. Whatever the experiment
asked for without getting a value is named, with the reason from its record.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from outcore_analysis.charts import Chart, Panel
from outcore_analysis.claims import Verdict
from outcore_analysis.contest.record import OURS
from outcore_analysis.forms import is_published
from outcore_analysis.plan import Cell, Experiment
from outcore_analysis.possible import left_out
from outcore_analysis.records import groups, rows
from outcore_analysis.stats import LEAST_TRIALS, paired_ratios, summarise
from outcore_analysis.words import (
    format_bytes,
    format_count,
    measured_text,
    paper_text,
    quantity,
    workload_name,
)
from outcore_analysis.yamllines import ConfigError

Json = dict[str, Any]
Tables = dict[str, pd.DataFrame]
# Properties of a cell that have other names in the table of runs.
CELL_NAMES = {"frames": "pool", "memory": "memory_limit_bytes", "device": "modelled"}
# Columns of the table of runs that are parameters of workload windows.
OF_STREAMS = {"window": "every", "stream_rate": "rate"}
LEVELS = ["median", "low", "high", "trials"]
NO_OPTIONS = "no options"


@dataclass(frozen=True)
class Ask:
    """A figure of an experiment with its tables; see the module."""

    figure: Json
    experiment: Experiment
    tables: Tables
    records: list[Json] = field(default_factory=list)
    heats: list[Json] = field(default_factory=list)
    titles: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    def wanted(self, key: str) -> Any:
        """Return a key that this kind of figure requires."""
        if key not in self.figure:
            raise ConfigError(f"{self.name}: a figure of kind {self.figure['kind']} needs `{key}`")
        return self.figure[key]

    @property
    def name(self) -> str:
        """The figure's own name, or the experiment's name with the figure's number."""
        at = next(i for i, f in enumerate(self.experiment.figures) if f is self.figure)
        number = "" if at == 0 else f"-{at + 1}"
        return str(self.figure.get("name", f"{self.experiment.name}{number}"))

    @property
    def panels(self) -> list[str]:
        """The columns whose values have a panel each."""
        default = ["graph"] if self.source in ("layouts", "levels") else ["graph", "workload"]
        return list(self.figure.get("panels", default))

    @property
    def series(self) -> list[str]:
        """The columns that distinguish series."""
        default = ["layout"] if self.source in ("layouts", "levels") else ["engine"]
        return list(self.figure.get("series", default))

    @property
    def source(self) -> str:
        """Name of the table."""
        return str(self.figure.get("table", "runs"))

    @property
    def unit(self) -> str:
        """Unit of the value."""
        return str(self.figure.get("unit", ""))

    def words(self, column: str, value: Any) -> str:
        """Return a value of a key column as it is written on a figure."""
        if column == "graph":
            return str(self.titles.get(str(value), value))
        if column == "workload":
            return workload_name(str(value))
        if column == "policy":
            return str(value).upper()
        if column == "options" and not value:
            return NO_OPTIONS
        if pd.isna(value):
            return "the real device" if column == "modelled" else f"no {column.replace('_', ' ')}"
        if column.endswith("_bytes") and not isinstance(value, str):
            return format_bytes(float(value))
        if column == "edges":
            return format_count(float(value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    def named(self, columns: list[str], row: Mapping[str, Any]) -> str:
        """Return a row's values of these columns in words."""
        words = [self.words(column, row[column]) for column in columns]
        if "threads" in columns:  # a number alone would not say of what
            words[columns.index("threads")] += f" thread{'s' * (row['threads'] != 1)}"
        return ", ".join(w for w in words if w != NO_OPTIONS) or (NO_OPTIONS if columns else "")

    @staticmethod
    def of(named: Mapping[str, Any]) -> Json:
        """Return the graph and the workload among a panel's columns."""
        return {key: str(named[key]) for key in ("graph", "workload") if key in named}

    def rows(self) -> pd.DataFrame:
        """Return the rows of the experiment that the figure draws, in its order."""
        if self.source == "races":
            return self._chosen(self._beside())
        table = self.tables[self.source]
        asked: list[Any] = [cell.key for cell in self.experiment.drawn]
        there: list[Any] = list(table["config"]) if "config" in table else []
        if self.source in ("layouts", "levels"):
            asked = list(itertools.product(self.experiment.graphs, self.experiment.layouts))
            there = list(zip(table["graph"], table["layout"], strict=True))
        places = {name: place for place, name in enumerate(asked)}
        table = table.assign(place=[places.get(name, -1) for name in there])
        table = table[table["place"] >= 0].sort_values("place", kind="stable")
        table = table.drop(columns="place")
        if self.source == "runs":
            table = table[table["status"] == "ok"]
        return self._chosen(table)

    def _chosen(self, table: pd.DataFrame) -> pd.DataFrame:
        for column, value in self.figure.get("where", {}).items():
            table = table[table[column].isin(value if isinstance(value, list) else [value])]
        return table

    def _beside(self) -> pd.DataFrame:
        """Return the experiment's own runs, then the turns of others in its races."""
        runs, races = self.tables["runs"], self.tables["races"]
        own = runs[runs["config"].isin([cell.key for cell in self.experiment.cells])]
        own = own.assign(who=own["engine"], contestant=own["engine"])
        own = own.assign(peak_bytes=own["peak_rss_bytes"], own_s=own["run_s"])
        others = races[(races["experiment"] == self.experiment.name)]
        others = others[others["contestant"] != OURS]
        both = [part for part in (own, others) if len(part)]
        table = pd.concat(both or [races], ignore_index=True).reindex(columns=list(races.columns))
        return table[table["status"] == "ok"]

    def _lost_turns(self) -> list[str]:
        """Return which turns of others did not end well, and why."""
        races = self.tables["races"] if self.source == "races" else pd.DataFrame()
        if races.empty:
            return []
        lost = races[(races["experiment"] == self.experiment.name) & (races["status"] != "ok")]
        return [
            f"{self.words('graph', row['graph'])}, {row['who']}, {row['workload']}: "
            f"{row['status'].replace('_', ' ')}: {row['reason']}"
            for row in rows(lost)
        ]

    def values(
        self,
        keys: list[str],
        value: str,
        over: str | None = None,
        unit: str = "",
        base: Mapping[str, Any] | None = None,
        within: list[str] | None = None,
    ) -> pd.DataFrame:
        """Median and interval of a value for each combination of the key columns.

        With `base`, values are divided, trial by trial, by the value with the same `within` columns
        and these values of other columns.
        """
        table = self.rows()
        table = table.assign(drawn=_quotient(table, value, over) * (100 if unit == "%" else 1))
        if "trial" not in table.columns:
            table = table.assign(trial=1)
        table = table[table["drawn"].notna()]
        self.check_alone(table, keys)
        if base is not None:
            table = self._normalised(table, base, within or keys)
        found = [
            dict(zip(keys, key, strict=True)) | _levels(part["drawn"].tolist())
            for key, part in groups(table, keys)
        ]
        return pd.DataFrame(found, columns=[*keys, *LEVELS])

    def check_alone(self, table: pd.DataFrame, keys: list[str]) -> None:
        """Refuse different configurations in one place, which would be mixed silently."""
        alike = table[table.duplicated([*keys, "trial"], keep=False)]
        if alike.empty:
            return
        varied = [
            column
            for column in ("host", *vars_of_cells(alike))
            if column not in keys and alike[column].nunique(dropna=False) > 1
        ]
        raise ConfigError(
            f"{self.name}: several configurations fall into one place; they differ in "
            f"{', '.join(varied) or 'their records only'}: name that in `series`, `panels` or "
            "`where`"
        )

    def _normalised(
        self, table: pd.DataFrame, base: Mapping[str, Any], within: list[str]
    ) -> pd.DataFrame:
        chosen = table
        for column, value in base.items():
            chosen = chosen[chosen[column] == value]
        by = [*(column for column in within if column not in base), "trial"]
        both = table.merge(chosen[[*by, "drawn"]], on=by, suffixes=("", "_base"))
        return both.assign(drawn=paired_ratios(both["drawn"].tolist(), both["drawn_base"].tolist()))

    def cells(self) -> list[Cell]:
        """Return the experiment's cells that the figure should show."""
        where = self.figure.get("where", {})
        chosen = []
        for cell in self.experiment.drawn:
            known = cell_columns(cell)
            if all(
                known[c] in (v if isinstance(v, list) else [v])
                for c, v in where.items()
                if c in known
            ):
                chosen.append(cell)
        return chosen

    def missing(self) -> list[tuple[Json, str]]:
        """Return what has no run that ended well: its columns, and why."""
        if self.source in ("layouts", "levels"):
            return self._missing_layouts()
        runs = self.tables["runs"]
        finished = set(runs.loc[runs["status"] == "ok", "config"])
        if self.source == "replays":
            finished &= set(self.tables["replays"]["config"])
        return [
            (cell_columns(cell), self._why(cell))
            for cell in self.cells()
            if cell.key not in finished
        ]

    def _missing_layouts(self) -> list[tuple[Json, str]]:
        table = self.tables["layouts"]
        there = set(zip(table["graph"], table["layout"], strict=True))
        asked = itertools.product(self.experiment.graphs, self.experiment.layouts)
        where = self.figure.get("where", {})
        return [
            ({"graph": graph, "layout": layout}, "it was not built")
            for graph, layout in asked
            if (graph, layout) not in there and layout in where.get("layout", [layout])
        ]

    def _why(self, cell: Cell) -> str:
        runs = self.tables["runs"]
        mine = runs[runs["config"] == cell.key]
        for row in rows(mine[mine["status"] != "ok"]):
            # The rest of the reason, which says what to do, is in the record.
            return f"{row['status']}: {str(row['reason']).split(';')[0]}"
        return "there is no record yet" if mine.empty else "its trace was not replayed"

    def missing_words(self) -> list[str]:
        """Return the same, one sentence each; several pools of one engine are distinguished."""
        lines: list[str] = []
        for columns, why in self.missing():
            lines.append(f"{self._configuration(columns)}: {why}")
        return list(dict.fromkeys(lines))

    def _configuration(self, columns: Json) -> str:
        words = [self.words("graph", columns["graph"])]
        words += [str(columns[c]) for c in ("engine", "workload") if c in columns]
        words += [str(columns["layout"])]
        words += [f"{c} {columns[c]}" for c in ("pool", "depth", "modelled") if columns.get(c)]
        words += [columns["options"]] if columns.get("options") else []
        return ", ".join(words)

    def _fewer_trials(self) -> list[str]:
        """Return configurations of which some trials are drawn and others failed."""
        if self.source != "runs":
            return []
        lines = []
        runs = self.tables["runs"]
        held = Counter(runs["config"])
        good = Counter(runs["config"][runs["status"] == "ok"])
        for cell in self.cells():
            if 0 < good[cell.key] < held[cell.key]:
                words = self._configuration(cell_columns(cell))
                trials = f"{good[cell.key]} of {held[cell.key]} trials"
                lines.append(f"{words}: {trials}; {self._why(cell)}")
        return lines

    def notes(self) -> list[str]:
        """Return the paper's numbers beside ours, in words, and what this build cannot draw."""
        lines = [f"Not drawn: {what}: {why}" for what, why in self._not_built()]
        lines += [f"Left out: {text}" for text in self._left_out()]
        lines += self._fewer_trials()
        lines += self._lost_turns()
        for entry in self.figure.get("paper", []):
            if "claim" in entry:
                verdict = self.verdict(entry["claim"])
                here = (
                    measured_text(verdict)
                    if verdict.value
                    else verdict.verdict.removesuffix(" here")
                )
                lines.append(f"{entry['says']}: paper {paper_text(verdict)}; here {here}")
            else:
                value = entry["value"]
                ends = value if isinstance(value, list) else [value]
                text = " to ".join(quantity(end, self.unit) for end in ends)
                lines.append(f"{entry['says']}: paper {text}")
        return lines

    def _not_built(self) -> list[tuple[str, str]]:
        runs = self.source in ("runs", "replays")
        return self.experiment.missing if runs else []

    def _left_out(self) -> list[str]:
        """Return combinations without runs for which the experiment itself states the reason."""
        if self.source not in ("runs", "replays"):
            return []
        where = {
            column: value if isinstance(value, list) else [value]
            for column, value in self.figure.get("where", {}).items()
        }
        return [
            f"{', '.join(left_out(self._worded(rule)))}: {rule['reason'].strip()}"
            for rule in self.experiment.excluded
            # Parameters that are left out are replaced by others, which are drawn.
            if "parameters" not in rule
            and not (self.experiment.in_both_forms and is_published(rule.get("settings", {})))
            and all(rule.get(column, value[0]) in value for column, value in where.items())
        ]

    def _worded(self, rule: Json) -> Json:
        named = (key for key in ("graph", "workload") if key in rule)
        return rule | {key: self.words(key, rule[key]) for key in named}

    def verdict(self, claim: str) -> Verdict:
        """Return the verdict on a claim that the figure names."""
        if claim not in self.verdicts:
            raise ConfigError(f"{self.name}: no file of claims has the claim '{claim}'")
        return self.verdicts[claim]

    def paper_marks(self, row: Mapping[str, Any]) -> list[tuple[float, float, str]]:
        """Return the paper's numbers that belong to a row: smallest, largest, of what."""
        marks = []
        for entry in self.figure.get("paper", []):
            at = entry.get("at")
            if at is None or any(row.get(column) != value for column, value in at.items()):
                continue
            if "claim" in entry:
                claim = self.verdict(entry["claim"]).claim
                times = 100 if self.unit == "%" else 1
                low, high = claim.paper_low * times, claim.paper_high * times
            else:
                value = entry["value"]
                low, high = value if isinstance(value, list) else (value, value)
            marks.append((float(low), float(high), str(entry["says"])))
        return marks

    def chart(
        self, data: pd.DataFrame, panels: list[Panel], table: list[list[str]] | None = None
    ) -> Chart:
        """Return the figure with what the file says about it."""
        paper = self.experiment.paper or {}
        notes = self.notes()
        if self.source == "runs" and "trials" in data and data["trials"].max() < LEAST_TRIALS:
            most = int(data["trials"].max())
            notes.append(f"No intervals: {most} trial{'s' * (most > 1)} of each.")
        return Chart(
            self.name,
            self.figure.get("title", self.experiment.title),
            " ".join(self.figure.get("caption", self.experiment.answers).split()),
            data,
            panels,
            self.missing_words(),
            notes,
            table or [],
            paper.get("name", ""),
            paper.get("place", ""),
            self.source,
        )


def cell_columns(cell: Cell) -> Json:
    """Return a cell's properties under their names in the table of runs."""
    columns = {CELL_NAMES.get(key, key): value for key, value in asdict(cell).items()}
    asked = {name: cell.parameters.get(key) for name, key in OF_STREAMS.items()}
    return columns | {"options": cell.further} | {k: v for k, v in asked.items() if v is not None}


def vars_of_cells(table: pd.DataFrame) -> list[str]:
    """Return the columns of a table in which configurations may differ."""
    asked = ["graph", "engine", "workload", "parameters", "layout", "threads", "pool"]
    asked += ["memory_limit_bytes", "backend", "depth", "modelled", "options", "traced", "policy"]
    return [column for column in asked if column in table.columns]


def _quotient(table: pd.DataFrame, value: str, over: str | None) -> pd.Series:
    above = pd.to_numeric(table[value])
    return above / pd.to_numeric(table[over]) if over else above.astype(float)


def _levels(values: list[float]) -> Json:
    found = summarise(values)
    return {"median": found.median, "low": found.low, "high": found.high, "trials": found.trials}


UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def number_of(value: Any) -> float | None:
    """The number in a value of a key column: 6% is 6, 64M is its bytes; None if there is none."""
    if isinstance(value, int | float) and not pd.isna(value):
        return float(value)
    found = re.fullmatch(r"([0-9.]+)(%|[KMG]?)(?:iB| B)?", str(value))
    if not found:
        return None
    return float(found[1]) * UNITS.get(found[2], 1)


def ordered(values: list[Any]) -> list[Any]:
    """Return each value once: numbers ascending, others in their order."""
    once = list(dict.fromkeys(values))
    if all(number_of(value) is not None for value in once):
        return sorted(once, key=lambda value: number_of(value) or 0)
    return once
