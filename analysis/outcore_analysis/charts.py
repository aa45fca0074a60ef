# SPDX-License-Identifier: Apache-2.0
"""What every figure is: panels drawn on axes, saved as PDF, PNG, SVG and the CSV of its numbers.

Below the panels is what belongs to the figure as a whole: the paper's numbers beside ours, and
every missing series with the reason from its record. A panel also holds a Vega-Lite specification,
with which the page draws it so that one can point at it.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

Json = dict[str, Any]
STYLE = Path(__file__).with_name("outcore.mplstyle")
# The colour of everything that is not data; the page replaces it with the colour of its text.
INK = "#010203"
PANEL_INCHES = (4.6, 3.3)
TIGHT: Json = {"bbox_inches": "tight", "pad_inches": 0.06}


@dataclass(frozen=True)
class Panel:
    """One pair of axes: how matplotlib draws it, and how the page does."""

    title: str
    draw: Callable[[Axes], None]
    hover: Json | None = None
    inches: tuple[float, float] = PANEL_INCHES
    # The graph and the workload that it shows, if it shows only one; the page filters by them.
    of: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Chart:
    """A figure with its caption, its numbers, and what is missing from it."""

    name: str
    title: str
    caption: str
    data: pd.DataFrame
    panels: list[Panel]
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    # For table figures: the head and the rows, for the page.
    table: list[list[str]] = field(default_factory=list)
    paper: str = ""
    place: str = ""
    # The table that it draws.
    source: str = "runs"


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the style of all figures."""
    with style.context(STYLE):
        yield


def save(chart: Chart, folder: Path) -> list[Path]:
    """Write <name>.pdf, .png and .csv, and one SVG per panel."""
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / chart.name
    chart.data.to_csv(base.with_suffix(".csv"), index=False)
    written = [base.with_suffix(".csv")]
    if not chart.panels:
        return written
    with styled():
        figure = drawn(chart)
        figure.savefig(base.with_suffix(".pdf"), metadata={"CreationDate": None}, **TIGHT)
        # The next drawing keeps the layout of the first one.
        figure.set_layout_engine("none")
        save_png(figure, base.with_suffix(".png"))
        written += [base.with_suffix(".pdf"), base.with_suffix(".png")]
    for i, panel in enumerate(chart.panels):
        path = folder / f"{chart.name}-{i + 1}.svg"
        path.write_text(panel_svg(panel, f"{chart.name}-{i + 1}"), encoding="utf-8")
        written.append(path)
    return written


def save_png(figure: Figure, path: Path) -> None:
    """Write a drawing in 256 colours, which takes a third of the bytes."""
    figure.savefig(path, **TIGHT)
    with Image.open(path) as image:
        resolution = image.info.get("dpi", (100, 100))
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True, dpi=resolution)


def drawn(chart: Chart) -> Figure:
    """Draw all panels as one picture, two beside each other, with the notes below."""
    columns = 1 if len(chart.panels) == 1 or chart.panels[0].inches[0] > 6 else 2
    rows = -(-len(chart.panels) // columns)
    width = max(panel.inches[0] for panel in chart.panels) * columns
    height = max(panel.inches[1] for panel in chart.panels) * rows
    below = footer(chart, width)
    strip = 0.17 * (below.count("\n") + 2) if below else 0
    share = strip / (height + strip)
    # The notes are in a strip of their own, which the panels leave free.
    layout = ConstrainedLayoutEngine(rect=(0, share, 1, 1 - share), h_pad=0.07, w_pad=0.07)
    figure = Figure(figsize=(width, height + strip), layout=layout)
    for i, panel in enumerate(chart.panels):
        _draw(panel, figure.add_subplot(rows, columns, i + 1))
    if below:
        top = max(0.8 * strip, strip - 0.3) / (height + strip)
        figure.text(0.01, top, below, ha="left", va="top", fontsize=8)
    return figure


def footer(chart: Chart, inches: float) -> str:
    """Return the notes and what is missing, wrapped to this width."""
    lines = [*chart.notes, *(f"Missing: {text}" for text in chart.missing)]
    return "\n".join(
        part
        for line in lines
        for part in textwrap.wrap(line, int(15.5 * inches), subsequent_indent="    ")
    )


def _draw(panel: Panel, axes: Axes) -> None:
    axes.set_title(panel.title)
    panel.draw(axes)


def panel_svg(panel: Panel, prefix: str) -> str:
    """Return the panel as an SVG for a page: ink in the page's text colour, unique ids."""
    with styled():
        figure = Figure(figsize=panel.inches, layout="constrained")
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


def slim(svg: str) -> str:
    """Return the drawing in half the bytes: the page's font, short numbers, styles and ids."""
    text = re.sub(r"font-family: [^;\"]*; ?", "", svg)
    text = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", text).replace("xlink:href=", "href=")
    used = list(dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', text)))
    text = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", text)
    # Each ends in a hash; what stands before it is the drawing's name, unique on the page.
    short = {name: f"{name.rpartition('-')[0]}-{i}" for i, name in enumerate(used)}
    text = re.sub(r'( id="|href="#|url\(#)([^")]+)', lambda m: m[1] + short.get(m[2], m[2]), text)
    text = re.sub(r'style="[^"]*"', lambda m: re.sub(r"(?<=[:;]) ", "", m[0]), text)
    text = re.sub(
        r'(?<= )([dxy]|width|height)="[^"]*"', lambda m: re.sub(r"(\.\d)\d+", r"\1", m[0]), text
    )
    return re.sub(r"\s*\n\s*", " ", re.sub(r">\s+<", "><", text))
