# SPDX-License-Identifier: Apache-2.0
"""The page: one file that needs no network, with verdicts, figures, gaps and provenance."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from outcore_analysis.__main__ import drawn_charts, main
from outcore_analysis.claims import judge, read_claims
from outcore_analysis.material import collect
from outcore_analysis.report import (
    _trial_title,
    format_bytes,
    format_seconds,
    measured_text,
    paper_text,
    render,
)
from outcore_analysis.stats import Summary
from outcore_analysis.words import format_count
from workbench import ROOT, Workbench

VOID = {"meta", "link", "br", "img", "path", "use", "input"}


class Page(HTMLParser):
    """Texts, links and ids of a page; complains about tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.files: list[str] = []
        self.source = text
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [given[key] or "" for key in ("href", "src", "xlink:href") if key in given]
        self.ids += [given["id"] or ""] if "id" in given else []
        if tag not in VOID:
            self.open.append(tag)
        self.files += [given["data-name"] or ""] if "data-name" in given else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def cells(self) -> list[list[str]]:
        """The records' texts, a list for each configuration."""
        packed = re.findall(r'<script type="text/plain">(.*?)</script>', self.source)
        return [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_of(bench: Workbench, folder: Path) -> Page:
    out = folder / "index.html"
    assert main(["report", "--config", json.dumps(bench.config), "--out", str(out)]) == 0
    assert out.stat().st_size < 3_000_000
    return Page(out.read_text(encoding="utf-8"))


def test_page_has_verdicts_figures_and_provenance(finished: Workbench, tmp_path: Path) -> None:
    page = page_of(finished, tmp_path)
    assert "3 of 3 statements judged: 3 reproduced, 0 partly, 0 not reproduced." in page.text
    assert "26 runs, 26 finished, 26 with answers verified" in page.text
    assert "8.6 bytes per edge (the same in all 3 trials)" in page.text
    assert "25.4% (no interval: 1 trial)" in page.text
    assert "at least 8.1 bytes per edge" in page.text
    assert "Nothing: every run that was asked for is here" in page.text
    for name in ("acgraph-fig2", "layout-bytes", "runtime", "accesses", "sizes", "device"):
        assert f"figure-{name}" in page.ids
    assert "OPT saves: paper 25% to 29%; here 25.4% (no interval: 1 trial)" in page.text
    assert "paper Twitter theirs 12 GB 1.1x" in page.text
    assert "No processor, 2 cores, 16 GiB" in page.text
    texts = [text for cell in page.cells for text in cell]
    assert len(texts) == 26
    assert all('"git_commit": "000000000000"' in text for text in texts)


def test_the_page_begins_with_who_wins_or_that_it_cannot_tell(
    finished: Workbench, tmp_path: Path
) -> None:
    """Only one of the stub's engines works from storage, so it has no rival."""
    page = page_of(finished, tmp_path)
    assert "Too little data to say who wins: no two engines that work from storage" in page.text
    assert page.text.index("Too little data") < page.text.index("Times over the best")
    places = [page.ids.index(name) for name in ("overview", "own", "verdicts", "paper-acgraph")]
    assert places == sorted(places)
    assert page.ids.index("layouts") > places[-1]
    assert page.ids.index("figure-layout-bytes") > page.ids.index("layouts")
    assert page.ids.index("figure-runtime") < page.ids.index("verdicts")


def test_conditions_of_claims_are_written_as_one_says_them(
    finished: Workbench, tmp_path: Path
) -> None:
    page = page_of(finished, tmp_path)
    assert (
        "Unless said otherwise there, with 2 threads, a pool of 6%, as many reads in flight as "
        "each engine has by itself, backend uring, no further options, a cold page cache, a pool "
        "below 25% of the graph." in page.text
    )
    assert "within 5 points of the paper's number, partly within 10 points" in page.text


def test_a_paper_without_experiments_has_a_page_of_its_claims(
    finished: Workbench, tmp_path: Path
) -> None:
    claims = [*finished.config["claims"], str(ROOT / "configs/claims/xpgraph.yaml")]
    bench = Workbench(finished.folder, finished.config | {"paper": "XPGraph", "claims": claims})
    assert bench.plan().records() == []
    page = page_of(bench, tmp_path)
    assert "0 of 26 statements judged. 5 not testable here, 21 not run." in page.text
    assert "there are no runs with engine evolving" in page.text


def test_configurations_that_look_alike_are_told_apart(finished: Workbench, tmp_path: Path) -> None:
    page = page_of(finished, tmp_path)
    assert "source=max-degree, firstfit, 2 threads, pool 6% \N{MIDDLE DOT} 3 runs" in page.text


def test_page_needs_nothing_from_outside_and_its_links_lead_somewhere(
    finished: Workbench, tmp_path: Path
) -> None:
    words = ["--config", json.dumps(finished.config), "--out", str(tmp_path / "figures")]
    assert main(["figures", *words]) == 0
    page = page_of(finished, tmp_path)
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link.startswith("data:") or link[1:] in page.ids
    for name in ("runtime.csv", "runtime.pdf", "accesses.csv"):
        assert name in page.files


def test_overview_has_what_a_traced_run_says_of_the_optimum(
    finished: Workbench, tmp_path: Path
) -> None:
    page = page_of(finished, tmp_path)
    assert "1.25 \N{MULTIPLICATION SIGN} optimal" in page.text
    assert "8.60 B/edge" in page.text


def test_a_field_of_the_overview_folds_all_but_its_quickest_configurations(
    finished: Workbench,
) -> None:
    material, charts, verdicts = drawn_charts(finished.plan())
    runs = material.tables["runs"]
    swept = [
        runs.assign(config=runs["config"] + f"-{i}", threads=i, seconds=10.0 * i)
        for i in (5, 4, 3, 2)
    ]
    swept[0] = swept[0].assign(status="failed", reason="no space")
    tables = material.tables | {"runs": pd.concat(swept)}
    seen = replace(material, tables=tables)
    page = render(finished.plan(), seen, charts, verdicts, Path("none"))
    field = page.split('class="grid"')[1].split("<td>")[1].split("</td>")[0]
    shown, folded = field.split("<details>")
    assert re.findall(r"<strong>(.*?)</strong>", shown) == ["20 s", "30 s", "40 s"]
    assert "1 more, 1 of them without an end" in folded
    assert "no space" in folded


def test_a_page_of_two_thousand_runs_is_below_three_megabytes(finished: Workbench) -> None:
    material, charts, verdicts = drawn_charts(finished.plan())
    many = [
        record | {"config": f"{record['config'][:8]}{i:04}"}
        for i in range(2000 // len(material.records) + 1)
        for record in material.records
    ]
    page = render(finished.plan(), replace(material, records=many), charts, verdicts, Path("none"))
    assert "more records than a page can hold" in page
    assert len(page.encode()) < 3_000_000


def test_records_without_room_on_the_page_are_named_there(
    finished: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outcore_analysis.report.RECORDS_BUDGET", 10)
    page = page_of(finished, tmp_path)
    assert "more records than a page can hold" in page.text
    assert all(path in page.text for path in finished.plan().records())
    assert page.cells == []


def test_failures_are_on_the_page_with_their_reason(
    copied: Workbench, find_record: Callable[..., Path], tmp_path: Path
) -> None:
    path = find_record(graph="square", engine="concurrent", workload="bfs")
    record = json.loads(path.read_text())
    failure = {key: record[key] for key in ("record_version", "asked")}
    reason = "graphs/square: <b>no space</b>"
    failure["outcome"] = {"status": "failed", "reason": reason, "exit_code": 4}
    path.write_text(json.dumps(failure))
    page = page_of(copied, tmp_path)
    assert f"square, concurrent, bfs failed: {reason}" in page.text  # escaped, so it is text
    assert "26 runs, 25 finished" in page.text


def test_page_without_any_record_says_so(workbench: Workbench, tmp_path: Path) -> None:
    page = page_of(workbench, tmp_path)
    assert "0 of 3 statements judged. 3 not run." in page.text
    assert "there is no record yet" in page.text


def test_page_with_the_claims_of_all_papers_stays_in_order(
    finished: Workbench, tmp_path: Path
) -> None:
    files = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
    bench = replace(finished, config=finished.config | {"claims": files})
    page = page_of(bench, tmp_path)
    claims = read_claims(files)
    assert {f"claim-{claim.id}" for claim in claims} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    for paper in {claim.paper for claim in claims}:
        assert f"of {paper} without an answer" in page.text


def test_tables_and_verdicts_are_written(finished: Workbench, tmp_path: Path) -> None:
    config = json.dumps(finished.config)
    assert main(["tables", "--config", config, "--out", str(tmp_path / "tables")]) == 0
    written = sorted(path.name for path in (tmp_path / "tables").iterdir())
    tables = ["comparisons", "device", "layouts", "levels", "races", "replays", "rounds", "runs"]
    tables.append("summary")
    assert written == ["README.md", *(f"{t}.{kind}" for t in tables for kind in ("csv", "parquet"))]
    assert main(["claims", "--config", config, "--out", str(tmp_path / "verdicts.json")]) == 0
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert [verdict["verdict"] for verdict in verdicts] == ["reproduced"] * 3


def test_wrong_configuration_ends_a_step_with_its_reason(
    finished: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = json.dumps(finished.config | {"graphs": ["nowhere.yaml"]})
    assert main(["report", "--config", config, "--out", str(tmp_path / "x")]) == 2
    assert "nowhere.yaml: cannot be read" in capsys.readouterr().err


def test_numbers_are_written_with_three_digits() -> None:
    assert [format_seconds(v) for v in (0.01234, 1.2345, 75.0)] == ["12.3 ms", "1.23 s", "75 s"]
    assert [format_bytes(v) for v in (12, 1536, 2**31)] == ["12 B", "1.5 KiB", "2 GiB"]
    counts = [7, 426028, 999_600, 31_397_614, 3e9]
    assert [format_count(v) for v in counts] == ["7", "426k", "1M", "31.4M", "3G"]


def test_conda_environment_pins_what_requirements_pin() -> None:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [re.sub(r"\[.*\]", "", line.removesuffix(" \\")) for line in lines]  # without extras
    lines = (ROOT / "analysis/envs/analysis.yaml").read_text().splitlines()
    wanted = [line.strip(" -").replace("=", "==") for line in lines if line.startswith("  - ")]
    assert [pin for pin in wanted if "." in pin and pin not in pins] == ["python==3.11"]


def test_comparison_without_a_number_is_not_written_as_one(finished: Workbench) -> None:
    (claim,) = [c for c in read_claims(finished.plan().claims) if "fig10" in c.id]
    verdict = judge(claim, collect(finished.plan()).tables)
    assert paper_text(verdict) == "at least 8.1 bytes per edge"
    vague = replace(verdict, claim=replace(claim, no_number=True, paper_low=1, paper_high=1))
    assert paper_text(vague) == "equal or more (it gives no number)"


def test_interval_is_written_with_its_ends(finished: Workbench) -> None:
    plan = finished.plan()
    (claim,) = [c for c in read_claims(plan.claims) if c.id == "acgraph-fig10-bfs-bytes"]
    verdict = judge(claim, collect(plan).tables)
    spread = replace(verdict, value=Summary(9.0, 8.5, 9.5, 3))
    assert measured_text(spread) == "9 bytes per edge (95% interval 8.5 to 9.5, 3 trials)"
    share = replace(spread, claim=replace(claim, unit="percent"), value=Summary(0.2, 0.1, 0.3, 5))
    assert measured_text(share) == "20% (95% interval 10% to 30%, 5 trials)"


def test_the_list_of_records_has_the_clock_of_the_overview_and_names_both() -> None:
    phases = {"open_s": 1.0, "prepare_s": 2.0, "run_s": 0.5, "collect_s": 0.5}
    record = {"trial": 2, "outcome": {"status": "ok"}, "phases": phases}
    assert _trial_title(record) == "trial 2: ok, 4 s end to end (500 ms the algorithm alone)"


def test_a_run_that_ended_while_its_engine_was_built_has_a_title_without_seconds() -> None:
    record = {"trial": 1, "outcome": {"status": "failed"}, "phases": {"open_s": 0.1}}
    assert _trial_title(record) == "trial 1: failed"
