# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML file that opens offline."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import vl_convert
from markupsafe import Markup

from outcore_analysis.answers import answers
from outcore_analysis.beside import HEAD, beside
from outcore_analysis.charts import Chart, Panel, panel_svg, slim
from outcore_analysis.claims import VERDICTS, Verdict, contradictions
from outcore_analysis.contest import kept
from outcore_analysis.contest.shown import Held, held_races, section
from outcore_analysis.figures.races import races_chart
from outcore_analysis.figures.tables import NOTHING
from outcore_analysis.material import Material
from outcore_analysis.matrix import matrix
from outcore_analysis.measured import found as kept_races
from outcore_analysis.numberline import number_line
from outcore_analysis.palette import colour_of
from outcore_analysis.plan import Plan
from outcore_analysis.races import races
from outcore_analysis.records import RUNS, rows
from outcore_analysis.standing import (
    contradiction_text,
    counts,
    forms,
    marks,
    standing,
    waiting,
)
from outcore_analysis.summary import summary_table
from outcore_analysis.words import (
    conditions_text,
    first_form_text,
    format_bytes,
    format_seconds,
    measured_text,
    paper_text,
    plain,
)

Json = dict[str, Any]
# Of records that do not say it: those of streams that were taken in.
NO_DEVICE: Json = {"source": None, "filesystem": None}
# Too long to read on a page; the file of the record has them.
LONG_SECTIONS = ("rounds", "timeline")
# At most this many of a figure's numbers are shown on the page; its CSV has them all.
MOST_NUMBERS = 120
# A field of the overview shows this many configurations; a sweep of fifty would hide the others.
OPEN_CONFIGURATIONS = 3
# The page may have three megabytes. Words and tables, which have no budget, take at most eight
# tenths of a megabyte.
PAGE_BUDGET = 2_200_000
RECORDS_BUDGET = 700_000
# These files of every figure are on the page, first all CSVs, then PDFs; PNG and SVG are beside it.
KINDS = {".csv": "text/csv", ".pdf": "application/pdf"}
# The time that the overview shows; a record's title names both times.
END_TO_END = next(column for column in RUNS if column.name == "seconds")


def render(
    plan: Plan, material: Material, charts: list[Chart], verdicts: list[Verdict], files: Path
) -> str:
    """Return the whole page; it includes those files of the figures that exist."""
    environment = _environment()
    environment.filters |= {"seconds": format_seconds, "bytes": format_bytes}
    environment.globals |= {
        "measured_text": measured_text,
        "paper_text": paper_text,
        "first_form_text": first_form_text,
        "number_line": number_line,
        "conditions_text": conditions_text,
        "marks": marks,
        "counts_of": counts,
    }
    runs = material.tables["runs"]
    told = {row["config"]: _told(row) for row in rows(runs)}
    library, items = _library(), _items(charts, files)
    left = PAGE_BUDGET - len(library) - _taken(items)
    cells, spent = _cells(material.records, told, min(RECORDS_BUDGET, left))
    left -= sum(len(cell["packed"]) for cell in cells)
    _take_files(items, files, left)
    found, titles = races(runs), plan.titles()
    held = held_races(plan)

    def graph(name: str) -> str:
        return titles.get(name, name)

    environment.globals |= {
        "cell_of": lambda record: Path(record).parent.name,
        "known": {cell["config"] for cell in cells},
    }
    return environment.get_template("report.html.j2").render(
        plan=plan,
        titles=titles,
        sentences=answers(found, graph),
        matrix=matrix(found, graph),
        own=[item for item in items if _is_own(item)],
        races=section(held, titles),
        raced=[item for item in items if item["chart"].source == "races"],
        layouts=[item for item in items if _is_of_layouts(item)],
        parts=_parts(items, verdicts),
        standing=standing(verdicts) if verdicts else "",
        waiting=waiting(verdicts),
        forms=forms(verdicts),
        beside={"head": HEAD, "rows": _beside(held)},
        contradictions=[contradiction_text(found) for found in contradictions(verdicts)],
        counts=counts(verdicts),
        shown={v: sum(x.verdict == v for x in verdicts) for v in VERDICTS},
        overview=_overview(runs, told),
        colour_of=colour_of,
        device=next(item for item in items if item["chart"].name == "device"),
        gaps=material.gaps,
        machines=_machines(material.records),
        commits=sorted(set(runs["git_commit"].dropna())),
        facts=_facts(runs),
        cells=cells,
        budget_spent=spent,
        library=library,
        script=Markup((Path(__file__).parent / "templates/report.js").read_text(encoding="utf-8")),
    )


def _beside(held: list[Held]) -> list[list[str]]:
    """Return how far published forms are from their programs, here and where races are kept."""
    here = [race for one in held if (race := one.race)]
    there = [kept.read(path) for path in kept_races(["*"])]
    return [one.cells() for one in beside([*here, *there])]


