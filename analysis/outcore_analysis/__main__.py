# SPDX-License-Identifier: Apache-2.0
"""Command line of the pipeline's steps; `python -m outcore_analysis --help` lists them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcore_analysis.faults import ToldError
from outcore_analysis.graphalytics import EXAMPLE

if TYPE_CHECKING:
    from outcore_analysis.charts import Chart
    from outcore_analysis.claims import Claim, Verdict
    from outcore_analysis.material import Material
    from outcore_analysis.plan import Plan


def parser() -> argparse.ArgumentParser:
    """Return the parser of all steps and their options."""
    top = argparse.ArgumentParser(prog="outcore_analysis", description=__doc__)
    steps = top.add_subparsers(dest="step", required=True)

    step = steps.add_parser("fetch", help="fetch one file of a graph")
    step.add_argument("--name", required=True)
    step.add_argument("--url", required=True)
    step.add_argument("--sha256", default="")
    step.add_argument("--out", type=Path, required=True)

    step = steps.add_parser("graph", help="make one graph")
    step.add_argument("--binary", required=True)
    step.add_argument("--recipe", type=json.loads, required=True)
    step.add_argument("--folder", required=True)
    step.add_argument("--stamp", type=Path, required=True)
    step.add_argument("--source", default="", help="the file to import")
    step.add_argument("--lock", type=Path, help="the device's")

    for name, what in (
        ("layout", "build one layout of a graph"),
        ("stream", "write the edges of a graph in the order in which they arrive"),
        ("store", "make a store of a stream"),
    ):
        step = steps.add_parser(name, help=what)
        step.add_argument("--binary", required=True)
        step.add_argument("--folder", required=True, help="of the graph")
        step.add_argument("--name", required=True)
        step.add_argument("--choices", type=json.loads, required=True)
        step.add_argument("--facts", type=Path, required=True)
        step.add_argument("--lock", type=Path, help="the device's")

    step = steps.add_parser("trial", help="run one cell once")
    step.add_argument("--binary", required=True)
    step.add_argument("--layout", type=Path, required=True, help="the layout's facts")
    step.add_argument("--cell", type=json.loads, required=True)
    step.add_argument("--record", type=Path, required=True)
    step.add_argument("--lock", type=Path, help="the device's")
    step.add_argument("--stage", type=Path, help="a folder on the node's own disk")
    step.add_argument("--attempt", type=int, default=1, help="how often this was tried")
    step.add_argument("--node", default="", help="the cluster's node that times it")

    step = steps.add_parser("unstage", help="remove what a sweep staged on this node")
    step.add_argument("--stage", type=Path, required=True)
    step.add_argument("--results", type=Path, required=True, help="the sweep's records")

    step = steps.add_parser("replay", help="replay one trace through cache policies")
    step.add_argument("--binary", required=True)
    step.add_argument("--record", type=Path, required=True)
    step.add_argument("--policies", type=lambda text: text.split(","), required=True)
    step.add_argument("--sizes", type=lambda text: text.split(","), required=True)
    step.add_argument("--out", type=Path, required=True)

    step = steps.add_parser("heat", help="count which blocks one trace asks for when")
    step.add_argument("--binary", required=True)
    step.add_argument("--record", type=Path, required=True)
    step.add_argument("--out", type=Path, required=True)

    step = steps.add_parser("count", help="count one cell's instructions and misses by callgrind")
    step.add_argument("--binary", required=True)
    step.add_argument("--layout", type=Path, required=True, help="the layout's facts")
    step.add_argument("--cell", type=json.loads, required=True)
    step.add_argument("--out", type=Path, required=True)

    step = steps.add_parser("race", help="hold the race that outcore race --with asks for")
    step.add_argument("--asked", required=True, help="as JSON, by the binary")

    step = steps.add_parser("bout", help="hold one race of configs/races")
    step.add_argument("--binary", required=True)
    step.add_argument("--folder", required=True, help="of the graph")
    step.add_argument("--bout", type=json.loads, required=True)
    step.add_argument("--record", type=Path, required=True)
    step.add_argument("--lock", type=Path, help="the device's")

    step = steps.add_parser("shape", help="make one graph of a suite of shapes, and run all on it")
    step.add_argument("--binary", required=True)
    step.add_argument("--stage", type=json.loads, required=True, help="as JSON")
    step.add_argument("--folder", type=Path, required=True, help="of the graph, removed afterwards")
    step.add_argument("--out", type=Path, required=True)
    step.add_argument("--lock", type=Path, help="the device's")

    step = steps.add_parser("shapes", help="write the page of a suite of shapes")
    step.add_argument("files", type=Path, nargs="+", help="of its graphs")
    step.add_argument("--title", required=True)
    step.add_argument("--question", required=True)
    step.add_argument("--out", type=Path, required=True)

    for name, what in (
        ("tables", "write the tables as CSV"),
        ("figures", "draw the figures"),
        ("claims", "judge the claims"),
        ("report", "write the page"),
        ("races", "write the page of races against other programs"),
        ("complete", "fail if a run did not finish or, in profile full, a figure lacks a series"),
    ):
        step = steps.add_parser(name, help=what)
        step.add_argument("--config", type=json.loads, required=True, help="as JSON")
        step.add_argument("--out", type=Path, required=True)

    step = steps.add_parser("viewer", help="write a page that replays runs on one clock")
    step.add_argument("events", type=Path, nargs="+", help="of one to four runs over one graph")
    step.add_argument("-o", "--out", type=Path, required=True, help="the page")
    step.add_argument("--title", default="", help="default: the workload and the graph")

    step = steps.add_parser("cache", help="write a page on which to play with a cache")
    step.add_argument("trace", type=Path, help="of a small run: outcore run ... --trace")
    step.add_argument("-o", "--out", type=Path, required=True, help="the page")
    step.add_argument("--title", default="", help="default: the workload and the graph")

    step = steps.add_parser("preset", help="make the runs and the page of one of configs/viewer")
    step.add_argument("--binary", required=True)
    step.add_argument("--folder", required=True, help="of the graph")
    step.add_argument("--preset", type=json.loads, required=True, help="as JSON")
    step.add_argument("--out", type=Path, required=True, help="the page")
    step.add_argument("--lock", type=Path, help="held while the device is used")
    step.add_argument("--verdicts", type=Path, nargs="*", default=[], help="of papers' claims")

    step = steps.add_parser("presets", help="write the page that leads to those of the presets")
    step.add_argument("pages", type=Path, nargs="+")
    step.add_argument("--out", type=Path, required=True)

    step = steps.add_parser(
        "graphalytics",
        help="run and validate LDBC Graphalytics' kernels on one of its graphs",
        description="Run the kernels that a Graphalytics graph asks for, and validate the answers.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    step.add_argument("properties", type=Path, help="NAME.properties, its files beside it")
    step.add_argument("--graphs", type=Path, required=True, help="folder where graphs are made")
    step.add_argument("--out", type=Path, required=True, help="folder of answers and results.json")
    step.add_argument("--engine", default="async_block", help="default: %(default)s")
    step.add_argument("--memory", default="", help="limit of each import and run, as 1G")
    step.add_argument("--threads", type=int, default=0, help="default: those of outcore")
    step.add_argument("--algorithms", default="", help="some of bfs,pr,wcc,cdlp,lcc,sssp")
    step.add_argument(
        "--binary",
        default=os.environ.get("OUTCORE_BINARY", "outcore"),
        help="outcore's program; default: $OUTCORE_BINARY, or the one on the path",
    )

    step = steps.add_parser("keep", help="keep a race for the tables of docs, one line a run")
    step.add_argument("records", type=Path, nargs="+", help="one of a race, or several of runs")
    step.add_argument("--out", type=Path, required=True, help="docs/measured/records/NAME.jsonl")
    step.add_argument("--title", default="", help="what tables call it")
    step.add_argument("--machine", default="", help="of docs/measured/README.md")

    step = steps.add_parser("measured", help="make the tables of docs anew from the kept races")
    step.add_argument("--check", action="store_true", help="only tell, by exit code 3")

    steps.add_parser("keys", help="print configs/README.md, made from the schemas")
    steps.add_parser("columns", help="print docs/tables.md: every column of every table")
    steps.add_parser("artifact", help="date the claims by git, then print docs/AE.md")
    return top


def tables(plan: Plan, out: Path) -> None:
    """Write all tables as CSV and Parquet, and what their columns mean."""
    from outcore_analysis.comparisons import comparisons
    from outcore_analysis.documented import column_docs
    from outcore_analysis.material import collect
    from outcore_analysis.records import save_table
    from outcore_analysis.summary import summary_table

    found = collect(plan).tables
    more = {"summary": summary_table(found["runs"]), "comparisons": comparisons(found["runs"])}
    out.mkdir(parents=True, exist_ok=True)
    for name, table in (found | more).items():
        save_table(table, out / name)
    (out / "README.md").write_text(f"# Tables\n\n{column_docs()}", encoding="utf-8")


def drawn_charts(plan: Plan) -> tuple[Material, list[Chart], list[Verdict]]:
    """Return what figures and the page are made from."""
    from outcore_analysis.claims import judge
    from outcore_analysis.figures import all_charts
    from outcore_analysis.material import collect

    material = collect(plan)
    verdicts = [judge(claim, material.tables) for claim in _claims(plan)]
    return material, all_charts(plan, material, verdicts), verdicts


def figures(plan: Plan, out: Path) -> None:
    """Write the files of all figures."""
    from outcore_analysis.charts import save

    for chart in drawn_charts(plan)[1]:
        save(chart, out)


def _claims(plan: Plan) -> list[Claim]:
    """Return the claims that a page needs; a figure's page has those of its experiment."""
    from outcore_analysis.claims import read_claims
    from outcore_analysis.coverage import answers

    found = read_claims(plan.claims)
    if plan.judges and not plan.figure:
        return found
    needed = {name for experiment in plan.experiments for name in experiment.drawn_claims}
    if plan.judges:
        told = answers(found, plan.experiments)
        needed |= {claim.id for claim in found if told[claim.id].experiments}
    return [claim for claim in found if claim.id in needed]


