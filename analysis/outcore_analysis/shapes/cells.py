# SPDX-License-Identifier: Apache-2.0
"""The cells of the map: each run beside the best one of its graph and workload.

*Time* is that of opening, building, running and collecting over the best engine's; of a run that
was ended it is at least its limit over the quickest engine's whole process. *Work in vain* is how
many edges were handed to the program over those of the engine that was handed the fewest, or over a
tenth of the graph's: to hand over each edge once is never in vain. The reason why a cell is red is
computed from what the records count, not written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from outcore_analysis.words import format_bytes, format_seconds, times

Json = dict[str, Any]
RED = 10
# They ask for parts of lists, and what they ask for is one number a task. The tasks of cdlp and lcc
# follow whole lists, so their edges are counted as those of programs are.
TASKS = ("dfs", "one-hop", "two-hop", "random-walk")


class Why(NamedTuple):
    """A reason: its kind, by which cells are counted, and the numbers from which it follows."""

    kind: str
    words: str


@dataclass(frozen=True)
class Cell:
    """One engine with one workload on one graph."""

    size: str
    label: str
    engine: str
    workload: str
    # ok, late, wrong, failed; refused ones are no cells.
    status: str
    # Over the best; None if there is no such number. Of a run that was ended, at least so much.
    time: float | None = None
    vain: float | None = None
    whys: tuple[Why, ...] = ()

    @property
    def reason(self) -> str:
        """Return why it is red, in words."""
        return "; ".join(why.words for why in self.whys)

    @property
    def red(self) -> bool:
        """Tell whether it lost by more than the limit, or has no right answer."""
        return self.status != "ok" or max(self.time or 0, self.vain or 0) > RED


@dataclass(frozen=True)
class LeftOut:
    """What no run could do, and the binary's reason."""

    engine: str
    workload: str
    reason: str


def cells_of(document: Json) -> list[Cell]:
    """Return the cells of one graph, workload by workload."""
    return [cell for runs in _by_workload(document) for cell in _cells(document, runs)]


def left_out(documents: Iterable[Json]) -> dict[LeftOut, int]:
    """Return what was refused, and on how many graphs."""
    found: dict[LeftOut, int] = {}
    for document in documents:
        for run in document["runs"]:
            if run["status"] == "refused":
                reason = _without_graph(run["reason"])
                refusal = LeftOut(run["engine"], run["workload"], reason)
                found[refusal] = found.get(refusal, 0) + 1
    return found


def _without_graph(reason: str) -> str:
    """Return a refusal without what differs between graphs: numbers and commands to copy."""
    return reason.removeprefix("outcore: ").split(";")[0]


def _by_workload(document: Json) -> Iterator[list[Json]]:
    for workload in dict.fromkeys(run["workload"] for run in document["runs"]):
        yield [
            run
            for run in document["runs"]
            if run["workload"] == workload and run["status"] != "refused"
        ]


def _is_good(run: Json) -> bool:
    return run["status"] == "ok" and run.get("verified") is True


def _cells(document: Json, runs: list[Json]) -> Iterator[Cell]:
    good = [run for run in runs if _is_good(run)]
    quickest = min(good, key=lambda run: run["seconds"], default=None)
    fewest = min(good, key=lambda run: run["edges"], default=None)
    for run in runs:
        place = {"size": document["size"], "label": document["label"]}
        place |= {"engine": run["engine"], "workload": run["workload"]}
        if run["status"] == "late":
            # The limit is one of whole processes, which also start, verify and write their record.
            over = run["limit_s"] / quickest["process_s"] if quickest else None
            yield Cell(**place, status="late", time=over, whys=(_why_late(run, quickest),))
        elif not _is_good(run):
            status = "wrong" if run["status"] == "ok" else "failed"
            why = Why(status, run["reason"] or "its answer is wrong")
            yield Cell(**place, status=status, whys=(why,))
        elif quickest and fewest:
            time = run["seconds"] / quickest["seconds"]
            # Whole numbers, so that each edge once is 10 and not a little more.
            needed = max(RED * fewest["edges"], document["graph"]["edges"])
            vain = RED * run["edges"] / needed
            whys = [_why_vain(run, fewest, document["graph"])] * (vain > RED)
            whys += [_why_slow(run, quickest)] * (time > RED)
            yield Cell(**place, status="ok", time=time, vain=vain, whys=tuple(whys))


