# SPDX-License-Identifier: Apache-2.0
"""The figures: what the experiments' files ask for, each by its kind, and the device."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from outcore_analysis.charts import Chart
from outcore_analysis.claims import Verdict
from outcore_analysis.contest.shown import held_races
from outcore_analysis.figures.ask import Ask
from outcore_analysis.figures.bars import bars
from outcore_analysis.figures.cost import cost
from outcore_analysis.figures.device import device
from outcore_analysis.figures.frontier import frontier
from outcore_analysis.figures.heatmap import heat
from outcore_analysis.figures.lines import lines
from outcore_analysis.figures.races import races_chart
from outcore_analysis.figures.rounds import rounds
from outcore_analysis.figures.stacks import stacks
from outcore_analysis.figures.tables import table
from outcore_analysis.figures.timeline import timeline
from outcore_analysis.figures.waterfall import waterfall
from outcore_analysis.material import Material
from outcore_analysis.plan import Plan

KINDS: dict[str, Callable[[Ask], Chart]] = {
    "bars": bars,
    "lines": lines,
    "stacks": stacks,
    "table": table,
    "timeline": timeline,
    "rounds": rounds,
    "heat": heat,
    "frontier": frontier,
    "waterfall": waterfall,
    "cost": cost,
}


def all_charts(plan: Plan, material: Material, verdicts: Iterable[Verdict]) -> list[Chart]:
    """Every figure of the plan, in the order of its experiments; the device comes last."""
    by_claim = {verdict.claim.id: verdict for verdict in verdicts}
    charts = [
        KINDS[figure["kind"]](
            Ask(
                figure,
                experiment,
                material.tables,
                material.records,
                material.heats,
                plan.titles(),
                by_claim,
            )
        )
        for experiment in plan.experiments
        for figure in experiment.figures
    ]
    held = held_races(plan)
    if any(one.document for one in held):
        charts.append(races_chart(held, plan.titles()))
    return [*charts, device(material.tables)]