def _packed(data: bytes) -> str:
    """Return the data compressed, in base64, for the page's script; equal data gives equal text."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _library() -> str:
    """Return Vega and Vega-Lite in one piece, as vl-convert ships them."""
    text: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return _packed(text.encode())


def _is_of_layouts(item: Json) -> bool:
    return item["chart"].source in ("layouts", "levels")


def _is_own(item: Json) -> bool:
    """Tell whether the figure is of engines and not of a paper."""
    chart = item["chart"]
    others = chart.name == "device" or chart.source == "races"
    return not (chart.paper or others or _is_of_layouts(item))


def _parts(items: list[Json], verdicts: list[Verdict]) -> list[Json]:
    """Return a part of the page for each paper: its statements and its figures of engines."""
    papers = {verdict.claim.paper for verdict in verdicts}
    shown = [item for item in items if item["chart"].paper and not _is_of_layouts(item)]
    papers |= {item["chart"].paper for item in shown}
    return [
        {
            "id": f"paper-{paper.lower()}",
            "name": paper,
            "verdicts": [verdict for verdict in verdicts if verdict.claim.paper == paper],
            "figures": [item for item in shown if item["chart"].paper == paper],
        }
        for paper in sorted(papers)
    ]


def _items(charts: list[Chart], files: Path) -> list[Json]:
    """Return the figures with what the page shows of them."""
    return [
        {
            "chart": chart,
            "panels": _drawn(chart, files),
            "numbers": _number_columns(chart.table),
            "files": [],
        }
        | _numbers(chart)
        for chart in charts
    ]


def _taken(items: list[Json]) -> int:
    """Return how many characters the drawings take on the page."""
    return sum(
        len(panel[key]) for item in items for panel in item["panels"] for key in ("hover", "svg")
    )


def _take_files(items: list[Json], folder: Path, budget: int) -> None:
    """Include the figures' files in the page, as long as there is room."""
    for suffix, kind in KINDS.items():
        for item in items:
            path = folder / f"{item['chart'].name}{suffix}"
            if not path.is_file():
                continue
            data = _packed(path.read_bytes())
            budget -= len(data)
            if budget < 0:
                return
            words = {"name": path.name, "kind": kind, "words": suffix[1:].upper()}
            item["files"].append(words | {"packed": data})


def _drawn(chart: Chart, files: Path) -> list[Json]:
    # This is our own SVG. The only text in it that could be hostile is names, which matplotlib
    # escapes.
    return [
        {
            "title": panel.title,
            "hover": _packed(json.dumps(panel.hover, ensure_ascii=False).encode()),
            "svg": Markup(slim(_svg(panel, f"{chart.name}-{i + 1}", files))),
            "wide": panel.inches[0] > 6,
            "of": panel.of,
        }
        for i, panel in enumerate(chart.panels)
        if panel.hover is not None
    ]


def _svg(panel: Panel, name: str, files: Path) -> str:
    """Return the drawing for readers without scripts; the step `figures` has usually made it."""
    path = files / f"{name}.svg"
    return path.read_text(encoding="utf-8") if path.is_file() else panel_svg(panel, name)


def _number_columns(table: list[list[str]]) -> list[int]:
    """Return the columns of a table figure that hold numbers: they are aligned to the right."""
    if not table:
        return []
    return [
        i
        for i in range(len(table[0]))
        if all(row[i][:1].isdigit() or row[i] == NOTHING for row in table[1:])
    ]


def _numbers(chart: Chart) -> Json:
    """Return head and rows of the figure's numbers, for readers who cannot point at it."""
    if chart.table or chart.data.empty or len(chart.data) > MOST_NUMBERS:
        return {"head": [], "rows": []}
    shown = chart.data.dropna(axis="columns", how="all")
    lines = [
        [plain(v) if isinstance(v, float) else "" if v is None else str(v) for v in row.values()]
        for row in rows(shown)
    ]
    return {"head": list(shown.columns), "rows": lines}


def _overview(runs: pd.DataFrame, told: Mapping[str, str]) -> list[Json]:
    """Return a grid of workloads and engines for each graph, with missing numbers as None."""
    summary = rows(summary_table(runs))
    optimal = _times_optimal(runs)
    grids = []
    for graph in dict.fromkeys(row["graph"] for row in summary):
        mine = [row for row in summary if row["graph"] == graph]
        for row in mine:
            row["times_optimal"] = optimal.get(tuple(row[key] or "" for key in SAME))
            row["told"] = told[row["config"]]
        engines = list(dict.fromkeys(row["engine"] for row in mine))
        grid = [
            (
                workload,
                [
                    _field([r for r in mine if (r["workload"], r["engine"]) == (workload, engine)])
                    for engine in engines
                ],
            )
            for workload in dict.fromkeys(row["workload"] for row in mine)
        ]
        grids.append({"graph": graph, "engines": engines, "rows": grid})
    return grids


