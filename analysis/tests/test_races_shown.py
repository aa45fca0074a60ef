# SPDX-License-Identifier: Apache-2.0
"""Races against other programs as the report and their own page show them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from outcore_analysis import plan as plans
from outcore_analysis.__main__ import drawn_charts, main
from outcore_analysis.charts import save
from outcore_analysis.contest.kept import read
from outcore_analysis.contest.shown import became, held_races, section
from outcore_analysis.plan import Plan, make_plan
from raced import race_record
from workbench import Workbench, make_workbench

Json = dict[str, Any]
RACES = {
    "title": "What a user would pick instead",
    "answers": "Within how much memory do they go on?",
    "graphs": ["kron"],
    "workloads": {"bfs": {"source": "max-degree"}, "wcc": {}},
    "with": ["scipy"],
    "memory": [None, "256M"],
    "turns": 3,
}


def with_races(bench: Workbench, folder: Path, **changed: Any) -> Json:
    """Return the workbench's configuration with these races."""
    path = Workbench(folder, {}).write("races.yaml", RACES | changed)
    return bench.config | {"races": [str(path)]}


def hold(plan: Plan, **changed: Any) -> None:
    """Leave a record of every race of the plan but those of components without a limit."""
    for key, bout in plan.bouts.items():
        if (bout.workload, bout.memory) == ("wcc", None):
            continue
        limit = 1 << 28 if bout.memory else None
        verdict = "out_of_memory" if bout.memory else "right"
        status = "out_of_memory" if bout.memory else "ok"
        same = {"workload": bout.workload, "memory": limit, "verdict": verdict, "status": status}
        document = race_record(**same | changed)
        path = Path(plan.race_file(key))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    made = make_workbench(tmp_path)
    made.config = with_races(made, tmp_path)
    return made


def test_a_plan_has_its_races_and_only_on_the_page_of_a_profile(bench: Workbench) -> None:
    assert len(bench.plan().bouts) == 4
    assert make_plan(bench.config | {"figure": "runtime"}).bouts == {}
    assert make_plan(bench.config | {"paper": "acgraph"}).bouts == {}


def test_what_became_of_each_is_counted(bench: Workbench) -> None:
    hold(bench.plan())
    shown = section(held_races(bench.plan()), {"kron": "Kronecker 10"})
    assert shown["counts"] == [
        {"name": "Outcore", "counts": [3, 0, 0, 0, 0], "of": 3},
        {"name": "Toy", "counts": [1, 2, 0, 0, 0], "of": 3},
    ]
    assert shown["absent"] == ["WCC on Kronecker 10, no limit of memory"]
    (programme,) = shown["programmes"]
    cells = [row["cells"] for race in programme["races"] for row in race["rows"]]
    assert cells[1][2:4] == ["2.00", "2.00 [2.00, 2.00]"]
    assert cells[3][2] == "out of memory", "killed ones stand last, and say so"


@pytest.mark.parametrize(
    ("verdict", "status", "what"),
    [
        ("right", "ok", "raced"),
        ("counts agree", "ok", "raced"),
        ("killed", "killed", "killed"),
        ("answers differ", "ok", "answers differ"),
        ("unraced", None, "unraced"),
        ("failed", "failed", "failed"),
        ("interrupted", "interrupted", "failed"),
    ],
)
def test_each_verdict_has_its_bar(
    bench: Workbench, verdict: str, status: str | None, what: str
) -> None:
    hold(bench.plan(), verdict=verdict, status=status)
    race = next(one.race for one in held_races(bench.plan()) if one.race)
    assert became(race, "toy") == what


def test_the_page_of_its_own_says_who_was_killed_and_what_it_does_not_say(
    bench: Workbench, tmp_path: Path
) -> None:
    hold(bench.plan(), graph="<b>")
    out = tmp_path / "races.html"
    assert main(["races", "--config", json.dumps(bench.config), "--out", str(out)]) == 0
    page = out.read_text()
    assert "<h1>What a user would pick instead</h1>" in page
    assert page.count("<svg") == 2, "a drawing for each question"
    assert "out of memory" in page
    assert "It is slow." in page and "Licence: MIT" in page
    assert "Not held yet: WCC on Kronecker 10, no limit of memory" in page
    assert "What this does not say" in page
    names = sorted(path.name for path in tmp_path.glob("races-*.jsonl"))
    assert names == [f"races-kron-{end}.jsonl" for end in ("bfs-256M", "bfs-free", "wcc-256M")]
    assert read(tmp_path / names[0]).head["title"] == "BFS on Kronecker 10, 256M of memory"
    assert "<b>" not in page and "None" not in re.sub(r"<[^>]*>", "", page)


def test_before_any_race_the_page_says_the_command(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outcore_analysis.contest.shown.INSTALLED", tmp_path / "nowhere")
    out = tmp_path / "races.html"
    main(["races", "--config", json.dumps(bench.config), "--out", str(out)])
    assert "<code>make contestants &amp;&amp; snakemake races</code>" in out.read_text()
    monkeypatch.setattr("outcore_analysis.contest.shown.INSTALLED", tmp_path)
    main(["races", "--config", json.dumps(bench.config), "--out", str(out)])
    assert "<code>snakemake races</code>" in out.read_text()


def test_the_report_has_a_section_of_races_with_their_figure(
    finished: Workbench, tmp_path: Path
) -> None:
    config = with_races(finished, tmp_path)
    plan = make_plan(config)
    hold(plan)
    try:
        charts = {chart.name: chart for chart in drawn_charts(plan)[1]}
        assert [panel.title for panel in charts["races"].panels] == [
            "BFS on Kronecker 10",
            "WCC on Kronecker 10",
        ]
        assert (tmp_path / "figures/races.png") in save(charts["races"], tmp_path / "figures")
        for panel in charts["races"].panels:
            assert "<svg" in vl_convert.vegalite_to_svg(panel.hover)
        assert any("Toy, BFS, 256M" in note for note in charts["races"].notes)
        out = tmp_path / "index.html"
        assert main(["report", "--config", json.dumps(config), "--out", str(out)]) == 0
    finally:
        for key in plan.bouts:
            Path(plan.race_file(key)).unlink(missing_ok=True)
    page = out.read_text()
    section_of_it = page[page.index('<section id="races">') :].split("</section>")[0]
    assert 'href="#races"' in page
    assert 'id="figure-races"' in section_of_it
    assert "device 25%, processors 50%, neither 25%" in section_of_it


def test_a_page_without_races_has_no_such_section(finished: Workbench, tmp_path: Path) -> None:
    out = tmp_path / "index.html"
    main(["report", "--config", json.dumps(finished.config), "--out", str(out)])
    assert 'id="races"' not in out.read_text()


def test_short_races_are_held_with_the_page_where_the_programs_are_installed(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.config = with_races(bench, tmp_path, reproduce=True)
    plan = bench.plan()
    monkeypatch.setattr(plans, "INSTALLED", tmp_path / "nowhere")
    assert plan.races_at_once() == []
    monkeypatch.setattr(plans, "INSTALLED", tmp_path)
    assert plan.races_at_once() == [plan.race_file(key) for key in plan.bouts]
    assert replace(plan, profile="smoke").races_at_once() == []
    assert {key for key, bout in plan.bouts.items() if bout.at_once} == set(plan.bouts)


def test_what_a_file_says_about_a_race_is_not_asked(bench: Workbench, tmp_path: Path) -> None:
    before = set(bench.plan().bouts)
    bench.config = with_races(bench, tmp_path, title="Another", reproduce=True)
    assert set(bench.plan().bouts) == before
