# SPDX-License-Identifier: Apache-2.0
"""One figure of each kind, point for point as it was when somebody last looked at it.

The pictures hold for the matplotlib that requirements.txt pins, whose wheel brings its own fonts.
After a change that is meant, make them anew, look at them, and put them into the same commit:

    pytest analysis/tests/test_baselines.py --mpl-generate-path=analysis/tests/baseline
"""

from collections.abc import Callable
from typing import Any

import matplotlib
import pytest
from matplotlib.figure import Figure

from outcore_analysis.__main__ import drawn_charts
from outcore_analysis.charts import STYLE, Chart, drawn
from workbench import ROOT, Workbench

PINNED = f"matplotlib=={matplotlib.__version__}" in (ROOT / "requirements.txt").read_text()
pytestmark = pytest.mark.skipif(not PINNED, reason="another matplotlib than the pinned one")
compared: Callable[[Any], Any] = pytest.mark.mpl_image_compare(
    style=str(STYLE),
    tolerance=0,
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
def test_heat(charts: dict[str, Chart]) -> Figure:
    return drawn(charts["accesses"])
