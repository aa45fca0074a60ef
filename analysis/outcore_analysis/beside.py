# SPDX-License-Identifier: Apache-2.0
"""Our published forms beside the programs whose knobs they have.

A published form stands for a paper's program in claims (forms.py), so pages say how far it is from
that program: both times and their ratio, from kept races in which both ran, of whole processes and,
where both tell it, of the algorithm alone, which then decides: CAVE's program computes three times.
A program that no race has beside its form is *unraced*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from outcore_analysis.contest.kept import Kept
from outcore_analysis.forms import PROGRAMS
from outcore_analysis.stats import Summary
from outcore_analysis.words import ratio_text

# Of more than this factor, either way, a page says that they are far from each other.
FAR = 1.5
HEAD = (
    *("program", "engine", "question", "its s", "published form's s", "form over program"),
    *("its algorithm's s", "form's", "form over program", ""),
)


@dataclass(frozen=True)
class Clock:
    """Both times by one clock, and their ratio, paired by turn."""

    theirs: Summary | None = None
    ours: Summary | None = None
    ratio: Summary | None = None

    def cells(self) -> list[str]:
        """Return them in words."""
        seconds = [f"{found.median:.3g}" if found else "" for found in (self.theirs, self.ours)]
        return [*seconds, ratio_text(self.ratio)]


@dataclass(frozen=True)
class Beside:
    """A program and the published form of an engine in one race; no seconds: unraced."""

    program: str
    engine: str
    question: str = ""
    whole: Clock = Clock()  # the wall clock of processes
    algorithm: Clock = Clock()  # as each says itself; some do more than one in a turn

    @property
    def words(self) -> str:
        """Return how near they are."""
        ratio = self.algorithm.ratio or self.whole.ratio
        if ratio is None:
            return "unraced"
        if 1 / FAR <= ratio.median <= FAR:
            return "near"
        return "far: slower" if ratio.median > 1 else "far: faster"

    def cells(self) -> list[str]:
        """Return its row under HEAD."""
        named = [self.program, self.engine, self.question]
        return [*named, *self.whole.cells(), *self.algorithm.cells(), self.words]


def beside(races: Iterable[Kept]) -> list[Beside]:
    """Return all programs, each in the races that have it beside its form, or once as unraced."""
    held = list(races)
    found: list[Beside] = []
    for engine, program in sorted(PROGRAMS.items(), key=lambda item: item[1].lower()):
        of_program = [one for race in held for one in _in_race(race, engine, program)]
        found += of_program or [Beside(program, engine)]
    return found


def _in_race(race: Kept, engine: str, program: str) -> Iterator[Beside]:
    theirs = next(
        (n for n in race.names if race.contestant(n)["title"].lower() == program.lower()), None
    )
    ours = next((n for n in race.names if _is_form(race, n, engine)), None)
    if theirs is None or ours is None:
        return
    whole = _clock(race, "wall_s", theirs, ours)
    if whole.ratio is not None:
        head = race.head
        question = f"{head['workload']} on {head['graph']['name']}, {head['machine']}"
        yield Beside(program, engine, question, whole, _clock(race, "own_s", theirs, ours))


def _clock(race: Kept, key: str, theirs: str, ours: str) -> Clock:
    return Clock(race.summary(theirs, key), race.summary(ours, key), race.over(ours, key, theirs))


def _is_form(race: Kept, name: str, engine: str) -> bool:
    """Tell whether it is the published form; races from before it was a setting name it so."""
    words = (race.contestant(name)["command"] or "").split()
    asked = words[words.index("--engine") + 1] if "--engine" in words else ""
    return asked.split(":")[0] == engine and ("form=published" in asked or "published" in name)
