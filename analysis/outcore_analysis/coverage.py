# SPDX-License-Identifier: Apache-2.0
"""Which experiments answer which claims, before anything has been run.

The runs, replays and layouts that a plan asks for are written as rows with the number 1 in every
measured column, and each claim's expression is evaluated on them. It can be answered if it gives
one value per trial; the rows that it used name the experiments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from outcore_analysis.claims import Claim, measure
from outcore_analysis.expressions import NoRecordsError
from outcore_analysis.forms import BEST
from outcore_analysis.plan import USUAL, Cell, Experiment
from outcore_analysis.possible import kind_of, pack_of, size_bytes
from outcore_analysis.records import LAYOUTS, RACES, REPLAYS, RUNS

Json = dict[str, Any]
Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Answer:
    """The smallest set of experiments that answers a claim, or the reason why none does."""

    experiments: tuple[str, ...]
    reason: str = ""


def answers(
    claims: Iterable[Claim], experiments: list[Experiment], form: str = BEST
) -> dict[str, Answer]:
    """Return for each claim, by its id, what must be run for its verdict on this form."""
    tables = {e.name: _tables(e) for e in experiments}
    everything = _together(list(tables.values()))
    return {c.id: _answer(c, experiments, tables, everything, form) for c in claims}


def _answer(
    claim: Claim,
    experiments: list[Experiment],
    tables: dict[str, Tables],
    everything: Tables,
    form: str,
) -> Answer:
    if claim.not_testable:
        return Answer((), claim.not_testable)
    used, reason = _used(claim, everything, form)
    if reason:
        return Answer((), reason)
    # First the experiment of the claim's own place, then others of its paper.
    ordered = sorted(experiments, key=lambda e: _distance(claim, e))
    for experiment in ordered:
        near = experiment.name in used or _distance(claim, experiment) == (False, False)
        if near and not _used(claim, tables[experiment.name], form)[1]:
            return Answer((experiment.name,))
    needed = [e.name for e in ordered if e.name in used]
    for name in reversed(list(needed)):
        fewer = [other for other in needed if other != name]
        if fewer and not _used(claim, _together([tables[other] for other in fewer]), form)[1]:
            needed = fewer
    return Answer(tuple(needed))


def _distance(claim: Claim, experiment: Experiment) -> tuple[bool, bool]:
    paper = experiment.paper or {}
    first = claim.place.split(",")[0].split("(")[0].split(";")[0].strip()
    places = [place.split("(")[0].strip() for place in str(paper.get("place")).split(",")]
    ours = paper.get("name") == claim.paper
    return (not ours, not (ours and first in places))


def _together(tables: list[Tables]) -> Tables:
    """Join all rows; a run of two experiments is one run."""
    together = {
        name: pd.concat([t[name] for t in tables], ignore_index=True)
        for name in ("runs", "replays", "layouts", "races")
    }
    for name in ("runs", "layouts", "races"):
        keys = [column for column in together[name].columns if column != "record"]
        together[name] = together[name].drop_duplicates(keys)
    return together


def _used(claim: Claim, tables: Tables, form: str) -> tuple[set[str], str]:
    """Return the experiments whose rows the claim uses, or why it has no value."""
    try:
        _, used = measure(claim, tables, measured=False, form=form)
    except NoRecordsError as error:
        return set(), str(error)
    return {record.split(":")[0] for record in used}, ""


def _tables(experiment: Experiment) -> Tables:
    runs = [
        _run(experiment, cell, trial)
        for cell in experiment.wanted
        for trial in range(1, experiment.trials + 1)
    ]
    replays = [
        run | {"policy": policy, "pool": size}
        for run in runs
        if experiment.replay
        for policy in experiment.replay["policies"]
        for size in experiment.replay["sizes"]
    ]
    layouts = [
        _layout(experiment, graph, name)
        for graph in experiment.graphs
        for name in experiment.layouts
    ]
    return {
        "runs": _frame(RUNS, runs),
        "replays": _frame(REPLAYS, replays),
        "layouts": _frame(LAYOUTS, layouts, "record"),
        "races": _frame(RACES, _turns(experiment)),
    }


def _turns(experiment: Experiment) -> list[Json]:
    return [
        {
            "experiment": experiment.name,
            "host": "here",
            "record": f"{experiment.name}:{key}",
            "graph": bout.graph,
            "family": experiment.families[bout.graph],
            "workload": bout.workload,
            "parameters": " ".join(f"{k}={v}" for k, v in sorted(bout.parameters.items())),
            "contestant": name,
            "who": name,
            "threads": bout.threads,
            "memory_limit_bytes": size_bytes(bout.memory) if bout.memory else None,
            "trial": turn,
            "status": "ok",
            "reason": "",
        }
        for key, bout in experiment.bouts.items()
        for name in ("ours", *bout.contestants)
        for turn in range(1, bout.turns + 1)
    ]


def _frame(columns: Iterable[Any], rows: list[Json], *more: str) -> pd.DataFrame:
    names = [*(column.name for column in columns), *more]
    return pd.DataFrame(
        [{name: row.get(name, 1.0) for name in names} for row in rows], columns=names
    )


def _run(experiment: Experiment, cell: Cell, trial: int) -> Json:
    usual = USUAL | experiment.usual.get(cell.engine, {})
    of_layout = _choices(cell.choices)
    if kind_of(cell.choices) != "layouts":
        of_layout = dict.fromkeys(of_layout)
    return of_layout | {
        "campaign": "",
        "host": "here",
        "config": cell.key,
        "trial": trial,
        "record": f"{experiment.name}:{cell.key}:{trial}",
        "status": "ok",
        "reason": "",
        "graph": cell.graph,
        "family": cell.recipe.get("generate"),
        "layout": cell.layout,
        "engine": cell.engine,
        "workload": cell.workload,
        "parameters": " ".join(f"{k}={v}" for k, v in sorted(cell.parameters.items())),
        "threads": cell.threads,
        "pool": cell.frames,
        "modelled": cell.device,
        "dilation": cell.dilation,
        "memory_limit_bytes": size_bytes(cell.memory) if cell.memory else None,
        "in_memory_pool": False,
        "backend": cell.backend or usual["backend"],
        "backend_asked": cell.backend is not None,
        "depth": cell.depth or usual.get("depth"),
        "depth_asked": cell.depth is not None,
        "options": cell.further,
        "traced": cell.trace,
        "temperature": "cold",
    }


def _layout(experiment: Experiment, graph: str, name: str) -> Json:
    return _choices(experiment.layouts[name]) | {
        "host": "here",
        "graph": graph,
        "family": experiment.families[graph],
        "layout": name,
        "record": f"{experiment.name}:{graph}:{name}",
    }


def _choices(choices: Json) -> Json:
    return {
        "pack": pack_of(choices),
        "codec": choices.get("codec", "raw"),
        "number": choices.get("number", "original"),
        "place": choices.get("place", "id"),
        "inline": str(choices.get("inline", 0)),
        "block_size": choices.get("block", "4K"),
    }
