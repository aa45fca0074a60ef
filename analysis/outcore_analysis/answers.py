# SPDX-License-Identifier: Apache-2.0
"""The sentences at the beginning of a page: who wins where, by what factor, and why.

They are made from races alone, and say so if there is too little data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from outcore_analysis.races import Entry, Race, engines_of
from outcore_analysis.stats import LEAST_TRIALS
from outcore_analysis.words import joined, times, workload_name

Words = Callable[[str], str]
TIMES = "\N{MULTIPLICATION SIGN}"
# At most this many groups of an engine's wins are named.
MOST_NAMED = 4
# A factor of the identity below this explains nothing.
SLIGHT = 1.05


def answers(races: Iterable[Race], graph: Words) -> list[str]:
    """Return the sentences; `graph` gives a graph's name in words."""
    run = [race for race in races if race.best]
    if not run:
        return [
            "Too little data to say who wins: no two engines that work from storage have finished "
            "the same workload on the same graph with the same pool and threads."
        ]
    few = all(race.indicative for race in run)
    decided = [race for race in run if not race.close and (few or not race.indicative)]
    lines = [_too_few(run)] if few else []
    if not decided:
        every = f"All {len(run)} races are" if len(run) > 1 else "The only race is"
        return [*lines, f"{every} too close to call."]
    lines.append(_who_wins(run, decided, few, graph))
    first, *others = dict.fromkeys(_by_wins(decided))
    lines.append(f"{first} leads most in {_lead(first, decided, graph)}.")
    if others:
        second = f"{others[0]} leads most in {_lead(others[0], decided, graph)}"
        lines.append(f"The other way round, {second}.")
    else:
        lines.append(_nearest(run, first, graph))
    return lines


def _too_few(run: list[Race]) -> str:
    most = max(race.trials for race in run)
    trials = "one trial" if most == 1 else f"{most} trials"
    return (
        f"Too little data to say who wins: {trials} of each, and {LEAST_TRIALS} are needed. "
        "What these runs hint at:"
    )


def _by_wins(decided: list[Race]) -> list[str]:
    won = {race.best.engine for race in decided if race.best}
    return [engine for engine in engines_of(decided) if engine in won]


def _who_wins(run: list[Race], decided: list[Race], few: bool, graph: Words) -> str:
    parts = []
    for i, engine in enumerate(_by_wins(decided)):
        won = [race for race in decided if race.best and race.best.engine == engine]
        verb = "is the quickest in" if few else "wins"
        count = f"{len(won)} of {len(run)} races" if i == 0 else str(len(won))
        parts.append(f"{engine} {verb} {count}: {_places(won, graph)}")
    rest = len(run) - len(decided)
    if rest:
        parts.append(f"{rest} {'is' if rest == 1 else 'are'} too close to call")
    return f"{'; '.join(parts)}."


def _places(won: list[Race], graph: Words) -> str:
    """Return "BFS and WCC on one graph"; workloads won on the same graphs are grouped."""
    graphs: dict[str, list[str]] = {}
    for race in won:
        graphs.setdefault(race.workload, []).append(graph(race.graph))
    together: dict[tuple[str, ...], list[str]] = {}
    for workload, names in graphs.items():
        together.setdefault(tuple(names), []).append(workload_name(workload))
    named = [f"{joined(works)} on {joined(names)}" for names, works in together.items()]
    more = len(named) - MOST_NAMED
    return ", ".join([*named[:MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])


def _lead(engine: str, decided: list[Race], graph: Words) -> str:
    won = [race for race in decided if race.best and race.best.engine == engine]
    race = max(won, key=lambda r: _factor(r.slowest))
    loser = race.slowest
    return (
        f"{workload_name(race.workload)} on {graph(race.graph)}: {loser.engine} takes "
        f"{times(_factor(loser))} times as long, {because(loser)}"
    )


def _nearest(run: list[Race], first: str, graph: Words) -> str:
    """Return the sentence about the second place if a single engine wins every race."""
    race = min(run, key=lambda r: _factor(r.finished[1]))
    second = next(e for e in race.finished if e.engine != first)
    return (
        f"No other engine wins a race; the nearest is {second.engine} in "
        f"{workload_name(race.workload)} on {graph(race.graph)}, at {times(_factor(second))} times "
        f"the time of {first}."
    )


def _factor(entry: Entry) -> float:
    return entry.factor.median if entry.factor else 1.0


REASONS: dict[str, Callable[[float], str]] = {
    "start-up": lambda f: f"its start-up makes that {times(f)} times as much",
    "edges": lambda f: f"it processes {times(f)} times the edges",
    "bytes": lambda f: f"each edge costs it {times(f)} times the bytes",
    "rate": lambda f: f"it gets its bytes at {times(1 / f)} times the rate",
}


def because(loser: Entry) -> str:
    """Return the largest factor of the identity, in words."""
    if not loser.why:
        return "and the counters cannot say why: one of the two processed or read nothing"
    largest = loser.why[loser.reason]
    if largest < SLIGHT or loser.reason not in REASONS:
        return "for no single reason that the counters show"
    return f"above all because {REASONS[loser.reason](largest)}"


def described(entry: Entry) -> str:
    """Return the whole identity of an entry in words, for a reader who does not see its bar."""
    names: dict[str, Any] = {"bytes": "bytes an edge", "rate": "slower rate"}
    parts = [f"{names.get(name, name)} {TIMES}{times(value)}" for name, value in entry.why.items()]
    return f"{TIMES}{times(_factor(entry))} = {', '.join(parts)}" if parts else "nothing to divide"
