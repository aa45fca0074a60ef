# SPDX-License-Identifier: Apache-2.0
"""Colours, markers, dashes and hatches: defined here, once, and the same in every figure.

The palette is Okabe and Ito's, which people with any kind of colour vision can distinguish, plus a
brown and a violet for the two engines for which it has no colour left. Names that are not listed
here get Paul Tol's muted colours, so that a device does not look like an engine. A new engine (a
single word) always gets the same one of them. Colour is never the only difference: lines also
differ by marker and dash, bars by their place.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

ENGINES = {
    "in_memory": "#8C8C8C",
    "concurrent": "#E69F00",
    "async_block": "#0072B2",
    "chunk_mmap": "#009E73",
    "sync_subgraph": "#CC79A7",
    "psw": "#D55E00",
    "grid": "#56B4E9",
    "binning": "#7A4B1E",
    "evolving": "#5B3FA8",
}
POLICIES = {
    "opt": "#009E73",
    "sub": "#D55E00",
    "lru": "#0072B2",
    "clock": "#CC79A7",
    "fifo": "#8C8C8C",
    "s3fifo": "#E69F00",
    "arc": "#5B3FA8",
}
# A layout has the colour of the engine for which it was made.
LAYOUTS = {
    "firstfit": ENGINES["concurrent"],
    "acgraph": ENGINES["async_block"],
    "bestfit": "#8CC5E3",
    "chunkgraph": ENGINES["chunk_mmap"],
    "chunks-naive": "#7FD1B5",
    "losc": ENGINES["sync_subgraph"],
    "csr": ENGINES["binning"],
    "psw": ENGINES["psw"],
    "grid": ENGINES["grid"],
}
SIZES = {
    "4 KB": "#0072B2",
    "16 KB": "#56B4E9",
    "64 KB": "#009E73",
    "256 KB": "#E69F00",
    "1 MB": "#D55E00",
}
COLOURS = ENGINES | POLICIES | LAYOUTS | SIZES
# For names without a colour of their own, in this order: Tol's, alternating dark and light.
OTHERS = ["#332288", "#CC6677", "#117733", "#DDCC77", "#882255", "#44AA99", "#AA4499", "#999933"]
# The form of the names of engines, policies and layouts.
WORD = re.compile(r"[a-z][a-z0-9_-]*")
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">"]
DASHES: list[Any] = ["-", "--", "-.", ":", (0, (1, 3)), (0, (5, 1, 1, 1)), (0, (3, 1))]
# The same shapes by their names in Vega.
SHAPES = [
    *("circle", "square", "triangle-up", "diamond", "triangle-down"),
    *("cross", "triangle-left", "triangle-right", "wedge"),
]
# Dots come last, because an SVG draws each of them.
HATCHES = ["", "///", "\\\\\\", "xxx", "+++", "..."]


def colour_of(name: str) -> str | None:
    """Return the colour of a name wherever it occurs; None if it is not a single word."""
    if own := COLOURS.get(name) or POLICIES.get(name.lower()):
        return own
    return OTHERS[zlib.crc32(name.encode()) % len(OTHERS)] if WORD.fullmatch(name) else None


def colours(names: list[str]) -> dict[str, str]:
    """Give each series a colour: its own, its engine's, or one of the others in turn."""
    own = {name: COLOURS.get(name) or colour_of(name.split(", ")[0]) for name in names}
    others = [colour for colour in OTHERS if colour not in own.values()]
    given: dict[str, str] = {}
    for name, colour in own.items():
        in_turn = sum(own[n] is None for n in given)
        given[name] = colour or others[in_turn % len(others)]
    return given


def hatches(names: list[str]) -> dict[str, str]:
    """Distinguish series that share an engine's colour by hatches."""
    seen: dict[str, int] = {}
    found = {}
    for name, colour in colours(names).items():
        found[name] = HATCHES[seen.get(colour, 0) % len(HATCHES)]
        seen[colour] = seen.get(colour, 0) + 1
    return found
