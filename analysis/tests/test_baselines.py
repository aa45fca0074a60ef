# SPDX-License-Identifier: Apache-2.0
"""One figure of each kind, as it was when somebody last looked at it.

The measure is the root mean square of the differences between pixels, from 0 to 255. It leaves room
for another way to smooth an edge, but not for another number; a test shows that. The pictures are
valid for the matplotlib that requirements.txt pins, whose wheel brings its own fonts. After an
intended change, make them again, look at them, and put them into the same commit:

    pytest analysis/tests/test_baselines.py --mpl-generate-path=analysis/tests/baseline
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.style
import pytest
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images

from outcore_analysis.__main__ import drawn_charts
from outcore_analysis.charts import STYLE, Chart, drawn
from outcore_analysis.figures import all_charts
from outcore_analysis.figures.waterfall import waterfall
from test_ladder import asked as runs_of_a_ladder
from test_ladder import planned as planned_ladder
from workbench import ROOT, Workbench, make_workbench

TOLERANCE = 1.5
PINNED = f"matplotlib=={matplotlib.__version__}" in (ROOT / "requirements.txt").read_text()
pytestmark = pytest.mark.skipif(not PINNED, reason="another matplotlib than the pinned one")
compared: Callable[[Any], Any] = pytest.mark.mpl_image_compare(
    style=str(STYLE),
    tolerance=TOLERANCE,
    savefig_kwargs={"dpi": 55},
)


@pytest.fixture(scope="module")
def charts(finished: Workbench) -> dict[str, Chart]:
    return {chart.name: chart for chart in drawn_charts(finished.plan())[1]}


@compared
def test_bars(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["runtime"])


@compared
def test_lines(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["acgraph-fig2"])


@compared
def test_stacks(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["layout-bytes"])


@compared
def test_table(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["sizes"])


@compared
def test_timeline(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["timeline"])


@compared
def test_rounds(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["rounds"])


@compared
def test_frontier(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["frontier"])


@compared
def test_waterfall(tmp_path: Path) -> Figure:
    bench = make_workbench(tmp_path)
    return drawn(waterfall(runs_of_a_ladder(planned_ladder(bench), [8.0, 6.0, 7.0, 2.0])))


@compared
def test_heat(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["accesses"])


def test_another_number_is_beyond_the_tolerance(finished: Workbench, tmp_path: Path) -> None:
    """One of eight dots is a tenth higher; everything else is drawn as in the pictures."""
    seen, _, verdicts = drawn_charts(finished.plan())
    runs = seen.tables["runs"].copy()
    higher = (runs["workload"] == "pagerank") & (runs["engine"] == "concurrent")
    runs.loc[higher & (runs["graph"] == "kron"), "seconds"] *= 1.1
    changed = replace(seen, tables=seen.tables | {"runs": runs})
    files = []
    for name, material in (("as-it-is", seen), ("changed", changed)):
        (chart,) = [
            c for c in all_charts(finished.plan(), material, verdicts) if c.name == "runtime"
        ]
        files.append(str(tmp_path / f"{name}.png"))
        with matplotlib.style.context(str(STYLE)):
            drawn(chart).savefig(files[-1], dpi=55)
    problem = compare_images(*files, tol=TOLERANCE, in_decorator=True)
    assert problem is not None, "so a picture would not tell"
