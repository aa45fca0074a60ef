# SPDX-License-Identifier: Apache-2.0
"""Figures: every file is written and can be read back, and shows the numbers of its table."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import vl_convert
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from outcore_analysis.__main__ import drawn_charts, main
from outcore_analysis.charts import Chart, drawn, footer, panel_svg, save
from outcore_analysis.figures import KINDS
from outcore_analysis.figures.frontier import on_frontier
from outcore_analysis.figures.hover import log_ends
from outcore_analysis.yamllines import ConfigError, schema
from workbench import RUNTIME, Workbench


def charts_of(bench: Workbench) -> dict[str, Chart]:
    return {chart.name: chart for chart in drawn_charts(bench.plan())[1]}


def axes_of(chart: Chart, panel: int = 0) -> Axes:
    axes = Figure().add_subplot()
    chart.panels[panel].draw(axes)
    return axes


ALL = {
    "runtime": 2,
    "layout-bytes": 2,
    "timeline": 4,
    "rounds": 4,
    "frontier": 4,
    "sizes": 1,
    "acgraph-fig2": 2,
    "accesses": 2,
}


@pytest.mark.parametrize("name", ALL)
def test_files_can_be_read(name: str, finished: Workbench, tmp_path: Path) -> None:
    chart = charts_of(finished)[name]
    assert len(chart.panels) == ALL[name]
    paths = save(chart, tmp_path)
    suffixes = [".csv", ".pdf", ".png", *[".svg"] * ALL[name]]
    assert [path.suffix for path in paths] == suffixes
    with Image.open(tmp_path / f"{name}.png") as picture:
        assert picture.width > 900
        low, high = picture.convert("L").getextrema()
        assert low < 50 < 250 < high
    assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    for path in paths[3:]:
        assert ET.parse(path).getroot().tag.endswith("svg")
    assert len(pd.read_csv(tmp_path / f"{name}.csv")) == len(chart.data) > 0


def test_all_kinds_are_drawn_here_and_named_in_the_schema(finished: Workbench) -> None:
    kinds = schema("experiment")["properties"]["figures"]["items"]["properties"]["kind"]["enum"]
    drawn_here = {f["kind"] for e in finished.plan().experiments for f in e.figures}
    elsewhere = {"waterfall", "cost"}  # test_ladder.py, test_cost.py
    assert set(kinds) == set(KINDS) == drawn_here | elsewhere


def test_the_page_draws_the_same_numbers(finished: Workbench) -> None:
    for name, chart in charts_of(finished).items():
        for panel in chart.panels:
            if name != "sizes":
                assert panel.hover is not None
                svg = vl_convert.vegalite_to_svg(panel.hover, vl_version="6.1")
                assert "<svg" in svg
    values = charts_of(finished)["acgraph-fig2"].panels[0].hover["data"]["values"]
    lru = [value["y"] for value in values if value["series"] == "LRU"]
    data = charts_of(finished)["acgraph-fig2"].data.query("workload == 'bfs' and policy == 'lru'")
    assert lru == pytest.approx(list(data["median"]))
    assert values[0]["says"].startswith("OPT, pool 0.1%: ")


def test_reads_are_drawn_as_the_table_has_them(finished: Workbench) -> None:
    chart = charts_of(finished)["acgraph-fig2"]
    axes = axes_of(chart)
    lines = {line.get_label(): line for line in axes.get_lines()}
    data = chart.data.query("workload == 'bfs' and policy == 'lru'")
    assert list(lines["LRU"].get_xdata()) == [0.1, 10, 20]
    assert list(lines["LRU"].get_ydata()) == list(data["median"])
    paper = [line for line in axes.get_lines() if list(line.get_ydata()) == [150, 160]]
    assert [list(line.get_xdata()) for line in paper] == [[10, 10]]
    assert "once" in [text.get_text() for text in axes.texts]
    assert chart.notes[0] == "OPT saves: paper 25% to 29%; here 25.4% (no interval: 1 trial)"
    assert chart.notes[1] == "LRU: paper 150% to 160%"


def test_bars_are_medians_with_their_intervals(finished: Workbench) -> None:
    chart = charts_of(finished)["runtime"]
    # The stub's bfs takes 0.2 s times 1.05, 1.10, 1.15; opening and collecting add 15%.
    axes = axes_of(chart)
    assert list(axes.patches) == [], "on a logarithmic axis a bar's length means nothing"
    heights = [float(dot.get_ydata()[0]) for dot in axes.get_lines() if dot.get_marker() == "o"]
    assert any(height == pytest.approx(0.2 * 1.10 * 1.15) for height in heights)
    assert axes.get_ylim() == (0.01, 10), "the axis begins and ends at a tick"
    row = chart.data.query("graph == 'kron' and engine == 'concurrent' and workload == 'bfs'")
    assert row["low"].item() == pytest.approx(0.2 * 1.05 * 1.15)
    assert row["high"].item() == pytest.approx(0.2 * 1.15 * 1.15)
    assert row["point"].item() == pytest.approx(0.2 * 1.10)


def with_figure(bench: Workbench, **figure: object) -> Chart:
    """The chart of one figure in the place of all of the experiment `runtime`."""
    file = bench.write("runtime.yaml", RUNTIME | {"figures": [figure]})
    experiments = [str(file), *bench.config["experiments"][1:]]
    changed = Workbench(bench.folder, bench.config | {"experiments": experiments})
    return charts_of(changed)["runtime"]


def test_normalised_bars_are_ratios_paired_by_trial(copied: Workbench) -> None:
    chart = with_figure(
        copied, kind="bars", value="seconds", normalise={"engine": "in_memory"}, panels=["graph"]
    )
    ratios = chart.data[chart.data["engine"] == "concurrent"]
    # The stub's in_memory takes 0.3 of the time in every trial, so their ratio has no spread.
    for column in ("median", "low", "high"):
        assert list(ratios[column]) == pytest.approx([1 / 0.3] * len(ratios))


def test_configurations_are_never_mixed_in_one_place(copied: Workbench) -> None:
    with pytest.raises(ConfigError, match=r"they differ in workload, .*: name that in `series`"):
        with_figure(copied, kind="bars", value="seconds", panels=["graph"], x="threads")


def test_a_trial_that_failed_is_named_beside_those_that_are_drawn(copied: Workbench) -> None:
    plan = copied.plan()
    (cell,) = [
        c
        for c in plan.experiments[0].cells
        if (c.graph, c.engine, c.workload) == ("kron", "concurrent", "bfs")
    ]
    path = Path(plan.records_folder) / cell.key / "trial-2.json"
    record = json.loads(path.read_text())
    record["outcome"] = {"status": "failed", "reason": "the disk is full", "exit_code": 4}
    path.write_text(json.dumps(record))
    (note,) = charts_of(copied)["runtime"].notes
    assert note == (
        "Kronecker 10, concurrent, bfs, firstfit, pool 6%: 2 of 3 trials; failed: the disk is full"
    )


def test_a_column_that_is_not_there_is_named(copied: Workbench) -> None:
    with pytest.raises(ConfigError, match="table runs has no column 'durations'"):
        with_figure(copied, kind="bars", value="durations")


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"kind": "lines", "value": "seconds"}, "kind lines needs `x`"),
        ({"kind": "bars", "value": "read_bytes", "table": "replays"}, "has no `replay`"),
        ({"kind": "heat", "paper": [{"says": "x", "claim": "nobody"}]}, "the claim 'nobody'"),
        ({"kind": "heat", "paper": [{"says": "x"}]}, "a claim's or a value"),
        ({"kind": "bars", "value": "motor"}, "table runs has no column 'motor'"),
        ({"kind": "bars", "value": "seconds", "series": ["motor"]}, "no column 'motor'"),
        (
            {
                "kind": "lines",
                "table": "layouts",
                "x": "inline",
                "value": "blocks",
                "beside": {"where": {"motor": "x"}, "value": "seconds", "label": "x"},
            },
            "table runs has no column 'motor'",
        ),
    ],
)
def test_what_a_figure_lacks_is_said_with_file_and_line(
    figure: dict[str, object], message: str, workbench: Workbench
) -> None:
    file = workbench.write("runtime.yaml", RUNTIME | {"figures": [figure]})
    with pytest.raises(ConfigError, match=rf"{file}:\d+: .*{message}"):
        workbench.plan()


def test_stacks_end_where_their_parts_sum_up(finished: Workbench) -> None:
    chart = charts_of(finished)["layout-bytes"]
    bars = axes_of(chart).patches
    ends = {bar.get_y(): bar.get_x() + bar.get_width() for bar in bars}
    data = chart.data.query("graph == 'kron'").groupby("layout", sort=False)["median"].sum()
    assert sorted(ends.values()) == pytest.approx(sorted(data))


def test_timeline_shows_rates_and_where_rounds_begin(finished: Workbench) -> None:
    chart = charts_of(finished)["timeline"]
    first = chart.data[chart.data["record"] == chart.data["record"].iloc[0]]
    # The stub reads 1, 3, 5, ... MB in each fifth of its time, with 0.8 of one core of two.
    seconds = 0.2 * 1.05
    expected = [(2 * i + 1) / (seconds / 5) for i in range(5)]
    assert list(first["mb_per_s"]) == pytest.approx(expected)
    assert list(first["cpu_percent"]) == pytest.approx([40] * 5)
    dotted = [line for line in axes_of(chart).get_lines() if line.get_linestyle() == ":"]
    begins = [seconds / 20 + i * seconds / 3 for i in range(3)]
    assert [line.get_xdata()[0] for line in dotted] == pytest.approx(begins)


def test_rounds_show_what_share_of_their_reads_was_used(finished: Workbench) -> None:
    chart = charts_of(finished)["rounds"]
    (dots,) = [line for line in axes_of(chart).get_lines() if line.get_label() == "used"]
    assert list(dots.get_ydata()) == pytest.approx([25, 50, 75])


def test_a_run_without_rounds_has_one_dot_for_all_of_it(
    copied: Workbench, find_record: Callable[..., Path]
) -> None:
    path = find_record(graph="kron", engine="concurrent", workload="bfs", threads=2)
    record = json.loads(path.read_text())
    read = record["io"]["requested_bytes"]
    path.write_text(json.dumps(record | {"rounds": []}))
    chart = charts_of(copied)["rounds"]
    (panel,) = [i for i, p in enumerate(chart.panels) if p.title == "Kronecker 10, BFS, concurrent"]
    axes = axes_of(chart, panel)
    (dots,) = [line for line in axes.get_lines() if line.get_label() == "used"]
    share = 100 * 4 * record["work"]["edges_processed"] / read
    assert list(dots.get_ydata()) == pytest.approx([share])
    assert axes.get_xlabel() == "the whole run: this engine has no rounds"
    hover = json.dumps(chart.panels[panel].hover)
    assert "the whole run:" in hover
    assert "active" not in hover


def test_a_configuration_is_on_the_frontier_unless_another_is_as_small_and_quicker(
    finished: Workbench,
) -> None:
    part = pd.DataFrame({"mib": [10, 20, 20, 30], "seconds": [4.0, 2.0, 3.0, 2.0]})
    assert on_frontier(part) == [True, True, False, False]
    chart = charts_of(finished)["frontier"]
    # The stub's engines take the same memory, and in_memory less time.
    assert set(chart.data.query("on_frontier")["engine"]) == {"in_memory"}
    assert [panel.of for panel in chart.panels[:2]] == [
        {"graph": "kron", "workload": "bfs"},
        {"graph": "kron", "workload": "pagerank"},
    ]
    labels = [text.get_text() for text in axes_of(chart).get_legend().get_texts()]
    assert labels[-2:] == ["on the frontier", "another is as small and quicker"]


def test_timelines_have_one_scale_and_a_line_for_what_the_device_gives(
    finished: Workbench, tmp_path: Path
) -> None:
    path = tmp_path / "local.toml"
    bench = Workbench(finished.folder, finished.config | {"device": str(path)})
    assert any("not probed" in note for note in charts_of(bench)["timeline"].notes)
    write_probe(path, bench.plan().host)
    chart = charts_of(bench)["timeline"]
    axes = axes_of(chart)
    # The stub's requests have at least 4 KB, and 64 may be in flight; the probe measured at most
    # four.
    (line,) = [x for x in axes.get_lines() if x.get_label() == "the device's ceiling"]
    assert list(line.get_ydata()) == [163.84, 163.84]
    tops = {axes_of(chart, i).get_ylim()[1] for i in range(len(chart.panels))}
    assert len(tops) == 1 and tops.pop() >= 1.08 * 163.84
    assert any("164 MB/s (4 KB at random, 4 in flight)" in note for note in chart.notes)


def test_heat_map_counts_every_access_once(finished: Workbench) -> None:
    chart = charts_of(finished)["accesses"]
    data = chart.data[chart.data["record"] == chart.data["record"].iloc[0]]
    assert data["accesses"].sum() == 12
    assert list(data[data["unit"] == 9]["access"]) == [9, 10, 11]
    dotted = [line for line in axes_of(chart).get_lines() if line.get_linestyle() == ":"]
    assert [line.get_xdata()[0] for line in dotted] == [10]


def test_table_figures_have_the_papers_rows_below_ours(finished: Workbench) -> None:
    chart = charts_of(finished)["sizes"]
    assert chart.table[0] == ["", "graph", "layout", "size", "over CSR's"]
    assert chart.table[1][:3] == ["here", "Kronecker 10", "firstfit"]
    assert chart.table[2][1:3] == ["Kronecker 10", "csr"]
    assert chart.table[2][4] == "1x"
    assert chart.table[-1] == ["paper", "Twitter", "theirs", "12 GB", "1.1x"]
    texts = [text.get_text() for text in axes_of(chart).texts]
    assert texts == [cell for row in chart.table for cell in row]


def fail_pagerank(find_record: Callable[..., Path]) -> None:
    first = find_record(graph="kron", engine="concurrent", workload="pagerank")
    for path in first.parent.glob("trial-*.json"):
        record = json.loads(path.read_text())
        failure = {key: record[key] for key in ("record_version", "asked")}
        failure["outcome"] = {"status": "killed", "reason": "ended by SIGKILL", "exit_code": -9}
        path.write_text(json.dumps(failure))


def test_missing_series_is_named_with_its_reason(
    copied: Workbench, find_record: Callable[..., Path]
) -> None:
    fail_pagerank(find_record)
    chart = charts_of(copied)["runtime"]
    assert chart.missing == [
        "Kronecker 10, concurrent, pagerank, firstfit, pool 6%: killed: ended by SIGKILL"
    ]
    assert "concurrent: killed" in [text.get_text() for text in axes_of(chart).texts]
    (strip,) = [text.get_text() for text in drawn(chart).texts]
    assert strip == footer(chart, 9.2)
    assert "ended by SIGKILL" in " ".join(strip.split())


def test_a_run_that_did_not_finish_fails_every_profile_and_a_missing_series_full(
    copied: Workbench,
    find_record: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "complete"
    words = ["complete", "--out", str(out), "--config"]
    full = json.dumps(copied.config | {"profile": "full"})
    quick = json.dumps(copied.config)
    for config in (full, quick):
        assert main([*words, config]) == 0
        assert out.read_text() == ""
    fail_pagerank(find_record)
    assert main([*words, full]) == 3
    said = capsys.readouterr().err
    assert "figures lack series:\nruntime: Kronecker 10, concurrent, pagerank" in said
    assert main([*words, quick]) == 3
    said = capsys.readouterr().err
    assert "3 of 28 runs and replays did not finish:" in said
    assert "kron, concurrent, pagerank, trial 1: killed: ended by SIGKILL" in said
    assert "figures lack series" not in said
    find_record(graph="square", engine="concurrent", workload="bfs").unlink()
    assert main([*words, quick]) == 3
    assert "trial-1.json: there is no record" in capsys.readouterr().err


def test_a_zero_does_not_end_a_logarithmic_axis() -> None:
    axes = Figure().add_subplot()
    axes.plot([0, 1], [0.0, 0.03])
    assert log_ends([axes.dataLim.minposy, axes.dataLim.y1]) == (0.01, 0.05)
    assert log_ends([0.0, 0.03]) == (0.01, 0.05)
    assert log_ends([0.0]) == (1.0, 1.0)


def test_figures_without_data_have_no_panels(workbench: Workbench, tmp_path: Path) -> None:
    for chart in charts_of(workbench).values():
        assert chart.panels == []
        assert chart.missing or chart.name == "device"
        assert [path.suffix for path in save(chart, tmp_path)] == [".csv"]


def test_panels_of_one_page_share_no_ids(finished: Workbench) -> None:
    panels = charts_of(finished)["runtime"].panels
    ids = [
        {node.get("id") for node in ET.fromstring(panel_svg(panel, f"p{i}")).iter()} - {None}
        for i, panel in enumerate(panels)
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


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
    (note,) = charts_of(bench)["device"].notes
    assert note.startswith("The device was not probed. build/release/outcore probe graphs")
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
    assert "Other machines" in chart.notes[0]
    assert len(save(chart, tmp_path)) == 5


def test_a_damaged_probe_is_named(finished: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "local.toml"
    write_probe(path, "here")
    path.write_text(path.read_text().replace("k_r = 3", 'k_r = "3"'))
    bench = Workbench(finished.folder, finished.config | {"device": str(path)})
    with pytest.raises(ConfigError, match=r"local\.toml: read\.k_r: '3' is not of type 'integer'"):
        charts_of(bench)
