# SPDX-License-Identifier: Apache-2.0
"""What a plan's figures, claims and report are made from, and what is missing."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd

from outcore_analysis.by_round import rounds_table
from outcore_analysis.cluster.nodes import processors, refuse_scattered
from outcore_analysis.contest.programme import Bout
from outcore_analysis.contest.turns import races_table
from outcore_analysis.levels import levels_table
from outcore_analysis.plan import Plan
from outcore_analysis.possible import left_out
from outcore_analysis.records import layouts_table, read_record, replays_table, runs_of
from outcore_analysis.yamllines import ConfigError, validator

Json = dict[str, Any]


@dataclass(frozen=True)
class Gap:
    """Something that was asked for and is not on the page."""

    what: str
    why: str


@dataclass(frozen=True)
class Material:
    """Tables, whole records, and gaps."""

    tables: dict[str, pd.DataFrame]
    records: list[Json]
    gaps: list[Gap]
    heats: list[Json] = field(default_factory=list)


def collect(plan: Plan) -> Material:
    """Read everything that the plan asks for and that exists."""
    records = [read_record(path) for path in map(Path, plan.records()) if path.is_file()]
    refuse_scattered(records)
    replays = [Path(path) for path in plan.replays() if Path(path).is_file()]
    layouts = [Path(path) for path in plan.layout_facts() if Path(path).is_file()]
    tables = {
        "runs": runs_of(records),
        "replays": replays_table(replays),
        "layouts": layouts_table(layouts),
        "device": device_table(Path(plan.device)),
    }
    tables["races"] = races_table(_held(plan))
    tables["levels"] = levels_table(layouts, tables["layouts"])
    tables["rounds"] = rounds_table(records)
    heats = [read_record(path) for path in map(Path, plan.heats()) if path.is_file()]
    gaps = [Gap(what, why) for what, why in plan.missing()]
    gaps += _excluded(plan) + _absent(plan) + _ended_badly(tables["runs"]) + _unreplayed(replays)
    gaps += _uncounted(plan) + _mixed(records)
    return Material(tables, records, gaps, heats)


def _held(plan: Plan) -> Iterator[tuple[Bout, str, str, Json]]:
    """Yield the races of the experiments that were held."""
    for key, bout in plan.raced.items():
        path = Path(plan.race_file(key))
        if path.is_file():
            yield bout, plan.host, str(path), json.loads(path.read_text(encoding="utf-8"))


def unfinished(plan: Plan, material: Material) -> list[str]:
    """Return runs and replays that should have finished but did not, with reasons and records."""
    runs = material.tables["runs"]
    bad = runs[runs["status"] != "ok"]
    lines = [
        f"{row.graph}, {row.engine}, {row.workload}, trial {row.trial}: {row.status}: {row.reason} "
        f"({row.record})"
        for row in bad.itertuples()
    ]
    lines += [f"{path}: there is no record" for path in plan.records() if not Path(path).is_file()]
    # A run that failed has no trace to replay: that is one failure, not two.
    failed = set(bad["record"])
    replays = [
        Path(path)
        for path in plan.replays()
        if Path(path).is_file() and path.replace(".replay.json", ".json") not in failed
    ]
    return lines + [f"{gap.what}: {gap.why}" for gap in _unreplayed(replays) + _uncounted(plan)]


DEVICE_COLUMNS = [
    *("pattern", "bytes", "concurrency", "mb_per_s", "p50_us", "p99_us"),
    *("k_r", "host", "source", "filesystem"),
]


def device_table(path: Path) -> pd.DataFrame:
    """Return the rates that `outcore probe` measured, a row each; empty if it has not been run."""
    if not path.is_file():
        return pd.DataFrame(columns=DEVICE_COLUMNS)
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    problem = jsonschema.exceptions.best_match(validator("probe").iter_errors(document))
    if problem is not None:
        place = ".".join(map(str, problem.absolute_path))
        raise ConfigError(f"{path}: {place}: {problem.message}; write it anew by 'outcore probe'")
    probe = document["probe"]
    same = {key: probe[key] for key in ("host", "source", "filesystem")}
    same["k_r"] = document["read"]["k_r"]
    return pd.DataFrame([rate | same for rate in document["rates"]], columns=DEVICE_COLUMNS)


def _excluded(plan: Plan) -> list[Gap]:
    return [
        Gap(", ".join(left_out(rule)), rule["reason"])
        for experiment in plan.experiments
        for rule in experiment.excluded
    ]


def _absent(plan: Plan) -> list[Gap]:
    gaps = []
    cells = plan.cells
    for path in map(Path, plan.records()):
        if not path.is_file():
            cell = cells[path.parent.name]
            what = f"{cell.graph}, {cell.engine}, {cell.workload}, {path.stem}"
            gaps.append(Gap(what, "there is no record yet"))
    return gaps


def _ended_badly(runs: pd.DataFrame) -> list[Gap]:
    bad = runs[runs["status"] != "ok"]
    gaps = []
    for key, group in bad.groupby(["graph", "engine", "workload", "status", "reason"]):
        graph, engine, workload, status, reason = key
        times = "" if len(group) == 1 else f" ({len(group)} runs)"
        gaps.append(Gap(f"{graph}, {engine}, {workload}{times}", f"{status}: {reason}"))
    return gaps


def _unreplayed(replays: list[Path]) -> list[Gap]:
    gaps = []
    for path in replays:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["status"] != "ok":
            asked = document["run"]["asked"]
            what = f"replay of {Path(asked['graph']).name}, {asked['workload']}"
            gaps.append(Gap(what, f"{document['status']}: {document['reason']}"))
    return gaps


def _mixed(records: list[Json]) -> list[Gap]:
    """Say that a page has runs of several processors, though no comparison has."""
    found = processors(records)
    if len(found) < 2:
        return []
    each = "; ".join(f"{', '.join(nodes)}: {cpu}" for cpu, nodes in found.items())
    return [Gap("seconds of different graphs or workloads beside each other", f"on {each}")]


def _uncounted(plan: Plan) -> list[Gap]:
    gaps = []
    for path in map(Path, plan.counted()):
        if path.is_file():
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["status"] != "ok":
                cell = plan.cells[path.parent.name]
                what = f"counts of {cell.graph}, {cell.engine}, {cell.workload}"
                gaps.append(Gap(what, f"{document['status']}: {document['reason']}"))
    return gaps