def _field(configurations: list[Json]) -> Json:
    """Return an engine's configurations on one workload, quickest first; the last are folded."""
    ordered = sorted(configurations, key=lambda row: (not row["finished"], row["seconds"] or 0))
    folded = ordered[OPEN_CONFIGURATIONS:]
    return {
        "shown": ordered[:OPEN_CONFIGURATIONS],
        "folded": folded,
        "failed": sum(not row["finished"] for row in folded),
    }


def _told(run: Json) -> str:
    """Return what distinguishes configurations of the same graph, engine and workload."""
    words = [run["parameters"], run["layout"]]
    words.append(f"{run['threads']:.0f} thread{'' if run['threads'] == 1 else 's'}")
    words.append(f"pool {run['pool']}" if run["pool"] else "")
    if run["memory_limit_bytes"]:
        words.append(f"{format_bytes(run['memory_limit_bytes'])} in all")
    words.append(run["backend"] if run["backend_asked"] else "")
    if run["depth_asked"]:
        words.append(f"depth {run['depth']:.0f}")
    if run["modelled"]:
        words.append(f"{run['modelled']} drawn out {run['dilation']:g} times")
    return ", ".join(word for word in [*words, run["options"]] if word)


# A traced run stands for the runs that are equal in these columns; it may have fewer threads.
SAME = ["host", "graph", "engine", "workload", "parameters", "layout", "pool"]


def _times_optimal(runs: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    traced = runs[runs["times_optimal"].notna() & (runs["status"] == "ok")]
    return {
        tuple(row[key] or "" for key in SAME): row["times_optimal"]
        for row in rows(traced[[*SAME, "times_optimal"]])
    }


def _facts(runs: pd.DataFrame) -> Json:
    good = runs[runs["status"] == "ok"]
    return {
        "runs": len(runs),
        "finished": len(good),
        "verified": int((good["verified"] == True).sum()),  # noqa: E712
        "warm": int((good["temperature"] == "warm").sum()),
        "first": _minute(min(runs["started_at"].dropna(), default="")),
        "last": _minute(max(runs["started_at"].dropna(), default="")),
    }


def _minute(time: str) -> str:
    """Return 2026-11-22T21:56:39Z in a form for readers."""
    return time[:16].replace("T", " ")


def _machines(records: list[Json]) -> list[Json]:
    seen: dict[str, Json] = {}
    for record in records:
        machine = record.get("machine")
        if machine:
            seen.setdefault(
                record["host"], machine | {"device": NO_DEVICE | (record.get("device") or {})}
            )
    return list(seen.values())


def _cells(records: list[Json], told: Mapping[str, str], left: int) -> tuple[list[Json], bool]:
    """Return records by configuration, without long sections, and whether some had no room."""
    cells: dict[str, Json] = {}
    for record in records:
        asked = record["asked"]
        title = f"{Path(asked['graph']).name} · {asked['engine']} · {asked['workload']}"
        if record["traced"]:
            title += " · traced"
        same = {"title": title, "told": told.get(record["config"], ""), "config": record["config"]}
        cell = cells.setdefault(record["config"], same | {"records": [], "texts": []})
        short = {key: value for key, value in record.items() if key not in LONG_SECTIONS}
        text = json.dumps(short, indent=1, ensure_ascii=False)
        cell["records"].append({"title": _trial_title(record), "path": record["record"]})
        cell["texts"].append(text)
    for cell in cells.values():
        packed = _packed(json.dumps(cell.pop("texts"), ensure_ascii=False).encode())
        left -= len(packed)
        cell["packed"] = packed if left >= 0 else ""
    return sorted(cells.values(), key=lambda cell: (cell["title"], cell["told"])), left < 0


def _trial_title(record: Json) -> str:
    words = [f"trial {record['trial']}: {record['outcome']['status']}"]
    seconds = END_TO_END.take(record)
    if seconds is not None:
        algorithm = format_seconds(record["phases"]["run_s"])
        words.append(f"{format_seconds(seconds)} end to end ({algorithm} the algorithm alone)")
    if record.get("start"):
        words.append(record["start"]["temperature"])
    optimum = (record.get("trace") or {}).get("optimum")
    if optimum and optimum["times_optimal"] is not None:
        words.append(f"read {optimum['times_optimal']:.2f} times the optimum of its interleaving")
    return ", ".join(words)


def races_page(plan: Plan) -> str:
    """Return the page of races against other programs."""
    held = held_races(plan)
    chart = races_chart(held, plan.titles())
    drawings = [
        {
            "title": panel.title,
            "svg": Markup(slim(panel_svg(panel, f"races-{i}"))),  # ours; names are escaped in it
            "wide": panel.inches[0] > 6,
        }
        for i, panel in enumerate(chart.panels, 1)
    ]
    return (
        _environment()
        .get_template("races_page.html.j2")
        .render(races=section(held, plan.titles()), drawings=drawings, caption=chart.caption)
    )


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
