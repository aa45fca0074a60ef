# SPDX-License-Identifier: Apache-2.0
"""The page on which a reader plays with a cache, over the accesses of one small run.

The page's program is cache.html, built from viewer/ in the repository.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcore_analysis.traces import read_trace
from outcore_analysis.viewer import ViewerError, write_shown
from outcore_analysis.viewer.words import size_text

if TYPE_CHECKING:
    from outcore_analysis.traces import Trace

PROGRAM = Path(__file__).with_name("cache.html")
MOST_ACCESSES = 20_000  # the page counts all policies at all sizes when it opens
MOST_BLOCKS = 1000  # different ones


def facts_of(trace: Trace) -> list[tuple[str, str]]:
    """Return what was run: names and what they are."""
    header, distinct = trace.header, len({unit for asked in trace.rounds for unit in asked})
    block = f"{header['unit_bytes'] / 1024:g} KiB"
    return [
        ("workload", header["workload"]),
        ("graph", f"{header['graph']}, {size_text(header['raw_bytes'])} of edges"),
        ("layout", f"{header['layout']}, {trace.units:,} blocks of {block}"),
        ("engine", header["engine"]),
        ("threads", str(header["workers"])),
        (
            "accesses",
            f"{trace.accesses:,} to {distinct:,} blocks, in {len(trace.rounds) - 1} rounds",
        ),
    ]


def played_of(trace: Trace, title: str = "") -> dict[str, Any]:
    """Return what the page holds of this trace; refuse one that is too long to be played with."""
    distinct = len({unit for asked in trace.rounds for unit in asked})
    if not 2 <= distinct <= MOST_BLOCKS or trace.accesses > MOST_ACCESSES:
        raise ViewerError(
            f"{trace.path}: {trace.accesses:,} accesses to {distinct:,} blocks; the page plays "
            f"with up to {MOST_ACCESSES:,} to 2 to {MOST_BLOCKS:,} blocks: trace a smaller graph, "
            "or ask outcore cachesim"
        )
    header = trace.header
    return {
        "title": title or f"Play with the cache: {header['workload']} on {header['graph']}",
        "facts": facts_of(trace),
        "unit_bytes": header["unit_bytes"],
        "units": trace.units,
        "rounds": trace.rounds,
    }


def write_play(file: Path, out: Path, title: str = "") -> None:
    """Read the trace and write its page."""
    write_shown(played_of(read_trace(file), title), out, PROGRAM)