def claims(plan: Plan, out: Path) -> None:
    """Write all verdicts as JSON."""
    from outcore_analysis.claims import judge, verdict_document
    from outcore_analysis.material import collect

    found = collect(plan).tables
    asked = _claims(plan) if plan.judges else []
    verdicts = [verdict_document(judge(claim, found)) for claim in asked]
    out.write_text(json.dumps(verdicts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def report(plan: Plan, out: Path) -> None:
    """Write the page."""
    from outcore_analysis.report import render

    material, charts, verdicts = drawn_charts(plan)
    files = out.parent / "figures"
    judged = verdicts if plan.judges else []
    out.write_text(render(plan, material, charts, judged, files), encoding="utf-8")


def races(plan: Plan, out: Path) -> None:
    """Write the page of races against other programs, and beside it each race in compact form."""
    from outcore_analysis.contest import kept
    from outcore_analysis.contest.shown import held_races
    from outcore_analysis.report import races_page

    for one in held_races(plan):
        if one.document is not None:
            race = kept.of_race(one.document, one.title(plan.titles()))
            kept.write(race, out.with_name(f"{one.name}.jsonl"))
    out.write_text(races_page(plan), encoding="utf-8")


def complete(plan: Plan, out: Path) -> None:
    """Fail if a run did not finish; in the profile full also if a figure lacks a series."""
    from outcore_analysis.material import unfinished

    material, charts, _ = drawn_charts(plan)
    failed = unfinished(plan, material)
    lacking = [f"{chart.name}: {text}" for chart in charts for text in chart.missing]
    faults = []
    if failed:
        asked = len(plan.records()) + len(plan.replays())
        faults += [f"{len(failed)} of {asked} runs and replays did not finish:", *failed]
        faults.append("the page shows them; remove a record to repeat its run")
    if lacking and plan.profile == "full" and not plan.figure:
        faults += ["figures lack series:", *lacking]
    if faults:
        raise IncompleteError("\n".join(faults))
    out.write_text("".join(f"{line}\n" for line in lacking), encoding="utf-8")


def keep(records: list[Path], out: Path, title: str, machine: str) -> None:
    """Write records in compact form: that of one race, or those of runs of one question."""
    from outcore_analysis.contest import kept

    documents = [json.loads(path.read_text(encoding="utf-8")) for path in records]
    if "contestants" in documents[0] and len(documents) == 1:
        race = kept.of_race(documents[0], title, machine)
    else:
        race = kept.of_runs(documents, title or out.stem, machine)
    kept.write(race, out)
    kept.read(out)


def measured(check: bool) -> None:
    """Make the tables of docs anew; with `check` raise IncompleteError where they differ."""
    from outcore_analysis.measured import MADE_BY, stale

    found = stale()
    if check and found:
        names = "\n".join(str(path) for path in found)
        raise IncompleteError(f"tables are not those of the records; {MADE_BY}:\n{names}")
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
        print(path)


class DifferentAnswerError(ToldError):
    """An answer is not that of its reference, or there is none."""

    code = 5


class IncompleteError(ToldError):
    """A run did not finish, a figure lacks a series, or a table is not that of its records."""

    code = 3


def main(words: list[str] | None = None) -> int:
    """Run one step; return the process's exit code."""
    options: Any = parser().parse_args(words)
    try:
        _run(options)
    except ToldError as error:
        print(f"{error.before}{error}", file=sys.stderr)
        return error.code
    return 0


# Each step loads what it needs and no more: pandas and SciPy take a second to load, and a pipeline
# has hundreds of steps that need neither.
def _run(options: Any) -> None:
    match options.step:
        case "fetch":
            from outcore_analysis.graphs import fetch

            fetch(options.name, options.url, options.sha256 or None, options.out)
        case "graph":
            from outcore_analysis import prepare

            prepare.make_graph(
                options.binary,
                options.recipe,
                options.folder,
                options.stamp,
                options.source,
                options.lock,
            )
        case "layout" | "stream" | "store":
            from outcore_analysis import prepare

            make = {"stream": prepare.make_stream, "store": prepare.make_store}
            make.get(options.step, prepare.make_layout)(
                options.binary,
                options.folder,
                options.name,
                options.choices,
                options.facts,
                options.lock,
            )
        case "trial":
            from outcore_analysis.cluster.job import hold_trial
            from outcore_analysis.plan import Cell

            hold_trial(
                Cell(**options.cell),
                options.binary,
                options.layout,
                options.record,
                options.lock,
                options.stage,
                options.attempt,
                options.node,
            )
        case "unstage":
            from outcore_analysis.cluster.stage import remove

            remove(options.stage, options.results)
        case "replay":
            from outcore_analysis import prepare

            prepare.replay(
                options.binary, options.record, options.policies, options.sizes, options.out
            )
        case "heat":
            from outcore_analysis.heat import bin_trace

            bin_trace(options.binary, options.record, options.out)
        case "count":
            from outcore_analysis.counts import count
            from outcore_analysis.plan import Cell

            count(Cell(**options.cell), options.binary, options.layout, options.out)
        case "race":
            from outcore_analysis.contest.race import read_asked
            from outcore_analysis.contest.table import hold

            hold(read_asked(options.asked))
        case "bout":
            from outcore_analysis.contest.programme import Bout, hold_bout

            bout = Bout(**options.bout)
            hold_bout(bout, options.binary, options.folder, options.record, options.lock)
        case "shape":
            from outcore_analysis.shapes.runs import hold_stage
            from outcore_analysis.shapes.suite import Stage

            stage = Stage(**options.stage)
            hold_stage(stage, options.binary, options.folder, options.out, options.lock)
        case "shapes":
            from outcore_analysis.shapes.page import write_shapes

            write_shapes(options.files, options.title, options.question, options.out)
        case "viewer":
            from outcore_analysis.viewer import write_page

            write_page(options.events, options.out, options.title)
        case "cache":
            from outcore_analysis.viewer.play import write_play

            write_play(options.trace, options.out, options.title)
        case "preset":
            from outcore_analysis.viewer.presets import show

            show(
                options.preset,
                options.binary,
                options.folder,
                options.out,
                options.lock,
                options.verdicts,
            )
        case "presets":
            from outcore_analysis.viewer.presets import write_index

            write_index(options.pages, options.out)
        case "graphalytics":
            from outcore_analysis.graphalytics.benchmark import Asked, hold_benchmark

            names = (field.name for field in fields(Asked))
            if not hold_benchmark(Asked(**{name: getattr(options, name) for name in names})):
                raise DifferentAnswerError("answers or runs failed; results.json says which")
        case "keep":
            keep(options.records, options.out, options.title, options.machine)
        case "measured":
            measured(options.check)
        case "keys":
            from outcore_analysis.keys import configs_readme

            print(configs_readme(), end="")
        case "columns":
            from outcore_analysis.documented import tables_page

            print(tables_page(), end="")
        case "artifact":
            from outcore_analysis.artifact import appendix
            from outcore_analysis.since import write_dates
            from outcore_analysis.yamllines import load_yaml

            write_dates(Path())
            print(appendix(load_yaml("configs/config.yaml").value), end="")
        case _:
            from outcore_analysis.plan import make_plan

            globals()[options.step](make_plan(options.config), options.out)


if __name__ == "__main__":
    sys.exit(main())
