# SPDX-License-Identifier: Apache-2.0
"""A race in words: first whether the answers agree, then the times."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outcore_analysis.contest.asked import Asked
from outcore_analysis.contest.contestant import FOLDER
from outcore_analysis.contest.faults import RaceError
from outcore_analysis.contest.race import Entrant, Race
from outcore_analysis.stats import paired_ratios, summarise
from outcore_analysis.words import format_bytes
from outcore_analysis.yamllines import CONFIGS, load_yaml

Json = dict[str, Any]
COLUMNS = (
    *("contestant", "algorithm", "answer", "turns", "seconds", "ratio [95%]", "own", "processor"),
    *("read", "written", "memory", "with cache"),
)
WORDS = COLUMNS.index("turns")  # the columns before it are words, the others numbers


def hold(asked: Asked) -> None:
    """Hold a race and print what came of it; an interrupted one prints what there is."""
    settings = load_yaml(CONFIGS / "config.yaml").value.get("contestants", {})
    tell = _on_stderr if not asked.json else lambda _: None
    descriptions = Path(os.environ.get("OUTCORE_CONTESTANTS", FOLDER))
    race = Race(asked, settings, descriptions, tell)
    try:
        race.run()
    finally:
        race.clean()
        if race.entrants and asked.json:
            print(json.dumps(race.document(), indent=1, ensure_ascii=False))
        elif any(entrant.records for entrant in race.entrants):
            print(report(race), end="", flush=True)
    told = race.entrants[0]
    if told.verdict != "right":
        raise RaceError(f"ours: {told.verdict}: {told.reason}")


def _on_stderr(text: str) -> None:
    print(f"race: {text}", file=sys.stderr, flush=True)


def report(race: Race) -> str:
    """Return all that is printed after a race."""
    lines = [_headline(race), "", "answers:"]
    lines += [f"  {_answer(entrant)}" for entrant in race.entrants]
    ranking = [entrant for entrant in ranked(race.entrants) if entrant.good]
    rows = [_row(entrant, race.entrants[0], race.asked) for entrant in ranking]
    shown = [row for row in rows if row]
    if shown:
        lines += ["", *aligned([COLUMNS, *shown])]
        lines += ["", *_notes(race)]
    limits = [
        f"  {entrant.name}: {limit}"
        for entrant in race.entrants
        if entrant.contestant and not entrant.unraced
        for limit in entrant.contestant.value.get("limits", [])
    ]
    if limits:
        lines += ["", "known limits:", *limits]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def ranked(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the quickest first; those without a time last."""
    return sorted(entrants, key=lambda entrant: _median(entrant, "wall_s") or float("inf"))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table's lines: words, then numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at < WORDS else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _headline(race: Race) -> str:
    asked = race.asked
    found = {r["raced"]["temperature"] for entrant in race.entrants for r in entrant.records}
    warm = ", warm" if asked.cold else ", warm as asked"
    cold = ", cold" if found == {"cold"} else f"{warm} (the page cache was not dropped)"
    limit = "no limit of memory"
    if asked.memory:
        limit = f"{format_bytes(asked.memory)} for everything that one starts, page cache included"
    return (
        f"{asked.workload} on {asked.graph}, {asked.turns} turns in changing order{cold}, "
        f"{asked.threads} threads, {limit}; ours is {asked.ours.engine} on {asked.ours.layout}"
    )


def _answer(entrant: Entrant) -> str:
    version = f" {entrant.version}" if entrant.version else ""
    reason = f": {entrant.reason}" if entrant.reason else ""
    return f"{entrant.name}{version}: {entrant.verdict.replace('_', ' ')}{reason}"


def _algorithm(entrant: Entrant, asked: Asked) -> str:
    """Return what it runs: of a workload may be several algorithms, and a time is of one."""
    if entrant.contestant:
        described = entrant.contestant.value["workloads"][asked.workload]
        return str(described.get("algorithm", "-"))
    chosen = [
        f"{name}={value}"
        for name, value in asked.parameters.items()
        if isinstance(value, str) and name != "source"
    ]
    return ", ".join([asked.workload, *chosen])


def _row(entrant: Entrant, ours: Entrant, asked: Asked) -> list[str] | None:
    """Return the cells; None where an answer differs, because then no time means anything."""
    if entrant.verdict == "answers differ":
        return None
    mark = "?" if entrant.verdict == "not compared" else ""
    of_turns = f"{len(entrant.good)} of {len(entrant.records)}"
    processor = [r["raced"]["user_s"] + r["raced"]["system_s"] for r in entrant.good]
    return [
        entrant.name,
        _algorithm(entrant, asked),
        entrant.verdict,
        of_turns,
        f"{_median(entrant, 'wall_s'):.3f}{mark}",
        _ratio(entrant, ours),
        _seconds(_median(entrant, "own_s")),
        _seconds(summarise(processor).median),
        _size(_median(entrant, "read_bytes")),
        _size(_median(entrant, "written_bytes")),
        _size(_memory(entrant, "anonymous_bytes")),
        _size(_memory(entrant, "peak_bytes")),
    ]


def _ratio(entrant: Entrant, ours: Entrant) -> str:
    """Return wall time over ours, paired by turn."""
    by_turn = {r["raced"]["turn"]: r["raced"]["wall_s"] for r in ours.good}
    both = [
        (r["raced"]["wall_s"], by_turn[r["raced"]["turn"]])
        for r in entrant.good
        if r["raced"]["turn"] in by_turn
    ]
    if not both or ours.verdict != "right":
        return "-"
    found = summarise(paired_ratios([a for a, _ in both], [b for _, b in both]))
    interval = f" [{found.low:.2f}, {found.high:.2f}]" if found.has_interval else ""
    return f"x {found.median:.2f}{interval}"


def _notes(race: Race) -> list[str]:
    notes = [
        "seconds: wall clock of the whole program; own: of the algorithm, as it says itself; "
        "memory: anonymous."
    ]
    if any(e.verdict == "not compared" for e in race.entrants):
        notes.append("?: nothing was compared, so the time may be of another answer.")
    notes += [
        f"{entrant.name} left {left} processes behind, which were ended."
        for entrant in race.entrants
        if (left := max((r["raced"]["left_behind"] for r in entrant.records), default=0))
    ]
    notes += [
        f"{entrant.name}: its graph took {sum(s['wall_s'] for s in steps):.2f} s to make, once "
        f"({format_bytes(steps[-1]['bytes'])})."
        for entrant in race.entrants
        if entrant.converted and (steps := entrant.converted.record["steps"])
    ]
    return notes


def _median(entrant: Entrant, key: str) -> float | None:
    found = [r["raced"][key] for r in entrant.good if r["raced"][key] is not None]
    return summarise(found).median if found else None


def _memory(entrant: Entrant, key: str) -> float | None:
    found = [r["raced"]["memory"][key] for r in entrant.good]
    known = [value for value in found if value is not None]
    return summarise(known).median if known else None


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _size(value: float | None) -> str:
    return "-" if value is None else format_bytes(value)
