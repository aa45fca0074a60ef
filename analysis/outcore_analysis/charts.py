# SPDX-License-Identifier: Apache-2.0
"""What every figure is: panels drawn on axes, saved as PDF, PNG, SVG and the CSV of its numbers.

Colours are given here, once, and are the same in every figure. They are Okabe and Ito's, which
people with any kind of colour vision can tell apart; lines also differ by marker and dash.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

STYLE = Path(__file__).with_name("outcore.mplstyle")
INK = "#010203"
PANEL_INCHES = (4.6, 3.3)

COLOURS = {
    "in_memory": "#8C8C8C",
    "concurrent": "#E69F00",
    "async_block": "#0072B2",
    "chunk_mmap": "#009E73",
    "sync_subgraph": "#CC79A7",
    "psw": "#D55E00",
    "grid": "#56B4E9",
    "binning": "#9A6A3C",
    "evolving": "#7B61C4",
    "opt": "#009E73",
    "sub": "#D55E00",
    "lru": "#3B8FD0",
    "clock": "#CC79A7",
    "fifo": "#8C8C8C",
    "s3fifo": "#E69F00",
    "arc": "#7B61C4",
    "blocks": "#3B8FD0",
    "index": "#E69F00",
    "4 KB": "#0072B2",
    "16 KB": "#56B4E9",
    "64 KB": "#009E73",
    "256 KB": "#E69F00",
    "1 MB": "#D55E00",
}
MARKERS = {"opt": "o", "sub": "s", "lru": "^", "clock": "D", "fifo": "v", "s3fifo": "P", "arc": "X"}
DASHES = {
    "opt": "-",
    "sub": "--",
    "lru": "-.",
    "clock": ":",
    "fifo": (0, (1, 3)),
    "s3fifo": (0, (5, 1, 1, 1)),
    "arc": (0, (3, 1)),
}
# Sizes of requests.
MARKERS |= {"4 KB": "o", "16 KB": "s", "64 KB": "^", "256 KB": "D", "1 MB": "v"}
DASHES |= {"4 KB": "-", "16 KB": "--", "64 KB": "-.", "256 KB": ":", "1 MB": "-"}


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    draw: Callable[[Axes], None]


@dataclass(frozen=True)
class Chart:
    """A figure with its caption, its numbers, and what is missing from it."""

    name: str
    title: str
    caption: str
    data: pd.DataFrame
    panels: list[Panel]
    missing: list[str] = field(default_factory=list)


@contextmanager
def _styled() -> Iterator[None]:
    with style.context(STYLE):
        yield


def save(chart: Chart, folder: Path) -> list[Path]:
    """Writes <name>.pdf, .png and .csv, and one SVG a panel."""
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / chart.name
    chart.data.to_csv(base.with_suffix(".csv"), index=False)
    written = [base.with_suffix(".csv")]
    if not chart.panels:
        return written
    with _styled():
        width, height = PANEL_INCHES
        columns = min(2, len(chart.panels))
        rows = -(-len(chart.panels) // columns)
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        for i, panel in enumerate(chart.panels):
            _draw(panel, figure.add_subplot(rows, columns, i + 1))
        for suffix in (".pdf", ".png"):
            figure.savefig(base.with_suffix(suffix))
            written.append(base.with_suffix(suffix))
    for i, panel in enumerate(chart.panels):
        path = folder / f"{chart.name}-{i + 1}.svg"
        path.write_text(panel_svg(panel, f"{chart.name}-{i + 1}"), encoding="utf-8")
        written.append(path)
    return written


def _draw(panel: Panel, axes: Axes) -> None:
    axes.set_title(panel.title)
    panel.draw(axes)


def panel_svg(panel: Panel, prefix: str) -> str:
    """The panel as an SVG to stand in a page: ink in the page's text colour, ids made unique."""
    with _styled():
        figure = Figure(figsize=PANEL_INCHES, layout="constrained")
        _draw(panel, figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    text = re.sub(r'(<svg [^>]*?)width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?)height="[^"]*"', r"\1", text, count=1)
    return text.replace(INK, "currentColor")
