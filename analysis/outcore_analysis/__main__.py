# SPDX-License-Identifier: Apache-2.0
"""Command line of the pipeline's steps; `python -m outcore_analysis --help` lists them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from outcore_analysis import prepare
from outcore_analysis.plan import Cell, Plan, make_plan
from outcore_analysis.trial import InterruptedTrialError, run_trial
from outcore_analysis.yamllines import ConfigError


def parser() -> argparse.ArgumentParser:
    """All steps and their options."""
    top = argparse.ArgumentParser(prog="outcore_analysis", description=__doc__)
    steps = top.add_subparsers(dest="step", required=True)

    step = steps.add_parser("graph", help="make one graph")
    step.add_argument("--binary", required=True)
    step.add_argument("--recipe", type=json.loads, required=True)
    step.add_argument("--folder", required=True)
    step.add_argument("--stamp", type=Path, required=True)

    step = steps.add_parser("layout", help="build one layout of a graph")
    step.add_argument("--binary", required=True)
    step.add_argument("--folder", required=True)
    step.add_argument("--name", required=True)
    step.add_argument("--choices", type=json.loads, required=True)
    step.add_argument("--facts", type=Path, required=True)

    step = steps.add_parser("trial", help="run one cell once")
    step.add_argument("--binary", required=True)
    step.add_argument("--layout", type=Path, required=True, help="the layout's facts")
    step.add_argument("--cell", type=json.loads, required=True)
    step.add_argument("--record", type=Path, required=True)

    step = steps.add_parser("replay", help="replay one trace through cache policies")
    step.add_argument("--binary", required=True)
    step.add_argument("--record", type=Path, required=True)
    step.add_argument("--policies", type=lambda text: text.split(","), required=True)
    step.add_argument("--sizes", type=lambda text: text.split(","), required=True)
    step.add_argument("--out", type=Path, required=True)

    for name, what in (
        ("tables", "write the tables as CSV"),
        ("figures", "draw the figures"),
        ("claims", "judge the claims"),
        ("report", "write the page"),
    ):
        step = steps.add_parser(name, help=what)
        step.add_argument("--config", type=json.loads, required=True, help="as JSON")
        step.add_argument("--out", type=Path, required=True)

    steps.add_parser("keys", help="print configs/README.md, made from the schemas")
    return top


def tables(plan: Plan, out: Path) -> None:
    """CSV files of all tables, and what their columns mean."""
    from outcore_analysis.figures import summary_table
    from outcore_analysis.material import collect
    from outcore_analysis.records import column_docs

    found = collect(plan).tables
    out.mkdir(parents=True, exist_ok=True)
    for name, table in (found | {"summary": summary_table(found["runs"])}).items():
        table.to_csv(out / f"{name}.csv", index=False)
    (out / "README.md").write_text(f"# Tables\n\n{column_docs()}", encoding="utf-8")


def figures(plan: Plan, out: Path) -> None:
    """Files of all figures."""
    from outcore_analysis.charts import save
    from outcore_analysis.figures import all_charts
    from outcore_analysis.material import collect

    for chart in all_charts(collect(plan).tables, plan.titles()):
        save(chart, out)


def claims(plan: Plan, out: Path) -> None:
    """All verdicts as JSON."""
    from outcore_analysis.claims import judge, read_claims, verdict_document
    from outcore_analysis.material import collect

    found = collect(plan).tables
    verdicts = [verdict_document(judge(claim, found)) for claim in read_claims(plan.claims)]
    out.write_text(json.dumps(verdicts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def report(plan: Plan, out: Path) -> None:
    """The page."""
    from outcore_analysis.claims import judge, read_claims
    from outcore_analysis.figures import all_charts
    from outcore_analysis.material import collect
    from outcore_analysis.report import render

    material = collect(plan)
    charts = all_charts(material.tables, plan.titles())
    verdicts = [judge(claim, material.tables) for claim in read_claims(plan.claims)]
    out.write_text(render(plan, material, charts, verdicts), encoding="utf-8")


def main(words: list[str] | None = None) -> int:
    """Runs one step; returns the process's exit code."""
    options: Any = parser().parse_args(words)
    try:
        _run(options)
    except (ConfigError, prepare.StepError) as error:
        print(error, file=sys.stderr)
        return 2
    except InterruptedTrialError as error:
        print(f"not done: {error}", file=sys.stderr)
        return 130
    return 0


def _run(options: Any) -> None:
    match options.step:
        case "graph":
            prepare.make_graph(options.binary, options.recipe, options.folder, options.stamp)
        case "layout":
            prepare.make_layout(
                options.binary, options.folder, options.name, options.choices, options.facts
            )
        case "trial":
            run_trial(Cell(**options.cell), options.binary, options.layout, options.record)
        case "replay":
            prepare.replay(
                options.binary, options.record, options.policies, options.sizes, options.out
            )
        case "keys":
            from outcore_analysis.keys import configs_readme

            print(configs_readme(), end="")
        case _:
            globals()[options.step](make_plan(options.config), options.out)


if __name__ == "__main__":
    sys.exit(main())
