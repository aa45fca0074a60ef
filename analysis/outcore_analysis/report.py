# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML file that opens offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from outcore_analysis.charts import Chart, panel_svg
from outcore_analysis.claims import VERDICTS, Verdict
from outcore_analysis.figures import summary_table
from outcore_analysis.material import Material
from outcore_analysis.plan import Plan
from outcore_analysis.records import rows

Json = dict[str, Any]
# Too long to read on a page; the record's file has them.
LONG_SECTIONS = ("rounds", "timeline")


def format_seconds(value: float) -> str:
    """Seconds with three significant digits, in ms below one second."""
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"


def format_bytes(value: float) -> str:
    """Bytes with three significant digits and a binary unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1000 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.3g} {unit}"


def format_value(value: float, unit: str) -> str:
    """A claim's value in its unit."""
    return f"{100 * value:.3g}%" if unit == "percent" else f"{value:.3g} {unit}".strip()


def measured_text(verdict: Verdict) -> str:
    """The measured value with its interval, or why there is none."""
    if verdict.value is None:
        return "—"
    unit, found = verdict.claim.unit, verdict.value
    text = format_value(found.median, unit)
    if found.low is None or found.high is None:
        return f"{text} (no interval: {found.trials} trial{'s' * (found.trials > 1)})"
    if found.low == found.high:
        return f"{text} (the same in all {found.trials} trials)"
    low, high = (
        format_value(end, "percent" * (unit == "percent")) for end in (found.low, found.high)
    )
    return f"{text} (95% interval {low} to {high}, {found.trials} trials)"


def paper_text(verdict: Verdict) -> str:
    """The paper's number."""
    claim = verdict.claim
    if claim.no_number:
        return {
            "about": "equal, it says, without a number",
            "at_least": "equal or more, it says, without a number",
            "at_most": "equal or less, it says, without a number",
        }[claim.direction]
    words = {"about": "", "at_least": "at least ", "at_most": "at most "}[claim.direction]
    if claim.paper_low == claim.paper_high:
        return words + format_value(claim.paper_low, claim.unit)
    low, high = claim.paper_low, claim.paper_high
    return f"{words}{format_value(low, claim.unit)} to {format_value(high, claim.unit)}"


def render(plan: Plan, material: Material, charts: list[Chart], verdicts: list[Verdict]) -> str:
    """The whole page."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"seconds": format_seconds, "bytes": format_bytes}
    environment.globals |= {"measured_text": measured_text, "paper_text": paper_text}
    runs = material.tables["runs"]
    return environment.get_template("report.html.j2").render(
        plan=plan,
        titles=plan.titles(),
        papers=_by_paper(verdicts),
        counts={v: sum(x.verdict == v for x in verdicts) for v in VERDICTS},
        overview=_overview(runs),
        charts=[(chart, _drawn(chart)) for chart in charts],
        gaps=material.gaps,
        machines=_machines(material.records),
        commits=sorted(set(runs["git_commit"].dropna())),
        facts=_facts(runs),
        cells=_cells(material.records),
    )


def _by_paper(verdicts: list[Verdict]) -> dict[str, list[Verdict]]:
    papers: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        papers.setdefault(verdict.claim.paper, []).append(verdict)
    return papers


def _drawn(chart: Chart) -> list[Markup]:
    # Our own SVG; the only foreign text in it is graphs' titles, which matplotlib escapes.
    return [
        Markup(panel_svg(panel, f"{chart.name}-{i + 1}")) for i, panel in enumerate(chart.panels)
    ]


def _overview(runs: pd.DataFrame) -> dict[str, list[Json]]:
    """Rows of the overview by graph, with missing numbers as None."""
    by_graph: dict[str, list[Json]] = {}
    for row in rows(summary_table(runs)):
        by_graph.setdefault(row["graph"], []).append(row)
    return by_graph


def _facts(runs: pd.DataFrame) -> Json:
    good = runs[runs["status"] == "ok"]
    return {
        "runs": len(runs),
        "finished": len(good),
        "verified": int((good["verified"] == True).sum()),  # noqa: E712
        "warm": int((good["temperature"] == "warm").sum()),
        "first": min(runs["started_at"].dropna(), default=""),
        "last": max(runs["started_at"].dropna(), default=""),
    }


def _machines(records: list[Json]) -> list[Json]:
    seen: dict[str, Json] = {}
    for record in records:
        machine = record.get("machine")
        if machine:
            seen.setdefault(record["host"], machine | {"device": record.get("device") or {}})
    return list(seen.values())


def _cells(records: list[Json]) -> list[Json]:
    """Records grouped by configuration, each without its long sections."""
    cells: dict[str, Json] = {}
    for record in records:
        asked = record["asked"]
        title = f"{Path(asked['graph']).name} · {asked['engine']} · {asked['workload']}"
        if record["traced"]:
            title += " · traced"
        cell = cells.setdefault(record["config"], {"title": title, "records": []})
        short = {key: value for key, value in record.items() if key not in LONG_SECTIONS}
        text = json.dumps(short, indent=1, ensure_ascii=False)
        cell["records"].append(
            {"title": _trial_title(record), "path": record["record"], "text": text}
        )
    return sorted(cells.values(), key=lambda cell: str(cell["title"]))


def _trial_title(record: Json) -> str:
    words = [f"trial {record['trial']}: {record['outcome']['status']}"]
    if record.get("phases"):
        words.append(format_seconds(record["phases"]["run_s"]))
    if record.get("start"):
        words.append(record["start"]["temperature"])
    optimum = (record.get("trace") or {}).get("optimum")
    if optimum and optimum["times_optimal"] is not None:
        words.append(f"read {optimum['times_optimal']:.2f} times the optimum of its interleaving")
    return ", ".join(words)