def _why_late(run: Json, best: Json | None) -> Why:
    limit = format_seconds(run["limit_s"])
    if best is None:
        return Why("ended, as all others were", f"ended after {limit}, as all others were")
    words = f"ended after {limit}; all of {best['engine']} took "
    words += format_seconds(best["process_s"])
    if run.get("read_bytes"):
        words += f"; it had read {format_bytes(run['read_bytes'])} by then"
        words += f", {best['engine']} asked for {format_bytes(best['requested_bytes'])} in all"
    return Why("ended", words)


def _why_vain(run: Json, best: Json, graph: Json) -> Why:
    """Say how often each edge was handed over, and how often vertices had something to say."""
    each, least = (some["edges"] / max(1, graph["edges"]) for some in (run, best))
    if run["workload"] in TASKS:
        words = f"{run['edges']:,} edges, {best['engine']} {best['edges']:,}"
        return Why("in vain: whole lists", f"{words}: whole lists where a task wants a part")
    words = f"each edge {_often(each)}, {best['engine']} {_often(least)}"
    over = f", over {run['rounds']:,} rounds" if run["rounds"] > 1 else ""
    spoke = run["vertices"] / graph["vertices"]
    if each > 2 * spoke:
        words += f": vertices spoke {_often(spoke)}, and others' edges came too{over}"
        return Why("in vain: others' edges", words)
    if each > 1.5:
        words += f": vertices spoke {_often(spoke)}, because their values changed again{over}"
        return Why("in vain: values changed again", words)
    return Why("in vain: no value changed", f"{words}: most messages change no value")


def _often(count: float) -> str:
    return f"{count:.3g} times"


def _why_slow(run: Json, best: Json) -> Why:
    """Name the largest of what can make it slower: start, edges, rounds, bytes, time an edge."""
    start = run["open_s"] + run["prepare_s"]
    rounds, others = run["rounds"], best["rounds"]
    an_edge = run["run_s"] / max(1, run["edges"])
    # An engine that was handed no edge says nothing of what one takes.
    at_best = best["run_s"] / best["edges"] if best["edges"] else 0
    theirs = f"{best['engine']} {format_seconds(at_best) if best['edges'] else 'needs none'}"
    by_edge = f"{format_seconds(an_edge)} an edge, {theirs}"
    if start > run["seconds"] / 2:
        words = f"opening and preparing take {format_seconds(start)} of {_seconds(run)}"
        return Why("opening and preparing", words)
    if an_edge < 2 * at_best:
        return Why("edges", f"{by_edge}: the edges explain the time")
    if rounds > 20 and rounds > 2 * others:
        each = format_seconds(run["run_s"] / rounds)
        words = f"{rounds:,} rounds at {each}, of {run['edges'] / rounds:,.0f} edges each; "
        return Why("rounds", f"{words}{best['engine']} has {f'{others:,}' if others else 'none'}")
    if rounds > 20 and 2 * rounds >= others:
        each, other = run["run_s"] / rounds, best["run_s"] / max(1, others)
        asked, edges = (run[name] / rounds for name in ("requested_bytes", "edges"))
        does = f"asks for {format_bytes(asked)}" if asked else f"has {edges:,.0f} edges"
        words = f"a round takes {format_seconds(each)} and {does}, of {best['engine']}'s "
        kind = "what a round reads" if asked else "what a round does"
        return Why(kind, f"{words}{others:,} each {format_seconds(other)}")
    if run["requested_bytes"] > 2 * max(1, best["requested_bytes"]):
        asked = format_bytes(run["requested_bytes"])
        at_best_asked = format_bytes(best["requested_bytes"])
        return Why("bytes", f"asks for {asked}, {best['engine']} for {at_best_asked}")
    if run["edges"] <= run["vertices"]:
        spent, theirs = format_seconds(run["run_s"]), format_seconds(best["run_s"])
        words = f"runs for {spent}, {best['engine']} for {theirs}: neither edges, rounds nor bytes"
        return Why("nothing that is counted", words)
    return Why("time an edge", by_edge)


def _seconds(run: Json) -> str:
    return format_seconds(run["seconds"])


def worst_first(cells: Iterable[Cell]) -> list[Cell]:
    """Return the red cells; those without a number or a right answer first."""
    red = [cell for cell in cells if cell.red]
    return sorted(red, key=lambda c: (c.status not in ("failed", "wrong"), -_worst(c)))


def _worst(cell: Cell) -> float:
    return max(cell.time or 0, cell.vain or 0)


def told(cell: Cell) -> Mapping[str, str]:
    """Return the cell's numbers in words: at least so much, where the run was ended."""
    least = "> " if cell.status == "late" else ""
    return {
        "time": f"{least}{times(cell.time)}" if cell.time is not None else cell.status,
        "vain": times(cell.vain) if cell.vain is not None else "not known",
    }
