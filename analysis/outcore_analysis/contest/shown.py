# SPDX-License-Identifier: Apache-2.0
"""What pages show of races against other programs: of the report a section, and a page of its own.

Both are made from the records of races, by the columns of docs' tables (measured.py). A race that
was not held yet is named with the command that holds it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outcore_analysis.contest import kept
from outcore_analysis.contest.contestant import INSTALLED
from outcore_analysis.contest.kept import COMPARED, Kept
from outcore_analysis.contest.programme import Bout
from outcore_analysis.contest.record import OURS
from outcore_analysis.measured import COLUMNS, cells_of
from outcore_analysis.plan import Plan
from outcore_analysis.words import format_bytes, format_seconds, workload_name

Json = dict[str, Any]
SHOWN = (
    *("answer", "turns", "seconds", "time over", "own", "processors"),
    *("read", "written", "memory", "peak", "bound"),
)
INSTALL = "make contestants"
COMMAND = "snakemake races"
# What became of a contestant in a race, in the order of a bar.
BECAME = ("raced", "killed", "answers differ", "failed", "unraced")


@dataclass(frozen=True)
class Held:
    """One race of a plan, and its record: None while it was not held."""

    bout: Bout
    document: Json | None

    @property
    def race(self) -> Kept | None:
        """Return it in compact form."""
        return kept.of_race(self.document) if self.document else None

    @property
    def name(self) -> str:
        """Return the name of its file in compact form."""
        bout = self.bout
        return f"{bout.programme}-{bout.graph}-{bout.workload}-{bout.memory or 'free'}"

    def title(self, titles: Mapping[str, str]) -> str:
        """Return the question and the limit in words."""
        graph = titles.get(self.bout.graph, self.bout.graph)
        return f"{workload_name(self.bout.workload)} on {graph}, {limit_text(self.bout.memory)}"


def limit_text(memory: str | None) -> str:
    """Return a limit of memory in words."""
    return f"{memory} of memory" if memory else "no limit of memory"


def held_races(plan: Plan) -> list[Held]:
    """Return all races of a plan, with the records that are there."""
    found = []
    for key, bout in plan.bouts.items():
        path = Path(plan.race_file(key))
        there = path.is_file()
        found.append(Held(bout, json.loads(path.read_text(encoding="utf-8")) if there else None))
    return found


def became(race: Kept, name: str) -> str:
    """Return one of BECAME."""
    verdict = race.contestant(name)["verdict"]
    if verdict in COMPARED and race.good(name):
        return "raced"
    if verdict in ("killed", "out_of_memory"):
        return "killed"
    return verdict if verdict in BECAME else "failed"


def section(held: list[Held], titles: Mapping[str, str]) -> Json:
    """Return everything that the template shows."""
    there = [one for one in held if one.race is not None]
    return {
        "programmes": _programmes(there, titles),
        "counts": _counts(there),
        "became": BECAME,
        "contestants": _contestants(there),
        "absent": [one.title(titles) for one in held if one.race is None],
        "command": COMMAND if INSTALLED.is_dir() else f"{INSTALL} && {COMMAND}",
        "asked": bool(held),
    }


def _programmes(held: list[Held], titles: Mapping[str, str]) -> list[Json]:
    """Return the races of each file, each as a table."""
    found: dict[str, Json] = {}
    for one in held:
        race = one.race
        assert race is not None
        bout = one.bout
        same = {"title": bout.title, "answers": bout.answers, "races": []}
        programme = found.setdefault(bout.programme, same)
        programme["races"].append(
            {
                "title": one.title(titles),
                "head": [COLUMNS[name][0].format(over="ours") for name in SHOWN],
                "rows": [
                    {
                        "name": race.contestant(name)["title"],
                        "cells": cells_of(race, name, list(SHOWN)),
                        "ours": name == OURS,
                        "became": became(race, name),
                        "reason": race.contestant(name)["reason"],
                    }
                    for name in _ranked(race)
                ],
            }
        )
    return list(found.values())


def _ranked(race: Kept) -> list[str]:
    """Return the quickest first, and who has no time last."""

    def rank(name: str) -> float:
        seconds = race.summary(name, "wall_s")
        return seconds.median if seconds else float("inf")

    return sorted(race.names, key=rank)


def _counts(held: list[Held]) -> list[Json]:
    """Return for each contestant in how many races it became what."""
    counts: dict[str, Counter[str]] = {}
    titles: dict[str, str] = {}
    for one in held:
        race = one.race
        assert race is not None
        for name in race.names:
            titles[name] = "Outcore" if name == OURS else race.contestant(name)["title"]
            counts.setdefault(name, Counter())[became(race, name)] += 1
    return [
        {"name": titles[name], "counts": [count[what] for what in BECAME], "of": count.total()}
        for name, count in counts.items()
    ]


def _contestants(held: list[Held]) -> list[Json]:
    """Return who they are, what they cannot do, and what their graphs took to make."""
    found: dict[str, Json] = {}
    for one in held:
        assert one.document is not None
        for told in one.document["contestants"]:
            if told["name"] == OURS:
                continue
            known = found.setdefault(told["name"], told | {"made": []})
            steps = (told["conversion"] or {}).get("steps", [])
            if steps:
                seconds = format_seconds(sum(step["wall_s"] for step in steps))
                text = f"{one.bout.graph}: {seconds}, {format_bytes(steps[-1]['bytes'])}"
                known["made"] = list(dict.fromkeys([*known["made"], text]))
    return list(found.values())
