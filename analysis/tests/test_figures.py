# SPDX-License-Identifier: Apache-2.0
"""Figures: every file is written and can be read back, and shows the numbers of its table."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from outcore_analysis.charts import COLOURS, Chart, panel_svg, save
from outcore_analysis.figures import all_charts
from outcore_analysis.material import collect
from outcore_analysis.yamllines import ConfigError, schema
from workbench import Workbench


def charts_of(bench: Workbench) -> dict[str, Chart]:
    plan = bench.plan()
    charts = all_charts(collect(plan).tables, plan.titles())
    return {chart.name: chart for chart in charts}


@pytest.mark.parametrize("name", ["acgraph-fig2", "layout-bytes", "runtime"])
def test_files_can_be_read(name: str, finished: Workbench, tmp_path: Path) -> None:
    chart = charts_of(finished)[name]
    assert len(chart.panels) == 2
    paths = save(chart, tmp_path)
    assert [path.suffix for path in paths] == [".csv", ".pdf", ".png", ".svg", ".svg"]
    with Image.open(tmp_path / f"{name}.png") as picture:
        assert picture.width > 1000
        low, high = picture.convert("L").getextrema()
        assert low < 50 < 250 < high
    assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    for path in paths[3:]:
        assert ET.parse(path).getroot().tag.endswith("svg")
    assert len(pd.read_csv(tmp_path / f"{name}.csv")) == len(chart.data)


def test_reads_are_drawn_as_the_table_has_them(finished: Workbench) -> None:
    chart = charts_of(finished)["acgraph-fig2"]
    axes = Figure().add_subplot()
    chart.panels[0].draw(axes)
    lines = {line.get_label(): line for line in axes.get_lines()}
    data = chart.data.query("workload == 'bfs' and policy == 'lru'")
    assert list(lines["LRU"].get_xdata()) == [0.1, 10, 20]
    assert list(lines["LRU"].get_ydata()) == list(100 * data["reads_over_raw"])
    assert "ACGraph: OPT saves 29%" in " ".join(text.get_text() for text in axes.texts)


def test_bars_are_medians_with_their_intervals(finished: Workbench) -> None:
    chart = charts_of(finished)["runtime"]
    axes = Figure().add_subplot()
    chart.panels[0].draw(axes)
    # The stub's bfs takes 0.2 s times 1.05, 1.10, 1.15; opening and collecting add 15%.
    assert any(bar.get_height() == pytest.approx(0.2 * 1.10 * 1.15) for bar in axes.patches)
    row = chart.data.query("graph == 'kron' and engine == 'concurrent' and workload == 'bfs'")
    assert row["seconds_low"].item() == pytest.approx(0.2 * 1.05 * 1.15)
    assert row["seconds_high"].item() == pytest.approx(0.2 * 1.15 * 1.15)
    assert "3 trials" in chart.caption


def test_missing_series_is_named_with_its_reason(
    copied: Workbench, find_record: Callable[..., Path]
) -> None:
    first = find_record(graph="kron", engine="concurrent", workload="pagerank")
    for path in first.parent.glob("trial-*.json"):
        record = json.loads(path.read_text())
        failure = {key: record[key] for key in ("record_version", "asked")}
        failure["outcome"] = {"status": "killed", "reason": "ended by SIGKILL", "exit_code": -9}
        path.write_text(json.dumps(failure))
    chart = charts_of(copied)["runtime"]
    assert chart.missing == ["kron, concurrent, pagerank: killed: ended by SIGKILL"]
    axes = Figure().add_subplot()
    chart.panels[0].draw(axes)
    assert "concurrent: killed" in [text.get_text() for text in axes.texts]


def test_figures_without_data_have_no_panels(workbench: Workbench, tmp_path: Path) -> None:
    for chart in charts_of(workbench).values():
        assert chart.panels == []
        assert [path.suffix for path in save(chart, tmp_path)] == [".csv"]


def test_panels_of_one_page_share_no_ids(finished: Workbench) -> None:
    panels = charts_of(finished)["runtime"].panels
    ids = [
        {node.get("id") for node in ET.fromstring(panel_svg(panel, f"p{i}")).iter()} - {None}
        for i, panel in enumerate(panels)
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_every_engine_and_policy_has_a_colour_of_its_own() -> None:
    properties = schema("experiment")["properties"]
    engines = properties["engines"]["propertyNames"]["enum"]
    policies = properties["replay"]["properties"]["policies"]["items"]["enum"]
    for names in (engines, policies):
        assert len({COLOURS[name] for name in names}) == len(names)


def probed(pattern: str, size: int, concurrency: int, rate: float) -> dict[str, object]:
    return {
        "pattern": pattern,
        "bytes": size,
        "concurrency": concurrency,
        "mb_per_s": rate,
        "p50_us": 50.0,
        "p99_us": 90.0,
    }


def write_probe(path: Path, host: str) -> None:
    """A document as `outcore probe` writes it."""
    cost = "concurrency = 1\nrequest_us = 5.5\nkb_us = 0.57\nrms_error = 0.1\nworst_error = 0.2"
    rates = [
        probed(pattern, size, concurrency, concurrency * size / 100)
        for pattern in ("random", "sequential")
        for size in (4096, 8192, 65536)
        for concurrency in (1, 2, 3, 4)
    ]
    rows = ",\n".join(
        "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in rate.items()) + " }"
        for rate in rates
    )
    path.write_text(
        f"""name = "local"
rates = [
{rows}
]
[probe]
folder = "/x"
filesystem = "ext4"
source = "/dev/vdx"
host = "{host}"
kernel = "6"
outcore = "1"
at = "2026-01-01T00:00:00Z"
backend = "uring"
notes = []
file_bytes = 67108864
cells_left_out = 0
seconds = 3.5
[read]
k_r = 3
k_r_saturation = 0.9
t_rr_mb_per_s = 163.84
t_sr_mb_per_s = 0
alone_us = 50.0
at_k_r_us = 50.0
[write]
t_sw_mb_per_s = 900.0
[fdatasync]
p50_us = 100.0
p99_us = 200.0
times = 10
[cost.busy]
{cost}
[cost.alone]
{cost}
""",
        encoding="utf-8",
    )


def test_a_probed_device_is_drawn_as_it_was_measured(finished: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "local.toml"
    bench = Workbench(finished.folder, finished.config | {"device": str(path)})
    assert charts_of(bench)["device"].missing == [
        "the device was not probed; 'outcore probe DIR' measures it"
    ]
    write_probe(path, "elsewhere")
    chart = charts_of(bench)["device"]
    assert [panel.title for panel in chart.panels] == ["Random reads", "Sequential reads"]
    axes = Figure().add_subplot()
    chart.panels[0].draw(axes)
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert list(lines["4 KB"].get_xdata()) == [1, 2, 4], "k_r's own questions are no ticks"
    assert list(lines["4 KB"].get_ydata()) == [40.96, 81.92, 163.84]
    assert "64 KB" in lines
    assert " k_r = 3" in [text.get_text() for text in axes.texts]
    assert "/dev/vdx (ext4) of elsewhere" in chart.caption
    assert "other machines" in chart.missing[0]
    assert len(save(chart, tmp_path)) == 5


def test_a_damaged_probe_is_named(finished: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "local.toml"
    write_probe(path, "here")
    path.write_text(path.read_text().replace("k_r = 3", 'k_r = "3"'))
    bench = Workbench(finished.folder, finished.config | {"device": str(path)})
    with pytest.raises(ConfigError, match=r"local\.toml: read\.k_r: '3' is not of type 'integer'"):
        charts_of(bench)
